"""AsciiDoc: its blocks line by line, its markup within a line by patterns; no parser in Python keeps places."""

from __future__ import annotations

import re

from ragheal.indexing.load.parsed import Bit, Parsed, Writer, line_spans
from ragheal.indexing.load.patterns import Rule, Rules
from ragheal.indexing.load.records import Cell, recorded
from ragheal.indexing.load.templates import CLOSE, OPEN

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(?=\S)")
_ATTRIBUTE = re.compile(r":!?([\w-]+)!?:[ \t]*(.*)\Z")
_DIRECTIVE = re.compile(
    r"(?:include|ifdef|ifndef|ifeval|endif|image|video|audio|toc|xref-stub)::|\[\[[^\]]*\]\]\s*\Z|<<<\s*\Z|'''\s*\Z"
)
_OPTIONS = re.compile(r"\[(?!\[)[^\[\]]*\]\s*\Z")
_TITLE = re.compile(r"\.(?=[^\s.])")
_FENCE = re.compile(r"(-{4,}|\.{4,}|/{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|`{3,}\w*|--|\|===|,===|:===)\s*\Z")
_ITEM = re.compile(r"[ \t]*(\*{1,6}|-{1,2}|\.{1,5}|\d{1,3}\.)[ \t]+(?=\S)(?:\[[ xX*]\][ \t]+)?")
_TERM = re.compile(r"[ \t]*(\S.{0,200}?)(?:::{1,3}|;;)(?:[ \t]+|\Z)")
_CELL = re.compile(
    r"(?<!\\)(?:(?<=\s)(?:\d+(?:\.\d+)?[+*])?[<^>.]{0,3}[aehlmsdv]?|(?<=^)(?:\d+(?:\.\d+)?[+*])?[<^>.]{0,3}[aehlmsdv]?|)\|",
    re.MULTILINE,
)
_NOTE = re.compile(r"(?:NOTE|TIP|WARNING|IMPORTANT|CAUTION):[ \t]+")
_KNOWN = {"nbsp": " ", "sp": " ", "empty": "", "zwsp": "", "plus": "+", "asterisk": "*", "amp": "&", "lt": "<", "gt": ">",
          "startsb": "[", "endsb": "]", "vbar": "|", "caret": "^", "tilde": "~", "backslash": "\\", "cpp": "C++"}  # fmt: skip


def parse_asciidoc(text: str, source: str = "") -> Parsed:
    """Attributes of the same file are filled in; comments, includes and block options are left out."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.writer = Writer(text)
        self.attributes: dict[str, str] = dict(_KNOWN)
        self.title = ""
        self.bits: list[Bit] = []
        self.lines: list[list[Bit]] = []
        self.kind = "paragraph"
        self.term: list[Bit] = []
        self.header = False
        self.rules = Rules(
            Rule(r"\{([\w-]+)\}", said=self._attribute),
            Rule(r"(?:link:|https?://|xref:|mailto:)[^\s\[\]]*\[([^\[\]]*?)(?:,[^\[\]]*|\^)?\]", said=_linked),
            Rule(
                r"<<([^<>,]+)(?:,\s*([^<>]+))?>>",
                said=lambda found: found[2] or found[1].replace("-", " ").strip("_#"),
            ),
            Rule(
                r"\[\[[^\[\]]*\]\]|\(\(\([^()]*\)\)\)|anchor:[\w-]+\[[^\]]*\]|indexterm:\[[^\]]*\]|<\d{1,2}>\s*\Z"
            ),
            Rule(r"footnote:\w*\[([^\[\]]*)\]", said=lambda found: f" ({found[1]})"),
            Rule(r"(?:kbd|btn|menu\w*|stem|pass|icon):(?:\w*)\[([^\[\]]*)\]", group=1),
            Rule(
                r"(?:\[[^\[\]\s]*\])?##(?=\S)([^#\n]+?)##|(?:\[[^\[\]\s]*\])?#(?=\S)([^#\n]+?)(?<=\S)#(?!\w)",
                said=_first,
            ),
            Rule(r"``(?=\S)(.+?)``", group=1, inner=False),
            Rule(r"(?<!\w)`(?=\S)([^`\n]+?)(?<=\S)`(?!\w)", group=1),
            Rule(r"\*\*(?=\S)(.+?)\*\*", group=1),
            Rule(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])", group=1),
            Rule(r"(?<![\w_])__?(?=\S)([^_\n]+?)(?<=\S)__?(?![\w_])", group=1),
            Rule(r"(?<![\w+])\++(?=\S)([^+\n]+?)(?<=\S)\++(?![\w+])", group=1, inner=False),
            Rule(r"\^(?=\S)([^\^\s]+?)\^", said=lambda found: "^" + found[1]),
            Rule(r"(?<=\w)~([^~\s]+?)~", group=1),
            Rule(r"\s\+\Z", said=lambda _: "\n"),
        )

    def _attribute(self, found: re.Match[str]) -> str:
        name = found[1].lower()
        return self.attributes.get(name, f"{OPEN}{found[1]}{CLOSE}")

    def read(self) -> Parsed:
        text = self.writer.source
        spans = [(low, low + len(text[low:high].rstrip("\r\n"))) for low, high in line_spans(text, 0, len(text))]
        number = 0
        while number < len(spans):
            low, high = spans[number]
            line = text[low:high]
            fence = _FENCE.match(line)
            if fence:
                number = self._fenced(spans, number, fence[1])
                continue
            self._line(line, low, high)
            number += 1
        self._end()
        return self.writer.parsed(self.title)

    def _fenced(self, spans: list[tuple[int, int]], number: int, mark: str) -> int:
        """A block between two fences; returns the number of the line after it."""
        text = self.writer.source
        stop = number + 1
        closing = mark[:3] if mark.startswith("```") else mark
        while stop < len(spans) and text[spans[stop][0] : spans[stop][1]].strip() != closing:
            stop += 1
        self._end()
        inside = spans[number + 1 : stop]
        if mark[0] == "/":
            pass
        elif mark.startswith(("----", "....", "++++", "```")):
            self.writer.rows("code", [self.writer.cut(low, high) for low, high in inside])
        elif mark == "|===" and inside:
            self._table(inside)
        elif mark not in {",===", ":==="}:
            return number + 1  # a frame: what is within is read as ever
        self.header = False
        return stop + 1

    def _line(self, line: str, low: int, high: int) -> None:
        if not line.strip():
            self._end()
        elif line.startswith("//") or _DIRECTIVE.match(line):
            return
        elif found := _ATTRIBUTE.match(line):
            self.attributes[found[1].lower()] = found[2].strip()
        elif _OPTIONS.match(line):
            self.header = self.header or "header" in line
        elif found := _HEADING.match(line):
            self._end()
            bits = self.rules.bits(self.writer, low + found.end(), high)
            self.title = self.title or ("".join(bit.text for bit in bits) if len(found[1]) == 1 else "")
            self.writer.block("heading", bits, level=len(found[1]))
        elif not self.bits and not self.lines and (found := _TITLE.match(line)):
            self.writer.block("paragraph", self.rules.bits(self.writer, low + 1, high))
        elif line.strip() == "+":
            return
        elif found := _ITEM.match(line):
            self._list("list")
            sign = found[1]
            depth = len(sign) - 1 if sign[0] in "*." or (len(sign) > 1 and sign[0] == "-") else 0
            mark = "- " if sign[0] in "*-" else f"{self._number(depth)}. "
            self.lines.append([Bit("  " * depth + mark), *self.rules.bits(self.writer, low + found.end(), high)])
        elif found := _TERM.match(line):
            self._list("record")
            self.term = self.rules.bits(self.writer, low + found.start(1), low + found.end(1))
            rest = self.rules.bits(self.writer, low + found.end(), high)
            if any(bit.text.strip() for bit in rest):
                self.lines.append([*self.term, Bit(": "), *rest])
                self.term = []
        elif self.term:
            at = low + len(line) - len(line.lstrip())
            self.lines.append([*self.term, Bit(": "), *self.rules.bits(self.writer, at, high)])
            self.term = []
        elif self.lines:
            at = low + len(line) - len(line.lstrip())
            self.lines[-1] += [Bit(" "), *self.rules.bits(self.writer, at, high)]
        else:
            found = _NOTE.match(line)
            bits = self.rules.bits(self.writer, low + (found.end() if found else 0), high)
            self.bits += [*([Bit(" ")] if self.bits else []), *bits]

    def _number(self, depth: int) -> int:
        """The number of the next item of an ordered list."""
        count = 1
        for line in reversed(self.lines):
            lead = line[0].text
            if len(lead) - len(lead.lstrip()) < 2 * depth:
                break
            count += lead.startswith("  " * depth) and lead[2 * depth :][:1].isdigit()
        return count

    def _list(self, kind: str) -> None:
        if self.bits or (self.lines and self.kind != kind):
            self._end()
        self.kind = kind

    def _end(self) -> None:
        if self.term and not self.lines:
            return  # a term whose text follows after an empty line
        self.writer.block("paragraph", self.bits)
        self.writer.rows(self.kind, self.lines)
        self.bits, self.lines = [], []

    def _table(self, spans: list[tuple[int, int]]) -> None:
        """Rows are lines of cells, or as many cells as the first line has."""
        text = self.writer.source
        while spans and not text[spans[0][0] : spans[0][1]].strip():
            spans = spans[1:]
        if not spans:
            return
        marks = list(_CELL.finditer(text, spans[0][0], spans[-1][1]))
        ends = [mark.start() for mark in marks[1:]] + [spans[-1][1]]
        cells: list[tuple[int, Cell]] = []
        for mark, end in zip(marks, ends, strict=True):
            bits = self.rules.bits(self.writer, mark.end(), end)
            cells.append(
                (self.writer.line(mark.end() - 1), [b._replace(text=b.text.replace("\n", " ")) for b in bits])
            )
        if not cells:
            return
        first = cells[0][0]
        width = sum(line == first for line, _ in cells)
        if width == 1 and len(cells) > 2:  # a cell a line: an empty line ends the first row
            width = next((n for n, (low, high) in enumerate(spans) if not text[low:high].strip()), 1)
        rows = [[cell for _, cell in cells[at : at + width]] for at in range(0, len(cells), max(1, width))]
        gap = len(spans) > 1 and not text[spans[1][0] : spans[1][1]].strip()
        self.writer.rows("record", recorded(rows, 1 if (self.header or gap or width > 1) and len(rows) > 1 else 0))


def _linked(found: re.Match[str]) -> str:
    return found[1] or found.group().partition("[")[0].removeprefix("link:").removeprefix("mailto:").removeprefix(
        "xref:"
    )


def _first(found: re.Match[str]) -> str:
    return found[1] or found[2] or ""
