"""ODT, straight from its XML: deleted text out, notes and comments next to what they belong to."""

from __future__ import annotations

from typing import Any

from ragheal.errors import LoadError
from ragheal.indexing.load.packed import opened, tree
from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.records import Cell, recorded

_T = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_GONE = frozenset(
    {
        _T + "tracked-changes",
        _T + "sequence-decls",
        _OFFICE + "forms",
        _T + "table-of-content",
        _T + "bookmark-ref",
    }
)
_MOST_DEPTH = 150


def parse_odt(data: bytes) -> Parsed:
    """The line of a place is the number of the paragraph, from 1, in the order of the file."""
    with opened(data, "ODT") as archive:
        content = tree(archive, "content.xml")
        body = content.find(f"{_OFFICE}body/{_OFFICE}text") if content is not None else None
        if body is None:
            raise LoadError("damaged ODT")
        reader = _Reader()
        reader.children(body, 0)
        about = tree(archive, "meta.xml")
        title = ""
        metadata: dict[str, str] = {}
        if about is not None:
            title = " ".join((about.findtext(f".//{_DC}title") or "").split())
            if author := (about.findtext(f".//{_DC}creator") or "").strip():
                metadata["author"] = author
            if date := (about.findtext(f".//{_DC}date") or "").strip()[:10]:
                metadata["modified"] = date
        return reader.writer.parsed(title or reader.named, metadata)


class _Reader:
    def __init__(self) -> None:
        self.writer = Writer()
        self.named = ""
        self.number = 0

    def children(self, element: Any, depth: int) -> None:
        for child in element.iterchildren():
            self.take(child, depth)

    def take(self, element: Any, depth: int) -> None:
        tag = element.tag
        if tag in _GONE or depth > _MOST_DEPTH or not isinstance(tag, str):
            return
        if tag == _T + "h":
            bits, beside = self._said(element)
            level = element.get(_T + "outline-level", "1")
            self.named = self.named or "".join(bit.text for bit in bits)
            self.writer.block("heading", bits, level=int(level) if level.isdigit() else 1)
            self._beside(beside)
        elif tag == _T + "p":
            bits, beside = self._said(element)
            self.writer.block("paragraph", bits)
            self._beside(beside)
        elif tag == _T + "list":
            beside = []
            self.writer.rows("list", self._items(element, 0, beside))
            self._beside(beside)
        elif tag == _TABLE + "table":
            self._table(element)
        else:
            self.children(element, depth + 1)

    def _beside(self, notes: list[str]) -> None:
        for note in notes:
            self.writer.block("paragraph", [Bit(note, 0, len(note), self.number)])

    def _said(self, element: Any) -> tuple[list[Bit], list[str]]:
        """The words of a paragraph, and its notes, comments and text boxes."""
        self.number += 1
        parts: list[str] = []
        beside: list[str] = []
        _walk(element, parts, beside, 0)
        lines = [" ".join(line.split()) for line in "".join(parts).split("\n")]
        bits: list[Bit] = []
        for line in lines:
            if line:
                bits += [*([Bit("\n")] if bits else []), Bit(line, 0, len(line), self.number)]
        return bits, beside

    def _items(self, element: Any, depth: int, beside: list[str]) -> list[list[Bit]]:
        lines: list[list[Bit]] = []
        for item in element.iterchildren(_T + "list-item", _T + "list-header"):
            lead = "  " * min(depth, 8) + "- "
            for child in item.iterchildren():
                if child.tag == _T + "list" and depth < _MOST_DEPTH:
                    lines += self._items(child, depth + 1, beside)
                elif child.tag in {_T + "p", _T + "h"}:
                    bits, more = self._said(child)
                    beside += more
                    if bits:
                        lines.append([Bit(lead), *bits])
                        lead = " " * len(lead)
        return lines

    def _table(self, table: Any) -> None:
        rows: list[list[Cell]] = []
        heads = 0
        for row in table.iter(_TABLE + "table-row"):
            cells: list[Cell] = []
            for cell in row.iterchildren(_TABLE + "table-cell", _TABLE + "covered-table-cell"):
                own: Cell = []
                for paragraph in cell.iter(_T + "p", _T + "h"):
                    bits, _ = self._said(paragraph)
                    own += [*([Bit(" ")] if own else []), *bits]
                repeated = cell.get(_TABLE + "number-columns-repeated", "1")
                cells += [own] * (min(int(repeated), 50) if repeated.isdigit() and own else 1)
            if row.getparent().tag == _TABLE + "table-header-rows":
                heads += 1
            if any(cells):
                rows.append(cells)
        self.writer.rows("record", recorded(rows, heads or (1 if len(rows) > 1 else 0)))


def _walk(element: Any, parts: list[str], beside: list[str], depth: int) -> None:
    parts.append(element.text or "")
    for child in element.iterchildren():
        name = str(child.tag).rpartition("}")[2]
        if depth > _MOST_DEPTH:
            break
        if name in {"note", "annotation"} or name == "text-box":
            body = child.find(_T + "note-body") if name == "note" else child
            inner: list[str] = []
            for paragraph in body.iter(_T + "p") if body is not None else ():
                _walk(paragraph, inner, beside, depth + 1)
                inner.append(" ")
            text = " ".join("".join(inner).split())
            if name == "annotation":
                who = (child.findtext(_DC + "creator") or "").strip()
                text = f"[Comment{' by ' + who if who else ''}: {text}]"
            beside.append(text)
        elif name == "s" or name == "tab":
            parts.append(" ")
        elif name == "line-break":
            parts.append("\n")
        elif name not in {"tracked-changes", "annotation-end", "bookmark-start", "bookmark-end"}:
            _walk(child, parts, beside, depth + 1)
        parts.append(child.tail or "")
