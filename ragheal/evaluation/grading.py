"""Whether an answer is right: the one definition, for evaluating, for proving repairs and for baselines alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from ragheal.evaluation.questions import Line
from ragheal.text.script import simplified
from ragheal.types import Status, Trace

#: How well a run did. A wrong answer is worse than a refusal.
WRONG, REFUSED, WEAK, RIGHT = 0, 1, 2, 3
WORDS = {WRONG: "wrong", REFUSED: "refused", WEAK: "right, not sure", RIGHT: "right"}


def grade(line: Line, trace: Trace) -> int | None:
    """How well a run answered a line, as `judged` has it."""
    answer = trace.answer
    return judged(line, answer.status, answer.text, sources(trace))


def judged(line: Line, status: Status, text: str, cited: Collection[str]) -> int | None:
    """WRONG, REFUSED, WEAK (right, with a disclaimer that the line does not want) or RIGHT; None: not known.

    `cited`: the documents that the answer cites.
    """
    if line.refused is None:
        return None
    if status == "abstained":
        return RIGHT if line.refused else REFUSED
    if line.refused:
        return WRONG
    said = _plain(text)
    held = [_plain(wanted) in said for wanted in line.answers]
    if held and not (all(held) if line.status == "conflict" else any(held)):
        return WRONG
    if not held and line.sources and not set(cited) & set(line.sources):
        return WRONG
    if line.status is not None:
        return RIGHT if status == line.status else WEAK
    return RIGHT if status in {"answered", "conflict", "direct"} else WEAK


def word(graded: int | None) -> str | None:
    """A grade for people and for JSON; None where nothing is known."""
    return None if graded is None else WORDS[graded]


def sources(trace: Trace) -> tuple[str, ...]:
    """The documents that an answer cites, in the order of its citations."""
    return tuple(dict.fromkeys(citation.source for citation in trace.answer.citations))


def cites(line: Line, trace: Trace) -> int:
    """How many of the line's sources the answer cites."""
    return len(set(sources(trace)) & set(line.sources))


def right(graded: Sequence[int | None]) -> int:
    return sum(1 for value in graded if value is not None and value >= WEAK)


def _plain(text: str) -> str:
    """A text as answers are compared: no spaces, case, width or Chinese script."""
    return "".join(unicodedata.normalize("NFKC", simplified(text)).casefold().split())
