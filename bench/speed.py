"""Whole-process times of the commands, warm file cache, in one run.

    python bench/speed.py INDEX CORPUS [--runs 7] [--one-shot PYTHON OTHER_INDEX MODEL]

INDEX is an index folder of CORPUS. `--one-shot` runs bench/one_shot.py with another Python in turn with
`ragheal ask`, so that the ratio holds on a machine whose speed drifts.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

QUESTIONS = ("How many people live in the city?", "When was the station opened?", "这座车站是哪一年建成的？")


def timed(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--one-shot", nargs=3, metavar=("PYTHON", "INDEX", "MODEL"))
    arguments = parser.parse_args()
    ragheal = shutil.which("ragheal", path=str(Path(sys.executable).parent)) or "ragheal"
    here = ["--index", str(arguments.index)]
    fresh = [*here, "--no-cache"]
    commands = {
        "ragheal --help": [ragheal, "--help"],
        "ragheal replay last": [ragheal, "replay", "last", *here],
        "ragheal index (nothing changed)": [ragheal, "index", str(arguments.corpus), *here],
    }
    for number, question in enumerate(QUESTIONS, 1):
        commands[f"ragheal ask, one round ({number})"] = [ragheal, "ask", question, "--max-rounds", "1", *fresh]
    commands["ragheal ask, healing"] = [ragheal, "ask", QUESTIONS[0], *fresh]
    times: dict[str, list[float]] = {name: [] for name in commands}
    if arguments.one_shot:
        python, index, model = arguments.one_shot
        script = str(Path(__file__).with_name("one_shot.py"))
        commands["one-shot script"] = [python, script, "ask", index, model, QUESTIONS[0]]
        times["one-shot script"] = []
    for command in commands.values():
        timed(command)  # warm
    for _ in range(arguments.runs):
        for name, command in commands.items():
            times[name].append(timed(command))
    print("| command | min s | median s | max s |\n|---|---|---|---|")
    for name, taken in times.items():
        print(f"| {name} | {min(taken):.2f} | {statistics.median(taken):.2f} | {max(taken):.2f} |")
    if arguments.one_shot:
        ask = times["ragheal ask, one round (1)"]
        ratios = [slow / fast for slow, fast in zip(times["one-shot script"], ask, strict=True)]
        print(f"\none-shot script / ragheal ask, pair by pair: median {statistics.median(ratios):.1f}")


if __name__ == "__main__":
    main()
