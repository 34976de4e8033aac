"""reStructuredText with docutils: what it reads, each piece found again in the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragheal.indexing.load.parsed import Bit, Parsed, Writer, lined
from ragheal.indexing.load.plain import parse_text
from ragheal.indexing.load.records import Cell, recorded
from ragheal.indexing.load.rsttree import tree_of
from ragheal.indexing.load.templates import CLOSE, OPEN

_MOST = 2_000_000  # characters: docutils takes its time
_GONE = frozenset(
    "comment substitution_definition target system_message docinfo pending meta raw generated index label".split()
)
_BODY = frozenset("paragraph line attribution caption".split())
#: So much of a text, and more than so few words, must stand near by to be looked up word by word.
_MOSTLY, _FEW = 0.7, 3
_WIDE = "\u2e80"


def parse_rst(text: str, source: str = "") -> Parsed:
    """Comments, directives of the page and their options are left out; substitutions are filled in.

    What docutils cannot take (too long, nested too deep) is read as plain text.
    """
    if len(text) > _MOST:
        return parse_text(text, source)
    try:
        tree = tree_of(text)
    except (RecursionError, ValueError, TypeError, AttributeError, KeyError, IndexError):
        return parse_text(text, source)
    reader = _Reader(text)
    try:
        reader.children(tree, 0)
    except RecursionError:
        return parse_text(text, source)
    return reader.writer.parsed(reader.title, reader.metadata)


class _Reader:
    def __init__(self, text: str) -> None:
        self.writer = Writer(text)
        self.at = 0  # what was read so far ends here
        self.title = ""
        self.metadata: dict[str, str] = {}

    def children(self, node: Any, depth: int) -> None:
        for child in node.children:
            self.take(child, depth)

    def take(self, node: Any, depth: int) -> None:
        name = node.tagname
        if name in _GONE:
            return
        if name == "section":
            self.children(node, depth + 1)
            while self.writer.path and self.writer.path[-1][0] > depth:
                self.writer.path.pop()
        elif name == "title" and depth:
            bits = self._inline(node)
            self.title = self.title or ("".join(bit.text for bit in bits) if not self.writer else "")
            self.writer.block("heading", bits, level=depth)
        elif name in _BODY or name in {"title", "subtitle", "rubric"}:
            self.writer.block("paragraph", self._inline(node))
        elif name in {"literal_block", "doctest_block", "math_block"}:
            self.writer.block("code", self._literal(node))
        elif name in {"bullet_list", "enumerated_list"}:
            self.writer.rows("list", list(self._items(node, 0)))
        elif name in {"definition_list", "field_list", "option_list"}:
            self.writer.rows("record", list(self._pairs(node)))
        elif name == "table":
            self._table(node)
        elif name in {"footnote", "citation"}:
            for child in node.children:
                if child.tagname != "label":
                    self.take(child, depth)
        elif name == "image":
            pass
        else:
            self.children(node, depth)

    def _inline(self, node: Any) -> list[Bit]:
        """The words of a node on one line."""
        self._go(node)
        bits: list[Bit] = []
        for text, raised in _texts(node):
            if raised and bits:
                bits.append(Bit("^"))
            lines = text.split("\n")
            for number, line in enumerate(lines):
                if number and not (bits and bits[-1].text[-1:] >= _WIDE and line.lstrip()[:1] >= _WIDE):
                    bits.append(Bit(" "))
                if line:
                    bits += self._found(line)
        return bits

    def _literal(self, node: Any) -> list[Bit]:
        self._go(node)
        bits: list[Bit] = []
        for line in node.astext().split("\n"):
            bits += [*([Bit("\n")] if bits else []), *(self._found(line, lead=True) if line.strip() else [])]
        return bits

    def _go(self, node: Any) -> None:
        """To the line that docutils tells, where it is not behind what was read."""
        if node.line and node.line <= len(self.writer.starts):
            self.at = max(self.at, self.writer.starts[max(0, node.line - 2)])

    def _found(self, words: str, *, lead: bool = False) -> list[Bit]:
        """Where words stand in the file from here on, word by word where something stands between them."""
        source, bare = self.writer.source, words.strip()
        place = source.find(bare, self.at, self.at + 4000 + len(bare)) if bare else -1
        if place == -1:
            if not bare:
                return [Bit(words)]
            low = min(self.at, max(0, len(source) - 1))
            apart = self.writer.aligned(words, low, min(len(source), low + 400 + len(words)))
            placed = sum(bit.size for bit in apart if bit.raw >= 0 and bit.size == len(bit.text))
            if placed < _MOSTLY * len(bare) or bare.count(" ") < _FEW:
                return [self.writer.said(words, low, low + 1)]  # a substitution: its words stand elsewhere
            self.at = max(bit.raw + bit.size for bit in apart)
            return apart
        self.at = place + len(bare)
        indent = words[: len(words) - len(words.lstrip())]
        if lead and source[max(0, place - len(indent)) : place] == indent:
            place -= len(indent)
            return [Bit(words.rstrip(), place, len(words.rstrip()), self.writer.line(place))]
        start = place - 1 if words[:1] == " " and source[place - 1 : place] == " " else place
        text, size = words, len(words)
        if source[start : start + size] == text:
            return [Bit(text, start, size, self.writer.line(place))]
        return [Bit(text, place, len(bare) + (len(bare) == size), self.writer.line(place))]

    def _lines(self, node: Any) -> Iterator[list[Bit]]:
        """The lines of what is within an item or a definition."""
        for child in node.children:
            name = child.tagname
            if name in _GONE:
                continue
            if name in {"bullet_list", "enumerated_list"}:
                yield from self._items(child, 0)
            elif name in {"literal_block", "doctest_block"}:
                yield from lined(self._literal(child))
            elif name in {"definition_list", "field_list", "option_list"}:
                yield from self._pairs(child)
            elif name == "table":
                yield from self._records(child)
            elif name in _BODY or not any(hasattr(inner, "line") and inner.children for inner in child.children):
                yield self._inline(child)
            else:
                yield from self._lines(child)

    def _items(self, node: Any, depth: int) -> Iterator[list[Bit]]:
        number = int(node.get("start", 1))
        for item in node.children:
            mark = "- " if node.tagname == "bullet_list" else f"{number}. "
            number += 1
            lead = mark
            for line in self._lines(item):
                yield [Bit("  " * depth + lead), *line]
                lead = " " * len(mark)

    def _pairs(self, node: Any) -> Iterator[list[Bit]]:
        """Terms with what is said of them: "term: what is said"."""
        for item in node.children:
            head: list[Bit] = []
            for part in item.children:
                if part.tagname in {"term", "field_name", "classifier", "option_group"}:
                    head += [*([Bit(", ")] if head else []), *self._inline(part)]
                    continue
                first = True
                for line in self._lines(part):
                    wide = any(char >= _WIDE for bit in head for char in bit.text)
                    yield [*head, Bit("：" if wide else ": "), *line] if first and head else [Bit("  "), *line]
                    first = False

    def _table(self, node: Any) -> None:
        for child in node.children:
            if child.tagname == "title":
                self.writer.block("paragraph", self._inline(child))
        self.writer.rows("record", self._records(node))

    def _records(self, node: Any) -> list[list[Bit]]:
        rows: list[list[Cell]] = []
        heads = 0
        for part in node.findall():
            if part.tagname != "row":
                continue
            cells: list[Cell] = []
            for entry in part.children:
                cell: Cell = []
                for line in self._lines(entry):
                    cell += [*([Bit(" ")] if cell else []), *line]
                cells += [cell] + [[Bit(bit.text) for bit in cell] for _ in range(int(entry.get("morecols", 0)))]
            heads += part.parent.tagname == "thead"
            rows.append(cells)
        return recorded(rows, heads)


def _texts(node: Any) -> Iterator[tuple[str, bool]]:
    """The text nodes below a node, and whether one is raised; names that nothing stands for are told as such."""
    for child in node.children:
        name = child.tagname
        if name == "#text":
            yield str(child), False
        elif name in {"footnote_reference", "citation_reference", "image", "target", "system_message"}:
            continue
        elif name == "substitution_reference" or (name == "problematic" and child.astext().startswith("|")):
            yield f"{OPEN}{child.astext().strip('|')}{CLOSE}", False
        elif name == "superscript":
            yield child.astext(), True
        else:
            yield from _texts(child)
