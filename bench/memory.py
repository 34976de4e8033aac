"""What the memory is worth: questions asked once, then again in other words, each in a process of its own.

    python bench/memory.py CORPUS REWORDINGS.jsonl [--work DIR] [--set key=value …] [--limit N]
    python bench/memory.py sample_corpus bench/memory_rewordings.jsonl

A line of REWORDINGS has `question`, `reworded`, `answers` (each must stand in the answer) and `lang`. Every
question is asked once; then each rewording twice, without memory and with what the first asking left in it,
and only that: the memory is put back after each. Answers are never taken from the cache. "Worth remembering"
are the questions whose first asking took more than one round and ended in a verified answer.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MEMORY = "memory.db"


def ask(question: str, index: Path, memory: bool, extra: Sequence[str]) -> dict[str, Any]:
    """One question in a new process."""
    off = ["--set", "cache.enabled=false", "--set", f"memory.enabled={'true' if memory else 'false'}"]
    command = [
        sys.executable,
        "-m",
        "ragheal_cli",
        "ask",
        "--index",
        str(index),
        "--json",
        "--exit-zero",
        *off,
        *extra,
    ]
    done = subprocess.run(
        [*command, "--", question], capture_output=True, text=True, encoding="utf-8", check=False
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{question}: {done.stderr.strip()}")
    if "error" in found:
        sys.exit(f"{question}: {found['error']['message']}")
    return found


def right(answer: dict[str, Any], line: dict[str, Any]) -> bool:
    return bool(answer["answer"]) and all(wanted in answer["answer"] for wanted in line["answers"])


def queries_first_round(answer: dict[str, Any]) -> int:
    return len(answer["rounds"][0]["queries"]) if answer["rounds"] else 0


def measure(lines: list[dict[str, Any]], index: Path, extra: Sequence[str]) -> list[dict[str, Any]]:
    """One record a rewording: the first asking, the rewording without memory, and with it."""
    memory = index / MEMORY
    memory.unlink(missing_ok=True)
    firsts = {line["question"]: ask(line["question"], index, True, extra) for line in lines}
    kept = memory.with_name("memory.kept")
    if memory.exists():
        shutil.copyfile(memory, kept)
    found = []
    for line in lines:
        record: dict[str, Any] = {"line": line, "first": firsts[line["question"]]}
        record["without"] = ask(line["reworded"], index, False, extra)
        record["with"] = ask(line["reworded"], index, True, extra)
        if kept.exists():
            shutil.copyfile(kept, memory)
        found.append(record)
    kept.unlink(missing_ok=True)
    return found


def table(records: list[dict[str, Any]]) -> str:
    worth = [r for r in records if len(r["first"]["rounds"]) > 1 and r["first"]["status"] == "answered"]
    rows = [
        "| questions | asking | n | mean rounds | one round | right | seconds |\n|---|---|---|---|---|---|---|"
    ]
    for name, chosen in (("all", records), ("worth remembering", worth)):
        for lang in ("en", "zh", ""):
            part = [r for r in chosen if r["line"]["lang"] == (lang or r["line"]["lang"])]
            for key, label in (("first", "first"), ("without", "again, no memory"), ("with", "again, memory")):
                if part:
                    rows.append(f"| {name} {lang or 'en+zh'} | {label} | {len(part)} | {row(part, key)} |")
    recalled = [r for r in records if recalled_by(r)]
    could = [r for r in records if r["first"]["status"] == "answered"]
    rows.append(f"\nplans recalled: {len(recalled)} of {len(could)} whose first asking was answered")
    for r in could:
        if not recalled_by(r):
            rows.append(f"  not recalled: {r['line']['question']} | {r['line']['reworded']}")
    for r in records:
        if right(r["without"], r["line"]) and not right(r["with"], r["line"]):
            rows.append(f"  worse with memory: {r['line']['reworded']}")
    return "\n".join(rows)


def recalled_by(record: dict[str, Any]) -> bool:
    """Whether the run with memory searched more at first than the question alone."""
    trace = record["with"].get("memory")
    if trace is not None:
        return True
    return queries_first_round(record["with"]) > queries_first_round(record["without"])


def row(records: list[dict[str, Any]], key: str) -> str:
    rounds = [len(r[key]["rounds"]) for r in records]
    good = sum(right(r[key], r["line"]) for r in records)
    seconds = statistics.mean(r[key]["seconds"] for r in records)
    one = sum(n <= 1 for n in rounds)
    return f"{statistics.mean(rounds):.2f} | {one / len(rounds):.2f} | {good / len(rounds):.2f} | {seconds:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("rewordings", type=Path)
    parser.add_argument("--work", type=Path, help="keeps the index and the answers; default: a temporary folder")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--limit", type=int, default=0)
    arguments = parser.parse_args()
    work = arguments.work or Path(tempfile.mkdtemp(prefix="ragheal-memory-"))
    work.mkdir(parents=True, exist_ok=True)
    index = work / ".ragheal"
    command = [
        sys.executable,
        "-m",
        "ragheal_cli",
        "index",
        str(arguments.corpus),
        "--index",
        str(index),
        "--quiet",
    ]
    subprocess.run(command, check=True)
    lines = [json.loads(line) for line in arguments.rewordings.read_text(encoding="utf-8").splitlines()]
    extra = [part for value in arguments.set for part in ("--set", value)]
    records = measure(lines[: arguments.limit or None], index, extra)
    (work / "memory.json").write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    print(table(records))


if __name__ == "__main__":
    main()
