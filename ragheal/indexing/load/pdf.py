"""PDF with pypdfium2: the text layer, each line with its page."""

from __future__ import annotations

import re
from collections import Counter
from statistics import quantiles

from ragheal.errors import LoadError
from ragheal.indexing.load.parsed import Parsed, Writer
from ragheal.indexing.load.plain import heading_level, heading_text
from ragheal.indexing.load.titles import plain

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
_BROKEN = re.compile(
    "[\ufffe\uffff\x00-\x08\x0b\x0c\x0e-\x1f]"
)  # PDFium marks a hyphen at a line's end with U+FFFE

_PLACEHOLDERS = frozenset({"1970-01-01", "1980-01-01", "2000-01-01"})  # of reproducible builds

Row = tuple[str, int]  # a line and its page


def parse_pdf(data: bytes) -> Parsed:
    """Raises LoadError: "encrypted PDF", "damaged PDF", or "scanned PDF: no text layer" (skipped)."""
    pages, title, date = _read(data)
    rows = _without_margins(pages)
    if not any(line.strip() for line, _ in rows):
        raise LoadError("scanned PDF: no text layer", skipped=True, hint="run it through OCR first")
    writer = Writer()
    for kind, level, lines in _blocks(rows):
        writer.block(kind, lines, level=level)
    metadata = {"modified": date} if date else {}
    return Parsed(writer.text, writer.blocks, title, pages=tuple(writer.numbers), metadata=metadata)


def _read(data: bytes) -> tuple[list[list[str]], str, str]:
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


def _page(document: object, number: int) -> list[str]:
    page = document[number]  # type: ignore[index]  # pypdfium2 has no types
    words = page.get_textpage()
    try:
        text: str = words.get_text_bounded()
    finally:
        words.close()
        page.close()
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe\n", "-\n").replace("\ufffe", "-")
    return [" ".join(_BROKEN.sub("", line).split()) for line in text.split("\n")]


def _without_margins(pages: list[list[str]]) -> list[Row]:
    """All lines with their page, without page numbers and the headers and footers that repeat."""
    shown = [[line for line in page if line] for page in pages]
    edges: Counter[str] = Counter()
    for page in shown:
        edges.update({_NUMBER.sub("#", line) for line in page[:2] + page[-2:]})
    often = {line for line, count in edges.items() if len(pages) >= 3 and count > len(pages) / 2}
    rows: list[Row] = []
    for number, (page, words) in enumerate(zip(pages, shown, strict=True), 1):
        margin = {
            line
            for line in words[:2] + words[-2:]
            if _NUMBER.sub("#", line) in often or (line in words[:1] + words[-1:] and _PAGE_NUMBER.match(line))
        }
        if len(words) <= 1:
            margin = set()
        rows += [(line, number) for line in page if line not in margin]
    return rows


def _blocks(rows: list[Row]) -> list[tuple[str, int, list[Row]]]:
    """(kind, heading level, lines). PDF knows no paragraphs: they end at empty lines, at lines that end a sentence
    well before the right margin, before numbered headings and around lists."""
    lengths = [len(line) for line, _ in rows if line]
    full = 0.8 * (quantiles(lengths, n=10)[8] if len(lengths) > 2 else max(lengths, default=0))
    blocks: list[tuple[str, int, list[Row]]] = []
    block: list[Row] = []
    kind = "paragraph"

    def end(following: str = "paragraph") -> None:
        nonlocal block, kind
        if block:
            blocks.append((kind, 0, block))
        block, kind = [], following

    for line, page in rows:
        if not line:
            end()
            continue
        before = block[-1][0] if block else ""
        name = heading_text(line, [(0, len(line))]) if len(line) < 0.8 * full or len(line) < 30 else ""
        level = heading_level(name) if name and (not before or before.endswith(_ENDS)) else 0
        if level:
            end()
            blocks.append(("heading", level, [(line, page)]))
        elif _BULLET.match(line):
            if kind != "list":
                end("list")
            block.append((line, page))
        else:
            closed = before.endswith(_ENDS)
            if (closed and (len(before) < full or page != block[-1][1])) or (
                kind == "list" and len(before) < full
            ):
                end()
            block.append((line, page))
    end()
    return blocks
