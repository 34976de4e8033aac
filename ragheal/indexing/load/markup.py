"""A tokenizer for HTML as it is found: linear in time on any input, and each token knows its place in the file.

The parsers at hand give no positions (lexbor) or take quadratic time on unclosed tags (html.parser before
3.11.14), so this follows the tokenization section of the HTML standard as far as text and structure need it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_NAME = re.compile(r"/?([a-zA-Z][^\s/>]{0,60})")
_ATTRIBUTE = re.compile(r"[\s/]*([^\s/>=\"'][^\s/>=]*)?(\s*=\s*)?")
_UNQUOTED = re.compile(r"[^\s>]*")
# Elements whose content is not markup.
_RAW = frozenset({"script", "style", "textarea", "title", "noembed", "noframes", "iframe", "xmp"})
_KEPT = frozenset(
    "hidden style aria-hidden class id role name content property type href start value colspan rowspan".split()
)


class Token(NamedTuple):
    """`kind` is "text", "open" or "close"; `value` the text as it stands in the file, or the tag in lower case."""

    kind: str
    value: str
    start: int
    attributes: dict[str, str] = {}  # noqa: RUF012  (a default that nobody writes to)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a page in order. Comments, declarations and processing instructions are left out."""
    at, size = 0, len(text)
    never: set[str] = set()  # closing signs that do not occur any more
    while at < size:
        open_at = text.find("<", at)
        if open_at == -1:
            yield Token("text", text[at:], at)
            return
        if open_at > at:
            yield Token("text", text[at:open_at], at)
        if text.startswith("<!--", open_at):
            end = text.find("-->", open_at + 4)
            at = end + 3 if end != -1 else size
            continue
        if text.startswith(("<!", "<?"), open_at):
            end = text.find(">", open_at)
            at = end + 1 if end != -1 else size
            continue
        found = _NAME.match(text, open_at + 1)
        if found is None:
            yield Token("text", "<", open_at)
            at = open_at + 1
            continue
        name = found[1].lower()
        closing = text[open_at + 1] == "/"
        attributes, at = _attributes(text, found.end(), never)
        yield Token("close" if closing else "open", name, open_at, attributes)
        if name in _RAW and not closing:
            end = _raw_end(text, name, at, never)
            if name not in {"script", "style"}:
                yield Token("text", text[at:end], at)
            yield Token("close", name, end)
            at = end


def _attributes(text: str, at: int, never: set[str]) -> tuple[dict[str, str], int]:
    """The attributes that matter here, and the offset after the tag."""
    kept: dict[str, str] = {}
    size = len(text)
    while at < size and text[at] != ">":
        found = _ATTRIBUTE.match(text, at)
        if found is None or found.end() == at:
            at += 1  # a stray quotation mark
            continue
        name, at = (found[1] or "").lower(), found.end()
        value = ""
        if found[2] and at < size:
            quote = text[at]
            end = text.find(quote, at + 1) if quote in "\"'" and quote not in never else -1
            if end != -1:
                value, at = text[at + 1 : end], end + 1
            else:
                if quote in "\"'":
                    never.add(quote)
                bare = _UNQUOTED.match(text, at)
                end = bare.end() if bare else at
                value, at = text[at:end], end
        if name in _KEPT and name not in kept:
            kept[name] = unescape(value[:500])
    return kept, min(at + 1, size)


def _raw_end(text: str, name: str, at: int, never: set[str]) -> int:
    """Where the content of a raw element ends; an element that is never closed holds nothing."""
    key = "</" + name
    if key in never:
        return at
    found = re.compile(key + r"(?=[\s/>])", re.IGNORECASE).search(text, at)
    if found is None:
        never.add(key)
        return at
    return found.start()
