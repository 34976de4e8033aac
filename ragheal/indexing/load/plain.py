"""Plain text and reStructuredText: paragraphs, lists, and the headings that can be told with some certainty."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ragheal.indexing.load.parsed import Parsed, enter, line_starts, trim
from ragheal.types import Block

Line = tuple[int, int]  # start, end without its break
Kind = Literal["paragraph", "list", "table", "code"]

_UNDERLINE = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{2,}\s*\Z")
_BULLET = re.compile(r"\s*(?:[-*+•·●○■□◆▪]\s|\d{1,3}(?:[.)]\s|[、．])|[(（]\d{1,3}[)）]|[a-zA-Z][.)]\s)")
_GRID = re.compile(r"\s*(?:\+[-=+]{3,}|\||={3,}(?:\s+=+)+)")
_ENDS = tuple("。．.!！?？；;，,、")
_LINE_ENDS = (*tuple('。.!！?？；;：:”"』」）)'), "……")

_NUMERAL = "[一二三四五六七八九十百零〇两\\d]{1,6}"
# What a heading may begin with, and its level. Articles (第三条) are left out: their text follows on the line.
_NUMBERED: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(f"第{_NUMERAL}[编編卷部篇](?:\\s|[^\\s的]|$)"), 1),
    (re.compile(f"第{_NUMERAL}[章回](?:\\s|[^\\s的]|$)"), 2),
    (re.compile(f"第{_NUMERAL}[节節](?:\\s|[^\\s的]|$)"), 3),
    (re.compile("(?:[一二三四五六七八九十]{1,3})、\\S"), 4),
    (re.compile("[（(][一二三四五六七八九十]{1,3}[)）]\\S"), 5),
    (re.compile(r"(?:PART|Part)\s+(?:\d+|[IVXLC]+|One|Two|Three|Four|Five)\b"), 1),
    (re.compile(r"(?:CHAPTER|Chapter|APPENDIX|Appendix)\s*(?:\d+|[IVXLC]+\b|[A-Z]\b)"), 2),
    (re.compile(r"(?:附录|附錄)\s*(?:\d+|[A-Z]\b|[一二三四五六七八九十]+)"), 2),
    (re.compile(r"(?:SECTION|Section|Article|ARTICLE)\s+\d+(?:\.\d+)*\b"), 3),
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,2}\.?\s+\S"), 6),
    (re.compile(r"\d{1,2}\.\d{1,2}\.?\s+\S"), 5),
    (re.compile(r"\d{1,2}\.?\s+[A-Z\u3400-\u9fff]"), 4),
)  # fmt: skip
# Numbers that make a heading of a line even where the text goes on in the next.
_TIGHT = re.compile(f"第{_NUMERAL}[编編卷部篇章回节節]|[一二三四五六七八九十]{{1,3}}、")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 &,'/()-]{3,59}\Z")


def parse_text(text: str, source: str = "") -> Parsed:
    """Paragraphs are parted by empty lines; a file of one paragraph a line is seen as such."""
    return _parse(text, rst=False)


def parse_rst(text: str, source: str = "") -> Parsed:
    """As `parse_text`; headings are underlined (and overlined) lines, in the order in which the styles appear."""
    return _parse(text, rst=True)


def _parse(text: str, *, rst: bool) -> Parsed:
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []
    styles: list[str] = []  # underlines seen, outermost first
    title = ""
    after_code = False
    enumerating = 0  # level of the numbered line before that turned out to be an item
    for group, following in _with_next(groups(text)):
        while group and (found := _underlined(text, group)):
            taken, style, name = found
            if style not in styles:
                styles.append(style)
            title = title or (name if not blocks else "")
            enter(path, styles.index(style) + 1, name)
            blocks.append(Block("heading", *trim(text, group[0][0], group[taken - 1][1]), _names(path)))
            group, after_code = group[taken:], False
        if group and not rst and (name := heading_text(text, group)):
            level = heading_level(name)
            # "1. Open the lid", "2. Pour" with nothing between them are a list.
            item = level > 0 and len(group) == 1 and level in (enumerating, _level_of(text, following))
            enumerating = level if item else 0
            if (level and not item) or not blocks:
                title = title or (name if not blocks else "")
                enter(path, (level or 1) + (10 if styles else 0), name)
                blocks.append(Block("heading", *trim(text, *group[0]), _names(path)))
                group = group[1:]
        elif group:
            enumerating = 0
        if not group:
            continue
        indented = text[group[0][0]] in " \t"
        for kind, low, high in units(text, group):
            real: Kind = "code" if rst and after_code and indented else kind
            blocks.append(Block(real, *trim(text, group[low][0], group[high - 1][1]), _names(path)))
        last = text[group[-1][0] : group[-1][1]].rstrip()
        directive = text.startswith(".. ", group[0][0]) and "::" in text[group[0][0] : group[0][1]]
        after_code = (after_code and indented) or last.endswith("::") or directive
    return Parsed(text, blocks, title)


def _with_next(runs: Iterator[list[Line]]) -> Iterator[tuple[list[Line], list[Line]]]:
    before: list[Line] = []
    for run in runs:
        if before:
            yield before, run
        before = run
    if before:
        yield before, []


def _level_of(text: str, group: list[Line]) -> int:
    name = heading_text(text, group) if len(group) == 1 else ""
    return heading_level(name) if name else 0


def _names(path: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(name for _, name in path)


def groups(text: str) -> Iterator[list[Line]]:
    """Runs of lines that are not blank."""
    starts = line_starts(text)
    group: list[Line] = []
    for number in range(len(starts) - 1):
        start, stop = starts[number], starts[number + 1]
        end = stop
        while end > start and text[end - 1] in "\r\n":
            end -= 1
        if start == end or text[start:end].isspace():
            if group:
                yield group
            group = []
        else:
            group.append((start, end))
    if group:
        yield group


def units(text: str, group: list[Line]) -> Iterator[tuple[Kind, int, int]]:
    """(kind, first line, line after the last) of the blocks in a run of lines."""
    shown = [text[start : min(end, start + 200)] for start, end in group]
    if all(_GRID.match(line) for line in shown) or sum(line.count("\t") > 1 for line in shown) == len(shown) > 1:
        yield "table", 0, len(group)
        return
    # A sentence before a list on the next line belongs to it.
    items = [number for number, line in enumerate(shown) if _BULLET.match(line)]
    if len(items) > 1 and items[0] <= 2:
        yield "list", 0, len(group)
        return
    tails = [text[max(start, end - 3) : end].rstrip() for start, end in group]
    closed = sum(tail.endswith(_LINE_ENDS) for tail in tails)
    if len(group) > 1 and closed >= 0.6 * len(group):
        for number in range(len(group)):  # one paragraph a line
            yield "paragraph", number, number + 1
        return
    yield "paragraph", 0, len(group)


def _underlined(text: str, group: list[Line]) -> tuple[int, str, str] | None:
    """(lines taken, style, title) when the run begins with a heading that is underlined."""
    if len(group) < 2:
        return None
    lines = [text[start : min(end, start + 200)] for start, end in group[:3]]
    over = _UNDERLINE.match(lines[0])
    if over and len(lines) == 3 and lines[2].strip() == lines[0].strip() and not _UNDERLINE.match(lines[1]):
        return 3, "over" + over[1], " ".join(lines[1].split())
    under = _UNDERLINE.match(lines[1])
    name = lines[0].strip()
    if not under or over or not name or len(lines[1].strip()) < min(len(name) - 1, 12) or len(name) > 150:
        return None
    return 2, under[1], " ".join(name.split())


def heading_text(text: str, group: list[Line]) -> str:
    """The only line of a run, or its first when numbered as a Chinese heading; "" when it reads as prose."""
    start, end = group[0]
    if end - start > 80:
        return ""
    line = " ".join(text[start:end].split())
    if len(group) > 1:
        following = text[group[1][0] : group[1][0] + 20].lstrip()
        if not _TIGHT.match(line) or _TIGHT.match(following):
            return ""
    wide = sum(char > "\u2e80" for char in line)
    if not line or line.endswith(_ENDS) or len(line) + wide > 80 or re.search("[。！？；]", line):
        return ""
    return line


def heading_level(line: str) -> int:
    """The level that the numbering of a line tells, from 1; 0 for a line that is not numbered as a heading is."""
    for pattern, level in _NUMBERED:
        if pattern.match(line):
            return level
    return 4 if _CAPITALS.match(line) and " " in line.strip() else 0
