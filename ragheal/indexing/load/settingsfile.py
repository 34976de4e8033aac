"""Files of settings: YAML by its tree; INI, TOML and properties by their sections."""

from __future__ import annotations

import re
from typing import Any

from ragheal.indexing.load import trees
from ragheal.indexing.load.parsed import Bit, Parsed, Writer, enter, line_spans
from ragheal.indexing.load.plain import parse_text
from ragheal.indexing.load.trees import Node

_SECTION = re.compile(r"\s*\[+\s*([^\[\]\r\n]{1,120}?)\s*\]+\s*(?:[#;].*)?\Z")
_OFF = re.compile(
    r"\s*(?:[;#]|//)+\s*[\"']?[\w.-]{1,60}[\"']?\s*[=:]\s*\S*\s*\Z|\s*(?:[;#]|//)+\s*\[[^\]]*\]\s*\Z|\s*[;#/=*-]*\s*\Z"
)
_REMARK = re.compile(r"[ \t]*#+[ \t]?(.*)")
_MOST_NODES = 300_000
_FLOW = re.compile(r"[\[\]{}]")
_DEEP = 200


def parse_ini(text: str, source: str = "") -> Parsed:
    """A block for each section; settings that are switched off by a comment sign are left out."""
    writer = Writer(text)
    held: list[list[Bit]] = []

    def end() -> None:
        writer.rows("code", held)
        held.clear()

    for low, high in line_spans(text, 0, len(text)):
        line = text[low:high].rstrip("\r\n")
        if found := _SECTION.match(line):
            end()
            writer.path.clear()
            enter(writer.path, 1, found[1].strip("\"'"))
        elif not line.strip():
            if sum(len(bit.text) for row in held for bit in row) > 600:
                end()
        elif not _OFF.match(line):
            held.append(writer.cut(low, low + len(line)))
    end()
    return writer.parsed()


def parse_yaml(text: str, source: str = "") -> Parsed:
    """Each value under its keys, remarks above it kept. What is no YAML is read as plain text."""
    import yaml

    depth = deepest = 0
    for sign in _FLOW.finditer(text):
        depth += 1 if sign.group() in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > _DEEP:
        return parse_text(text, source)
    writer = Writer(text)
    reader = _Reader(writer)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        roots = [reader.node(root, ()) for root in yaml.compose_all(text, Loader=loader) if root is not None]
    except (yaml.YAMLError, RecursionError, ValueError):
        return parse_text(text, source)
    for root in roots:
        trees.write(writer, root)
    return writer.parsed()


class _Reader:
    """From the nodes of PyYAML to ours."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.count = 0

    def node(self, node: Any, above: tuple[int, ...]) -> Node:
        """Raises ValueError for a tree that is too large or goes in circles."""
        self.count += 1
        if self.count > _MOST_NODES or id(node) in above or len(above) > _DEEP:
            raise ValueError("not a tree to be read")
        start, end = self._at(node.start_mark), self._at(node.end_mark)
        if node.id == "scalar":
            return self._scalar(node, start, end)
        inner = (*above, id(node))
        if node.id == "sequence":
            return Node(start, end, items=tuple(self.node(item, inner) for item in node.value))
        fields = []
        for key, value in node.value:
            name = " ".join(str(key.value).split()) if key.id == "scalar" else "?"
            child = self.node(value, inner)
            fields.append((name, child._replace(note=self._note(key.start_mark.line))))
        return Node(start, end, fields=tuple(fields))

    def _scalar(self, node: Any, start: int, end: int) -> Node:
        words = " ".join(str(node.value).split())
        if node.tag.endswith(":null") or words in {"~", "null"}:
            words = ""
        raw = self.writer.source[start:end]
        if words and words != raw and raw[1:-1] == words:
            start, end = start + 1, end - 1  # within its quotation marks
        return Node(start, end, words)

    def _at(self, mark: Any) -> int:
        starts = self.writer.starts
        line = min(int(mark.line), len(starts) - 1)
        return min(starts[line] + int(mark.column), len(self.writer.source))

    def _note(self, line: int) -> str:
        """The remark on the lines right above one, unless it is a setting that is switched off."""
        found: list[str] = []
        starts, source = self.writer.starts, self.writer.source
        while line > 0 and len(found) < 6:
            line -= 1
            remark = _REMARK.match(source, starts[line], starts[line + 1])
            above = source[starts[line] : starts[line + 1]].rstrip("\r\n")
            if remark is None or _OFF.match(above):
                break
            found.insert(0, remark[1].strip())
        return " ".join(" ".join(found).split())
