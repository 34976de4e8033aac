"""Precision and recall of recalling a plan, by threshold: how alike questions must be.

    python -m tools.fit_memory.fit WORK [--show 20]

Of each question set, every question is put twice to a memory that holds the others of its language: as it
stands, without itself in memory (whatever is recalled is wrong, unless it has the same answer on the same
document), and reworded, with itself in memory (then it must be found). So half of what is asked was asked
before. "Twins" are the unanswerable questions of SQuAD 2.0, which were written to look like an answerable one.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

from ragheal.memory.guard import Subject, near_in_words, subject
from ragheal.memory.normal import normalised

COSINES = (0.90, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98)
SHARES = ((0.0, 0.0), (0.6, 0.6), (0.75, 0.6), (0.8, 0.6), (0.8, 0.67))  # of swapped and of added words
CANDIDATES = 15

Candidate = tuple[float, tuple[bool, ...], bool, int]  # cosine, passes the guard at each of SHARES, right, place


def plain(text: object) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", str(text)).lower())


def load(work: Path, lang: str) -> tuple[list[dict[str, Any]], Any]:
    """Questions of one language without repeats, each with the rows of its vectors."""
    vectors = np.load(work / "vectors.npy")
    found, seen, row = [], set(), 0
    for question in json.loads((work / "questions.json").read_text(encoding="utf-8")):
        question["rows"] = range(row, row + 1 + len(question["reworded"]))
        row += 1 + len(question["reworded"])
        key = normalised(question["text"])
        if question["lang"] == lang and key not in seen:
            seen.add(key)
            question["key"] = {plain(answer) for answer in question["answers"]}
            found.append(question)
    return found, vectors


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one is other or bool(
        one["answerable"]
        and other["answerable"]
        and one["key"] & other["key"]
        and set(one["documents"]) & set(other["documents"])
    )


def measure(questions: list[dict[str, Any]], vectors: Any, show: int) -> None:
    matrix = vectors[[question["rows"][0] for question in questions]]
    subjects = [subject(question["text"]) for question in questions]
    draw = random.Random(3)

    def candidates(vector: Any, asked: Subject, i: int, without: bool) -> list[Candidate]:
        cosines = matrix @ vector
        if without:
            cosines[i] = -1.0
        found = []
        for j in np.argsort(-cosines)[:CANDIDATES].tolist():
            known = subjects[j]
            passes = tuple(near_in_words(asked, known, swapped=one, added=other) for one, other in SHARES)
            found.append((float(cosines[j]), passes, same(questions[i], questions[j]), j))
        return found

    new = [(i, candidates(vectors[q["rows"][0]], subjects[i], i, True)) for i, q in enumerate(questions)]
    again = []
    for i, question in enumerate(questions):
        if question["reworded"]:
            k = draw.randrange(len(question["reworded"]))
            vector = vectors[question["rows"][1 + k]]
            again.append((i, candidates(vector, subject(question["reworded"][k]), i, False)))
    print("| cosine | shared words, swapped/added | recall | precision | without twins |\n|---|---|---|---|---|")
    for guard in (False, True):
        for cosine in COSINES:
            for shares in range(len(SHARES)) if guard else [-1]:
                row(questions, new, again, cosine, shares)
    shown = 0
    for i, found in new:
        best = first(found, 0.93, SHARES.index((0.8, 0.6)))
        if best and not best[2] and shown < show:
            shown += 1
            print(f"{best[0]:.3f} | {questions[i]['text']} | {questions[best[3]]['text']}")


def first(found: list[Candidate], cosine: float, shares: int) -> Candidate | None:
    """The nearest that would be recalled; `shares` is a place in SHARES, -1 for no guard at all."""
    return next((c for c in found if c[0] >= cosine and (shares < 0 or c[1][shares])), None)


def row(
    questions: list[dict[str, Any]],
    new: list[tuple[int, list[Candidate]]],
    again: list[tuple[int, list[Candidate]]],
    cosine: float,
    shares: int,
) -> None:
    right = wrong = twins = found_again = 0
    for i, found in new:
        best = first(found, cosine, shares)
        if best is not None:
            right += best[2]
            wrong += not best[2]
            answerable = questions[i]["answerable"] and questions[best[3]]["answerable"]
            twins += not best[2] and not answerable
    for _, found in again:
        best = first(found, cosine, shares)
        if best is not None:
            found_again += best[2]
            wrong += not best[2]
    good = right + found_again
    label = "no guard" if shares < 0 else f"{SHARES[shares][0]:.2f}/{SHARES[shares][1]:.2f}"
    print(
        f"| {cosine:.2f} | {label} | {found_again / len(again):.3f} | {good / max(1, good + wrong):.4f} "
        f"| {good / max(1, good + wrong - twins):.4f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--show", type=int, default=0, help="wrong recalls to print")
    arguments = parser.parse_args()
    for lang in ("en", "zh"):
        questions, vectors = load(arguments.work, lang)
        print(f"\n{lang}: {len(questions)} questions\n")
        measure(questions, vectors, arguments.show)


if __name__ == "__main__":
    main()
