"""The reading order of a page: columns one after the other, the cells of a row side by side.

A page is cut along its widest vertical gap where running text stands on both sides, else along its widest
horizontal one, and so on within the parts (recursive XY cut).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

_GAP = 1.3  # times the height of a line: wider is no space between words
_GUTTER = 0.9  # times the height: between columns
_WIDTH = 7.0  # times the height: lines of running text are longer in most
_MOST_CUTS = 60


class Segment(NamedTuple):
    """A run of text on one line; PDF counts upwards."""

    left: float
    bottom: float
    right: float
    top: float
    text: str

    @property
    def height(self) -> float:
        return max(0.1, self.top - self.bottom)


def ordered(segments: Sequence[Segment]) -> list[tuple[str, ...]]:
    """The lines in reading order, () between parts of the page. A line of running text has one cell; wide gaps
    make more of it."""
    lines: list[tuple[str, ...]] = []
    for part in _parts(list(segments), 0):
        if lines:
            lines.append(())
        lines += part
    return lines


def _parts(segments: list[Segment], depth: int) -> list[list[tuple[str, ...]]]:
    if not segments:
        return []
    height = median(segment.height for segment in segments)
    if depth < _MOST_CUTS and len(segments) > 3:
        at = _gutter(segments, height)
        if at is not None:
            left = [segment for segment in segments if segment.right <= at]
            right = [segment for segment in segments if segment.right > at]
            return _parts(left, depth + 1) + _parts(right, depth + 1)
    rows = _rows(segments)
    cells = [_cells(row, height) for row in rows]
    if depth < _MOST_CUTS and len(rows) > 3 and any(len(cell) > 1 for cell in cells):
        gaps = [
            (min(segment.bottom for segment in one) - max(segment.top for segment in other), number)
            for number, (one, other) in enumerate(pairwise(rows), 1)
        ]
        widest, number = max(gaps)
        if widest > 0.1 * height and _worth(rows[:number], rows[number:], height):
            above = [segment for row in rows[:number] for segment in row]
            below = [segment for row in rows[number:] for segment in row]
            return _parts(above, depth + 1) + _parts(below, depth + 1)
    return [_spaced(rows, cells, height)]


def _worth(above: list[list[Segment]], below: list[list[Segment]], height: float) -> bool:
    """Whether a part would come apart into columns, now or after another cut; a plain page is left whole."""
    return any(
        len(_cells(row, height)) > 1 and any(cell.right - cell.left > _WIDTH * height for cell in row)
        for row in (*above, *below)
    )


def _gutter(segments: list[Segment], height: float) -> float | None:
    """Where a gap runs from top to bottom with running text on both sides."""
    best, found = _GUTTER * height, None
    reach = float("-inf")
    inorder = sorted(segments, key=lambda segment: segment.left)
    for number, segment in enumerate(inorder):
        if segment.left - reach > best and number:
            left = [one for one in segments if one.right <= reach + 0.01]
            right = [one for one in segments if one.right > reach + 0.01]
            if _is_text(left, height) and _is_text(right, height):
                best, found = segment.left - reach, reach + 0.01
        reach = max(reach, segment.right)
    return found


def _is_text(segments: list[Segment], height: float) -> bool:
    rows = _rows(segments)
    if len(rows) < 3:
        return False
    return median(max(s.right for s in row) - min(s.left for s in row) for row in rows) > _WIDTH * height


def _rows(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Segments on one line together, top to bottom, each line from left to right."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda one: (-(one.top + one.bottom) / 2, one.left)):
        row = rows[-1] if rows else None
        if row is not None:
            tallest = max(row, key=lambda one: one.height)
            shared = min(tallest.top, segment.top) - max(tallest.bottom, segment.bottom)
            if shared >= 0.5 * min(tallest.height, segment.height):
                row.append(segment)
                continue
        rows.append([segment])
    return [sorted(row, key=lambda one: one.left) for row in rows]


def _cells(row: list[Segment], height: float) -> tuple[Segment, ...]:
    """The segments of a line, those without a wide gap between them made one."""
    cells: list[Segment] = []
    for segment in row:
        if cells and segment.left - cells[-1].right < _GAP * height:
            before = cells[-1]
            text = before.text + _between(before, segment, height) + segment.text
            cells[-1] = Segment(
                before.left, min(before.bottom, segment.bottom), max(before.right, segment.right),
                max(before.top, segment.top), text,
            )  # fmt: skip
        else:
            cells.append(segment)
    return tuple(cells)


def _between(before: Segment, segment: Segment, height: float) -> str:
    """What stands between two segments: nothing, a space, or the mark that keeps a raised digit off its base."""
    small = segment.height < 0.8 * before.height and segment.bottom > before.bottom + 0.25 * before.height
    near = segment.left - before.right < 0.15 * height
    if small and near and segment.text.strip().isdigit() and before.text[-1:].isalnum():
        return "^"
    return "" if near or before.text.endswith(" ") else " "


def _spaced(rows: list[list[Segment]], cells: list[tuple[Segment, ...]], height: float) -> list[tuple[str, ...]]:
    """The cells' texts; () where the lines stand further apart than usual, as between paragraphs."""
    steps = [max(s.bottom for s in one) - max(s.bottom for s in other) for one, other in pairwise(rows)]
    usual = median(steps) if steps else 0.0
    lines: list[tuple[str, ...]] = []
    for number, line in enumerate(cells):
        if (
            number
            and len(steps) > 1
            and steps[number - 1] > 1.35 * usual
            and steps[number - 1] - usual > 0.3 * height
        ):
            lines.append(())
        lines.append(tuple(cell.text for cell in line))
    return lines
