"""EPUB: the chapters in reading order, each read as HTML; the page of a place is the number of its chapter."""

from __future__ import annotations

from posixpath import dirname, join, normpath
from urllib.parse import unquote

from ragheal.errors import LoadError
from ragheal.indexing.load.decode import decode
from ragheal.indexing.load.html import parse_html
from ragheal.indexing.load.packed import opened, part, tree
from ragheal.indexing.load.parsed import Bit, Parsed, Writer

_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_BOX = "{urn:oasis:names:tc:opendocument:xmlns:container}"


def parse_epub(data: bytes) -> Parsed:
    """Lines are those of the chapter's own file. Raises LoadError "damaged EPUB", or for one that is locked."""
    with opened(data, "EPUB") as archive:
        container = tree(archive, "META-INF/container.xml")
        root = next(container.iter(_BOX + "rootfile"), None) if container is not None else None
        path = root.get("full-path", "") if root is not None else ""
        package = tree(archive, path)
        if package is None:
            raise LoadError("damaged EPUB")
        items = {one.get("id"): one for one in package.iter(_OPF + "item")}
        writer = Writer()
        locked = "META-INF/rights.xml" in archive.namelist()
        for number, reference in enumerate(package.iter(_OPF + "itemref"), 1):
            item = items.get(reference.get("idref"))
            if item is None or "nav" in (item.get("properties") or "").split():
                continue
            chapter = part(archive, normpath(join(dirname(path), unquote(item.get("href", "")))))
            if chapter is None or not chapter.strip():
                continue
            try:
                text, _, _ = decode(chapter)
            except LoadError:
                continue
            _chapter(writer, text, number)
        if not writer and locked:
            raise LoadError("encrypted EPUB")
        title = " ".join((package.findtext(f".//{_DC}title") or "").split())
        metadata: dict[str, str] = {}
        if author := (package.findtext(f".//{_DC}creator") or "").strip():
            metadata["author"] = author
        if date := (package.findtext(f".//{_DC}date") or "").strip()[:10]:
            metadata["date"] = date
        return writer.parsed(title, metadata)


def _chapter(writer: Writer, text: str, number: int) -> None:
    parsed = parse_html(text)
    runs = parsed.runs
    assert runs is not None  # parse_html always tells them
    stops = [*runs.starts[1:], len(parsed.text)]
    writer.path.clear()
    for block in parsed.blocks:
        bits = []
        for index in range(*runs.within(block.start, block.end)):
            words = parsed.text[max(block.start, runs.starts[index]) : min(block.end, stops[index])]
            placed = runs.raws[index] >= 0
            bits.append(Bit(words, 0, len(words), runs.lines[index], number) if placed else Bit(words))
        level = len(block.headings) if block.kind == "heading" else 0
        writer.block(block.kind, bits, level=level)
