"""Front matter: the metadata block at the head of a Markdown file, and the record that it is read as."""

from __future__ import annotations

import datetime
import re

from ragheal.indexing.load.parsed import Bit, Writer, enter

_BLOCK = re.compile(
    r"\A(?:(---)[ \t]*(?:\r\n|\r|\n)(?P<yaml>.{0,65536}?)(?:\r\n|\r|\n)?^(?:---|\.\.\.)"
    r"|(\+\+\+)[ \t]*(?:\r\n|\r|\n)(?P<toml>.{0,65536}?)(?:\r\n|\r|\n)?^\+\+\+)[ \t]*(?:\r\n|\r|\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_PAIR = re.compile(r"^([A-Za-z_][\w -]*):[ \t]+(\S.*?)\s*$", re.MULTILINE)
_KEY = re.compile(r"[\"']?([A-Za-z_\u3400-\u9fff][\w .-]{0,60}?)[\"']?\s*[:=](?:\s|\Z)")
# What steers the page and tells a reader nothing.
_STEERING = frozenset(
    """layout permalink nav_order weight slug url aliases sidebar_position sidebar_label template hide toc id image
    parent has_children has_toc grand_parent nav_exclude search_exclude render_with_liquid redirect_from redirect_to type
    sidebar pagination_next pagination_prev hide_title hide_table_of_contents custom_edit_url icon css js cssclass cssclasses
    og_image header menu linktitle lang locale outline editlink prev next comments math mermaid published""".split()
)


def record(writer: Writer, end: int, title: str) -> None:
    """The fields of front matter that ends at `end`, a line each, under the title of the document."""
    if not end:
        return
    fields, _ = front_matter(writer.source[:end])
    lines: list[list[Bit]] = []
    for number, low in enumerate(writer.starts[:-1]):
        high = writer.starts[number + 1]
        found = _KEY.match(writer.source, low, high) if low < end else None
        key = found[1].strip() if found else ""
        value = fields.pop(key.lower(), "")
        if found is None or not value or key.lower() in _STEERING:
            if low >= end:
                break
            continue
        wide = any(char >= "\u2e80" for char in key)
        line = [*writer.cut(found.start(1), found.end(1)), Bit("：" if wide else ": ")]
        line += writer.aligned(value, found.end(), _ends(writer, number, end))
        lines.append(line)
    if lines:
        if title:
            enter(writer.path, 1, title)
        writer.rows("record", lines)
        writer.path.clear()


def _ends(writer: Writer, number: int, end: int) -> int:
    """Where the value of the field on a line, from 0, ends: before the next line that is no part of it."""
    while number + 1 < len(writer.starts) - 1 and writer.starts[number + 1] < end:
        number += 1
        if writer.source[writer.starts[number]] not in " \t-\r\n]}":
            return writer.starts[number]
    return end


def front_matter(text: str) -> tuple[dict[str, str], int]:
    """The scalar fields of YAML or TOML front matter, keys in lower case, and where the body begins."""
    if not text.startswith(("---", "+++")):
        return {}, 0
    found = _BLOCK.match(text)
    if found is None:
        return {}, 0
    if found["toml"] is not None:
        return _scalars(_toml(found["toml"])), found.end()
    fields = _yaml(found["yaml"])
    if fields is None:
        # "---" is also a ruler; only something that reads like fields is front matter.
        pairs = dict(_PAIR.findall(found["yaml"]))
        return (
            ({key.lower(): value.strip("\"'") for key, value in pairs.items()}, found.end()) if pairs else ({}, 0)
        )
    return _scalars(fields), found.end()


def _yaml(text: str) -> dict[object, object] | None:
    import yaml

    try:
        tree = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError):
        return None
    if tree is None:
        return {}
    return tree if isinstance(tree, dict) else None


def _toml(text: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _scalars(fields: dict[object, object] | dict[str, object]) -> dict[str, str]:
    kept = {}
    for key, value in fields.items():
        if isinstance(value, list | tuple) and value and all(isinstance(one, str | int | float) for one in value):
            text = ", ".join(str(one) for one in value[:50])
        else:
            text = _scalar(value)
        if text and isinstance(key, str | int):
            kept[str(key).strip().lower()] = " ".join(text.split())[:2000]
    return kept


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, int) and value.bit_length() > 2000:
        return ""  # longer than Python agrees to print
    return str(value) if isinstance(value, str | int | float) else ""
