"""The pieces of an HTML page on the way to blocks: words with their places, lines of a list, rows of a table."""

from __future__ import annotations

import re
from html import unescape

from ragheal.indexing.load.parsed import Bit, Writer
from ragheal.indexing.load.records import Cell, recorded, row_of

_PARTS = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?|&|[^&\s]+(?: [^&\s]+)*|\s+"
)
_KEPT = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?|&|\r\n|[\r\n]|[^&\r\n]+")
_WIDE = "\u2e80"


def spelled(writer: Writer, text: str, at: int, *, keep: bool = False) -> list[Bit]:
    """A run of text that stands at `at`, its entities resolved; white space becomes one space unless `keep`."""
    bits = []
    for found in (_KEPT if keep else _PARTS).finditer(text):
        raw, start = found.group(), at + found.start()
        line = writer.line(start)
        if raw[0] == "&" and len(raw) > 1:
            shown = unescape(raw)
            if not keep and shown.isspace():
                shown = " "
            bits.append(Bit(shown, start, len(raw), line))
        elif raw.isspace():
            bits.append(Bit(("\n" if raw[0] in "\r\n" else raw) if keep else " ", start, len(raw), line))
        else:
            bits.append(Bit(raw, start, len(raw), line))
    return bits


class Lines:
    """The bits of a block; in lists (`depth` > 0) every item begins a line with its mark."""

    def __init__(self, source: str) -> None:
        self.bits: list[Bit] = []
        self.depth = 0
        self._source = source
        self._fresh = False  # the line has its mark and nothing else yet
        self._term: list[Bit] = []
        self._begun = -1  # where the term or description that is open began

    def item(self, mark: str) -> None:
        lead = "  " * min(max(0, self.depth - 1), 8)
        self.bits += [*([Bit("\n")] if self.bits else []), Bit(lead + mark)]
        self._fresh = True

    def go_on(self) -> None:
        """Begin another line of the same item."""
        if self.bits and not (self._fresh and self.bits[-1].raw < 0):
            self.bits += [Bit("\n"), Bit("  " * min(self.depth, 8))]
        self._fresh = False

    def described(self, name: str) -> None:
        """Begin a term, or what is said of the terms before: "term: what is said"."""
        own = self.bits[self._begun :] if self._begun >= 0 else []
        if name == "dt":
            if own and self._fresh:  # two terms in a row share what is said of them
                self.bits.append(Bit(", "))
                return
            self.bits += [Bit("\n")] if self.bits else []
            self._begun, self._fresh = len(self.bits), True
            return
        if self._fresh and self._begun >= 0:
            self._term = [bit for bit in own if bit.text.strip()]
        else:
            self.bits += [*([Bit("\n")] if self.bits else []), *[Bit(bit.text) for bit in self._term]]
        if self._term:
            wide = any(char >= _WIDE for bit in self._term for char in bit.text)
            while self.bits and self.bits[-1].text == " ":
                self.bits.pop()
            self.bits.append(Bit("：" if wide else ": "))
        self._fresh = False

    def done(self, kind: str) -> list[Bit]:
        """The bits without doubled spaces, and without white space at the ends of lines."""
        if kind == "code":
            return self.bits
        kept: list[Bit] = []
        for bit in self.bits:
            before = kept[-1].text[-1:] if kept else "\n"
            if bit.text == " " and before.isspace():
                continue
            if bit.text == "\n":
                while kept and kept[-1].text == " ":
                    kept.pop()
                if kept and kept[-1].text == "\n":
                    continue
                if not kept:
                    continue
            kept.append(bit)
        return _unwrapped(kept, self._source)


def _unwrapped(bits: list[Bit], source: str) -> list[Bit]:
    """Without the space that a line break leaves between two Chinese characters."""
    kept = []
    for number, bit in enumerate(bits):
        if bit.text == " " and bit.size > 0 and 0 < number < len(bits) - 1:
            before, after = bits[number - 1].text[-1:], bits[number + 1].text[:1]
            if before >= _WIDE and after >= _WIDE and "\n" in source[bit.raw : bit.raw + bit.size]:
                continue
        kept.append(bit)
    return kept


class Table:
    """The rows of a table as they are read; spans are filled in so that columns stay columns."""

    def __init__(self) -> None:
        self.within = False  # in a cell
        self.cell: Cell = []
        self._row: list[Cell] = []
        self._rows: list[list[Cell]] = []
        self._heads = 0
        self._head = False  # in <thead>
        self._names = True  # every cell of the row so far is a <th>
        self._wide = 1
        self._deep = 1
        self._below: dict[int, tuple[int, Cell]] = {}  # column -> rows that a cell above still fills, the cell

    def open(self, name: str, attributes: dict[str, str]) -> None:
        if name == "thead":
            self._head = True
        elif name == "tr":
            self.close("tr")
        else:
            self.close("td")
            self.within, self.cell = True, []
            self._names = self._names and name == "th"
            self._wide, self._deep = _span(attributes, "colspan"), _span(attributes, "rowspan")

    def close(self, name: str) -> None:
        if self.within:
            self._fill()
            for number in range(self._wide):
                if self._deep > 1:
                    self._below[len(self._row)] = (self._deep - 1, self.cell)
                self._row.append(self.cell if not number else [Bit(bit.text) for bit in self.cell])
            self.within, self.cell = False, []
        if name in {"tr", "table", "thead", "tbody"} and self._row:
            self._fill()
            if (self._head or (self._names and len(self._row) > 1)) and self._heads == len(self._rows):
                self._heads += 1
            self._rows.append(self._row)
            self._row = []
        if name in {"tr", "table", "thead", "tbody"}:
            self._names = True
        if name == "thead":
            self._head = False

    def _fill(self) -> None:
        while held := self._below.get(len(self._row)):
            left, cell = held
            if left > 1:
                self._below[len(self._row)] = (left - 1, cell)
            else:
                del self._below[len(self._row)]
            self._row.append([Bit(bit.text) for bit in cell])

    def records(self) -> list[list[Bit]]:
        rows, heads = self._rows, self._heads
        if not heads and rows and all(len(row) == 2 for row in rows):
            # A label and its value.
            return [
                row_of(["".join(bit.text for bit in row[0]).strip(" :：")], [row[1]]) or row[0] for row in rows
            ]
        return recorded(rows, heads)

    def taken(self) -> list[list[Bit]]:
        """The rows so far, cell after cell; they are forgotten here."""
        rows, self._rows, self._heads = self._rows, [], 0
        return [[bit for cell in row for bit in [*cell, Bit(" ")]] for row in rows]


def _span(attributes: dict[str, str], name: str) -> int:
    value = attributes.get(name, "1")
    return max(1, min(int(value), 50)) if value.isdigit() and len(value) < 4 else 1
