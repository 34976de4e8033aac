"""Jupyter notebooks: the sources of the cells, each line with its line in the file; outputs are left out."""

from __future__ import annotations

import json
from bisect import bisect_right

from ragheal.indexing.load.markdown import parse_markdown
from ragheal.indexing.load.parsed import Parsed, Writer, enter, line_spans, line_starts
from ragheal.indexing.load.structured import parse_json
from ragheal.types import Block

_MOST_MISSES = 50  # lines that are not found where they should be; each costs a search through the file


def parse_notebook(text: str, source: str = "") -> Parsed:
    """Markdown cells are read as Markdown, the others as code. What is no notebook is read as JSON."""
    try:
        tree = json.loads(text)
        cells = [(str(cell.get("cell_type", "code")), _source(cell)) for cell in _cells(tree)]
    except (ValueError, RecursionError, AttributeError, TypeError):
        return parse_json(text, source)
    places = _Places(text)
    writer = Writer()
    title = ""
    for kind, content in cells:
        spans = line_spans(content, 0, len(content))
        lines = [(content[start:end].rstrip("\r\n"), places.find(content[start:end])) for start, end in spans]
        if kind != "markdown":
            writer.block("code" if kind == "code" else "paragraph", lines)
            continue
        parsed = parse_markdown(content)
        title = title or parsed.title
        for block in parsed.blocks:
            _copy(writer, block, content, spans, lines)
    return Parsed(writer.text, writer.blocks, title, lines=tuple(writer.numbers))


def _cells(tree: dict[str, object]) -> list[dict[str, object]]:
    cells = tree.get("cells")
    if cells is None:  # version 3
        sheets = tree.get("worksheets") or [{"cells": None}]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]  # type: ignore[attr-defined]
    if not isinstance(cells, list):
        raise ValueError("no cells")
    return cells


def _source(cell: dict[str, object]) -> str:
    source = cell.get("source", cell.get("input", ""))
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _copy(
    writer: Writer, block: Block, content: str, spans: list[tuple[int, int]], lines: list[tuple[str, int]]
) -> None:
    """Carry a block of a cell over into the whole."""
    starts = [start for start, _ in spans]
    first = bisect_right(starts, block.start) - 1
    last = bisect_right(starts, max(block.start, block.end - 1))
    if block.kind != "heading":
        writer.block(block.kind, lines[first:last])
        return
    level = 1 + sum(content[block.start : block.start + 6].startswith("#" * depth) for depth in range(2, 7))
    writer.block("heading", lines[first:last], level=level)
    path = writer.path[:-1]
    enter(path, level, block.headings[-1])  # the heading without its markup
    writer.path = path
    writer.blocks[-1] = Block("heading", writer.blocks[-1].start, writer.blocks[-1].end, writer.headings)


class _Places:
    """Finds the lines of cells in the file, in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = line_starts(text)
        self._at = 0
        self._line = 1
        self._misses = 0

    def find(self, line: str) -> int:
        """The line of the file on which a line of a cell stands; the one before when it is not found."""
        if line.strip() and self._misses < _MOST_MISSES:
            for ascii_only in (False, True):
                written = json.dumps(line, ensure_ascii=ascii_only)[1:-1]
                at = self._text.find(written, self._at)
                if at != -1:
                    self._at = at + len(written)
                    self._line = bisect_right(self._starts, at, 0, len(self._starts) - 1)
                    break
            else:
                self._misses += 1
        return self._line
