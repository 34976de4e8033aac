"""CSV and TSV: a block for each row, the column names above it."""

from __future__ import annotations

import csv
import io
import re

from ragheal.indexing.load.parsed import Parsed, is_blank, line_starts, trim
from ragheal.types import Block

_NUMBER = re.compile(r"[-+]?[$€£¥]?\s*\d[\d.,:/%-]*\s*\Z")
_MOST_LINES = 500  # of one row; more means a quotation mark that is never closed
_NAMES = 400  # characters of column names that travel with each row


def parse_csv(text: str, source: str = "") -> Parsed:
    """The text is the file itself. The column names stand in the headings of every row, so that a row can be read
    alone; the line of names itself is a heading block."""
    delimiter = _delimiter(text, source)
    starts = line_starts(text)
    rows = _rows(text, delimiter, len(starts) - 1)
    header = _header(rows)
    headings = (_joined(header),) if header else ()
    blocks: list[Block] = []
    for number, (first, last, _) in enumerate(rows):
        low, high = starts[first], starts[last]
        if is_blank(text, low, high):
            continue
        start, end = trim(text, low, high)
        kind = "heading" if header and number == 0 else "record"
        blocks.append(Block(kind, start, end, headings))  # type: ignore[arg-type]
    return Parsed(text, blocks)


def _delimiter(text: str, source: str) -> str:
    if source.lower().endswith((".tsv", ".tab")):
        return "\t"
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:20]
    # The sign that comes as often in one line as in the next, and most often.
    best, most = ",", 0.0
    for sign in ",;\t|":
        counts = [line.count(sign) for line in lines]
        if counts and counts[0]:
            alike = sum(count == counts[0] for count in counts) / len(counts)
            if alike * counts[0] > most:
                best, most = sign, alike * counts[0]
    return best


def _rows(text: str, delimiter: str, lines: int) -> list[tuple[int, int, list[str]]]:
    """(first line, line after the last, cells) of each row; cells are kept of the first rows only."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[tuple[int, int, list[str]]] = []
    before = 0
    try:
        for cells in reader:
            if reader.line_num - before > _MOST_LINES:
                raise csv.Error("unclosed quotation mark")
            rows.append((before, min(reader.line_num, lines), cells if len(rows) < 20 else []))
            before = reader.line_num
    except csv.Error:
        # Too long a field or a stray mark: from here on, a line is a row.
        rows += [(number, number + 1, []) for number in range(before, lines)]
    return rows


def _header(rows: list[tuple[int, int, list[str]]]) -> list[str]:
    """The first row when it holds names: distinct, filled and no numbers, with rows of that length below."""
    if len(rows) < 2 or rows[0][0] != 0:
        return []
    names = [cell.strip() for cell in rows[0][2]]
    filled = [name for name in names if name]
    if not filled or len(filled) < len(names) - 1 or len(set(filled)) < len(filled):
        return []
    if any(_NUMBER.match(name) or len(name) > 80 for name in filled):
        return []
    following = [cells for _, _, cells in rows[1:] if cells]
    return names if any(len(cells) == len(names) for cells in following) else []


def _joined(names: list[str]) -> str:
    text = ", ".join(" ".join(name.split()) for name in names)
    return text if len(text) <= _NAMES else text[:_NAMES].rpartition(", ")[0] + ", …"
