"""Line breaks for both scripts: Chinese may break between characters, and a citation stays with its sentence.

Rich breaks at blanks alone, so that a Chinese line ends wherever a number or a Latin word happens to stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

_NEVER_FIRST = frozenset("。，、；：？！）」』》〉】〕”’…—％·,.;:?!)]}%\"'")
_NEVER_LAST = frozenset("（「『《〈【〔“‘([{")
_MARKER = re.compile(r"\[\d+\]")


class Wrapped:
    """A text that is broken for the width it is given."""

    def __init__(self, text: Text) -> None:
        self.text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lines = self.text.divide(breaks(self.text.plain, options.max_width))
        for line in lines:
            line.rstrip()
        wrapped = Text("\n").join(lines)
        wrapped.overflow = "fold"
        yield wrapped

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return self.text.__rich_measure__(console, options)


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
    if before == " ":
        return after != " " and not _MARKER.match(text, i)
    if after == " " or after in _NEVER_FIRST or before in _NEVER_LAST:
        return False
    return cell_len(before) == 2 or cell_len(after) == 2
