"""Questions as colleagues ask them, on a folder of real documents: healed against one shot.

    python bench/handbook.py BENCH [--work DIR] [--modes healed,plain] [--set key=value …] [--scorer FILE]

BENCH holds `corpus/`, `questions_blind.jsonl`, `questions.jsonl` and, unless --scorer names one, `score_docs.py`.
The corpus is indexed and asked through the command line, as a user would.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODES: dict[str, list[str]] = {"healed": [], "plain": ["--no-heal"]}


def ragheal(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ragheal_cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--work", type=Path, help="keep the index and the answers here")
    parser.add_argument("--modes", default="healed,plain")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--scorer", type=Path)
    args = parser.parse_args()
    work = args.work or Path(tempfile.mkdtemp(prefix="ragheal-handbook-"))
    work.mkdir(parents=True, exist_ok=True)
    index, settings = work / ".ragheal", [part for pair in args.set for part in ("--set", pair)]
    run = ragheal("index", str(args.bench / "corpus"), "--index", str(index), "--quiet")
    if run.returncode not in {0, 7}:
        sys.exit(run.stderr)
    for mode in args.modes.split(","):
        began = time.perf_counter()
        run = ragheal(
            "ask", "--batch", str(args.bench / "questions_blind.jsonl"), "--json", "--quiet", "--exit-zero",
            "--no-store", "--index", str(index), *MODES[mode], *settings,
        )  # fmt: skip
        if run.returncode:
            sys.exit(f"{mode}: exit {run.returncode}\n{run.stderr}")
        answers = work / f"answers-{mode}.jsonl"
        answers.write_text(run.stdout, encoding="utf-8")
        print(f"--- {mode}: {len(run.stdout.splitlines())} questions in {time.perf_counter() - began:.0f} s")
        scorer = args.scorer or args.bench / "score_docs.py"
        subprocess.run(
            [sys.executable, str(scorer), str(args.bench / "questions.jsonl"), str(answers)], check=True
        )


if __name__ == "__main__":
    main()
