"""Quality on a question set with gold: healed against plain, per type and language.

    python bench/quality.py BENCH [--work DIR] [--modes healed,plain,not-reranked] [--set key=value …]

BENCH holds `corpus/`, `questions_blind.jsonl` and `score_bench.py` (which reads the gold beside it). The
corpus is indexed and asked through the command line, as a user would; the scorer sees only what it prints.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MODES: dict[str, list[str]] = {
    "healed": [],
    "plain": ["--no-heal"],
    "not-reranked": ["--set", "retrieval.rerank=none"],
    "rrf": ["--set", "retrieval.fusion=rrf"],
}
COLUMNS = (
    "answer_correct",
    "false_refusal",
    "full_evidence@5",
    "full_evidence@10",
    "conflict_surfaced",
    "refused",
)
TYPES = ("single", "synonym", "multi_hop", "conflict", "unanswerable")


def ragheal(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ragheal_cli", *arguments]


def ask(bench: Path, work: Path, mode: str, extra: list[str]) -> Path:
    """Ask every question; returns the file of predictions in the scorer's form."""
    started = time.perf_counter()
    command = ragheal(
        "ask", "--batch", str(bench / "questions_blind.jsonl"), "--json", "--quiet",
        "--index", str(work / ".ragheal"),
        "--no-store", *MODES[mode], *extra,
    )  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if run.returncode not in {0, 3, 4}:
        sys.exit(f"{mode}: exit {run.returncode}\n{run.stderr}")
    raw = work / f"answers-{mode}.jsonl"
    raw.write_text(run.stdout, encoding="utf-8")
    predictions = work / f"pred-{mode}.jsonl"
    with predictions.open("w", encoding="utf-8") as out:
        for line in run.stdout.splitlines():
            out.write(json.dumps(prediction(json.loads(line)), ensure_ascii=False) + "\n")
    print(
        f"{mode}: {len(run.stdout.splitlines())} questions in {time.perf_counter() - started:.0f} s",
        file=sys.stderr,
    )
    return predictions


def prediction(answer: dict[str, Any]) -> dict[str, Any]:
    refused = answer["status"] == "abstained"
    return {
        "qid": answer["qid"],
        "answer": "" if refused else answer["answer"],
        "refused": refused,
        "retrieved": list(dict.fromkeys(entry["source"] for entry in answer["evidence"])),
        "conflict_flag": answer["status"] == "conflict",
    }


def score(bench: Path, predictions: Path) -> dict[str, Any]:
    command = [sys.executable, str(bench / "score_bench.py"), str(bench), str(predictions)]
    scored: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    lengths = [len(json.loads(line)["answer"]) for line in predictions.read_text(encoding="utf-8").splitlines()]
    scored["median_chars"] = statistics.median(length for length in lengths if length)
    scored["auc"] = auc(bench, predictions)
    return scored


def auc(bench: Path, predictions: Path) -> dict[str, float]:
    """How well the confidence separates answerable from unanswerable questions, per language."""
    gold = {q["qid"]: q for q in map(json.loads, (bench / "questions.jsonl").read_text("utf-8").splitlines())}
    raw = predictions.with_name(predictions.name.replace("pred-", "answers-"))
    found: dict[str, tuple[list[float], list[float]]] = {}
    for answer in map(json.loads, raw.read_text("utf-8").splitlines()):
        question = gold[answer["qid"]]
        for key in ("all", question["lang"]):
            found.setdefault(key, ([], []))[question["answerable"]].append(answer["confidence"])
    return {
        key: round(sum((p > n) + 0.5 * (p == n) for p in yes for n in no) / max(1, len(yes) * len(no)), 3)
        for key, (no, yes) in found.items()
    }


def table(results: dict[str, dict[str, Any]]) -> str:
    lines = ["| mode | set | n | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 3) + "|"]
    for mode, scored in results.items():
        for language in ("all", "en", "zh"):
            for kind in TYPES:
                row = scored.get(f"{language}/{kind}")
                if row:
                    cells = " | ".join(f"{row[c]:.2f}" if c in row else "" for c in COLUMNS)
                    lines.append(f"| {mode} | {language} {kind} | {row['n']} | {cells} |")
    for mode, scored in results.items():
        lines.append(
            f"\n{mode}: refusal precision {scored['refusal_precision']:.2f}, "
            f"recall {scored['refusal_recall']:.2f}, "
            f"F1 {scored['refusal_f1']:.2f}; median answer {scored['median_chars']:.0f} characters; "
            f"AUC answerable/unanswerable {scored['auc']}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--work", type=Path, help="keeps the index and the answers; default: a temporary folder")
    parser.add_argument("--modes", default="healed,plain")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    work = arguments.work or Path(tempfile.mkdtemp(prefix="ragheal-quality-"))
    work.mkdir(parents=True, exist_ok=True)
    index = ragheal("index", str(arguments.bench / "corpus"), "--index", str(work / ".ragheal"))
    subprocess.run(index, check=True)
    extra = [part for value in arguments.set for part in ("--set", value)]
    results = {}
    for mode in arguments.modes.split(","):
        results[mode] = score(arguments.bench, ask(arguments.bench, work, mode, extra))
    print(table(results))


if __name__ == "__main__":
    main()
