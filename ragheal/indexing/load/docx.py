"""DOCX, from the XML that python-docx opens: the text as Word shows it with all changes accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ragheal.errors import LoadError
from ragheal.indexing.load.docxtext import TAG, Numbers, Para, Texts, paragraphs
from ragheal.indexing.load.packed import OLE, opened
from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.records import Cell, recorded
from ragheal.indexing.load.titles import plain

_TEMPLATE_DATE = "2013-12-23"
_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])\Z", re.IGNORECASE)
_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


def parse_docx(data: bytes) -> Parsed:
    """The line of a place is the number of the paragraph or row of a table, from 1, as the body has them.

    Raises LoadError: "encrypted DOCX", "damaged DOCX", or one that says it unpacks to too much.
    """
    if data.startswith(OLE):
        raise LoadError("encrypted DOCX, or an old .doc", hint="save it as .docx without a password")
    document = _opened(data)
    reader = _Reader(document)
    for element in document.element.body.iterchildren():
        reader.take(element)
    reader.end_list()
    properties = document.core_properties
    title = plain(properties.title or "")
    modified = properties.modified
    author = " ".join((properties.author or "").split())
    metadata = {"modified": modified.date().isoformat()} if modified else {}
    if author == "python-docx" and metadata.get("modified") == _TEMPLATE_DATE:
        metadata = {}  # of the library's template, not of the document
    elif author:
        metadata["author"] = author
    return reader.writer.parsed(title if len(title) > 1 else reader.named, metadata)


def _opened(data: bytes) -> Any:
    import io

    import docx

    opened(data, "DOCX").close()
    try:
        return docx.Document(io.BytesIO(data))
    except Exception as error:  # zipfile, lxml and python-docx raise a dozen kinds, KeyError among them
        raise LoadError("damaged DOCX") from error


class _Reader:
    def __init__(self, document: Any) -> None:
        self.writer = Writer()
        self.named = ""  # the first heading
        self.number = 0  # of the paragraph
        self.items: list[list[Bit]] = []
        styles = [style for style in document.styles if style.type == 1]
        self.levels = {style.style_id: _level(style) for style in styles}
        self.lists = {style.style_id for style in styles if "list" in (style.name or "").lower()}
        parts = _parts(document)
        self.texts = Texts({kind: parts[name] for name, kind in _NOTES.items() if name in parts})
        self.numbers = Numbers(parts.get("numbering"), document.styles.element)

    def take(self, element: Any) -> None:
        if element.tag == TAG + "p":
            self._paragraph(element)
        elif element.tag == TAG + "tbl":
            self.end_list()
            self._table(element)
        elif element.tag in {TAG + "sdt", TAG + "sdtContent", TAG + "ins", TAG + "moveTo", TAG + "customXml"}:
            for child in element.iterchildren():
                self.take(child)

    def _bits(self, text: str) -> list[Bit]:
        return [Bit(text, 0, len(text), self.number)]

    def _paragraph(self, element: Any) -> None:
        self.number += 1
        found = self.texts.of(element)
        style, mark = self.numbers.of(element)
        lines = [" ".join(line.split()) for line in found.text.split("\n") if line.strip()]
        if lines:
            level = self.levels.get(style, 0)
            if level:
                self.end_list()
                head = " ".join([mark.strip(), *lines] if mark.strip(" -") else lines)
                self.named = self.named or head
                self.writer.block("heading", self._bits(head), level=level)
            elif mark or style in self.lists:
                depth = "  " * self.numbers.depth
                self.items.append([Bit(depth + (mark or "- ")), *self._bits(lines[0])])
                self.items += [[Bit(depth + "  "), *self._bits(line)] for line in lines[1:]]
            else:
                self.end_list()
                self.writer.rows("paragraph", [self._bits(line) for line in lines])
        self._beside(found)

    def _beside(self, found: Para) -> None:
        """Text boxes, notes and comments, next to the paragraph that carries them."""
        if not found.beside:
            return
        self.end_list()
        for text in found.beside:
            self.writer.block("paragraph", self._bits(text))

    def end_list(self) -> None:
        self.writer.rows("list", self.items)
        self.items = []

    def _table(self, table: Any) -> None:
        rows: list[list[Cell]] = []
        beside: list[str] = []
        heads = 0
        for row in _rows(table):
            self.number += 1
            cells: list[Cell] = []
            for cell in _cells(row):
                merged = cell.find(f"{TAG}tcPr/{TAG}vMerge")
                texts = [self.texts.of(p) for p in paragraphs(cell)]
                words = " ".join(" ".join(text.text.split()) for text in texts if text.text.strip())
                beside += [line for text in texts for line in text.beside]
                own = self._bits(words) if words else []
                if (
                    merged is not None
                    and merged.get(TAG + "val") != "restart"
                    and rows
                    and len(cells) < len(rows[-1])
                ):
                    own = [Bit(bit.text) for bit in rows[-1][len(cells)]]  # goes on from the row above
                cells += [own] + [[Bit(words)] for _ in range(_span(cell) - 1)]
            if row.find(f"{TAG}trPr/{TAG}tblHeader") is not None and heads == len(rows):
                heads += 1
            if any(cells):
                rows.append(cells)
        self.writer.rows("record", recorded(rows, heads or (1 if len(rows) > 1 else 0)))
        for text in beside:
            self.writer.block("paragraph", self._bits(text))


def _parts(document: Any) -> dict[str, Any]:
    """The other parts of the package as XML, by the last word of their relation."""
    from lxml import etree

    found = {}
    for relation in document.part.rels.values():
        name = relation.reltype.rpartition("/")[2]
        if name in {*_NOTES, "numbering"} and not relation.is_external:
            try:
                parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
                found[name] = etree.fromstring(relation.target_part.blob, parser)
            except etree.XMLSyntaxError:
                continue
    return found


def _level(style: Any) -> int:
    """Title is above Heading 1."""
    name = style.name or ""
    found = _HEADING.match(name)
    if found:
        return int(found[1]) + 1
    return 1 if name.lower() in {"title", "标题", "標題"} else 0


def _rows(table: Any) -> Iterator[Any]:
    # Straight from the XML: a table's cells in python-docx take time squared in its rows.
    for child in table.iterchildren():
        if child.tag == TAG + "tr" and child.find(f"{TAG}trPr/{TAG}del") is None:
            yield child
        elif child.tag in {TAG + "sdt", TAG + "customXml"}:
            yield from (row for row in child.iter(TAG + "tr"))


def _cells(row: Any) -> Iterator[Any]:
    for child in row.iterchildren():
        if child.tag == TAG + "tc":
            yield child
        elif child.tag in {TAG + "sdt", TAG + "customXml"}:
            yield from child.iter(TAG + "tc")


def _span(cell: Any) -> int:
    found = cell.find(f"{TAG}tcPr/{TAG}gridSpan")
    value = found.get(TAG + "val", "1") if found is not None else "1"
    return max(1, min(int(value), 50)) if value.isdigit() else 1
