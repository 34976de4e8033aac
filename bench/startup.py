"""Whole-process times of the commands that should feel instant: best and median of some runs, in seconds.

    python bench/startup.py [--index DIR] [--runs N]

With --index, `replay last`, `status` and a `search` of that index are measured too.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time


def seconds(arguments: list[str], runs: int) -> list[float]:
    """Wall time of each run, the first (cold) one left out."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "ragheal_cli", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        times.append(time.perf_counter() - start)
    return times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index")
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    commands = [["--help"], ["--version"], ["ask", "--help"], ["config"]]
    if options.index:
        commands += [
            [*command, "--index", options.index]
            for command in (["replay", "last"], ["status"], ["search", "policy"])
        ]
    bare = [time_of_python() for _ in range(options.runs)]
    print(f"{'python -c pass':24} best {min(bare):.3f}  median {statistics.median(bare):.3f}")
    for command in commands:
        times = seconds(command, options.runs)
        name = "ragheal " + " ".join(command[:2] if command[0] not in {"status", "config"} else command[:1])
        print(f"{name:24} best {min(times):.3f}  median {statistics.median(times):.3f}")


def time_of_python() -> float:
    """An interpreter that does nothing: the floor."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=False)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
