"""HTML: what a reader sees of the main part of a page, each piece with its place in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ragheal.indexing.load import htmltags as tags
from ragheal.indexing.load.htmltext import Lines, Table, spelled
from ragheal.indexing.load.markup import Token, tokens
from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.templates import shown
from ragheal.indexing.load.titles import plain

Inline = Callable[[Writer, int, int], list[Bit]]


class Piece(NamedTuple):
    """A block as it was met. `place` is 2 within the main part, 1 elsewhere, 0 in navigation and the like."""

    kind: str
    level: int
    bits: list[Bit]
    place: int


def parse_html(text: str, source: str = "") -> Parsed:
    """Headings, paragraphs, lists and tables of the main part; without one, of all but navigation and footers."""
    writer = Writer(text)
    reader = _Reader(writer, 0)
    for token in tokens(text):
        reader.take(token)
    reader.finish()
    # Some pages put everything into <nav> or <article> teasers: fall back to what holds most of the words.
    sizes = [
        sum(len(bit.text) for piece in reader.pieces if piece.place >= low for bit in piece.bits)
        for low in range(3)
    ]
    least = 2 if sizes[2] > 0.3 * sizes[1] else 1 if sizes[1] > 0.1 * sizes[0] else 0
    for piece in reader.pieces:
        if piece.place >= least:
            writer.block(piece.kind, piece.bits, level=piece.level)
    first = next((b for b in writer.blocks if b.kind == "heading"), None)
    title = plain(reader.title) or (first.headings[-1] if first else "")
    return writer.parsed(title, reader.metadata)


def blocks_of(
    writer: Writer, start: int, end: int, inline: Inline | None = None
) -> Iterator[tuple[str, int, list[Bit]]]:
    """(kind, heading level, bits) of the HTML that stands in [start, end) of another format's file.

    `inline` reads the marks of that format within a text.
    """
    reader = _Reader(writer, start, inline)
    for token in tokens(writer.source[start:end]):
        reader.take(token)
    reader.finish()
    for piece in reader.pieces:
        yield piece.kind, piece.level, piece.bits


class _Reader:
    def __init__(self, writer: Writer, base: int, inline: Inline | None = None) -> None:
        self.writer = writer
        self.inline = inline
        self.base = base  # where the HTML begins in the file
        self.pieces: list[Piece] = []
        self.title = ""
        self.metadata: dict[str, str] = {}
        self.stack: list[str] = []
        self.open: dict[str, int] = {}  # how often each element is on the stack
        self.hidden_at = 0  # depth of the stack at which a hidden element began; 0: none
        self.kind, self.level = "paragraph", 0
        self.lines = Lines(writer.source)  # of the block that is being read
        self.tables: list[Table] = []
        self.numbers: list[int] = []  # the next number of each open list, 0 for bullets
        self.raised: list[tuple[int, bool]] = []  # where open <sup> and <sub> began; whether a link is in them
        self.in_title = False

    def take(self, token: Token) -> None:
        if token.kind == "text":
            self._text(token)
        elif token.kind == "open":
            self._open(token)
        else:
            self._close(token.value)

    def finish(self) -> None:
        """The end of the page closes what is open."""
        while self.tables:
            self._rows(self.tables.pop())
        self.flush()

    # --- tags ---

    def _open(self, token: Token) -> None:
        name, at = token.value, self.base + token.start
        if name == "meta":
            tags.tell(token.attributes, self.metadata)
        if name == "title" and not self.open.get("svg"):
            self.in_title = True
        if name == "body" and self.open.get("head"):
            self._close("head")
        if name in tags.IMPLIED:
            self._imply(name)
        if self._shown():
            if name == "br":
                self._add(Bit("\n", at, 4, self.writer.line(at)))
            elif name in tags.BLOCK:
                self._begin(name, token.attributes)
            elif name in tags.STRUCK:
                self._add(Bit("~~", at, len(name) + 2, self.writer.line(at)))
            elif name in {"sup", "sub"}:
                self.raised.append((len(self._sink()), False))
            elif name == "a" and self.raised and token.attributes.get("href", "").startswith("#"):
                self.raised[-1] = (self.raised[-1][0], True)
        if name in tags.VOID:
            return
        self.stack.append(name)
        self.open[name] = self.open.get(name, 0) + 1
        anchor = name == "a" and tags.ANCHOR.search(token.attributes.get("class", ""))
        if not self.hidden_at and (name in tags.SKIPPED or anchor or tags.is_hidden(token.attributes)):
            self.hidden_at = len(self.stack)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        table = self.tables[-1] if self.tables else None
        if name == "table":
            if table is None or not table.within:
                self.flush("record")
            else:
                self._layout(table)  # a table in a cell: the outer one is there for the layout
            self.tables.append(Table())
        elif table is not None and name in {"tr", "td", "th", "thead"}:
            table.open(name, attributes)
        elif table is not None and table.within:
            table.cell.append(Bit(" "))
        elif name in tags.LISTS:
            if not self.lines.depth:
                self.flush("record" if name == "dl" else "list")
            self.lines.depth += 1
            start = attributes.get("start", "1")
            self.numbers.append(int(start) if name == "ol" and start.lstrip("-").isdigit() else int(name == "ol"))
        elif name in {"li", "dt", "dd"}:
            self._item(name, attributes)
        elif self.lines.depth:
            self.lines.go_on()
        else:
            self.flush("code" if name == "pre" else "paragraph")
            self.level = int(name[1]) if tags.HEADING.match(name) else 0

    def _item(self, name: str, attributes: dict[str, str]) -> None:
        if name != "li":
            self.lines.described(name)
            return
        if not self.lines.depth and self.kind != "list":
            self.flush("list")
        mark = "- "
        if self.numbers and self.numbers[-1]:
            value = attributes.get("value", "")
            number = int(value) if value.isdigit() and len(value) < 9 else self.numbers[-1]
            mark, self.numbers[-1] = f"{number}. ", number + 1
        self.lines.item(mark)

    def _close(self, name: str) -> None:
        if name == "title":
            self.in_title = False
        if not self.open.get(name):
            return
        if self._shown():
            self._end(name)
        while self.stack:
            top = self.stack.pop()
            self.open[top] -= 1
            if top == name:
                break
        if self.hidden_at > len(self.stack):
            self.hidden_at = 0

    def _end(self, name: str) -> None:
        table = self.tables[-1] if self.tables else None
        if name in tags.STRUCK:
            self._add(Bit("~~"))
        elif name in {"sup", "sub"} and self.raised:
            self._raise(name)
        elif name == "table" and table is not None:
            self.tables.pop()
            self._rows(table)
        elif table is not None and name in tags.ROWS:
            table.close(name)
        elif table is not None and table.within:
            if name in tags.BLOCK:
                table.cell.append(Bit(" "))
        elif name in tags.LISTS and self.lines.depth:
            self.lines.depth -= 1
            if self.numbers:
                self.numbers.pop()
            if not self.lines.depth:
                self.flush()
        elif name in tags.BLOCK and not self.lines.depth:
            self.flush()

    def _raise(self, name: str) -> None:
        """Raised digits keep a mark between themselves and the number before; marks of notes go."""
        start, link = self.raised.pop()
        sink = self._sink()
        if link:
            del sink[start:]
        elif start < len(sink):
            before = sink[start - 1].text[-1:] if start else ""
            if name == "sup" or before.isdigit():
                sink.insert(start, Bit("^" if name == "sup" else "_"))

    def _imply(self, name: str) -> None:
        closed, bounds = tags.IMPLIED[name]
        if not any(self.open.get(tag) for tag in closed):
            return
        for tag in reversed(self.stack[-30:]):
            if tag in bounds:
                return
            if tag in closed:
                self._close(tag)
                if name not in {"tr"}:
                    return

    # --- text ---

    def _text(self, token: Token) -> None:
        if self.in_title and not self.title:
            self.title = "".join(bit.text for bit in spelled(self.writer, token.value, 0)).strip()
            return
        if not self._shown() or self.open.get("title"):
            return
        table = self.tables[-1] if self.tables else None
        if table is not None and not table.within and not token.value.strip():
            return
        keep = bool(self.open.get("pre"))
        code = keep or any(map(self.open.get, tags.CODE))
        if self.inline and not code and tags.MARKED.search(token.value):
            start = self.base + token.start
            self._sink().extend(self.inline(self.writer, start, start + len(token.value)))
            return
        for said, low, high in shown(token.value, code=code):
            at = self.base + token.start + low
            if said == token.value[low:high]:
                self._sink().extend(spelled(self.writer, said, at, keep=keep))
            elif said:
                self._add(self.writer.said(said, at, at + high - low))

    def _sink(self) -> list[Bit]:
        if self.tables and self.tables[-1].within:
            return self.tables[-1].cell
        return self.lines.bits

    def _add(self, bit: Bit) -> None:
        self._sink().append(bit)

    # --- blocks ---

    def _rows(self, table: Table) -> None:
        table.close("table")
        rows = table.records()
        if self.tables and self.tables[-1].within:
            for row in rows:
                self.tables[-1].cell += [*row, Bit("; ")]
        elif self.lines.depth:
            for row in rows:
                self.lines.go_on()
                self.lines.bits += row
        else:
            self.flush("record")
            for row in rows:
                self.lines.bits += [*([Bit("\n")] if self.lines.bits else []), *row]
            self.flush()

    def _layout(self, table: Table) -> None:
        """What an outer table holds so far, as paragraphs."""
        table.close("tr")
        for row in table.taken():
            self._piece("paragraph", row)

    def flush(self, kind: str = "paragraph") -> None:
        """End the block that is being read and begin one of another kind."""
        self._piece("heading" if self.level else self.kind, self.lines.done(self.kind), self.level)
        self.lines, self.kind, self.level = Lines(self.writer.source), kind, 0
        self.numbers.clear()
        self.raised.clear()

    def _piece(self, kind: str, bits: list[Bit], level: int = 0) -> None:
        if any(bit.text.strip(" \n-") for bit in bits):
            aside, main = any(map(self.open.get, tags.ASIDE)), any(map(self.open.get, tags.MAIN))
            self.pieces.append(Piece(kind, level, bits, 0 if aside else 2 if main else 1))

    def _shown(self) -> bool:
        return not self.hidden_at
