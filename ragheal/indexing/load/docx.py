"""DOCX with python-docx: headings by style, paragraphs, lists and tables in document order."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from ragheal.errors import LoadError
from ragheal.indexing.load.parsed import Parsed, Writer
from ragheal.indexing.load.titles import plain

_OLE = b"\xd0\xcf\x11\xe0"  # the container of encrypted files and of the old .doc
_MOST_BYTES = 500_000_000  # unpacked; more is a bomb or nothing to hold in memory
_TEMPLATE_DATE = "2013-12-23"
_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])\Z", re.IGNORECASE)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def parse_docx(data: bytes) -> Parsed:
    """Raises LoadError: "encrypted DOCX", "damaged DOCX", or one that says it unpacks to too much."""
    if data.startswith(_OLE):
        raise LoadError("encrypted DOCX, or an old .doc", hint="save it as .docx without a password")
    document = _opened(data)
    writer = Writer()
    title = plain(document.core_properties.title or "")
    named = ""
    items: list[tuple[str, int]] = []

    def end_list() -> None:
        writer.block("list", items)
        items.clear()

    for kind, level, lines in _content(document):
        if kind == "list":
            items += [(line, 0) for line in lines]
            continue
        end_list()
        if level:
            named = named or " ".join(lines)
            level = max(1, level)
        writer.block(kind, [(line, 0) for line in lines], level=level)
    end_list()
    modified = document.core_properties.modified
    author = " ".join((document.core_properties.author or "").split())
    metadata = {"modified": modified.date().isoformat()} if modified else {}
    if author == "python-docx" and metadata.get("modified") == _TEMPLATE_DATE:
        metadata = {}  # of the library's template, not of the document
    elif author:
        metadata["author"] = author
    return Parsed(writer.text, writer.blocks, title if len(title) > 1 else named, metadata=metadata)


def _opened(data: bytes) -> Any:
    import docx

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
                raise LoadError("unpacks to more than 500 MB", skipped=True)
        return docx.Document(io.BytesIO(data))
    except LoadError:
        raise
    except Exception as error:  # zipfile, lxml and python-docx raise a dozen kinds, KeyError among them
        raise LoadError("damaged DOCX") from error


def _content(document: Any) -> Iterator[tuple[str, int, list[str]]]:
    """(kind, heading level, lines) of each paragraph and table."""
    levels = {style.style_id: _level(style) for style in document.styles if style.type == 1}
    lists = {
        style.style_id for style in document.styles if style.type == 1 and "list" in (style.name or "").lower()
    }
    for element in document.element.body.iterchildren():
        if element.tag == _W + "p":
            text = element.text if isinstance(getattr(element, "text", ""), str) else ""
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            if not lines:
                continue
            style = element.style or ""
            if levels.get(style):
                yield "heading", levels[style], [" ".join(lines)]
            elif style in lists or (element.pPr is not None and element.pPr.numPr is not None):
                yield "list", 0, ["- " + lines[0], *("  " + line for line in lines[1:])]
            else:
                yield "paragraph", 0, lines
        elif element.tag == _W + "tbl":
            yield "table", 0, list(_rows(element))
        elif element.tag == _W + "sdt":  # a content control, such as a table of contents
            lines = ["".join(p.itertext(_W + "t")) for p in element.iter(_W + "p")]
            yield "paragraph", 0, [line for line in lines if line.strip()]


def _level(style: Any) -> int:
    """Title is above Heading 1."""
    name = style.name or ""
    found = _HEADING.match(name)
    if found:
        return int(found[1]) + 1
    return 1 if name.lower() in {"title", "标题", "標題"} else 0


def _rows(table: Any) -> Iterator[str]:
    # Straight from the XML: a table's cells in python-docx take time squared in its rows.
    for row in table.iterchildren(_W + "tr"):
        cells = [
            " ".join(" ".join("".join(p.itertext(_W + "t")) for p in cell.iter(_W + "p")).split())
            for cell in row.iterchildren(_W + "tc")
        ]
        if any(cells):
            yield " | ".join(cells)
