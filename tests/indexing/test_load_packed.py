"""PDF and DOCX, made here so that no binary files lie in the repository."""

from __future__ import annotations

import datetime
import io
import zipfile
from pathlib import Path

import pytest

from ragheal.errors import LoadError
from ragheal.indexing.chunk import split
from ragheal.indexing.load import load
from ragheal.settings import IndexSettings
from ragheal.types import Document

PDF, DOCX = Path("/docs/a.pdf"), Path("/docs/a.docx")


def pdf(pages: list[list[str]], *, title: str = "", encrypt: bool = False) -> bytes:
    """A minimal PDF: a line of Helvetica for each string, 14 points apart."""
    count = len(pages)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{4 + 2 * n} 0 R' for n in range(count))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 11 Tf 14 TL 72 720 Td {shown} ET" if lines else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< /Title ({title}) /CreationDate (D:20260301120000Z) >>")
    trailer = f"/Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R"
    if encrypt:
        # A user password that nobody knows: the key check fails for the empty one.
        trailer += (
            f" /ID [<{'00' * 16}> <{'00' * 16}>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44"
            f" /O <{'11' * 32}> /U <{'22' * 32}> >>"
        )
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer << {trailer} >>\nstartxref\n{len(out)}\n%%EOF"
    return out + end.encode()


def shown(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.headings, document.text[block.start : block.end]) for block in document.blocks]


def test_pdf_paragraphs_and_pages() -> None:
    """A citation could not name the page, and page numbers would stand in the middle of answers."""
    first = [
        "Handbook of Example Works",
        "1. Working hours",
        "The office opens at nine in the morning and closes at six in the",
        "evening.",
        "On Fridays it closes at four in the afternoon, all through the year",
        "and without exception, as the sentence on the next page goes on",
        "Page 1 of 3",
    ]
    second = ["Handbook of Example Works", "to explain to all.", "- badge", "- key", "Page 2 of 3"]
    third = ["Handbook of Example Works", "Closing words are here.", "Page 3 of 3"]
    data = pdf([first, second, third], title="Handbook")
    document = load(PDF, "a.pdf", data)
    assert (document.kind, document.title) == ("pdf", "Handbook")
    assert document.metadata == {"modified": "2026-03-01"}
    assert [text for _, _, text in shown(document)] == [
        "1. Working hours",
        "The office opens at nine in the morning and closes at six in the evening.",
        " ".join([*first[4:6], "to explain to all."]),
        "- badge\n- key",
        "Closing words are here.",
    ]
    chunks = split(document, IndexSettings(chunk_tokens=32))
    assert chunks[0].date == "2026-03-01"
    assert chunks[0].page == 1
    held = next(chunk for chunk in chunks if "to explain" in chunk.text)
    at = held.text.index("to explain")
    assert (held.place(0, 5).page, held.place(at, at + 10).page) == (1, 2)
    assert chunks[-1].page == 3
    assert all(chunk.headings == ("Handbook", "1. Working hours") for chunk in chunks)


def test_pdf_that_cannot_be_read_says_why() -> None:
    """A scan or a locked file would be a silent nothing."""
    for data, reason, skipped in (
        (pdf([[], []]), "scanned PDF: no text layer", True),
        (pdf([["secret"]], encrypt=True), "encrypted PDF", False),
        (pdf([["text"]])[:200], "damaged PDF", False),
        (b"%PDF-1.7 nothing", "damaged PDF", False),
    ):
        with pytest.raises(LoadError) as caught:
            load(PDF, "a.pdf", data)
        assert (caught.value.reason, caught.value.skipped) == (reason, skipped)


def test_docx_in_document_order() -> None:
    """Tables would come after all text, headings be lost, or lists fall apart."""
    import docx

    made = docx.Document()
    made.core_properties.author = "Li"
    made.core_properties.title = "员工手册"
    made.core_properties.modified = datetime.datetime(2026, 3, 1)
    made.add_heading("Handbook", 0)
    made.add_heading("Leave", 1)
    made.add_paragraph("Twenty days a year.")
    made.add_paragraph("one", style="List Bullet")
    made.add_paragraph("two", style="List Number")
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Level", "Days", "A", "25"), strict=True):
        cell.text = text
    made.add_heading("请假", 2)
    made.add_paragraph("请提前三天申请。")
    out = io.BytesIO()
    made.save(out)
    document = load(DOCX, "a.docx", out.getvalue())
    assert (document.kind, document.title) == ("docx", "员工手册")
    assert document.metadata == {"modified": "2026-03-01", "author": "Li"}
    leave = ("Handbook", "Leave")
    assert shown(document) == [
        ("heading", ("Handbook",), "Handbook"),
        ("heading", leave, "Leave"),
        ("paragraph", leave, "Twenty days a year."),
        ("list", leave, "- one\n1. two"),
        ("record", leave, "Level: A; Days: 25"),
        ("heading", (*leave, "请假"), "请假"),
        ("paragraph", (*leave, "请假"), "请提前三天申请。"),
    ]


def test_docx_that_cannot_be_read_says_why() -> None:
    """A damaged file would end the run, and a packed bomb fill the memory."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/a.xml", "w") as entry:
        for _ in range(501):
            entry.write(b"\0" * 1_000_000)
    for data, reason in (
        (b"no zip at all", "damaged DOCX"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 100, "encrypted DOCX, or an old .doc"),
        (bomb.getvalue(), "unpacks to more than 500 MB"),
    ):
        with pytest.raises(LoadError) as caught:
            load(DOCX, "a.docx", data)
        assert caught.value.reason == reason
