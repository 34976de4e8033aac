#!/bin/bash
# Retrain the shipped reader: retrain.sh DATA EMBEDDER BERT OUT [TEST_SET]
#   DATA      folder of question sets (corpus.jsonl + questions.jsonl each)
#   EMBEDDER  folder of the shipped embedder (model.onnx, tokenizer.json)
#   BERT      the embedder as float weights (config.json, model.safetensors): tools/build_embedder/dequantise.py
#   OUT       results: model.onnx, calibration.json, SHA256SUMS, figures
#   TEST_SET  a folder whose questions, evidence and articles are left out of training
set -euo pipefail
data=$1 embedder=$2 bert=$3 out=$4 exclude=${5:-}
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
mkdir -p "$out"
cd "$here"
"$python" build.py --data "$data" ${exclude:+--exclude "$exclude"} \
    --embedder "$embedder" --out "$out/pairs" --synthetic 3000 --seed 7
"$python" train.py --pairs "$out/pairs" --bert "$bert" --tokenizer "$embedder" --out "$out/run" \
    --layers 0,1,2,3,4,5 --steps "${STEPS:-1900}" --tokens 1700 --rate 1.2e-4 --head-rate 6e-4 --warmup 120 \
    --final 0.05 --seed 7
"$python" export.py --checkpoint "$out/run/best.pt" --embedder "$embedder" --out "$out/model.onnx"
"$python" evaluate.py --pairs "$out/pairs/val.jsonl" --tokenizer "$embedder" --onnx "$out/model.onnx" \
    --save "$out/logits.npz" | tee "$out/figures.json"
"$python" calibrate.py --pairs "$out/pairs/val.jsonl" --logits "$out/logits.npz" --out "$out"
(cd "$out" && sha256sum model.onnx calibration.json > SHA256SUMS)
