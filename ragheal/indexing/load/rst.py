"""reStructuredText with docutils: what it reads, each piece found again in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.plain import parse_text
from ragheal.indexing.load.records import Cell, recorded
from ragheal.indexing.load.templates import CLOSE, OPEN

_MOST = 2_000_000  # characters: docutils takes its time
_GONE = frozenset(
    "comment substitution_definition target system_message docinfo pending meta raw generated index label".split()
)
_BODY = frozenset("paragraph line attribution caption".split())
_ROLE = re.compile(r"(.*?)\s*<[^<>]*>\Z", re.DOTALL)
_WIDE = "\u2e80"
# Directives whose argument is what they are about; of the others the content is read.
_NAMED = re.compile(r"(?:[\w+-]+:)?(?:function|method|class|data|attribute|exception|module|option|confval|setting|envvar|"
                    r"describe|object|term|rubric|versionadded|versionchanged|deprecated|admonition|note|warning|tip|important|"
                    r"c:\w+|py:\w+)\Z")  # fmt: skip
_SILENT = re.compile(r"(?:toctree|include|literalinclude|contents|index|auto\w+|currentmodule|highlight|default-role|image|"
                     r"figure|graphviz|only|tags|sectnum|todo|todolist|bibliography|raw|meta|title|ifconfig|plot|mermaid)\Z")
_CODE = frozenset({"code-block", "sourcecode", "code", "parsed-literal", "prompt", "doctest", "testcode", "ipython"})


def parse_rst(text: str, source: str = "") -> Parsed:
    """Comments, directives of the page and their options are left out; substitutions are filled in.

    What docutils cannot take (too long, nested too deep) is read as plain text.
    """
    if len(text) > _MOST:
        return parse_text(text, source)
    try:
        tree = _tree(text)
    except (RecursionError, ValueError, TypeError, AttributeError, KeyError, IndexError):
        return parse_text(text, source)
    reader = _Reader(text)
    try:
        reader.children(tree, 0)
    except RecursionError:
        return parse_text(text, source)
    return reader.writer.parsed(reader.title, reader.metadata)


def _tree(text: str) -> Any:
    _prepare()
    from docutils.core import publish_doctree

    settings = {
        "report_level": 5, "halt_level": 6, "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True,
        "doctitle_xform": False, "sectsubtitle_xform": False, "docinfo_xform": False, "smart_quotes": False,
        "syntax_highlight": "none", "input_encoding": "unicode", "warning_stream": False, "line_length_limit": 1_000_000,
        "tab_width": 8,
    }  # fmt: skip
    return publish_doctree(text, settings_overrides=settings)


@cache
def _prepare() -> None:
    """Directives and roles of Sphinx and its extensions, of which docutils knows nothing: read by what they hold."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, roles, states

    class Anything(Directive):
        has_content = True
        optional_arguments = 100
        final_argument_whitespace = True

        def run(self) -> list[Any]:
            if _SILENT.match(self.name):
                return []
            if self.name in _CODE:
                block = nodes.literal_block(text="\n".join(self.content))
                block.line = self.content_offset + 1
                return [block]
            found: list[Any] = []
            words = " ".join(self.arguments).strip()
            if words and _NAMED.match(self.name):
                head = nodes.paragraph()
                head.line = self.lineno
                children, _ = self.state.inline_text(words, self.lineno)
                head += children
                found.append(head)
            holder = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, holder)
            return [*found, *holder.children]

    known = directives.directive

    def directive(name: str, language: Any, document: Any) -> Any:
        from docutils.parsers.rst.languages import en

        plain = en.directives.get(name.lower(), "")
        if plain and not _SILENT.match(name) and name not in _CODE:
            return known(name, language, document)

        class Open(Anything):
            option_spec = _Options()

        return Open, []

    def role(name: str, language: Any, line: int, reporter: Any) -> Any:
        def words(kind: str, raw: str, text: str, *_: Any) -> Any:
            shown = _ROLE.match(text)
            said = shown[1] if shown and shown[1] else text.lstrip("~!")
            if not shown and text.startswith("~"):
                said = text.rpartition(".")[2]
            if name in {"sup", "superscript"}:
                said = "^" + said
            return [nodes.inline(raw, said)], []

        return words, []

    # The two tables of docutils are its own way of extension, but take no "any other name".
    directives.directive = directive
    states.directives.directive = directive
    roles.role = role
    states.roles.role = role


class _Options(dict[str, Any]):
    """Any option of any directive."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> Any:
        return lambda value: value

    def __bool__(self) -> bool:
        return True


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
                    bits.append(self._found(line))
        return bits

    def _literal(self, node: Any) -> list[Bit]:
        self._go(node)
        bits: list[Bit] = []
        for line in node.astext().split("\n"):
            bits += [*([Bit("\n")] if bits else []), *([self._found(line, lead=True)] if line.strip() else [])]
        return bits

    def _go(self, node: Any) -> None:
        """To the line that docutils tells, where it is not behind what was read."""
        if node.line and node.line <= len(self.writer.starts):
            self.at = max(self.at, self.writer.starts[max(0, node.line - 2)])

    def _found(self, words: str, *, lead: bool = False) -> Bit:
        """Where words stand in the file from here on; what is not found there has the place that we are at."""
        source, bare = self.writer.source, words.strip()
        place = source.find(bare, self.at, self.at + 4000 + len(bare)) if bare else -1
        if place == -1:
            end = min(len(source), self.at + 1)
            return self.writer.said(words, min(self.at, max(0, len(source) - 1)), end) if bare else Bit(words)
        self.at = place + len(bare)
        indent = words[: len(words) - len(words.lstrip())]
        if lead and source[max(0, place - len(indent)) : place] == indent:
            place -= len(indent)
            return Bit(words.rstrip(), place, len(words.rstrip()), self.writer.line(place))
        start = place - 1 if words[:1] == " " and source[place - 1 : place] == " " else place
        text = words if start < place or words[:1] != " " else words
        size = len(text)
        if source[start : start + size] == text:
            return Bit(text, start, size, self.writer.line(place))
        return Bit(text, place, len(bare) + (len(bare) == size), self.writer.line(place))

    def _lines(self, node: Any) -> Iterator[list[Bit]]:
        """The lines of what is within an item or a definition."""
        for child in node.children:
            name = child.tagname
            if name in _GONE:
                continue
            if name in {"bullet_list", "enumerated_list"}:
                yield from self._items(child, 0)
            elif name in {"literal_block", "doctest_block"}:
                line: list[Bit] = []
                for bit in self._literal(child):
                    if bit.text == "\n":
                        yield line
                        line = []
                    else:
                        line.append(bit)
                yield line
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
                    wide = any(_WIDE <= char for bit in head for char in bit.text)
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
