"""What a parser hands to `load`, and the small tools that all parsers share."""

from __future__ import annotations

import re
from typing import NamedTuple

from ragheal.types import Block

_BLANK = re.compile(r"\s*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BREAKS = re.compile(r"\r\n|\r|\n")


class Parsed(NamedTuple):
    """The parts of a `Document` that a parser knows; see there."""

    text: str
    blocks: list[Block]
    title: str = ""
    lines: tuple[int, ...] = ()
    pages: tuple[int, ...] = ()
    metadata: dict[str, str] = {}  # noqa: RUF012  (a default that nobody writes to)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space around it; the indent of its first line stays."""
    # Work on a bounded window at the end: rstrip on a slice would copy a whole document for each block.
    while end > start and text[end - 1].isspace():
        end -= 1
    found = _BLANK.match(text, start, end)
    first = found.end() if found else start
    line = max(text.rfind("\n", start, first), text.rfind("\r", start, first)) + 1
    return (line or start), end


def is_blank(text: str, start: int, end: int) -> bool:
    found = _BLANK.match(text, start, end)
    return found is None or found.end() >= end


def line_starts(text: str) -> list[int]:
    """Offsets at which lines begin, with the end of the text last; any of LF, CRLF and CR ends a line."""
    return [0, *(found.end() for found in _BREAKS.finditer(text)), len(text)]


def line_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The lines between two offsets, their breaks included."""
    spans = []
    while start < end:
        found = _LINE.match(text, start, end)
        stop = found.end() if found else end
        spans.append((start, stop))
        start = stop
    return spans


class Writer:
    """Builds an extracted text line by line, with the line of the file or the page of each."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.numbers: list[int] = []
        self.blocks: list[Block] = []
        self.path: list[tuple[int, str]] = []  # (level, heading), outermost first

    def __bool__(self) -> bool:
        return bool(self.blocks)

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.path)

    def block(self, kind: str, lines: list[tuple[str, int]], *, level: int = 0) -> None:
        """Append a block of (line, number) pairs, set off by an empty line. `level` > 0 makes it a heading."""
        if not any(line.strip() for line, _ in lines):
            return
        if self._parts:
            self._line("", lines[0][1])
        start = self._length
        for line, number in lines:
            self._line(line, number)
        if level:
            enter(self.path, level, " ".join(" ".join(line for line, _ in lines).split()))
        # The kinds are literals of `Block`; parsers pass them through a plain str.
        self.blocks.append(Block(kind, start, self._length - 1, self.headings))  # type: ignore[arg-type]

    def _line(self, line: str, number: int) -> None:
        self._parts.append(line)
        self._length += len(line) + 1
        self.numbers.append(number)

    @property
    def text(self) -> str:
        return "\n".join(self._parts) + "\n" if self._parts else ""


def enter(path: list[tuple[int, str]], level: int, title: str) -> None:
    """Go to a heading: those of its level and deeper are left."""
    while path and path[-1][0] >= level:
        path.pop()
    path.append((level, title))
