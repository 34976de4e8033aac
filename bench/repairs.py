"""What repairs are worth on a corpus with a gap of vocabulary: before and after, per class of question.

    python bench/repairs.py [FOLDER] [--wordings] [--set key=value …]

FOLDER (default: tests/gap) holds `corpus/` and `questions.jsonl`, whose lines may have a `class`. Every
question is asked once, as users would; the failures are repaired unattended, on the proof of the same
file; every question is asked again. `--wordings` compares ways of wording a question with the pairs of
`synonyms.jsonl` instead: the documents' term in place of the user's, beside it in brackets, and at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragheal.engine import Engine
from ragheal.evaluation.grading import RIGHT, WEAK, WRONG, grade
from ragheal.evaluation.questions import Line, read
from ragheal.healing import auto, pointer, steps
from ragheal.healing.overlay import in_force
from ragheal.healing.propose import propose
from ragheal.healing.repairs import said
from ragheal.history.vectors import questions_of
from ragheal.settings import load
from ragheal.text.script import has_han
from ragheal.types import Trace

ROOT = Path(__file__).resolve().parent.parent
ROW = "| {:<12} | {:>3} | {:>12} | {:>15} | {:>12} |"


def repaired(engine: Engine, folder: Path, classes: dict[str, str]) -> None:
    """Ask, repair, ask again; print the table."""
    lines = read(folder / "questions.jsonl").lines
    before = {line.question: engine.ask(line.question) for line in lines}
    index = engine.index_dir
    started = time.perf_counter()
    with pointer.writing(index):
        embedder = engine.embedder()
        found = propose(index, engine.doors(), questions_of(embedder), embedder.fingerprint, engine.try_out)
        steps.add(index, found.proposals)
        proposed = time.perf_counter() - started
        outcome = auto.run(index, auto.open_proposals(index), lines, engine.try_out, 20, lambda _: None)
    whole = time.perf_counter() - started
    overlay = in_force(index)
    after = {line.question: engine.try_out(line.question, overlay) for line in lines}
    print(
        f"{len(found.proposals)} proposals in {proposed:.0f} s, {len(outcome.promoted)} promoted in {whole:.0f} s"
    )
    for proposal in outcome.promoted:
        print(f"  {said(proposal.what)}")
    print(ROW.format("class", "n", "right", "sure of it", "rounds"))
    print("|---" * 5 + "|")
    for name in [*dict.fromkeys(classes.values()), "all"]:
        some = [line for line in lines if name in {"all", classes[line.question]}]
        print(_row(name, some, before, after))


def _row(name: str, lines: list[Line], before: dict[str, Trace], after: dict[str, Trace]) -> str:
    def count(traces: dict[str, Trace], least: int) -> int:
        return sum((grade(line, traces[line.question]) or WRONG) >= least for line in lines)

    def rounds(traces: dict[str, Trace]) -> float:
        return sum(traces[line.question].answer.rounds for line in lines) / len(lines)

    return ROW.format(
        name, len(lines),
        f"{count(before, WEAK)} → {count(after, WEAK)}", f"{count(before, RIGHT)} → {count(after, RIGHT)}",
        f"{rounds(before):.2f} → {rounds(after):.2f}",
    )  # fmt: skip


def _replaced(question: str, term: str, means: str) -> str:
    return question.replace(term, means)


def _beside(question: str, term: str, means: str) -> str:
    return question.replace(term, f"{term}（{means}）" if has_han(question) else f"{term} ({means})")


def _behind(question: str, term: str, means: str) -> str:
    return f"{question}（{means}）" if has_han(question) else f"{question} ({means})"


WORDINGS: dict[str, Callable[[str, str, str], str]] = {
    "as it is": lambda question, term, means: question,
    "replaced": _replaced,
    "in brackets": _beside,
    "at the end": _behind,
}


def wordings(engine: Engine, folder: Path, questions: dict[str, dict[str, Any]]) -> None:
    """Print how often each wording is right, sure, and sure in one round."""
    pairs = [json.loads(line) for line in (folder / "synonyms.jsonl").read_text("utf-8").splitlines()]
    print(f"{len(pairs)} pairs\n| wording     | right | sure of it | in one round |\n|---|---|---|---|")
    for name, word in WORDINGS.items():
        right = sure = once = 0
        for pair in pairs:
            record = questions[pair["qid"]]
            asked = word(record["question"], pair["term"], pair["means"])
            graded = grade(Line(asked, tuple(record["answers"])), trace := engine.try_out(asked, None))
            right += graded is not None and graded >= WEAK
            sure += graded == RIGHT
            once += graded == RIGHT and trace.answer.rounds == 1
        print(f"| {name:<11} | {right:>5} | {sure:>10} | {once:>12} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "tests" / "gap")
    parser.add_argument("--wordings", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    flags = dict(value.split("=", 1) for value in arguments.set)
    with tempfile.TemporaryDirectory(prefix="ragheal-repairs-") as work:
        engine = Engine(load(env={}, flags=flags).settings, Path(work) / ".ragheal")
        engine.index([arguments.folder / "corpus"])
        records = [
            json.loads(line) for line in (arguments.folder / "questions.jsonl").read_text("utf-8").splitlines()
        ]
        if arguments.wordings:
            wordings(engine, arguments.folder, {record["qid"]: record for record in records})
        else:
            repaired(engine, arguments.folder, {r["question"]: r.get("class", "all others") for r in records})
        engine.close()
    sys.stdout.flush()


if __name__ == "__main__":
    main()
