"""What a parser hands to `load`, and the small tools that all parsers share."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragheal.types import Block, Runs

_BLANK = re.compile(r"\s*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
#: What a terminal takes for a command.
CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BREAKS = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(r"\S+")
_NEAR = 2000  # characters of markup that may stand between two words


# "v2.6.0 - 2024-11-19", "[1.4] 2020-01-02", "Version 3.0"; not "3.2 Installation".
_RELEASE = re.compile(
    r"\W*(?:[A-Za-z][\w .-]{0,30}\s)?\[?v?\d+\.\d+(?:\.\d+)*[\w.+-]*\]?\s*(?:\Z|[-–—(:/（，,]|\d{4})"
    r"|.*\b\d{4}-\d{2}-\d{2}\b|.*\d{4}年\d",
)
_RELEASED = re.compile(
    r"\W*(?:version |release )?\[?v?\d+\.\d+[\w.+-]*\]?[\s(/–—-]+(\d{4}-\d{2}-\d{2})\)?\s*\Z", re.IGNORECASE
)


def is_release(heading: str) -> bool:
    """Whether a heading tells a version or a day, so that what stands below it is true of that alone."""
    return len(heading) < 100 and _RELEASE.match(heading) is not None


class Parsed(NamedTuple):
    """The parts of a `Document` that a parser knows; see there. `runs` None: the text is the file itself."""

    text: str
    blocks: list[Block]
    title: str = ""
    runs: Runs | None = None
    metadata: dict[str, str] = {}  # noqa: RUF012  (a default that nobody writes to)


class Bit(NamedTuple):
    """A piece of reading text and what stands for it in the file; `raw` -1: nothing, the loader put it there.

    Formats that are no text give any `raw` from 0, with the line or the page.
    """

    text: str
    raw: int = -1
    size: int = 0
    line: int = 0
    page: int = 0


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


def identity(text: str) -> Runs:
    """The runs of a text that is the file itself: one for each line."""
    runs = Runs.empty()
    starts = line_starts(text)
    for number in range(len(starts) - 1):
        start = starts[number]
        if start < starts[number + 1]:
            runs.add(start, start, starts[number + 1] - start, number + 1)
    return runs


class Writer:
    """Builds a reading text block by block, with the place of each piece.

    `source` is the decoded file of a format that is text, else "".
    """

    def __init__(self, source: str = "") -> None:
        self.source = source
        self.starts = line_starts(source)
        self.runs = Runs.empty()
        self.blocks: list[Block] = []
        self.path: list[tuple[int, str]] = []  # (level, heading), outermost first
        self._parts: list[str] = []
        self._length = 0

    def __bool__(self) -> bool:
        return bool(self.blocks)

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.path)

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def parsed(self, title: str = "", metadata: dict[str, str] | None = None) -> Parsed:
        return Parsed(self.text, self.blocks, title, self.runs, metadata or {})

    def line(self, offset: int) -> int:
        """The line of the file, from 1, on which a character of the source stands."""
        return bisect_right(self.starts, offset, 0, len(self.starts) - 1)

    def cut(self, start: int, end: int) -> list[Bit]:
        """The characters [start, end) of the source as they stand there, any end of a line as LF."""
        bits = []
        for low, high in line_spans(self.source, start, end):
            stop = high
            while stop > low and self.source[stop - 1] in "\r\n":
                stop -= 1
            if stop > low:
                bits.append(Bit(self.source[low:stop], low, stop - low, self.line(low)))
            if stop < high:
                bits.append(Bit("\n", stop, high - stop, self.line(stop)))
        return bits

    def said(self, text: str, start: int, end: int) -> Bit:
        """A text that stands for [start, end) of the source without being the same."""
        return Bit(text, start, end - start, self.line(start))

    def aligned(self, text: str, start: int, end: int) -> list[Bit]:
        """A text whose words stand in [start, end) of the source in their order, each word with its own place."""
        bits: list[Bit] = []
        at, before = start, 0
        for found in _WORD.finditer(text):
            word, gap = found.group(), text[before : found.start()]
            place = self.source.find(word, at, min(end, at + _NEAR))
            before = found.end()
            last = bits[-1] if bits else None
            if place < 0:
                bits.append(Bit(gap + word))
            elif (
                last
                and last.raw >= 0
                and last.raw + last.size + len(gap) == place
                and gap == self.source[at:place]
            ):
                bits[-1] = last._replace(text=last.text + gap + word, size=last.size + len(gap) + len(word))
            else:
                bits += [*([Bit(gap)] if gap else []), Bit(word, place, len(word), self.line(place))]
            at = place + len(word) if place >= 0 else at
        bits += [Bit(text[before:])] if before < len(text) else []
        return bits if any(bit.raw >= 0 for bit in bits) else [self.said(text, start, end)]

    def block(self, kind: str, bits: Sequence[Bit], *, level: int = 0) -> None:
        """Append a block, set off by an empty line. `level` > 0 makes it a heading of that depth."""
        bits = _trimmed(bits) if kind == "code" else tight(bits)
        if not bits:
            return
        if level:
            enter(self.path, level, " ".join("".join(bit.text for bit in bits).split()))
            bits = _dated(bits)
        if self._parts:
            self._put(Bit("\n\n"))
        start = self._length
        for bit in bits:
            self._put(bit)
        # The kinds are literals of `Block`; parsers pass them through a plain str.
        self.blocks.append(Block("heading" if level else kind, start, self._length, self.headings))  # type: ignore[arg-type]

    def rows(self, kind: str, lines: Iterable[Sequence[Bit]]) -> None:
        """A block of lines. The items of a release are led by its name: "- 2.6.0: Removed: the switch"."""
        release = self.path[-1][1] if kind == "list" and self.path and is_release(self.path[-1][1]) else ""
        joined: list[Bit] = []
        for line in lines:
            if any(bit.text.strip() for bit in line):
                if joined:
                    joined.append(Bit("\n"))
                lead, *rest = line
                if release and rest and lead.raw < 0 and lead.text[0] in "-0123456789":
                    joined += [lead, Bit(f"{release}: "), *rest]
                else:
                    joined += line
        self.block(kind, joined)

    def _end_of(self, bit: Bit) -> None:
        """A text that stands for several lines of the file ends on the last of them: its last character does."""
        if not self.source or bit.size == len(bit.text) or len(bit.text) < 2:
            return
        stop = bit.raw + bit.size
        while stop > bit.raw + 1 and self.source[stop - 1 : stop].isspace():
            stop -= 1
        last = self.line(stop - 1)
        if last > bit.line:
            self.runs.sizes[-1] = max(1, self.starts[bit.line] - bit.raw)
            self.runs.add(self._length + len(bit.text) - 1, stop - 1, 1, last, bit.page)

    def _put(self, bit: Bit) -> None:
        if not bit.text.isprintable() and CONTROL.search(bit.text):
            bit = bit._replace(text=CONTROL.sub("", bit.text))  # an escape sequence by way of an entity
        if not bit.text:
            return
        runs, last = self.runs, len(self.runs.starts) - 1
        if bit.raw < 0:
            if last < 0 or runs.raws[last] >= 0:
                runs.add(self._length, -1, 0, 0)
        else:
            runs.add(self._length, bit.raw, bit.size, bit.line, bit.page)
            self._end_of(bit)
        self._parts.append(bit.text)
        self._length += len(bit.text)


def _dated(bits: list[Bit]) -> list[Bit]:
    """The heading of a release that gives its day and no word for it: "v2.6.0 - released 2024-11-19"."""
    found = _RELEASED.match("".join(bit.text for bit in bits))
    if found is None:
        return bits
    cut, before = found.start(1), 0
    kept: list[Bit] = []
    for bit in bits:
        at = cut - before
        before += len(bit.text)
        if not 0 <= at < len(bit.text):
            kept.append(bit)
            continue
        exact = bit.raw >= 0 and bit.size == len(bit.text)
        first = bit._replace(text=bit.text[:at], size=at if exact else bit.size)
        rest = bit._replace(
            text=bit.text[at:], raw=bit.raw + at if exact else bit.raw, size=bit.size - at if exact else bit.size
        )
        kept += [first, Bit("released "), rest]
    return kept


def tight(bits: Sequence[Bit]) -> list[Bit]:
    """Bits without white space at either end."""
    kept = _trimmed(bits)
    while kept and not kept[0].text.strip():
        kept.pop(0)
    if kept and kept[0].text[0].isspace():
        first = kept[0]
        bare = first.text.lstrip()
        cut = len(first.text) - len(bare)
        exact = first.raw >= 0 and first.size == len(first.text)
        kept[0] = (
            first._replace(text=bare, raw=first.raw + cut, size=len(bare)) if exact else first._replace(text=bare)
        )
    return kept


def _trimmed(bits: Sequence[Bit]) -> list[Bit]:
    """Without empty lines before and white space after; the indent of the first line stays."""
    kept = [bit for bit in bits if bit.text]
    while kept and not kept[-1].text.strip():
        kept.pop()
    while kept and kept[0].text.isspace() and "\n" in kept[0].text:
        kept.pop(0)
    if kept:
        last = kept[-1]
        bare = last.text.rstrip()
        if len(bare) < len(last.text):
            exact = last.size == len(last.text)
            kept[-1] = last._replace(text=bare, size=len(bare) if exact else last.size)
    return kept


def lined(bits: Iterable[Bit]) -> Iterator[list[Bit]]:
    """The bits of each line."""
    line: list[Bit] = []
    for bit in bits:
        if bit.text == "\n":
            yield line
            line = []
        else:
            line.append(bit)
    yield line


def enter(path: list[tuple[int, str]], level: int, title: str) -> None:
    """Go to a heading: those of its level and deeper are left."""
    while path and path[-1][0] >= level:
        path.pop()
    path.append((level, title))
