"""Titles: of a document by its name where nothing better is known, and headings freed of their markup."""

from __future__ import annotations

import re

# Names that say nothing: the folder says more.
_GENERIC = frozenset({"readme", "index", "_index", "default", "untitled", "document", "main", "home", "contents"})
_HASH = re.compile(r"(?=.*\d)[0-9a-f]{8,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d+", re.IGNORECASE)
_WORD_BREAKS = re.compile(r"[_\s]+|(?<=[^\W\d_])-(?=[^\W_])|(?<=\d)-(?=[^\W\d_])")

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])")
_ANCHOR = re.compile(r"\s*\{#?[\w.:#= -]*\}\s*$")
_EMPHASIS = re.compile(r"(\*\*|__|~~|`+|\*)(?=\S)(.{1,400}?)(?<=\S)\1")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# Elements that descriptions hold; "<name>" and "<T>" stand for something else.
_MARKUP_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|code|dd|dl|dt|em|h[1-6]|i|kbd|li|ol|p|pre|small|span|strong|sub|sup|u|ul)"
    r"(?:\s[^<>]{0,500})?/?>",
    re.IGNORECASE,
)
_STRONG = re.compile(r"(\*\*|`+)(?=\S)(.{1,400}?)(?<=\S)\1")
_MARKUP = re.compile(rf"{_STRONG.pattern}|{_MARKUP_TAG.pattern}|\]\(\S", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def title_of(source: str, kind: str) -> str:
    """A title from the path of a document, lightly made readable: "docs/rate_limits-v2.md" -> "rate limits v2".

    Source code keeps its file name; names without meaning (hashes) give "", general ones (README) the folder.
    """
    *folders, name = source.split("/")
    if kind == "code":
        return name
    stem = name.rpartition(".")[0] or name
    if stem.casefold() in _GENERIC and folders:
        stem = folders[-1]
    if _HASH.fullmatch(stem):
        return ""
    return " ".join(_WORD_BREAKS.sub(" ", stem).split())


def plain(heading: str) -> str:
    """A heading without its Markdown or HTML markup, on one line."""
    text = heading[:1000]
    text = _TAG.sub("", _LINK.sub(r"\1", _ANCHOR.sub("", text)))
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    return " ".join(_ESCAPE.sub(r"\1", text).split())


def unmarked(value: str) -> str:
    """A value of a data file without the markup that descriptions are written in, if it holds any."""
    if " " not in value or not _MARKUP.search(value):
        return value
    text = _STRONG.sub(r"\2", _LINK.sub(r"\1", _MARKUP_TAG.sub(" ", value[:20_000]))) + value[20_000:]
    return " ".join(text.split()).replace(" .", ".").replace(" ,", ",") or value
