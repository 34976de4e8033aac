"""Rows of a table as records: "header: value; header: value", so that each can be read, found and shown alone."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.indexing.load.parsed import Bit, tight

Cell = list[Bit]
_WIDE = "\u2e80"


def recorded(rows: Sequence[Sequence[Cell]], heads: int = 1) -> list[list[Bit]]:
    """The lines of a table whose first `heads` rows name its columns; without a head the cells stand alone.

    Empty cells are left out. The names were put there by us: they have no place, the values keep theirs. Of a
    table that has nothing but its head, the head is kept.
    """
    names = [_name(rows[:heads], column) for column in range(max((len(row) for row in rows), default=0))]
    lines = [line for row in rows[heads:] if (line := row_of(names, row))]
    if lines:
        return lines
    return [line for row in rows[:heads] if (line := row_of([], row))]


def row_of(names: Sequence[str], cells: Sequence[Cell]) -> list[Bit]:
    """One row under its column names; "" is a column without one."""
    filled = [(names[n] if n < len(names) else "", _flat(cell)) for n, cell in enumerate(cells)]
    filled = [(name, cell) for name, cell in filled if any(bit.text.strip() for bit in cell)]
    wide = any(char >= _WIDE for name, cell in filled for bit in cell for char in name + bit.text)
    colon, stop = ("：", "；") if wide else (": ", "; ")
    line: list[Bit] = []
    for name, cell in filled:
        if line:
            line.append(Bit(stop))
        if name:
            line.append(Bit(name + colon))
        line += cell
    return line


def _name(heads: Sequence[Sequence[Cell]], column: int) -> str:
    """The name of a column: what the rows of the head say in it, each once."""
    parts = [" ".join("".join(bit.text for bit in row[column]).split()) for row in heads if column < len(row)]
    return " ".join(dict.fromkeys(part for part in parts if part)).rstrip(":： ")


def _flat(cell: Cell) -> Cell:
    """A cell on one line, without white space around it."""
    return tight([bit._replace(text=bit.text.replace("\n", " ")) if "\n" in bit.text else bit for bit in cell])
