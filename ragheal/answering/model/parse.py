"""From what a chat model wrote to one JSON object, or to `Malformed`.

Replies are parsed, never searched: "irrelevant" contains "relevant". What can be repaired without guessing is
repaired (fences, prose around, quotes, commas, full-width punctuation); an object that stands in the prompt is
an echo and no reply; two objects that differ, or a key given twice with two values, decide nothing.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning|thought)>(.*?)</\1>\s*", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_CLOSE_THOUGHT = re.compile(r"</(think|thinking|reasoning|thought)>", re.IGNORECASE)
_INVISIBLE = re.compile("[\ufeff\u200b\u200c\u200d\u2060\x00-\x08\x0b\x0c\x0e-\x1f]")
_WIDE = str.maketrans("｛｝［］：，＂", '{}[]:,"')
#: An echo shorter than this is not told from a reply of the same few words.
_ECHO = 16


class Malformed(Exception):
    """The reply holds no usable object. The text says why, for the trace and for the second asking."""


def visible(text: str) -> str:
    """The reply without byte-order marks, control characters and the model's thinking aloud."""
    text = _INVISIBLE.sub("", text)
    while match := _THOUGHT.match(text):
        text = text[match.end() :]
    if _OPEN_THOUGHT.match(text):
        return ""  # it never stopped thinking
    close = _CLOSE_THOUGHT.search(text)
    if close and "{" not in text[: close.start()]:
        text = text[close.end() :]
    return text.strip()


def read_object(text: str, keys: frozenset[str], *, echo: str = "", list_key: str = "") -> dict[str, Any]:
    """The one object of a reply that has any of `keys`.

    Key names are compared in lower case with underscores. `echo` is the prompt; what stands in it is not
    counted. `list_key`: a bare list is taken for the value of that key. Raises Malformed.
    """
    text = visible(text)
    if not text:
        raise Malformed("the reply is empty")
    if "&quot;" in text and '"' not in text:
        text = html.unescape(text)
    if "{" not in text and "｛" not in text and "[" not in text and "［" not in text:
        raise Malformed("the reply is no JSON")
    found: list[dict[str, Any]] = []
    for source in _segments(text):
        value = _unwrapped(_decoded(source), keys)
        if value is None or _is_echo(source, echo):
            continue
        if value not in found:
            found.append(value)
    if not found and list_key:
        value = _listed(text, list_key)
        if value is not None:
            found.append(value)
    if not found:
        raise Malformed("the reply has no JSON object with the fields asked for")
    if len(found) > 1:
        raise Malformed("the reply has several objects that differ")
    return found[0]


def _is_echo(source: str, echo: str) -> bool:
    squeezed = re.sub(r"\s+", "", source)
    return len(squeezed) >= _ECHO and squeezed in re.sub(r"\s+", "", echo)


def _segments(text: str) -> Iterator[str]:
    """Top-level {...} pieces in order; a last one that never closes runs to the end."""
    for plain in (text, _ascii_structure(text)):
        pieces = list(_balanced(plain))
        if pieces:
            yield from pieces
            return


def _balanced(text: str) -> Iterator[str]:
    depth, start, quoted, escaped = 0, -1, False, False
    for place, char in enumerate(text):
        if escaped:
            escaped = False
        elif quoted:
            if char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == '"' and depth:
            quoted = True
        elif char == "{":
            if not depth:
                start = place
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if not depth:
                yield text[start : place + 1]
    if depth:
        yield text[start:]


def _ascii_structure(text: str) -> str:
    """Full-width punctuation turned to ASCII outside of strings; “…” taken for quotation marks there."""
    out: list[str] = []
    closing = ""
    escaped = False
    for char in text:
        if escaped:
            escaped = False
            out.append(char)
        elif closing:
            if char == "\\":
                escaped = True
                out.append(char)
            elif char == closing:
                closing = ""
                out.append('"')
            else:
                out.append('\\"' if char == '"' else char)
        elif char in '"＂“':
            closing = {'"': '"', "＂": "＂", "“": "”"}[char]
            out.append('"')
        else:
            out.append(char.translate(_WIDE))
    return "".join(out)


def _decoded(source: str) -> Any:
    """The value of a piece of text: strict JSON first, then with wide punctuation turned, then repaired."""
    for text in dict.fromkeys((source, _ascii_structure(source))):
        try:
            return json.loads(text, object_pairs_hook=_once, parse_constant=lambda _: None, strict=False)
        except (ValueError, RecursionError):
            continue
    return _repaired(source if not re.search("[：｛，“]", source) else _ascii_structure(source))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that is given twice with two values decides nothing."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        name = _key(key)
        if name in found and found[name] != value:
            raise Malformed(f"the reply gives `{name}` twice")
        found[name] = value
    return found


def _repaired(source: str) -> Any:
    import json_repair

    try:
        value = json_repair.loads(source, skip_json_loads=True)
    except Exception:  # the repairer meets arbitrary text; whatever it raises, the reply is malformed
        return None
    if not isinstance(value, dict):
        return None
    value = _lowered(value)
    for key in value:
        spelled = re.escape(key).replace("_", r"[_ -]?")
        if len(re.findall(rf"""["'{{,\s]{spelled}["']?\s*[:：]""", source, re.IGNORECASE)) > 1 and _twice(
            source, key
        ):
            raise Malformed(f"the reply gives `{key}` twice")
    if not _closed(source) and value:
        # It was cut off: its last value may be half a value.
        value.popitem()
    return value


def _twice(source: str, key: str) -> bool:
    """Whether a key stands twice at the top level (depth 1), strings left out."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"(?!\s*[:：])', '""', source)
    depth, top = 0, []
    for char in bare:
        depth += (char in "{[") - (char in "}]")
        top.append(char if depth <= 1 else " ")
    spelled = re.escape(key).replace("_", r"[_ -]?")
    return len(re.findall(rf"""["'{{,\s]{spelled}["']?\s*[:：]""", "".join(top), re.IGNORECASE)) > 1


def _closed(source: str) -> bool:
    return source.rstrip().endswith("}") and source.count("{") <= source.count("}")


def _lowered(value: Any) -> Any:
    if isinstance(value, dict):
        return {_key(str(key)): _lowered(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_lowered(item) for item in value]
    return value


def _key(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _unwrapped(value: Any, keys: frozenset[str], depth: int = 0) -> dict[str, Any] | None:
    """The object itself, or the one that a single wrapping key holds: {"result": {…}}, {"json": "{…}"}."""
    if not isinstance(value, dict) or not value:
        return None
    lowered: dict[str, Any] = _lowered(value)
    if keys & lowered.keys():
        return lowered
    if len(lowered) == 1 and depth < 3:
        (inner,) = lowered.values()
        if isinstance(inner, list) and len(inner) == 1:
            inner = inner[0]
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = _decoded(inner)
        return _unwrapped(inner, keys, depth + 1)
    return None


def _listed(text: str, key: str) -> dict[str, Any] | None:
    """A bare list as the value of `key`."""
    start, end = text.find("["), text.rfind("]")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(text[start : end + 1], object_pairs_hook=_once, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return {key: value} if isinstance(value, list) and value else None
