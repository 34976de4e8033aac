"""How long the trained reader takes for one question and ten windows, after loading.

    python bench/reader.py [--index INDEX] [--repeat 20]

Without an index the windows are made of one paragraph, cut to so many tokens; with one they are those that the
embedded back end reads for the questions of `sample_corpus/questions.jsonl` (or --questions FILE). Prints the
median and the tenth and ninetieth percentile in milliseconds, all ten windows of a question together.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from ragheal.models.reader import OnnxReader

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8").split()
QUESTION = "How long is a reading kept before it is removed?"


def timed(reader: OnnxReader, question: str, passages: Sequence[tuple[str, str]], repeat: int) -> list[float]:
    """Milliseconds of each reading of all passages."""
    took = []
    for _ in range(repeat):
        started = time.perf_counter()
        reader.read(question, passages)
        took.append((time.perf_counter() - started) * 1000)
    return took


def line(name: str, took: Sequence[float]) -> str:
    tenths = statistics.quantiles(took, n=10)
    return f"{name:34} {statistics.median(took):7.1f} {tenths[0]:7.1f} {tenths[8]:7.1f}"


def windows_of(index: Path, questions: Path, count: int) -> list[tuple[str, list[tuple[str, str]]]]:
    """The first ten windows that the embedded back end reads for each question, as its trace records them."""
    from ragheal.engine import Engine
    from ragheal.settings import load

    flags = {"embedded.reader": "on", "embedded.windows": count, "cache.enabled": False, "memory.enabled": False,
             "trace.save": False, "loop.heal": False, "loop.strategy": "standard"}  # fmt: skip
    engine = Engine(load(flags=flags, env={}).settings, index)
    seen: list[tuple[str, list[tuple[str, str]]]] = []
    doors = engine.doors()
    read = doors.read

    def listening(question: str, passages: Sequence[tuple[str, str]]) -> object:
        seen.append((question, list(passages)[:count]))
        return read(question, passages)

    doors.read = listening  # type: ignore[method-assign, assignment]
    for row in map(json.loads, questions.read_text(encoding="utf-8").splitlines()):
        engine.ask(row["question"])
    engine.close()
    return [entry for entry in seen if len(entry[1]) == count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, help="an index folder (.ragheal)")
    parser.add_argument("--questions", type=Path, default=ROOT / "sample_corpus" / "questions.jsonl")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--threads", type=int, default=0, help="0: every core")
    args = parser.parse_args()
    reader = OnnxReader(threads=args.threads)
    reader.read(QUESTION, [("", " ".join(TEXT[:60]))])
    print(f"{'ten windows of':34} {'median':>7} {'10 %':>7} {'90 %':>7}")
    for words in (20, 40, 80, 160):
        passages = [("", " ".join(TEXT[20 * i : 20 * i + words])) for i in range(10)]
        print(line(f"{words} words", timed(reader, QUESTION, passages, args.repeat)))
    if args.index:
        took = [t for q, p in windows_of(args.index, args.questions, 10) for t in timed(reader, q, p, 3)]
        print(line("what the back end reads", took))


if __name__ == "__main__":
    main()
