"""PDF with pypdfium2: the text layer in reading order, each line with its page."""

from __future__ import annotations

import re
from collections import Counter
from statistics import quantiles
from typing import Any

from ragheal.errors import LoadError
from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.pdflayout import Segment, ordered
from ragheal.indexing.load.plain import heading_level, heading_text
from ragheal.indexing.load.records import recorded
from ragheal.indexing.load.titles import plain
from ragheal.indexing.load.welding import Welder

_PDFIUM_PASSWORD = 4  # FPDF_ERR_PASSWORD
_ENDS = tuple('。.!！?？；;：:”"』」）)')
_BULLET = re.compile(r"\s*(?:[-*+•·●○■□◆▪–]\s|\d{1,3}[.)]\s|[（(]\d{1,3}[)）])")
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|第)?\s*\d{1,4}\s*(?:页|頁|(?:/|of|/共|共)\s*\d{1,4}\s*(?:页|頁)?)?)\W*\Z", re.IGNORECASE
)
_NO_TITLE = re.compile(
    r"untitled|microsoft word|powerpoint|\.(?:docx?|pdf|indd|tex|dvi|xlsx?)\b|^\W*$|无标题|未命名", re.IGNORECASE
)
# PDFium marks a hyphen at a line's end with U+0002 or U+FFFE.
_HYPHEN = re.compile("[\ufffe\x02]")
_BROKEN = re.compile("[\uffff\x00\x01\x03-\x08\x0b\x0c\x0e-\x1f]")
_MOST_RECTS = 4000  # of one page; more is a map or a drawing
_HAN = "\u2e80"

_PLACEHOLDERS = frozenset({"1970-01-01", "1980-01-01", "2000-01-01"})  # of reproducible builds

Row = tuple[tuple[str, ...], int]  # the cells of a line, one of running text, and its page


def parse_pdf(data: bytes) -> Parsed:
    """Raises LoadError: "encrypted PDF", "damaged PDF", or "scanned PDF: no text layer" (skipped)."""
    pages, title, date = _read(data)
    rows = _without_margins(pages)
    if not any(cells for cells, _ in rows):
        raise LoadError("scanned PDF: no text layer", skipped=True, hint="run it through OCR first")
    writer = Writer()
    weld = Welder(cell for cells, _ in rows for cell in cells)
    for kind, level, lines in _blocks(rows):
        if kind == "record":
            cells = [[[Bit(cell, 0, len(cell), 1, page)] for cell in row] for row, page in lines]
            writer.rows("record", recorded(cells, _heads(lines)))
        else:
            writer.block(kind, _running(lines, kind, weld), level=level)
    metadata = {"modified": date} if date else {}
    return writer.parsed(title, metadata)


def _read(data: bytes) -> tuple[list[list[Row]], str, str]:
    """The lines of each page, the title and the date of the file's own metadata."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", 0) == _PDFIUM_PASSWORD or "password" in str(error).lower()
        raise LoadError("encrypted PDF" if locked else "damaged PDF") from None
    try:
        pages = [_page(document, number) for number in range(len(document))]
        about = document.get_metadata_dict()
    except pypdfium2.PdfiumError:
        raise LoadError("damaged PDF") from None
    finally:
        document.close()
    title = plain(str(about.get("Title") or ""))
    stamp = re.match(r"D:(\d{4})(\d\d)(\d\d)", str(about.get("ModDate") or about.get("CreationDate") or ""))
    date = "-".join(stamp.groups()) if stamp else ""
    if date in _PLACEHOLDERS:
        date = ""
    return pages, "" if _NO_TITLE.search(title) else title, date


def _page(document: Any, number: int) -> list[Row]:
    page = document[number]
    words = page.get_textpage()
    try:
        count = words.count_rects()
        if count > _MOST_RECTS:
            lines: list[tuple[str, ...]] = [
                (line,) for line in words.get_text_bounded().replace("\r", "").split("\n")
            ]
        else:
            segments = []
            for index in range(count):
                left, bottom, right, top = words.get_rect(index)
                text = words.get_text_bounded(left, bottom, right, top)
                if text.strip():
                    segments.append(Segment(left, bottom, right, top, text))
            lines = ordered(segments)
    finally:
        words.close()
        page.close()
    cleaned = [tuple(" ".join(_BROKEN.sub("", cell).split()) for cell in line) for line in lines]
    return [(tuple(cell for cell in line if cell), number + 1) for line in cleaned]


def _without_margins(pages: list[list[Row]]) -> list[Row]:
    """All lines with their page, without page numbers and the headers and footers that repeat."""
    shown = [[" ".join(cells) for cells, _ in page if cells] for page in pages]
    edges: Counter[str] = Counter()
    for page in shown:
        edges.update({_NUMBER.sub("#", line) for line in page[:2] + page[-2:]})
    often = {line for line, count in edges.items() if len(pages) >= 3 and count > len(pages) / 2}
    rows: list[Row] = []
    for page_rows, words in zip(pages, shown, strict=True):
        margin = {
            line
            for line in words[:2] + words[-2:]
            if _NUMBER.sub("#", line) in often or (line in words[:1] + words[-1:] and _PAGE_NUMBER.match(line))
        }
        if len(words) <= 1:
            margin = set()
        rows += [row for row in page_rows if " ".join(row[0]) not in margin]
    return rows


def _blocks(rows: list[Row]) -> list[tuple[str, int, list[Row]]]:
    """(kind, heading level, lines). PDF knows no paragraphs: they end at empty lines, at lines that end a sentence
    well before the right margin, before numbered headings, around lists and tables."""
    lengths = [len(cells[0]) for cells, _ in rows if len(cells) == 1]
    full = 0.8 * (quantiles(lengths, n=10)[8] if len(lengths) > 2 else max(lengths, default=0))
    blocks: list[tuple[str, int, list[Row]]] = []
    block: list[Row] = []
    kind = "paragraph"

    def end(following: str = "paragraph") -> None:
        nonlocal block, kind
        if block:
            blocks.append(("paragraph" if kind == "record" and len(block) == 1 else kind, 0, block))
        block, kind = [], following

    for row in rows:
        cells, page = row
        if len(cells) != 1:
            if cells and (kind != "record" or (block and len(block[-1][0]) != len(cells))):
                end("record")
            elif not cells:
                end()
            if cells:
                block.append(row)
            continue
        if kind == "record":
            end()
        line = cells[0]
        before = block[-1][0][-1] if block else ""
        name = heading_text(line, [(0, len(line))]) if len(line) < 0.8 * full or len(line) < 30 else ""
        level = heading_level(name) if name and (not before or before.endswith(_ENDS)) else 0
        if level:
            end()
            blocks.append(("heading", level, [row]))
        elif _BULLET.match(line):
            if kind != "list":
                end("list")
            block.append(row)
        else:
            closed = before.endswith(_ENDS)
            if (closed and (len(before) < full or page != block[-1][1])) or (
                kind == "list" and len(before) < full
            ):
                end()
            block.append(row)
    end()
    return blocks


def _heads(rows: list[Row]) -> int:
    """1 when the first row of a table holds names, no numbers."""
    return int(len(rows) > 2 and not any(_NUMBER.search(cell) for cell in rows[0][0]))


def _running(lines: list[Row], kind: str, weld: Welder) -> list[Bit]:
    """Lines as running text: words that were broken at a line's end are whole again."""
    bits: list[Bit] = []
    for cells, page in lines:
        line = (
            ": ".join(cell.rstrip(":") for cell in cells[:-1]) + ": " + cells[-1] if len(cells) > 1 else cells[0]
        )
        if bits:
            before = bits[-1].text
            if kind == "list" and _BULLET.match(line):
                bits.append(Bit("\n"))
            elif _HYPHEN.search(before[-1:]) or (before[-1:] == "-" and line[:1].islower()):
                kept = before[:-1] + weld.mark(before[:-1], line)
                bits[-1] = bits[-1]._replace(text=kept, size=len(kept))
            elif not (before[-1:] >= _HAN and line[:1] >= _HAN):
                bits.append(Bit(" "))
        bits.append(Bit(line, 0, len(line), 1, page))
    return [bit._replace(text=_HYPHEN.sub("-", bit.text)) for bit in bits]
