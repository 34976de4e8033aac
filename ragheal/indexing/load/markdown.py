"""Markdown: blocks with markdown-it-py, the text as it stands in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from ragheal.indexing.load.front import front_matter
from ragheal.indexing.load.parsed import Parsed, enter, is_blank, line_starts, trim
from ragheal.indexing.load.titles import plain
from ragheal.types import Block

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The parser needs about a thousand times the room of a line, so long files are read in parts.
_PART = 4000  # lines
_KINDS = {
    "paragraph_open": "paragraph", "bullet_list_open": "list", "ordered_list_open": "list", "fence": "code",
    "code_block": "code", "table_open": "table", "blockquote_open": "paragraph", "html_block": "paragraph",
}  # fmt: skip
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_STARTS_ITEM = re.compile(r"\s|[-*+>|]|\d+[.)]")
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|</?[a-zA-Z!][^<>]*>", re.DOTALL)
_HTML_TITLE = re.compile(r"<h1\b[^>]*>(.{1,400}?)</h1", re.IGNORECASE | re.DOTALL)
# "#标题": a heading to every Chinese author, a paragraph to CommonMark. "#标签 #标签" stays one.
_TIGHT_HEADING = re.compile(r"(#{1,6})([\u3400-\u9fff][^#\r\n]{0,80})\Z")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    # Blocks are all we need; what is within a line stays as it is.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def parse_markdown(text: str, source: str = "") -> Parsed:
    """The blocks of Markdown. Front matter gives metadata and the title and is no block."""
    metadata, begin = front_matter(text)
    title = plain(metadata.pop("title", ""))
    starts = line_starts(text)
    first = 0
    while starts[first] < begin:
        first += 1
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []
    for low, high in _parts(text, starts, first):
        for kind, top, bottom, level, heading in _blocks(text[starts[low] : starts[high]]):
            start, end = trim(text, starts[low + top], starts[min(low + bottom, high)])
            if kind == "paragraph" and (tight := _TIGHT_HEADING.match(text[start : min(end, start + 100)])):
                kind, level, heading = "heading", len(tight[1]), tight[2]
            if kind == "html":
                if is_blank(bare := _MARKUP.sub("", text[start:end]), 0, len(bare)):
                    title = title or _html_title(text[start:end])
                    continue
                title = title or _html_title(text[start:end])
                kind = "paragraph"
            if kind == "heading":
                heading = plain(heading)
                if not heading:
                    continue
                enter(path, level, heading)
                title = title or (heading if level == 1 else "")
            if end > start:
                headings = tuple(name for _, name in path)
                blocks.append(Block(kind, start, end, headings))  # type: ignore[arg-type]  # a literal of _KINDS
    return Parsed(text, blocks, title, metadata=metadata)


def _blocks(part: str) -> Iterator[tuple[str, int, int, int, str]]:
    """(kind, first line, line after the last, heading level, heading) of each block on the top level."""
    tokens: list[Token] = _parser().parse(part)
    for number, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        top, bottom = token.map
        if token.type == "heading_open":
            yield "heading", top, bottom, int(token.tag[1:]), tokens[number + 1].content
        elif token.type == "html_block":
            yield "html", top, bottom, 0, ""
        elif token.type in _KINDS:
            yield _KINDS[token.type], top, bottom, 0, ""


def _parts(text: str, starts: list[int], first: int) -> Iterator[tuple[int, int]]:
    """Line ranges of at least _PART lines that end where a block ends: before an unindented line after an empty
    one, outside of fences."""
    last = len(starts) - 1
    if last - first <= _PART:
        yield first, last
        return
    fence = ""
    begin, blank = first, False
    for number in range(first, last):
        line = text[starts[number] : min(starts[number + 1], starts[number] + 80)]
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""
        free = not fence or number - begin > 10 * _PART  # a fence that is never closed must not hold everything
        seam = number - begin >= _PART and free and blank and not _STARTS_ITEM.match(line)
        if seam or number - begin > 20 * _PART:
            yield begin, number
            begin = number
        blank = not line.strip()
    yield begin, last


def _html_title(block: str) -> str:
    found = _HTML_TITLE.search(block, 0, 20_000)
    return plain(found[1]) if found else ""
