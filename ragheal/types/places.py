"""Where the reading text of a document stands in its file.

A *run* is a stretch of the reading text that came from one place: `start` its offset in the reading text, `raw`
and `size` the offset and length of what stands for it in the source text, `line` and `page` its place in the file.
A run with `raw` -1 was put there by the loader, such as the name of a column before its value; it has no place.
Where `size` is the run's own length its characters stand in the source one by one, else it stands for the whole.
No run goes over the end of a line of the file, so that a place is looked up and never counted.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import NamedTuple

from ragheal.types.base import Value

#: Marks of emphasis, code and links: at the edge of a quotation they belong to the word that they stand at.
_EDGE = "*_`~=["


class Place(Value, frozen=True):
    """A stretch of a file: its lines, inclusive; its page, slide or sheet, 0 where the format has none."""

    start_line: int
    end_line: int
    page: int = 0


class Runs(NamedTuple):
    """The runs of a text, in order of `starts`; the columns are equally long."""

    starts: array[int]
    raws: array[int]
    sizes: array[int]
    lines: array[int]
    pages: array[int]

    @classmethod
    def empty(cls) -> Runs:
        return cls(array("q"), array("q"), array("q"), array("q"), array("q"))

    def add(self, start: int, raw: int, size: int, line: int, page: int = 0) -> None:
        self.starts.append(start)
        self.raws.append(raw)
        self.sizes.append(size)
        self.lines.append(line)
        self.pages.append(page)

    def within(self, start: int, end: int) -> tuple[int, int]:
        """Indices of the first run that reaches into [start, end), and of the one after the last."""
        return max(0, bisect_right(self.starts, start) - 1), bisect_left(self.starts, max(end, start + 1))

    def held(self, start: int, end: int) -> list[int]:
        """Indices of the runs in [start, end) that have a place; the nearest one when none of them has."""
        low, high = self.within(start, end)
        found = [index for index in range(low, high) if self.raws[index] >= 0]
        if found:
            return found
        after = (index for index in range(high, len(self.starts)) if self.raws[index] >= 0)
        before = (index for index in range(low - 1, -1, -1) if self.raws[index] >= 0)
        nearest = next(after, next(before, None))
        return [] if nearest is None else [nearest]

    def place(self, start: int, end: int) -> Place | None:
        """The lines and the page of [start, end); None when nothing in the text has a place."""
        found = self.held(start, end)
        if not found:
            return None
        lines = [self.lines[index] for index in found]
        return Place(min(lines), max(lines), self.pages[found[0]])

    def span(self, start: int, end: int, size: int) -> tuple[int, int] | None:
        """The offsets in the source of what [start, end) stands for. `size` is the length of the reading text."""
        found = self.held(start, end)
        if not found:
            return None
        spans = [self._raw(index, start, end, size) for index in found]
        return min(low for low, _ in spans), max(high for _, high in spans)

    def _raw(self, index: int, start: int, end: int, size: int) -> tuple[int, int]:
        begin, raw, length = self.starts[index], self.raws[index], self.sizes[index]
        stop = self.starts[index + 1] if index + 1 < len(self.starts) else size
        if length != stop - begin:
            return raw, raw + length
        return raw + max(0, min(start - begin, length)), raw + max(0, min(end - begin, length))


def pack(runs: Runs, size: int, low: int, high: int, shift: int, raw_shift: int | None) -> bytes:
    """Runs [low, high) of a text of `size` characters as bytes, their offsets made relative.

    `raw_shift` None: the source text is not kept, so that the reading text stands for itself.
    """
    out = bytearray()
    start = raw = line = page = 0
    for index in range(low, high):
        begin = max(0, runs.starts[index] - shift)
        cut = max(0, shift - runs.starts[index])  # a chunk may begin within a run
        own, length = runs.raws[index], runs.sizes[index]
        placed = own >= 0
        stop = runs.starts[index + 1] if index + 1 < len(runs.starts) else size
        exact = length == stop - runs.starts[index]
        if placed:
            own = begin if raw_shift is None else own - raw_shift + (cut if exact else 0)
            length = -1 if raw_shift is None or exact else length  # as long as the run itself
        _number(out, (begin - start) * 2 + placed)
        start = begin
        if placed:
            _number(out, _zigzag(own - raw))
            _number(out, length + 1)
            _number(out, _zigzag(runs.lines[index] - line))
            _number(out, _zigzag(runs.pages[index] - page))
            raw, line, page = own, runs.lines[index], runs.pages[index]
    return bytes(out)


@lru_cache(maxsize=2048)
def unpack(data: bytes, size: int) -> Runs:
    """What `pack` packed, for a text of `size` characters. Raises ValueError when it is no such thing."""
    runs = Runs.empty()
    at = start = raw = line = page = 0
    try:
        while at < len(data):
            head, at = _read(data, at)
            start += head >> 1
            if not head & 1:
                runs.add(start, -1, 0, line, page)
                continue
            step, at = _read(data, at)
            raw += _unzigzag(step)
            length, at = _read(data, at)
            step, at = _read(data, at)
            line += _unzigzag(step)
            step, at = _read(data, at)
            page += _unzigzag(step)
            runs.add(start, raw, length - 1, line, page)
    except IndexError:
        raise ValueError("the map of a chunk ends too early") from None
    for index, length in enumerate(runs.sizes):
        if length == -1:
            stop = runs.starts[index + 1] if index + 1 < len(runs.starts) else size
            runs.sizes[index] = max(0, stop - runs.starts[index])
    return runs


def widened(raw: str, low: int, high: int) -> tuple[int, int]:
    """The span with the marks of emphasis that stand at its edges and belong to its words."""
    while low > 0 and raw[low - 1] in _EDGE:
        low -= 1
    while high < len(raw) and raw[high] in _EDGE[:-1]:
        high += 1
    return low, high


def _zigzag(number: int) -> int:
    return number * 2 if number >= 0 else -number * 2 - 1


def _unzigzag(number: int) -> int:
    return number >> 1 if not number & 1 else -(number + 1 >> 1)


def _number(out: bytearray, number: int) -> None:
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def _read(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
    return number | data[at] << shift, at + 1
