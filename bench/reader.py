"""How long the reader takes for one question and ten windows, after loading.

    python bench/reader.py [--repeat 20]

The windows are made of one text, cut to so many words. Prints the median and the tenth and ninetieth percentile in
milliseconds, all ten windows of a question together.
"""

from __future__ import annotations

import argparse
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--threads", type=int, default=0, help="0: every core")
    args = parser.parse_args()
    reader = OnnxReader(threads=args.threads)
    reader.read(QUESTION, [("", " ".join(TEXT[:60]))])
    print(f"{'ten windows of':34} {'median':>7} {'10 %':>7} {'90 %':>7}")
    for words in (20, 40, 80, 160):
        passages = [("", " ".join(TEXT[20 * i : 20 * i + words])) for i in range(10)]
        print(line(f"{words} words", timed(reader, QUESTION, passages, args.repeat)))


if __name__ == "__main__":
    main()
