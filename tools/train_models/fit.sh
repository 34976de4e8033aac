#!/bin/bash
# Fit the judge to the shipped readers and embedder, with retrieval in the loop: fit.sh PAIRS DATA OUT [TEST_SET …]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
pairs=$(realpath "$1") data=$(realpath "$2") out=$(realpath "$3")
shift 3
barred=()
for set in "$@"; do barred+=("$(realpath "$set")"); done
cd "$here"
for lang in en zh; do
    test -f "$out/judge-$lang.jsonl" || "$python" judge_rows.py --pairs "$pairs" --data "$data" --barred "${barred[@]}" \
        --lang $lang --work "$out/judge-$lang" --out "$out/judge-$lang.jsonl"
done
test -f "$out/judge-chains.jsonl" || "$python" judge_rows.py --pairs "$pairs" --data "$data" --barred "${barred[@]}" \
    --lang en --chains --work "$out/judge-chains" --count 250 --out "$out/judge-chains.jsonl"
"$python" fit_judge.py --rows "$out"/judge-{en,zh,chains}.jsonl \
    --out ../../ragheal/answering/embedded/judge.json
"$python" plot.py --judge ../../ragheal/answering/embedded/judge.json --out ../../docs/calibration.svg
