"""JSON and JSON Lines: a block for each item, the text as it stands in the file."""

from __future__ import annotations

import json
import re

from ragheal.indexing.load.parsed import Parsed, is_blank, line_spans, trim
from ragheal.indexing.load.plain import groups
from ragheal.types import Block

_SPACE = re.compile(r"[\s]*")
_MOST_DEPTH = 6  # containers that are opened on the way to a block
_SMALL = 800  # characters: containers below this are one block
_NAMES = ("title", "name", "question", "label", "id", "key", "slug", "标题", "名称")
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")
_DECODER = json.JSONDecoder()


def parse_json(text: str, source: str = "") -> Parsed:
    """Blocks are the items of the outermost list or object; long ones are opened in turn.

    `\\uXXXX` escapes of letters are read, so that the words can be found; the lines stay those of the file.
    What is no JSON, or nested too deep, is read as plain lines.
    """
    text = unescaped(text)
    blocks: list[Block] = []
    try:
        at = _skip(text, 0)
        while at < len(text):  # more than one value: JSON Lines under another name
            if text[at] in "{[":
                at = _open(text, at, (), 0, blocks)
            else:
                start = at
                _, at = _DECODER.raw_decode(text, at)
                blocks.append(Block("record", start, at))
            at = _skip(text, at)
    except (ValueError, RecursionError, IndexError):
        blocks = [Block("code", *trim(text, group[0][0], group[-1][1])) for group in groups(text)]
    return Parsed(text, blocks)


def parse_jsonl(text: str, source: str = "") -> Parsed:
    """A block for each line."""
    text = unescaped(text)
    spans = [trim(text, *span) for span in line_spans(text, 0, len(text)) if not is_blank(text, *span)]
    return Parsed(text, [Block("record", start, end) for start, end in spans])


def _open(text: str, start: int, path: tuple[str, ...], depth: int, blocks: list[Block]) -> int:
    """Blocks for the items of the list or object at `start`; returns the offset after it."""
    keyed = text[start] == "{"
    at = _skip(text, start + 1)
    number = 0
    while text[at] not in "}]":
        item, key = at, ""
        number += 1
        if keyed:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # over the colon
        value, begin = None, at
        value, at = _DECODER.raw_decode(text, at)
        if value and isinstance(value, dict | list) and at - begin > _SMALL and depth < _MOST_DEPTH:
            label = " ".join(str(key).split())[:100] if keyed else _label(value, number)
            _open(text, begin, (*path, label) if label else path, depth + 1, blocks)
        else:
            blocks.append(Block("record", item, at, path))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1


def _label(value: dict[str, object] | list[object], number: int) -> str:
    """What a long item of a list is called, so that its parts are not taken for its neighbour's."""
    if isinstance(value, dict):
        for key in _NAMES:
            name = value.get(key)
            if isinstance(name, str | int) and str(name).strip() and len(str(name)) <= 100:
                return " ".join(str(name).split())
    return f"#{number}"


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def unescaped(text: str) -> str:
    """The text with the escapes of letters replaced by the letters; those of control and break characters stay."""
    if "\\u" not in text:
        return text
    return _ESCAPE.sub(_letters, text)


def _letters(found: re.Match[str]) -> str:
    codes = [int(code, 16) for code in found[2].split("\\u")[1:]]
    out = []
    for number, code in enumerate(codes):
        following = codes[number + 1] if number + 1 < len(codes) else 0
        if 0xD800 <= code < 0xDC00 <= following < 0xE000:
            out.append(chr(0x10000 + ((code - 0xD800) << 10) + (following - 0xDC00)))
        elif 0xDC00 <= code < 0xE000 and number and 0xD800 <= codes[number - 1] < 0xDC00:
            continue  # the second half of the pair before
        elif code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0x2028, 0x2029, 0xFEFF):
            out.append(f"\\u{code:04x}")
        else:
            out.append(chr(code))
    return found[1] + "".join(out)
