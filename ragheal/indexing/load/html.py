"""HTML: what a reader sees of the main part of a page, each line with its line in the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from html import unescape
from typing import NamedTuple

from ragheal.indexing.load.markup import Token, tokens
from ragheal.indexing.load.parsed import Parsed, Writer, line_starts
from ragheal.indexing.load.titles import plain

_SKIPPED = frozenset(
    "script style noscript template svg math head select button iframe object canvas video audio".split()
)
_ASIDE = frozenset(
    "nav footer aside dialog menu".split()
)  # around the main part; read only when there is nothing else
_MAIN = frozenset({"main", "article"})
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_BLOCK = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main nav ol p pre section summary table tbody "
    "td tfoot th thead tr ul".split()
)
_HEADING = re.compile(r"h[1-6]\Z")
# An opening tag that closes an element of the same sort that was left open, up to the given container.
_IMPLIED = {
    "li": ({"li"}, {"ul", "ol", "menu"}),
    "p": ({"p"}, {"div", "td", "th", "li", "section", "article", "body", "blockquote"}),
    "dt": ({"dt", "dd"}, {"dl"}), "dd": ({"dt", "dd"}, {"dl"}),
    "tr": ({"tr", "td", "th"}, {"table"}), 
    "td": ({"td", "th"}, {"tr", "table"}), "th": ({"td", "th"}, {"tr", "table"}),
    "option": ({"option"}, {"select"}),
}  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\f\v\xa0]+")
_BREAKS = re.compile(r"\r\n|\r|\n")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Piece(NamedTuple):
    """A block as it was met. `place` is 2 within the main part, 1 elsewhere, 0 in navigation and the like."""

    kind: str
    level: int
    lines: list[tuple[str, int]]
    place: int


def parse_html(text: str, source: str = "") -> Parsed:
    """Headings, paragraphs, lists and tables of the main part; without one, of all but navigation and footers."""
    reader = _Reader(text)
    for token in tokens(text):
        reader.take(token)
    reader.flush()
    writer = Writer()
    # Some pages put everything into <nav> or <article> teasers: fall back to what holds most of the words.
    sizes = [
        sum(len(line) for piece in reader.pieces if piece.place >= low for line, _ in piece.lines)
        for low in range(3)
    ]
    least = 2 if sizes[2] > 0.3 * sizes[1] else 1 if sizes[1] > 0.1 * sizes[0] else 0
    for piece in reader.pieces:
        if piece.place >= least:
            writer.block(piece.kind, piece.lines, level=piece.level)
    first = next((b for b in writer.blocks if b.kind == "heading"), None)
    title = plain(reader.title) or (first.headings[-1] if first else "")
    return Parsed(writer.text, writer.blocks, title, lines=tuple(writer.numbers), metadata=reader.metadata)


class _Line:
    """A line that grows piece by piece; joined once, since a page may be one line of a million pieces."""

    __slots__ = ("filled", "number", "parts")

    def __init__(self, text: str, number: int) -> None:
        self.parts = [text]
        self.number = number
        self.filled = bool(text.strip(" -"))

    def add(self, text: str, number: int) -> None:
        if not self.filled:
            self.number = number  # of the words that come to stand here
            self.filled = bool(text.strip())
        self.parts.append(text)


class _Reader:
    def __init__(self, text: str) -> None:
        self.starts = line_starts(text)
        self.pieces: list[Piece] = []
        self.title = ""
        self.metadata: dict[str, str] = {}
        self.stack: list[str] = []
        self.open: dict[str, int] = {}  # how often each element is on the stack
        self.hidden_at = 0  # depth of the stack at which a hidden element began; 0: none
        self.kind, self.level = "paragraph", 0
        self.lines: list[_Line] = []  # of the block that is being read
        self.cells: list[list[str]] = []  # of the table row that is being read
        self.row_line = 0
        self.in_title = False

    def take(self, token: Token) -> None:
        if token.kind == "text":
            self._text(token)
        elif token.kind == "open":
            self._open(token)
        else:
            self._close(token.value)

    def _open(self, token: Token) -> None:
        name = token.value
        if name == "meta":
            self._meta(token.attributes)
        if name == "title" and not self.open.get("svg"):
            self.in_title = True
        if name == "body" and self.open.get("head"):
            self._close("head")
        if name in _IMPLIED:
            self._imply(name)
        if name == "br" and self._shown():
            self.lines.append(_Line("", self._line(token.start)))
        elif name in _BLOCK and self._shown():
            self._begin(name, token.start)
        if name in _VOID:
            return
        self.stack.append(name)
        self.open[name] = self.open.get(name, 0) + 1
        if not self.hidden_at and (name in _SKIPPED or _hidden(token.attributes)):
            self.hidden_at = len(self.stack)

    def _begin(self, name: str, start: int) -> None:
        if name == "tr":
            self.flush_row()
            self.row_line = self._line(start)
        elif name in {"td", "th"} and self.open.get("table"):
            self.cells.append([])
        elif name in {"ul", "ol", "dl"} and self.kind == "list" and self.open.get("li"):
            pass  # a list within an item goes on in the same block
        elif name in {"li", "dt", "dd"} and not self.open.get("table"):
            if self.kind != "list":
                self.flush("list")
            depth = sum(self.open.get(tag, 0) for tag in ("ul", "ol", "menu"))
            mark = "" if name == "dt" else "  " * min(max(0, depth - 1), 8) + "- "
            self.lines.append(_Line(mark, self._line(start)))
        elif self.kind == "list" and self.open.get("li"):
            self.lines.append(_Line("  ", self._line(start)))
        elif not self.cells:
            self.flush(
                "table"
                if name == "table"
                else "list"
                if name in {"ul", "ol", "dl"}
                else "code"
                if name == "pre"
                else "paragraph"
            )
            self.level = int(name[1]) if _HEADING.match(name) else 0

    def _close(self, name: str) -> None:
        if name == "title":
            self.in_title = False
        if not self.open.get(name):
            return
        if name in _BLOCK and self._shown():
            if name == "tr":
                self.flush_row()
            elif name in {"table", "ul", "ol", "dl"}:
                if sum(self.open.get(tag, 0) for tag in ("table", "ul", "ol", "dl")) == 1:
                    self.flush("paragraph")
            elif self.kind != "list" and not self.cells and name not in {"td", "th", "tbody", "thead", "tfoot"}:
                self.flush("paragraph")
        while self.stack:
            top = self.stack.pop()
            self.open[top] -= 1
            if top == name:
                break
        if self.hidden_at > len(self.stack):
            self.hidden_at = 0

    def _imply(self, name: str) -> None:
        closed, bounds = _IMPLIED[name]
        if not any(self.open.get(tag) for tag in closed):
            return
        for tag in reversed(self.stack[-30:]):
            if tag in bounds:
                return
            if tag in closed:
                self._close(tag)
                if name not in {"tr"}:
                    return

    def _text(self, token: Token) -> None:
        if self.in_title and not self.title:
            self.title = unescape(token.value).strip()
            return
        if not self._shown() or self.open.get("title"):
            return
        if self.open.get("pre") and not self.cells:
            self._add(token, keep=True)
        elif self.cells:
            self.cells[-1].append(unescape(token.value))
        elif not self.open.get("table") or token.value.strip():
            self._add(token, keep=False)

    def _add(self, token: Token, *, keep: bool) -> None:
        number = self._line(token.start)
        for offset, raw in enumerate(_BREAKS.split(token.value)):
            line = unescape(raw).replace("\n", " ").replace("\r", " ")
            shown = line if keep else _SPACES.sub(" ", line)
            if offset == 0 and self.lines:
                self.lines[-1].add(shown, number)
            else:
                self.lines.append(_Line(shown, number + offset))

    def flush_row(self) -> None:
        if self.cells:
            row = " | ".join(" ".join("".join(cell).split()) for cell in self.cells)
            if row.strip(" |"):
                self.lines.append(_Line(row, self.row_line))
            self.cells = []
            self.kind = "table"

    def flush(self, kind: str = "paragraph") -> None:
        """End the block that is being read and begin one of another kind."""
        self.flush_row()
        joined = [("".join(line.parts), line.number) for line in self.lines]
        if self.kind == "code":
            lines = [(line.rstrip(), number) for line, number in joined]
        else:
            bare = str.rstrip if self.kind in {"list", "table"} else str.strip
            lines = [(bare(line), number) for line, number in joined if line.strip(" -")]
        while lines and not lines[0][0]:
            lines.pop(0)
        while lines and not lines[-1][0]:
            lines.pop()
        if lines:
            place = (
                0
                if any(self.open.get(tag) for tag in _ASIDE)
                else 2
                if any(self.open.get(tag) for tag in _MAIN)
                else 1
            )
            real = "heading" if self.level else self.kind
            if self.level:
                lines = [(" ".join(line for line, _ in lines), lines[0][1])]
            self.pieces.append(Piece(real, self.level, lines, place))
        self.lines, self.kind, self.level = [], kind, 0

    def _shown(self) -> bool:
        return not self.hidden_at

    def _line(self, offset: int) -> int:
        return bisect_right(self.starts, offset, 0, len(self.starts) - 1)

    def _meta(self, attributes: dict[str, str]) -> None:
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        content = " ".join(attributes.get("content", "").split())
        if content and name in {"author", "date", "description", "keywords"}:
            self.metadata.setdefault(name, content)
        elif (
            content
            and "date" not in self.metadata
            and ("published" in name or "modified" in name or "date" in name)
        ):
            found = _DATE.search(content)
            if found:
                self.metadata["date"] = found.group()


def _hidden(attributes: dict[str, str]) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").lower() == "true"
        or bool(_HIDDEN_STYLE.search(attributes.get("style", "")))
    )
