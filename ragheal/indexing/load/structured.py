"""JSON and JSON Lines: each value under its keys, with its place in the file."""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # in C, and public by its long use

from ragheal.indexing.load import trees
from ragheal.indexing.load.parsed import Parsed, Writer, is_blank, line_spans, trim
from ragheal.indexing.load.plain import parse_text
from ragheal.indexing.load.trees import Node

_SPACE = re.compile(r"[\s\ufeff]*")
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null|-?Infinity|NaN")
_DEEP = 300  # containers within one another; deeper is no document
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def parse_json(text: str, source: str = "") -> Parsed:
    """What is no JSON, or nested too deep, is read as plain lines; comments in it are passed over."""
    writer = Writer(text)
    for shaped in (text, None):
        try:
            if shaped is None:
                shaped = _COMMENT.sub(lambda found: found[1] or " " * len(found.group()), text)
            nodes: list[Node] = []
            at = _skip(shaped, 0)
            while at < len(shaped):  # more than one value: JSON Lines under another name
                node, at = _node(shaped, at, 0)
                nodes.append(node)
                at = _skip(shaped, at)
        except (ValueError, RecursionError, IndexError):
            continue
        for node in nodes:
            if len(nodes) > 1:
                trees.record(writer, node)
            else:
                trees.write(writer, node)
        return writer.parsed()
    return parse_text(text, source)


def parse_jsonl(text: str, source: str = "") -> Parsed:
    """A record for each line."""
    writer = Writer(text)
    for low, high in line_spans(text, 0, len(text)):
        if is_blank(text, low, high):
            continue
        low, high = trim(text, low, high)
        try:
            node, _ = _node(text, _skip(text, low), 0)
        except (ValueError, RecursionError, IndexError):
            writer.block("record", writer.cut(low, high))
            continue
        trees.record(writer, node)
    return writer.parsed()


def _node(text: str, at: int, depth: int) -> tuple[Node, int]:
    """The value that begins at `at`, and the offset after it. Raises ValueError, IndexError."""
    sign = text[at]
    if sign == '"':
        value, end = scanstring(text, at + 1, False)
        exact = text[at + 1 : end - 1] == value
        words = value if exact and "\n" not in value else " ".join(value.split())
        return Node(at + 1 if exact else at, end - 1 if exact else end, words), end
    if sign in "{[" and depth > _DEEP:
        raise ValueError("nested too deep")
    if sign == "{":
        fields = []
        end = _skip(text, at + 1)
        while text[end] != "}":
            if text[end] != '"':
                raise ValueError("a key is missing")
            key, end = scanstring(text, end + 1, False)
            end = _skip(text, end)
            if text[end] != ":":
                raise ValueError("a colon is missing")
            child, end = _node(text, _skip(text, end + 1), depth + 1)
            fields.append((" ".join(key.split()), child))
            end = _following(text, end, "}")
        return Node(at, end + 1, fields=tuple(fields)), end + 1
    if sign == "[":
        items = []
        end = _skip(text, at + 1)
        while text[end] != "]":
            child, end = _node(text, end, depth + 1)
            items.append(child)
            end = _following(text, end, "]")
        return Node(at, end + 1, items=tuple(items)), end + 1
    found = _SCALAR.match(text, at)
    if found is None:
        raise ValueError("no value")
    return Node(at, found.end(), "" if found.group() == "null" else found.group()), found.end()


def _following(text: str, at: int, close: str) -> int:
    at = _skip(text, at)
    if text[at] == ",":
        return _skip(text, at + 1)
    if text[at] != close:
        raise ValueError("a comma is missing")
    return at


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
