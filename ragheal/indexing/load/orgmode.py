"""Org: headings, lists, tables and source blocks, line by line; no parser at hand keeps places."""

from __future__ import annotations

import re

from ragheal.indexing.load.parsed import Bit, Parsed, Writer, line_spans
from ragheal.indexing.load.patterns import Rule, Rules
from ragheal.indexing.load.records import Cell, recorded

_HEADING = re.compile(
    r"(\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#[A-Z]\][ \t]+)?(.*?)(?:[ \t]+:[\w:@]+:)?[ \t]*\Z"
)
_KEYWORD = re.compile(r"#\+(\w+):[ \t]*(.*)\Z")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d+[.)])[ \t]+(?:\[[ xX-]\][ \t]+)?")
_TERM = re.compile(r"(\S.*?)[ \t]+::[ \t]+")
_RULE = re.compile(r"[ \t]*\|[-+]+")
_BAR = re.compile(r"\|")
_TEXT = Rules(
    Rule(r"\[\[([^\[\]]+)\]\[([^\[\]]+)\]\]", group=2),
    Rule(r"\[\[([^\[\]]+)\]\]", group=1, inner=False),
    Rule(r"\[fn:[^\[\]]*\]|<<[^<>]*>>"),
    Rule(r"(?<![\w*/_=~+])([*/_=~])(?=\S)([^\n]{1,300}?)(?<=\S)\1(?![\w*/_=~+])", group=2),
    Rule(r"(?<![\w+])\+(?=\S)([^+\n]{1,300}?)(?<=\S)\+(?![\w+])", said=lambda found: f"~~{found[1]}~~"),
    Rule(r"\\\\\s*\Z", said=lambda _: "\n"),
)


def parse_org(text: str, source: str = "") -> Parsed:
    """Comments, drawers and keywords are left out; title, author and date are metadata."""
    writer = Writer(text)
    metadata: dict[str, str] = {}
    title = ""
    bits: list[Bit] = []
    items: list[list[Bit]] = []
    table: list[list[Cell]] = []
    heads = 0
    until = ""  # the line that ends a block or a drawer
    kept: list[list[Bit]] | None = None

    def end() -> None:
        nonlocal bits, items, table, heads
        writer.block("paragraph", bits)
        writer.rows("list", items)
        writer.rows("record", recorded(table, heads))
        bits, items, table, heads = [], [], [], 0

    for low, high in line_spans(text, 0, len(text)):
        line = text[low:high].rstrip("\r\n")
        high, bare = low + len(line), line.strip()
        if until:
            if bare.lower() == until:
                until = ""
                writer.rows("code", kept or [])
            elif kept is not None:
                kept.append(writer.cut(low, high))
        elif not bare:
            end()
        elif found := _HEADING.match(line):
            end()
            writer.block(
                "heading", _TEXT.bits(writer, low + found.start(2), low + found.end(2)), level=len(found[1])
            )
        elif found := _BEGIN.match(line):
            end()
            if found[1].lower() in {"src", "example", "export", "comment"}:
                until = f"#+end_{found[1].lower()}"
                kept = [] if found[1].lower() in {"src", "example"} else None
        elif found := _KEYWORD.match(line):
            key = found[1].lower()
            title = title or (found[2].strip() if key == "title" else "")
            if key in {"author", "date"} and found[2].strip():
                metadata[key] = found[2].strip().strip("<>[]")
        elif bare.startswith("#") and (bare == "#" or bare[1:2] in " +"):
            continue
        elif re.fullmatch(r":[\w-]+:", bare):
            until, kept = (":end:", None) if bare.lower() != ":end:" else ("", None)
        elif bare.startswith("|"):
            if bits or items:
                end()
            if _RULE.match(line):
                heads = heads or len(table)
                continue
            bars = [bar.start() for bar in _BAR.finditer(text, low, high)]
            cells = zip(bars, [*bars[1:], high], strict=True)
            table.append([_TEXT.bits(writer, a + 1, b) for a, b in cells if text[a + 1 : b].strip() or b != high])
        elif found := _ITEM.match(line):
            if bits or table:
                end()
            at = low + found.end()
            term = _TERM.match(text, at, high)
            lead = line[: len(line) - len(line.lstrip())]
            mark = f"{bare.split()[0]} " if bare[0].isdigit() else "- "
            said = _TEXT.bits(writer, term.end() if term else at, high)
            name = [*_TEXT.bits(writer, *term.span(1)), Bit(": ")] if term else []
            items.append([Bit(lead + mark), *name, *said])
        elif items and line[0] in " \t":
            items[-1] += [Bit(" "), *_TEXT.bits(writer, low + len(line) - len(line.lstrip()), high)]
        else:
            if items or table:
                end()
            bits += [
                *([Bit(" ")] if bits else []),
                *_TEXT.bits(writer, low + len(line) - len(line.lstrip()), high),
            ]
    end()
    return writer.parsed(title, metadata)
