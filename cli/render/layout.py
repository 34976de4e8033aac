"""Labels with text beside them, records a line each, and line breaks for both scripts.

Rich breaks at blanks alone, so that a Chinese line ends wherever a number or a Latin word happens to stand:
here Chinese may break between characters, and a citation stays with its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

from ..console import Page
from .text import clean, fit, one_line, pad

_NEVER_FIRST = frozenset("。，、；：？！）」』》〉】〕”’…—％·,.;:?!)]}%\"'")
_NEVER_LAST = frozenset("（「『《〈【〔“‘([{")
_MARKER = re.compile(r"\[\d+\]")
_ROOMY = 60  # columns from which on there is room for what is not needed
REST, BELOW = -1, -2  # widths of cells: what the line has left; a line of its own


class Row:
    """A text that hangs next to a label of fixed width, however long it is. Without a label: a paragraph."""

    def __init__(self, label: str | Text, body: object, *, style: str = "", cells: int) -> None:
        self.label = label if isinstance(label, Text) else Text(pad(fit(label, cells), cells), "cyan")
        self.words = body if isinstance(body, Text) else Text(str(body), style)
        self.cells = cells

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lead = self.label
        for line in wrapped(self.words, max(1, options.max_width - self.cells)):
            yield Text("", no_wrap=True, overflow="ignore").append_text(lead).append_text(line)
            lead = Text(" " * self.cells)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(self.cells + 8, options.max_width), options.max_width)


def paragraph(text: Text) -> Row:
    return Row("", text, cells=0)


def plain(page: Page, text: str, hint: str = "") -> str:
    """Foreign words in as many lines as they need, and a hint below them."""
    below = [Row("", clean(hint), cells=2)] if hint else []
    return page.render(paragraph(Text(clean(text))), *below)


def rows(page: Page, entries: Iterable[tuple[str, str]], *, cells: int = 6) -> str:
    """Labels and what stands beside them, as text; in a pipe a line each."""
    made = ((label, clean(body) if page.terminal else clean(body).replace("\n", " ")) for label, body in entries)
    return page.render(*(Row(label, body, cells=cells) for label, body in made))


class Cell(NamedTuple):
    """An entry of a record: its `text` in a pipe, and `width` cells on a terminal, or REST, or BELOW the line."""

    text: str | None  # None: for a terminal alone
    width: int = 0  # 0: for a pipe alone
    style: str = ""
    shown: str | None = None  # on a terminal, where that is another text
    roomy: bool = False  # not on a narrow terminal


def listing(page: Page, records: Iterable[Sequence[Cell]]) -> str:
    """A record a line: cut to the width of a terminal, else whole and between tabs."""
    if page.terminal:
        return page.render(*(line for record in records for line in lines(page.columns, record)))
    piped = ((one_line(cell.text) for cell in record if cell.text is not None) for record in records)
    return "".join("\t".join(cells) + "\n" for cells in piped)


def lines(columns: int, record: Sequence[Cell]) -> Iterator[Text]:
    """A record on a terminal: its line, and below it what has a line of its own."""
    line, below = Text(no_wrap=True), []
    for cell in record:
        shown = one_line(cell.text or "") if cell.shown is None else cell.shown
        if cell.width == BELOW and shown:
            below.append(Text(fit(f"{' ' * 6}{shown}", columns), cell.style, no_wrap=True))
        elif cell.width == REST:
            line.append(fit(shown, columns - line.cell_len), cell.style)
        elif cell.width > 0 and not (cell.roomy and columns < _ROOMY):
            line.append(pad(shown, cell.width), cell.style)
    yield line
    yield from below


def wrapped(text: Text, cells: int) -> list[Text]:
    """The lines of a text, none wider than `cells`."""
    parts = text.divide(breaks(text.plain, cells))
    found = [line for part in parts for line in part.split("\n", allow_blank=True)] or [Text()]
    for line in found:
        line.rstrip()
    return found


def breaks(text: str, cells: int) -> list[int]:
    """Offsets at which a new line has to begin so that none is wider than `cells`; line breaks in it stay."""
    found: list[int] = []
    width, place = 0, 0  # of the line so far; the last offset at which it may be broken, 0 when there is none
    i = 0
    while i < len(text):
        char = text[i]
        if char == "\n":
            width, place = 0, 0
            i += 1
            continue
        if width and _may_break(text, i):
            place = i
        width += cell_len(char)
        # A blank at the end of a line is not seen; a character wider than the line has nowhere else to go.
        if width > cells and char != " " and width > cell_len(char):
            i = place or i
            found.append(i)
            width, place = 0, 0
            continue
        i += 1
    return found


def _may_break(text: str, i: int) -> bool:
    before, after = text[i - 1], text[i]
    if _MARKER.match(text, i):
        return False
    if before == " ":
        return after != " "
    if after == " " or after in _NEVER_FIRST or before in _NEVER_LAST:
        return False
    return cell_len(before) == 2 or cell_len(after) == 2
