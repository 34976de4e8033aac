"""Markdown with markdown-it-py: the text that a reader sees, block by block, each piece with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragheal.indexing.load.dialect import prepared
from ragheal.indexing.load.front import front_matter, record
from ragheal.indexing.load.inline import Anchor, bits_of, bits_within, parser
from ragheal.indexing.load.parsed import Bit, Parsed, Writer, line_starts, lined
from ragheal.indexing.load.records import Cell, recorded
from ragheal.indexing.load.templates import RAW, shown
from ragheal.indexing.load.titles import plain

if TYPE_CHECKING:
    from markdown_it.token import Token

# The parser needs about a thousand times the room of a line, so long files are read in parts.
_PART = 4000  # lines
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_STARTS_ITEM = re.compile(r"\s|[-*+>|:]|\d+[.)]")
_HTML_TITLE = re.compile(r"<h1\b[^>]*>(.{1,400}?)</h1", re.IGNORECASE | re.DOTALL)
# "#标题": a heading to every Chinese author, a paragraph to CommonMark. "#标签 #标签" stays one.
_TIGHT_HEADING = re.compile(r"(#{1,6})([\u3400-\u9fff][^#\r\n]{0,80})\Z")
_DEEP = 19  # levels of nesting at which the parser stops
_DEPTHS = re.compile(r"[\s>*+-]*")
# The source of a picture, and remarks that only steer how code is coloured.
_DRAWN = re.compile(
    r"\s*\{?[:.]?(?:mermaid|plantuml|puml|graphviz|dot|d2|ditaa|nomnoml|vega(?:-lite)?)\b", re.IGNORECASE
)
_STEERS = re.compile(r"\s*(?://|#|/\*|<!--|\{/\*)\s*highlight-(?:next-line|start|end)\b[^\n]*\Z")
_ROW = re.compile(r"(?<!\\)\|")


def parse_markdown(text: str, source: str = "") -> Parsed:
    """The reading text of Markdown. Front matter gives metadata, the title, and a record of its fields."""
    metadata, begin = front_matter(text)
    title = plain(metadata.pop("title", ""))
    writer = Writer(text)
    record(writer, begin, title)
    reader = _Reader(writer, title)
    starts = writer.starts
    first = 0
    while starts[first] < begin:
        first += 1
    shaped = prepared(text, first)
    offsets = starts if shaped is text else line_starts(shaped)
    for low, high in _parts(shaped, offsets, first):
        reader.read(shaped[offsets[low] : offsets[min(high, len(offsets) - 1)]], low)
    return writer.parsed(reader.title, metadata)


class _List:
    """A list that is being read: `mark` stands before the next line of its item."""

    def __init__(self, indent: str) -> None:
        self.indent = indent
        self.mark = ""
        self.width = ""


class _Reader:
    """Takes the blocks of one file, part by part."""

    def __init__(self, writer: Writer, title: str) -> None:
        self.writer = writer
        self.title = title
        self.raws = [found.span() for found in RAW.finditer(writer.source)]  # templates in them are examples
        self.base = 0  # line, from 0, on which the part begins
        self._begin()

    def _begin(self) -> None:
        self.lists: list[_List] = []
        self.lines: list[list[Bit]] = []  # of the outermost list or definition list
        self.rows: list[list[Cell]] = []  # of the table
        self.heads = 0
        self.term: list[Bit] = []
        self.level = 0
        self.within = ""  # "dt" or "dd"
        self.cells: list[tuple[int, int]] = []

    def read(self, part: str, base: int) -> None:
        self.base = base
        self._begin()
        tokens = parser().parse(part, {})
        if max((token.level for token in tokens), default=0) >= _DEEP:
            self._plain(base, part.count("\n") + 1)
            return
        for token in tokens:
            self._take(token)

    def _plain(self, first: int, count: int) -> None:
        """Lines whose quotations or lists are nested deeper than the parser goes: it would lose their words."""
        starts, source = self.writer.starts, self.writer.source
        for number in range(first, min(first + count, len(starts) - 1)):
            low, high = starts[number], starts[number + 1]
            found = _DEPTHS.match(source, low, high)
            self.writer.block("paragraph", self.writer.cut(found.end() if found else low, high))

    def _take(self, token: Token) -> None:
        kind = token.type
        if kind == "inline":
            self._inline(token)
        elif kind in {"fence", "code_block"}:
            self._code(token)
        elif kind == "html_block":
            self._html(token)
        elif kind == "heading_open":
            self.level = int(token.tag[1:])
        elif kind in {"bullet_list_open", "ordered_list_open"}:
            indent = self.lists[-1].indent + self.lists[-1].width if self.lists else ""
            self.lists.append(_List(indent))
        elif kind == "list_item_open":
            ordered = token.markup in {".", ")"}
            self.lists[-1].mark = f"{token.info}{token.markup} " if ordered else "- "
            self.lists[-1].width = " " * len(self.lists[-1].mark)
        elif kind in {"bullet_list_close", "ordered_list_close"}:
            self.lists.pop()
            if not self.lists and not self.within:
                self._rows("list")
        elif kind == "table_open":
            self.rows, self.heads = [], 0
        elif kind == "tr_open":
            self.rows.append([])
            self.cells = self._spans(token)
        elif kind == "thead_close":
            self.heads = len(self.rows)
        elif kind == "table_close":
            rows = recorded(self.rows, self.heads)
            self.rows = []
            if self.lists:
                self.lines += [self._indented(row) for row in rows]
            else:
                self.writer.rows("record", rows)
        elif kind == "dt_open":
            self.within, self.term = "dt", []
        elif kind == "dd_open":
            self.within = "dd"
        elif kind == "dl_close":
            self.within = ""
            if not self.lists:
                self._rows("record")

    def _rows(self, kind: str) -> None:
        self.writer.rows(kind, self.lines)
        self.lines = []

    def _spans(self, row: Token) -> list[tuple[int, int]]:
        """Where the cells of a row stand in the file."""
        if row.map is None:
            return []
        starts, number = self.writer.starts, self.base + row.map[0]
        low, high = starts[min(number, len(starts) - 1)], starts[min(number + 1, len(starts) - 1)]
        bars = [found.start() for found in _ROW.finditer(self.writer.source, low, high)]
        if not bars or self.writer.source[low : bars[0]].strip(" >\t"):
            bars.insert(0, low - 1)
        return [(bar + 1, end) for bar, end in zip(bars, [*bars[1:], high], strict=True)]

    def _inline(self, token: Token) -> None:
        top = self.base + (token.map[0] if token.map else 0)
        if self.rows:
            span = self.cells[len(self.rows[-1])] if len(self.rows[-1]) < len(self.cells) else None
            self.rows[-1].append(bits_of(token, Anchor(self.writer, token.content, top, span)))
            return
        bits = bits_of(token, Anchor(self.writer, token.content, top))
        if self.level:
            level, self.level = self.level, 0
            self._heading(bits, level)
        elif self.within == "dt":
            self.term += [*([Bit(", ")] if self.term else []), *bits]
        elif self.within == "dd" and not self.lists:
            self.lines.append([*self.term, Bit(_colon(self.term)), *bits] if self.term else bits)
        elif self.lists:
            for line in lined(bits):
                self.lines.append(self._indented(line))
        elif found := _TIGHT_HEADING.match(token.content) if len(token.content) < 100 else None:
            self._heading(_without(bits, len(found[1])), len(found[1]))
        else:
            self.writer.block("paragraph", bits)

    def _heading(self, bits: list[Bit], level: int) -> None:
        name = " ".join("".join(bit.text for bit in bits).split())
        if not name:
            return
        if self.lists or self.within:
            self.lines.append(self._indented(bits) if self.lists else bits)
            return
        bits = [bit._replace(text=bit.text.replace("\n", " ")) for bit in bits]
        self.writer.block("heading", bits, level=level)
        if level == 1:
            self.title = self.title or name

    def _indented(self, line: list[Bit]) -> list[Bit]:
        """A line of a list: with its mark when it begins an item, else as deep as the words of its item."""
        if not self.lists:
            return line
        last = self.lists[-1]
        lead, last.mark = last.indent + (last.mark or last.width), ""
        return [Bit(lead), *line]

    def _code(self, token: Token) -> None:
        top = self.base + (token.map[0] if token.map else 0) + (1 if token.type == "fence" else 0)
        content = token.content.rstrip("\n")
        if not content.strip() or _DRAWN.match(token.info):
            return
        anchor = Anchor(self.writer, content, top)
        offset = self.writer.starts[min(top, len(self.writer.starts) - 1)]
        example = any(low <= offset < high for low, high in self.raws)
        lines: list[list[Bit]] = []
        at = 0
        for bare in content.split("\n"):
            if _STEERS.match(bare):
                at += len(bare) + 1
                continue
            pieces = [(bare, 0, len(bare))] if example and bare else shown(bare, code=True)
            lines.append([anchor.bit(said, at + low, high - low) for said, low, high in pieces] or [Bit("")])
            at += len(bare) + 1
        if self.lists or self.within:
            self.lines += [self._indented(line) for line in lines if line[0].text.strip()]
            return
        bits: list[Bit] = []
        for line in lines:
            bits += [*([Bit("\n")] if bits else []), *line]
        self.writer.block("code", bits)

    def _html(self, token: Token) -> None:
        from ragheal.indexing.load.html import blocks_of

        if token.map is None:
            return
        starts = self.writer.starts
        low = starts[min(self.base + token.map[0], len(starts) - 1)]
        high = starts[min(self.base + token.map[1], len(starts) - 1)]
        found = _HTML_TITLE.search(self.writer.source, low, min(high, low + 20_000))
        self.title = self.title or (plain(found[1]) if found else "")
        for kind, level, bits in blocks_of(self.writer, low, high, bits_within):
            if self.lists or self.within:
                self.lines += [self._indented(line) for line in lined(bits)]
            else:
                self.writer.block(kind, bits, level=level)


def _without(bits: list[Bit], count: int) -> list[Bit]:
    """The bits without the first characters of the first one."""
    first = bits[0]
    return [first._replace(text=first.text[count:], raw=first.raw + count, size=first.size - count), *bits[1:]]


def _colon(term: list[Bit]) -> str:
    return "：" if any(char >= "\u2e80" for bit in term for char in bit.text) else ": "


def _parts(text: str, starts: list[int], first: int) -> Iterator[tuple[int, int]]:
    """Line ranges of at least _PART lines that end where a block ends: before an unindented line after an empty
    one, outside of fences."""
    last = len(starts) - 1
    if last - first <= _PART:
        yield first, last
        return
    fence = ""
    begin, blank = first, False
    for number in range(first, last):
        line = text[starts[number] : min(starts[number + 1], starts[number] + 80)]
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""
        free = not fence or number - begin > 10 * _PART  # a fence that is never closed must not hold everything
        seam = number - begin >= _PART and free and blank and not _STARTS_ITEM.match(line)
        if seam or number - begin > 20 * _PART:
            yield begin, number
            begin = number
        blank = not line.strip()
    yield begin, last
