"""The strategies with a chat model, side by side: right, made up, refused wrongly; calls, tokens, seconds.

    python bench/strategies.py BENCH --index BENCH_INDEX --base-url URL --model NAME [--count 60] [--work DIR]

BENCH is as for `quality.py`; the index is one of its corpus. Asked are `count` questions of it, a third each
single or synonym, multi_hop, and unanswerable, half of them Chinese, picked by a hash of their ids. Answers are
kept in --work by strategy, and a strategy that is there already is not asked again. `plain` is one search and one
call, with no judge; `embedded` is the default back end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from quality import prediction

STRATEGIES = ("plain", "standard", "multi_hop", "self_rag", "adaptive", "combined", "embedded")
CLASSES = ({"single", "synonym"}, {"multi_hop"}, {"unanswerable"})


def picked(bench: Path, count: int) -> list[dict[str, Any]]:
    """The same questions for the same count, and those of a smaller count among them."""
    rows = [json.loads(line) for line in (bench / "questions.jsonl").read_text("utf-8").splitlines()]
    rows.sort(key=lambda row: hashlib.sha256(row["qid"].encode()).hexdigest())
    chosen = []
    for types in CLASSES:
        for language, share in (("en", (count // 3 + 1) // 2), ("zh", count // 3 // 2)):
            chosen += [row for row in rows if row["type"] in types and row["lang"] == language][:share]
    return chosen


def ask(rows: list[dict[str, Any]], strategy: str, out: Path, args: argparse.Namespace) -> list[dict[str, Any]]:
    if not out.exists():
        lines = "".join(json.dumps({"qid": r["qid"], "question": r["question"]}) + "\n" for r in rows)
        command = [sys.executable, "-m", "ragheal_cli", "ask", "--batch", "-", "--json", "--quiet", "--no-store",
                   "--index", str(args.index)]  # fmt: skip
        if strategy != "embedded":
            command += ["--backend", "openai", "--base-url", args.base_url, "--model", args.model]
            command += ["--strategy", "standard", "--no-heal"] if strategy == "plain" else ["--strategy", strategy]
        command += [part for value in args.set for part in ("--set", value)]
        run = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=False)
        if len(run.stdout.splitlines()) < len(rows):
            sys.exit(f"{strategy}: exit {run.returncode}\n{run.stderr}")
        out.write_text(run.stdout, encoding="utf-8")
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def tally(rows: list[dict[str, Any]], answers: list[dict[str, Any]], bench: Path, work: Path) -> dict[str, float]:
    """Shares of the questions by the scorer's own rules, and means for one of them."""
    whole = [json.loads(line) for line in (bench / "questions.jsonl").read_text("utf-8").splitlines()]
    kinds = {row["type"] for row in rows}
    # The scorer wants every type to occur; those that were not asked are not counted below.
    others = {row["type"]: row for row in whole if row["type"] not in kinds}
    write(work / "questions.jsonl", [*rows, *others.values()])
    write(work / "pred.jsonl", [prediction(answer) for answer in answers])
    command = [sys.executable, str(bench / "score_bench.py"), str(work), str(work / "pred.jsonl")]
    scored = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    found = dict.fromkeys(("correct", "made up", "refused wrongly"), 0.0)
    for kind in sorted(kinds):
        row = scored[f"all/{kind}"]
        right, wrongly = row.get("answer_correct", row.get("refused", 0.0)), row.get("false_refusal", 0.0)
        found["correct"] += row["n"] * right / len(rows)
        found["refused wrongly"] += row["n"] * wrongly / len(rows)
        found["made up"] += row["n"] * (1.0 - right - wrongly) / len(rows)
    found["calls"] = statistics.mean(answer["calls"] for answer in answers)
    found["tokens"] = statistics.mean(answer["tokens"]["total"] for answer in answers)
    found["seconds"] = statistics.mean(answer["seconds"] for answer in answers)
    return found


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--base-url", default="http://localhost:11434/v1")
    parser.add_argument("--model", default="")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--work", type=Path)
    args = parser.parse_args()
    work = args.work or Path(tempfile.mkdtemp(prefix="ragheal-strategies-"))
    work.mkdir(parents=True, exist_ok=True)
    rows = picked(args.bench, args.count)
    columns = ("strategy", "correct", "made up", "refused wrongly", "calls", "tokens", "seconds")
    print(f"{len(rows)} questions\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for strategy in args.strategies.split(","):
        found = tally(rows, ask(rows, strategy, work / f"{strategy}-{args.count}.jsonl", args), args.bench, work)
        shares = " | ".join(f"{found[name]:.2f}" for name in ("correct", "made up", "refused wrongly"))
        means = f"{found['calls']:.1f} | {found['tokens']:.0f} | {found['seconds']:.1f}"
        print(f"| {strategy} | {shares} | {means} |", flush=True)


if __name__ == "__main__":
    main()
