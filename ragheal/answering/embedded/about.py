"""Is a sentence about this thing, or about another that stands beside it?"""

from __future__ import annotations

import re
from typing import Protocol

from ragheal.text.overlap import speaks_of, term_set
from ragheal.text.script import fold
from ragheal.text.values import values
from ragheal.types import Chunk


class Stated(Protocol):
    """A sentence in its window, as `reading.py` has it."""

    @property
    def chunk(self) -> Chunk: ...
    @property
    def text(self) -> str: ...
    @property
    def sentence_text(self) -> str: ...
    @property
    def value_text(self) -> str: ...


#: The share of a name's words that speaks of it.
NAMED = 0.75
_GOES_ON = re.compile(r"(?:It|They|He|She|Its|Their|His|Her|This|The)\b|[它其该此他她这]")


def headed(heading: str, option: str) -> bool:
    """Whether one of the headings is the option, but for an article and what stands in brackets."""
    return any(_bare(part) == _bare(option) for part in heading.split(" > "))


def _bare(name: str) -> str:
    name = re.sub(r"\s*[(（][^()（）]*[)）]\s*$", "", fold(name).strip())
    return re.sub(r"^(?:the|a|an)\s+|[\W_]+", "", name)


def tells_of(candidate: Stated, option: str) -> bool:
    """Whether a sentence is about a thing: it says so, or stands under its name and speaks of nobody else."""
    if speaks_of(candidate.sentence_text, option, NAMED):
        return True
    if not speaks_of(f"{candidate.chunk.heading}\n{candidate.text}", option, NAMED):
        return False
    at_home = headed(candidate.chunk.heading, option)
    if at_home and _GOES_ON.match(candidate.sentence_text):
        return True
    own = term_set(f"{option} {candidate.value_text}")
    named = [term_set(span.text) for span in values(candidate.sentence_text) if span.kind == "name"]
    if at_home and named and named[0] & term_set(option):
        return True  # the full name of whom the document is about: "Michael S. Portnoy" under "Mike Portnoy"
    return all(name <= own for name in named)
