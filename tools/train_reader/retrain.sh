#!/bin/bash
# Retrain the shipped reader: retrain.sh DATA EMBEDDER BERT OUT [TEST_SET]
#   DATA      folder of question sets (corpus.jsonl + questions.jsonl each)
#   EMBEDDER  folder of the shipped embedder (model.onnx, tokenizer.json)
#   BERT      the embedder as float weights (config.json, model.safetensors): tools/build_embedder/dequantise.py
#   OUT       results: model.onnx, calibration.json, SHA256SUMS, figures
#   TEST_SET  a folder whose questions, evidence and articles are left out of training
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
mkdir -p "$4"
data=$(realpath "$1") embedder=$(realpath "$2") bert=$(realpath "$3") out=$(realpath "$4")
exclude=${5:+$(realpath "$5")}
cd "$here"
"$python" build.py --data "$data" ${exclude:+--exclude "$exclude"} \
    --embedder "$embedder" --out "$out/pairs" --synthetic 3000 --seed 7
"$python" train.py --pairs "$out/pairs" --bert "$bert" --tokenizer "$embedder" --out "$out/first" \
    --layers 0,1,2,3,4,5 --steps "${STEPS:-1800}" --tokens 1700 --rate 1.2e-4 --head-rate 6e-4 --warmup 120 \
    --final 0.05 --judge-every 600 --judge 800 --seed 7
"$python" train.py --pairs "$out/pairs" --bert "$bert" --tokenizer "$embedder" --out "$out/second" \
    --init "$out/first/final.pt" --steps "${MORE_STEPS:-1200}" --tokens 1700 --rate 6e-5 --head-rate 3e-4 \
    --warmup 40 --final 0.02 --judge-every 400 --judge 800 --seed 8
"$python" export.py --checkpoint "$out/second/final.pt" --embedder "$embedder" --out "$out/model.onnx"
"$python" evaluate.py --pairs "$out/pairs/val.jsonl" --tokenizer "$embedder" --onnx "$out/model.onnx" \
    --save "$out/logits.npz" | tee "$out/figures.json"
"$python" calibrate.py --pairs "$out/pairs/val.jsonl" --logits "$out/logits.npz" --out "$out"
(cd "$out" && sha256sum model.onnx calibration.json > SHA256SUMS)
