"""Plain text: paragraphs, lists, and the headings that can be told with some certainty."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ragheal.indexing.load.parsed import Bit, Parsed, Writer, line_starts, trim
from ragheal.indexing.load.records import Cell, recorded

Line = tuple[int, int]  # start, end without its break
Kind = Literal["paragraph", "list", "table", "code"]

_UNDERLINE = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{2,}\s*\Z")
_BULLET = re.compile(r"\s*(?:[-*+•·●○■□◆▪]\s|\d{1,3}(?:[.)]\s|[、．])|[(（]\d{1,3}[)）]|[a-zA-Z][.)]\s)")
_GRID = re.compile(r"\s*(?:\+[-=+]{3,}|\||={3,}(?:\s+=+)+)")
_WIDE = "\u2e80"
_STRUCK = re.compile(r".\x08")
_FULL = re.compile(r"^[^\S\r\n]*[^\s].*$", re.MULTILINE)
# The foot of a page in RFCs and old manuals, and the head that follows it.
_FOOT = re.compile(r"^\S.{0,100}\[Page \d+\][ \t]*\r?$", re.MULTILINE)
_RUNNING = re.compile(r"\f?(?:RFC \d+|Internet-Draft)\b.*\d{4}\s*\Z|\f?\S.{2,60}\s{3,}\S.*\s{3,}\S.*\d{4}\s*\Z")
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
    (re.compile(r"(?:CHAPTER|Chapter|APPENDIX|Appendix|ANNEX|Annex)\s*(?:\d+|[IVXLC]+\b|[A-Z]\b)"), 2),
    (re.compile(r"(?:附录|附錄)\s*(?:\d+|[A-Z]\b|[一二三四五六七八九十]+)"), 2),
    (re.compile(r"(?:(?i:section|article|clause|rule|schedule)\s+|§\s*)(?:\d+(?:\.\d+)*|[IVXLC]+)\b"), 3),
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,2}\.?\s+\S"), 6),
    (re.compile(r"\d{1,2}\.\d{1,2}\.?\s+\S"), 5),
    (re.compile(r"\d{1,2}\.?\s+[A-Z\u3400-\u9fff]"), 4),
)  # fmt: skip
# Numbers that make a heading of a line even where the text goes on in the next.
_TIGHT = re.compile(f"第{_NUMERAL}[编編卷部篇章回节節]|[一二三四五六七八九十]{{1,3}}、")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 &,'/()-]{3,59}\Z")


def parse_text(text: str, source: str = "") -> Parsed:
    """Paragraphs are parted by empty lines; a file of one paragraph a line is seen as such.

    The running heads and feet of paginated text are left out, and a sentence that they part is whole again.
    """
    writer = Writer(text)
    title = write_text(writer, paged_groups(text))
    return writer.parsed(title)


def write_text(writer: Writer, runs: Iterator[list[Line]]) -> str:
    """The blocks of runs of lines; returns the title."""
    text = writer.source
    styles: list[str] = []  # underlines seen, outermost first
    title = ""
    enumerating = 0  # level of the numbered line before that turned out to be an item
    for group, following in _with_next(runs):
        while group and (found := _underlined(text, group)):
            taken, style, name = found
            if style not in styles:
                styles.append(style)
            title = title or (name if not writer else "")
            first = group[1] if style.startswith("over") else group[0]
            writer.block("heading", writer.cut(*trim(text, *first)), level=styles.index(style) + 1)
            group = group[taken:]
        if group and (name := heading_text(text, group)):
            level = heading_level(name)
            # "1. Open the lid", "2. Pour" with nothing between them are a list.
            item = level > 0 and len(group) == 1 and level in (enumerating, _level_of(text, following))
            enumerating = level if item else 0
            if (level and not item) or not writer:
                title = title or (name if not writer else "")
                writer.block(
                    "heading", writer.cut(*trim(text, *group[0])), level=(level or 1) + (10 if styles else 0)
                )
                group = group[1:]
        elif group:
            enumerating = 0
        for kind, low, high in units(text, group) if group else ():
            write_lines(writer, kind, group[low:high])
    return title


def write_lines(writer: Writer, kind: str, lines: list[Line]) -> None:
    """A block of lines: prose as running text, a table of tabs as records, all else line by line."""
    text = writer.source
    if kind == "table" and all("\t" in text[low:high] for low, high in lines):
        rows = [_tabbed(writer, line) for line in lines]
        numbers = any(bit.text[:1].isdigit() for cell in rows[0] for bit in cell)
        writer.rows("record", recorded(rows, 0 if numbers or len(rows) < 2 else 1))
        return
    bits: list[Bit] = []
    for number, (low, high) in enumerate(lines):
        if number:
            bits.append(_break(text, lines[number - 1], (low, high), kind))
        start, end = trim(text, low, high)
        if bits and bits[-1].text != "\n":
            while start < end and text[start].isspace():
                start += 1
        bits += _clean(writer, start, end)
    writer.block(kind, bits)


def _tabbed(writer: Writer, line: Line) -> list[Cell]:
    cells: list[Cell] = []
    at = line[0]
    for part in writer.source[line[0] : line[1]].split("\t"):
        cells.append(writer.cut(at, at + len(part)) if part.strip() else [])
        at += len(part) + 1
    return cells


def _break(text: str, before: Line, line: Line, kind: str) -> Bit:
    """What the end of a line is to a reader: a space in wrapped prose, nothing between Chinese, else itself."""
    width = sum(2 if char >= _WIDE else 1 for char in text[before[0] : min(before[1], before[0] + 60)].strip())
    item = _BULLET.match(text, *line)
    if kind not in {"paragraph", "list"} or width < 50 or item or text[line[0] : line[1]].lstrip().startswith("|"):
        return Bit("\n")
    wide = text[before[1] - 1] >= _WIDE and text[line[0] : line[1]].lstrip()[:1] >= _WIDE
    return Bit("" if wide else " ")


def _clean(writer: Writer, start: int, end: int) -> list[Bit]:
    """A line without the overstrikes of terminals."""
    if "\b" in writer.source[start:end]:
        return [writer.said(_STRUCK.sub("", writer.source[start:end]), start, end)]
    return writer.cut(start, end)


def paged_groups(text: str) -> Iterator[list[Line]]:
    """Runs of lines that are not blank, those of running heads left out, runs that only a page parts joined."""
    if "\f" not in text and not _FOOT.search(text):
        yield from groups(text)
        return
    furniture = _furniture(text)
    held: list[Line] = []
    parted = False  # by nothing but the end of a page
    for group in groups(text):
        kept = [line for line in group if line[0] not in furniture]
        if not kept:
            parted = True
            continue
        parted = parted or len(kept) < len(group)
        if held and parted and _goes_on(text, held[-1], kept[0]):
            held += kept
        else:
            if held:
                yield held
            held = kept
        parted = kept[-1] != group[-1]
    if held:
        yield held


def _furniture(text: str) -> set[int]:
    """Where the lines begin that are heads and feet of pages."""
    marked: set[int] = set()
    edges: dict[str, list[int]] = {}
    for page in re.finditer(r"[^\f]+", text):
        lines = [line.span() for line in _FULL.finditer(text, *page.span())]
        for low, high in lines[:1] + lines[-1:]:
            edges.setdefault(" ".join(re.sub(r"\d+", "#", text[low:high]).split()), []).append(low)
    for places in edges.values():
        if len(places) > 1:
            marked.update(places)
    feet = [found.start() for found in _FOOT.finditer(text)]
    marked.update(text.rfind("\n", 0, foot) + 1 if text[foot] == "\n" else foot for foot in feet)
    for foot in feet:
        below = _FULL.search(text, text.find("\n", foot + 1)) if "\n" in text[foot + 1 :] else None
        if below and _RUNNING.match(text, *below.span()):
            marked.add(below.start())
    return marked


def _goes_on(text: str, before: Line, line: Line) -> bool:
    end = text[before[0] : before[1]].rstrip()[-1:]
    following = text[line[0] : line[1]].lstrip()[:1]
    return end not in ".!?。！？:：" and (following.islower() or following >= _WIDE or end in ",;，；、-")


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
