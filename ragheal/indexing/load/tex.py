"""LaTeX: the words between its commands, by sections; formulas stay as they are written."""

from __future__ import annotations

import re

from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.patterns import Rule, Rules
from ragheal.indexing.load.records import Cell, recorded

_BODY = re.compile(r"\\begin\{document\}")
_END = re.compile(r"\\end\{document\}")
_ARG = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_PIECE = re.compile(
    rf"(?P<comment>(?<!\\)%[^\n]*\n?)"
    rf"|\\(?P<level>part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]*\])?{_ARG}"
    rf"|\\begin\{{(?P<code>verbatim|lstlisting|minted|Verbatim)\}}(?:\[[^\]]*\])?(?:\{{\w*\}})?(?P<text>.*?)\\end\{{(?P=code)\}}"
    rf"|\\begin\{{(?P<table>tabular[x*]?|longtable)\}}(?:\{{[^{{}}]*\}})?{_ARG}(?P<rows>.*?)\\end\{{(?P=table)\}}"
    rf"|\\(?P<item>item)\b(?:\[(?P<term>[^\]]*)\])?"
    rf"|(?P<blank>\n[ \t]*\n\s*)|\\(?:begin|end)\{{(?P<frame>\w+\*?)\}}(?:\[[^\]]*\])?",
    re.DOTALL,
)
_NAME = 3  # the group of _PIECE that holds the name of a section
_LEVELS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6}
_TITLE = re.compile(rf"\\title(?:\[[^\]]*\])?{_ARG}")
_TEXT = Rules(
    Rule(r"(?<!\\)%[^\n]*"),
    Rule(rf"\\(?:label|ref|eqref|pageref|cite\w*|index|vspace|hspace|includegraphics|input|include|bibliography\w*|usepackage)"
         rf"\*?(?:\[[^\]]*\])?{_ARG}"),
    Rule(rf"\\href{_ARG}{_ARG}", group=2),
    Rule(rf"\\footnote{_ARG}", said=lambda found: f" ({found[1]})"),
    Rule(rf"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?{_ARG}", group=1),
    Rule(r"\\([%&_#${}])", group=1, inner=False),
    Rule(r"\\\\(?:\[[^\]]*\])?", said=lambda _: " "),
    Rule(r"\\(?:ldots|dots)\b\s?", said=lambda _: "…"),
    Rule(r"\\[a-zA-Z]+\*?\s?|\\[,;:!@/ -]", said=lambda found: " " if found.group()[1] in " ,;" else ""),
    Rule(r"---", said=lambda _: "—"),
    Rule(r"--", said=lambda _: "–"),
    Rule(r"``|''", said=lambda found: "“" if found.group() == "``" else "”"),
    Rule(r"~", said=lambda _: " "),
    Rule(r"(?<!\\)[{}]"),
    Rule(r"\s*\n\s*", said=lambda _: " "),
)  # fmt: skip


def parse_tex(text: str, source: str = "") -> Parsed:
    """Preamble, comments, labels and citations are left out."""
    writer = Writer(text)
    body, stop = _BODY.search(text), _END.search(text)
    at, end = body.end() if body else 0, stop.start() if stop else len(text)
    named = _TITLE.search(text)
    title = "".join(bit.text for bit in _TEXT.bits(writer, *named.span(1))) if named else ""
    bits: list[Bit] = []
    items: list[list[Bit]] = []

    def flush() -> None:
        nonlocal bits, items
        if items:
            items.append(bits)
        else:
            writer.block("paragraph", bits)
        writer.rows("list", items)
        bits, items = [], []

    while at < end:
        found = _PIECE.search(text, at, end)
        bits += _TEXT.bits(writer, at, found.start() if found else end)
        if found is None:
            break
        at = found.end()
        if found["level"]:
            flush()
            writer.block("heading", _TEXT.bits(writer, *found.span(_NAME)), level=_LEVELS[found["level"]])
        elif found["code"]:
            flush()
            writer.block("code", writer.cut(*found.span("text")))
        elif found["table"]:
            flush()
            writer.rows("record", _rows(writer, *found.span("rows")))
        elif found["item"]:
            if items or not bits:
                if bits and items:
                    items[-1] += bits
            else:
                writer.block("paragraph", bits)
            term = [*_TEXT.bits(writer, *found.span("term")), Bit(": ")] if found["term"] else []
            items.append([Bit("- "), *term])
            bits = []
        elif found["blank"] or (found["frame"] and found["frame"] not in {"itemize", "enumerate", "description"}):
            if items:
                items[-1] += bits
                bits = []
            else:
                flush()
        elif found["frame"]:
            if items:
                items[-1] += bits
                bits = []
                if text.startswith("\\end", found.start()):
                    flush()
            else:
                flush()
    if items:
        items[-1] += bits
        bits = []
    flush()
    return writer.parsed(" ".join(title.split()))


def _rows(writer: Writer, low: int, high: int) -> list[list[Bit]]:
    rows: list[list[Cell]] = []
    at = low
    for line in re.split(r"(\\\\(?:\[[^\]]*\])?)", writer.source[low:high]):
        if not line.startswith("\\\\") and line.strip():
            cells: list[Cell] = []
            begin = at
            for cell in re.split(r"(?<!\\)&", line):
                cells.append(_TEXT.bits(writer, begin, begin + len(cell)))
                begin += len(cell) + 1
            if any("".join(bit.text for bit in cell).strip() for cell in cells):
                rows.append(cells)
        at += len(line)
    return recorded(rows, 1 if len(rows) > 1 else 0)
