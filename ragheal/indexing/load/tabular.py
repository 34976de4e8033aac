"""CSV and TSV: a record for each row, the column names before its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.records import Cell, row_of

_NUMBER = re.compile(r"[-+]?[$€£¥]?\s*\d[\d.,:/%-]*\s*\Z")
_UNIT = re.compile(
    r"[\[(（].{1,12}[\])）]\Z|(?:k?g|t|[mck]?m[²³23]?|%|‰|€|\$|£|¥|EUR|USD|GBP|CNY|m?s|min|h|days?|°[CF]|m?l|pcs|k?W|V|A|Hz|"
    r"[kMG]?B|元|万元|个|件|台|公斤|千克|克|吨|米|天|小时|分钟)\Z"
)
_MOST_LINES = 500  # of one cell; more means a quotation mark that is never closed
_NAMES = 400  # characters of column names that travel with each row
_LOOK = 20  # rows within which the column names are looked for


def parse_csv(text: str, source: str = "") -> Parsed:
    """Rows of one cell before the column names are titles. The names stand in the headings of every row as well."""
    writer = Writer(text)
    delimiter = _delimiter(text, source)
    rows = _rows(writer, delimiter)
    first: list[list[Cell]] = []
    for row in rows:
        first.append(row)
        if len(first) == _LOOK:
            break
    head = _head(first)
    names: list[str] = []
    if head >= 0:
        for row in first[:head]:
            writer.block("paragraph", [bit for cell in row for bit in cell])
        names = [" ".join(_said(cell).split()) for cell in first[head]]
        line = next((bit.line for cell in first[head] for bit in cell), 1)
        units = first[head + 1] if head + 1 < len(first) else []
        held = [_said(cell) for cell in units if _said(cell)]
        del first[: head + 1]
        if held and all(_UNIT.match(unit) for unit in held):
            names = [_with_unit(name, _said(unit)) for name, unit in zip(names, units, strict=False)]
            del first[0]
        writer.block("heading", [Bit(", ".join(_shortened(names)), writer.starts[line - 1], 1, line)], level=1)
    for row in chain(first, rows):
        writer.block("record", row_of(names, row) if names else _bare(row))
    return writer.parsed()


def _said(cell: Cell) -> str:
    return "".join(bit.text for bit in cell).strip()


def _with_unit(name: str, unit: str) -> str:
    unit = unit.strip("[]()（）")
    return f"{name} ({unit})" if unit and unit not in name else name


def _bare(row: list[Cell]) -> list[Bit]:
    """A row of a table that has no names."""
    bits: list[Bit] = []
    for cell in row:
        if _said(cell):
            bits += [*([Bit(", ")] if bits else []), *cell]
    return bits


def _shortened(names: list[str]) -> list[str]:
    kept: list[str] = []
    used = 0
    for name in names:
        used += len(name) + 2
        if used > _NAMES:
            return [*kept, "…"]
        kept.append(name)
    return kept


def _delimiter(text: str, source: str) -> str:
    if source.lower().endswith((".tsv", ".tab")):
        return "\t"
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:20]
    # The sign that comes as often in one line as in most others, and most often.
    best, most = ",", 0.0
    for sign in ",;\t|":
        counts = [line.count(sign) for line in lines]
        usual = max(set(counts), key=lambda count: (counts.count(count), count)) if counts else 0
        if usual:
            alike = sum(count == usual for count in counts) / len(counts)
            if alike * usual > most:
                best, most = sign, alike * usual
    return best


def _rows(writer: Writer, delimiter: str) -> Iterator[list[Cell]]:
    """The cells of each row that is not empty, with their places."""
    text, sign = writer.source, re.escape(delimiter)
    quoted = re.compile(rf'[ ]*"([^"]*(?:""[^"]*)*)"[ ]*(?={sign}|\r|\n|\Z)')
    plain = re.compile(rf"[^{sign}\r\n]*")
    at, size, closed = 0, len(text), True
    row: list[Cell] = []
    while at < size or row:
        found = quoted.match(text, at) if closed and at < size and text[at] in '" ' else None
        if found is None and closed and text.startswith('"', at) and text.find('"', at + 1) == -1:
            closed = False  # never again: looking for it would take time squared
        if found is not None and text.count("\n", *found.span(1)) < _MOST_LINES:
            row.append(_quoted(writer, *found.span(1)))
        else:
            found = plain.match(text, at)
            assert found is not None  # the pattern matches nothing too
            low, high = found.span()
            row.append([Bit(text[low:high], low, high - low, writer.line(low))] if text[low:high].strip() else [])
        at = found.end()
        if text.startswith(delimiter, at):
            at += 1
            if at < size:
                continue
        if any(row):
            yield row
        row = []
        if text.startswith("\r\n", at):
            at += 2
        elif at < size:
            at += 1


def _quoted(writer: Writer, low: int, high: int) -> Cell:
    """What stands between quotation marks, doubled ones made single; a line break becomes a space."""
    bits = writer.cut(low, high)
    bits = [bit._replace(text=" ") if bit.text == "\n" else bit for bit in bits]
    return [bit._replace(text=bit.text.replace('""', '"')) if '""' in bit.text else bit for bit in bits]


def _head(rows: list[list[Cell]]) -> int:
    """Which row holds the column names: the first whose cells are filled, distinct and no numbers, with rows of that
    length below, and nothing but titles above. -1 when none does."""
    for number, row in enumerate(rows):
        names = [_said(cell) for cell in row]
        filled = [name for name in names if name]
        if len(filled) == 1 and len(rows) > number + 1 and len(rows[number + 1]) > 1:
            continue  # a title
        if len(filled) < len(names) - 1 or len(set(filled)) < len(filled) or not filled:
            return -1
        if any(_NUMBER.match(name) or len(name) > 80 for name in filled):
            return -1
        return number if any(len(one) == len(names) for one in rows[number + 1 :]) else -1
    return -1
