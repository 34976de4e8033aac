"""Jupyter notebooks: the sources of the cells and what they printed, each line with its line in the file."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from ragheal.indexing.load.markdown import parse_markdown
from ragheal.indexing.load.parsed import Bit, Parsed, Writer, line_spans
from ragheal.indexing.load.structured import parse_json

_MOST_MISSES = 50  # lines that are not found where they should be; each costs a search through the file
_MOST_PRINTED = 200  # lines of what one cell printed; more is a log


def parse_notebook(text: str, source: str = "") -> Parsed:
    """Markdown cells are read as Markdown, the others as code, followed by their printed text.

    What is no notebook is read as JSON.
    """
    try:
        tree = json.loads(text)
        cells = [
            (str(cell.get("cell_type", "code")), _source(cell), list(_printed(cell))) for cell in _cells(tree)
        ]
    except (ValueError, RecursionError, AttributeError, TypeError):
        return parse_json(text, source)
    places = _Places(text)
    writer = Writer(text)
    title = ""
    for kind, content, printed in cells:
        places.begin()
        if kind == "markdown":
            title = _markdown(writer, places, content) or title
            continue
        _lines(writer, places, content, "code" if kind == "code" else "paragraph")
        for output in printed:
            _lines(writer, places, output, "code")
    return writer.parsed(title)


def _cells(tree: dict[str, Any]) -> list[dict[str, Any]]:
    cells = tree.get("cells")
    if cells is None:  # version 3
        sheets = tree.get("worksheets") or [{"cells": None}]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
    if not isinstance(cells, list):
        raise ValueError("no cells")
    return cells


def _joined(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _source(cell: dict[str, Any]) -> str:
    return _joined(cell.get("source", cell.get("input", "")))


def _printed(cell: dict[str, Any]) -> Iterator[str]:
    """The outputs of a cell that are text, shortened."""
    for output in cell.get("outputs") or ():
        data = output.get("data") or {}
        text = _joined(output.get("text") or data.get("text/plain") or "")
        if "image/png" in data or ("text/html" in data and text.startswith("<")):
            continue  # "<Figure size 640x480>" says nothing
        yield "\n".join(text.split("\n")[:_MOST_PRINTED])


def _lines(writer: Writer, places: _Places, content: str, kind: str) -> None:
    bits: list[Bit] = []
    for low, high in line_spans(content, 0, len(content)):
        line = content[low:high]
        at, written = places.find(line)
        bare = line.rstrip("\r\n")
        bits.append(writer.said(bare, at, len(_escaped(bare)) + at if written else at + 1))
        bits.append(Bit("\n"))
    writer.block(kind, bits)


def _markdown(writer: Writer, places: _Places, content: str) -> str:
    """Carry the blocks of a cell over into the whole; the title of the cell's Markdown."""
    spans = line_spans(content, 0, len(content))
    found = [places.find(content[low:high]) for low, high in spans]
    starts = [low for low, _ in spans]
    parsed = parse_markdown(content)
    runs = parsed.runs
    assert runs is not None  # parse_markdown always tells them
    stops = [*runs.starts[1:], len(parsed.text)]
    for block in parsed.blocks:
        bits = []
        for index in range(*runs.within(block.start, block.end)):
            text = parsed.text[max(block.start, runs.starts[index]) : min(block.end, stops[index])]
            raw = runs.raws[index]
            if raw < 0 or not starts:
                bits.append(Bit(text))
                continue
            number = max(0, bisect_right(starts, raw) - 1)
            low, (at, written) = starts[number], found[number]
            if not written:
                bits.append(Bit(text, at, 1, writer.line(at)))
                continue
            begin = at + len(_escaped(content[low:raw]))
            bits.append(writer.said(text, begin, begin + len(_escaped(content[raw : raw + runs.sizes[index]]))))
        level = 0
        if block.kind == "heading":
            level = max(1, len(content[_raw_of(runs, block.start, content) :][:7].partition(" ")[0]))
        writer.block(block.kind, bits, level=level)
    return parsed.title


def _raw_of(runs: Any, start: int, content: str) -> int:
    """Where the line of a heading begins in its cell."""
    span = runs.span(start, start + 1, start + 1)
    return content.rfind("\n", 0, span[0]) + 1 if span else 0


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


class _Places:
    """Finds the lines of cells in the file, in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._low = 0  # where the cell begins at the earliest: its parts stand in any order
        self._high = 0
        self._last = 0
        self._misses = 0

    def begin(self) -> None:
        """The next cell: it stands behind all that was found so far."""
        self._at = self._low = self._high

    def find(self, line: str) -> tuple[int, bool]:
        """Where a line of a cell begins in the file, and whether its letters stand there as they are.

        A line that is not found has the place of the one before.
        """
        if line.strip() and self._misses < _MOST_MISSES:
            for ascii_only in (False, True):
                written = json.dumps(line, ensure_ascii=ascii_only)[1:-1]
                at = self._text.find(written, self._at)
                at = self._text.find(written, self._low) if at == -1 else at
                if at != -1:
                    self._at, self._last = at + len(written), at
                    self._high = max(self._high, self._at)
                    return at, not ascii_only or line.isascii()
            self._misses += 1
        return self._last, False
