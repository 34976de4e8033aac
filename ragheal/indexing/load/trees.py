"""Trees of keys and values (JSON, YAML) as text: a line for each value, led by the keys on the way to it.

A part of the tree that is small is one block under the keys that lead to it; a larger one is opened. An object
in a list is a record: one line of all its fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ragheal.indexing.load.parsed import Bit, Writer, enter
from ragheal.indexing.load.titles import unmarked

_SMALL = 800  # characters: parts below this are one block
_RECORD = 600  # characters of a record that is one line
_MOST_DEPTH = 8  # containers that are opened on the way to a block
_NAMES = ("title", "name", "question", "label", "id", "key", "slug", "标题", "名称")
_WIDE = "\u2e80"


class Node(NamedTuple):
    """A part of a tree: a value (`text`), or what is below it. `start` and `end` are offsets in the file."""

    start: int
    end: int
    text: str | None = None
    fields: tuple[tuple[str, Node], ...] = ()
    items: tuple[Node, ...] = ()
    note: str = ""  # a comment above it

    @property
    def size(self) -> int:
        return self.end - self.start


def write(writer: Writer, node: Node, depth: int = 0) -> None:
    """Blocks for a tree, under the path that the writer stands at."""
    if node.text is not None or node.size <= _SMALL or depth >= _MOST_DEPTH:
        _block(writer, node)
        return
    small: list[tuple[str, Node]] = []  # neighbours that make a block together
    for number, (key, child) in enumerate(_children(node), 1):
        if child.text is not None or (child.size <= _SMALL // 2 and not node.items):
            if small and child.end - small[0][1].start > _SMALL:
                _lines(writer, small)
                small = []
            small.append((key, child))
            continue
        if small:
            _lines(writer, small)
            small = []
        label = key or _label(child, number)
        if child.size <= _SMALL and node.items:
            record(writer, child)
            continue
        enter(writer.path, depth + 2, " ".join(label.split())[:100])
        write(writer, child, depth + 1)
        writer.path = writer.path[:-1] if writer.path and writer.path[-1][0] == depth + 2 else writer.path
    if small:
        _lines(writer, small)


def _children(node: Node) -> Iterator[tuple[str, Node]]:
    yield from node.fields
    for item in node.items:
        yield "", item


def _lines(writer: Writer, pairs: list[tuple[str, Node]]) -> None:
    lines = [line for key, child in pairs for line in _spelled(writer, child, (key,) if key else ())]
    writer.rows("code" if any(child.note for _, child in pairs) else "record", lines)


def _block(writer: Writer, node: Node) -> None:
    lines = list(_spelled(writer, node, ()))
    notes = any(line and line[0].text.startswith("# ") for line in lines)
    writer.rows("code" if notes else "record", lines)


def record(writer: Writer, node: Node) -> None:
    """A tree as one record: its fields on one line where there is room."""
    lines = list(_spelled(writer, node, ()))
    if sum(len(bit.text) for line in lines for bit in line) <= _RECORD:
        lines = [_record(lines)]
    writer.rows("record", lines)


def _record(lines: list[list[Bit]]) -> list[Bit]:
    wide = any(char >= _WIDE for line in lines for bit in line for char in bit.text)
    joined: list[Bit] = []
    for line in lines:
        joined += [*([Bit("；" if wide else "; ")] if joined else []), *line]
    return joined


def _spelled(writer: Writer, node: Node, path: tuple[str, ...]) -> Iterator[list[Bit]]:
    """A line for each value below a node; an object in a list is one line."""
    if node.note:
        yield [Bit(f"# {node.note}", node.start, 0, writer.line(node.start))]
    if node.text is not None:
        if node.text.strip():
            yield [*_led(path, node.text), *_said(writer, node)]
        return
    for key, child in node.fields:
        yield from _spelled(writer, child, (*path, key))
    flat = [item for item in node.items if item.text is not None]
    if flat and len(flat) == len(node.items) and sum(len(item.text or "") for item in flat) <= 400:
        line = list(_led(path, flat[0].text or ""))
        for number, item in enumerate(flat):
            line += [*([Bit(", ")] if number else []), *_said(writer, item)]
        yield line
        return
    for item in node.items:
        lines = list(_spelled(writer, item, ()))
        if lines and sum(len(bit.text) for line in lines for bit in line) <= _RECORD:
            lines = [_record(lines)]
        for line in lines:
            yield [*([Bit(" > ".join(path) + ": ")] if path else []), *line]


def _said(writer: Writer, node: Node) -> list[Bit]:
    """A value without the markup of descriptions; one of several lines with the place of each word."""
    text = unmarked(node.text or "")
    if text == node.text and "\n" not in writer.source[node.start : node.end]:
        return [writer.said(text, node.start, node.end)]
    return writer.aligned(text, node.start, node.end)


def _led(path: tuple[str, ...], text: str) -> Iterator[Bit]:
    if path:
        wide = any(char >= _WIDE for char in path[-1] + text[:20])
        yield Bit(" > ".join(path) + ("：" if wide else ": "))


def _label(node: Node, number: int) -> str:
    """What a long item of a list is called, so that its parts are not taken for its neighbour's."""
    named = {key: child.text for key, child in node.fields}
    for key in _NAMES:
        name = named.get(key)
        if name and name.strip() and len(name) <= 100:
            return name
    return f"#{number}"
