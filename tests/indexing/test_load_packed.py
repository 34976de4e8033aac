"""PDF and DOCX, made here so that no binary files lie in the repository."""

from __future__ import annotations

import datetime
import io
import zipfile
from pathlib import Path

import pytest
from documents import pdf

from ragheal.errors import LoadError
from ragheal.indexing.chunk import split
from ragheal.indexing.load import load
from ragheal.settings import IndexSettings
from ragheal.types import Document

PDF, DOCX = Path("/docs/a.pdf"), Path("/docs/a.docx")


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
    at = chunks[-1].text.index("Closing")
    assert chunks[-1].place(at, at + 7).page == 3
    assert all(chunk.headings == ("Handbook", "1. Working hours") for chunk in chunks)


def test_pdf_that_cannot_be_read_says_why() -> None:
    """A scan or a locked file would be a silent nothing."""
    for data, reason, skipped in (
        (pdf([[], []]), "scanned PDF: no text layer", True),
        (pdf([["secret"]], encrypt=True), "encrypted PDF", False),
        (pdf([["text"]])[:200], "damaged PDF", False),
        (b"%PDF-1.7 nothing", "damaged PDF", False),
        (pdf([["text"]]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"), "damaged PDF", False),
    ):
        with pytest.raises(LoadError) as caught:
            load(PDF, "a.pdf", data)
        assert (caught.value.reason, caught.value.skipped) == (reason, skipped)


def test_pdf_whose_table_of_objects_is_broken_is_read() -> None:
    """A file that every viewer shows would be named damaged."""
    data = pdf([["The pump is red."]])
    at = data.index(b"xref") + 30
    assert "The pump is red." in load(PDF, "a.pdf", data[:at] + b"9999999999" + data[at + 10 :]).text


def test_pdf_whose_pages_go_in_a_circle_is_named() -> None:
    """The run would never end, or end with the program."""
    data = pdf([["The pump is red."]]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")
    with pytest.raises(LoadError) as caught:
        load(PDF, "a.pdf", data)
    assert caught.value.reason == "damaged PDF"


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


W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word(body: str, **parts: str) -> bytes:
    """A DOCX with this body; `parts` are footnotes, comments and numbering, the inside of their root."""
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part
    from docx.oxml import parse_xml

    made = docx.Document()
    for name, inside in parts.items():
        kind = f"{RELATIONSHIP_TYPE.STYLES.rpartition('/')[0]}/{name}"
        known = [rel.target_part for rel in made.part.rels.values() if rel.reltype == kind]
        blob = f'<w:{name} xmlns:w="{W}">{inside}</w:{name}>'.encode()
        if known:
            known[0]._element = parse_xml(blob)
        else:
            made.part.relate_to(
                Part(PackURI(f"/word/{name}.xml"), "application/xml", blob, made.part.package), kind
            )
    for element in reversed(parse_xml(f'<w:body xmlns:w="{W}">{body}</w:body>')):
        made.element.body.insert(0, element)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_docx_with_all_changes_accepted() -> None:
    """An inserted amount would be missing from its sentence, or a deleted one be told as valid."""
    body = (
        f"<w:p>{run('The fee is ')}<w:del><w:r><w:delText>11</w:delText></w:r></w:del><w:ins>{run('14')}</w:ins>{run(' euros.')}</w:p>"
        f"<w:sdt><w:sdtContent><w:p>{run('In a control.')}</w:p></w:sdtContent></w:sdt>"
        f"<w:p><w:r><w:rPr><w:strike/></w:rPr><w:t>Old</w:t></w:r>{run(' new.')}</w:p>"
        f"<w:p>{run('See')}<w:r><w:footnoteReference w:id='2'/></w:r>{run(' it.')}</w:p>"
        f"<w:p><w:r><w:pict><w:txbxContent><w:p>{run('In a box.')}</w:p></w:txbxContent></w:pict></w:r></w:p>"
        "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>DATE</w:instrText></w:r>"
        f"<w:fldSimple w:instr='PAGE'>{run('May 3')}</w:fldSimple></w:p>"
    )
    notes = f"<w:footnote w:id='2'><w:p>{run('The note.')}</w:p></w:footnote>"
    document = load(DOCX, "a.docx", word(body, footnotes=notes))
    assert [text for _, _, text in shown(document)] == [
        "The fee is 14 euros.", "In a control.", "~~Old~~ new.", "See it.", "The note.", "In a box.", "May 3",
    ]  # fmt: skip


def test_docx_numbers_as_word_shows_them() -> None:
    """Clause 2.1 could not be asked for by its number."""
    level = '<w:lvl w:ilvl="{}"><w:start w:val="1"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'
    levels = level.format(0, "decimal", "%1.") + level.format(1, "lowerLetter", "%1.%2)")
    numbering = (
        f'<w:abstractNum w:abstractNumId="90">{levels}</w:abstractNum>'
        '<w:num w:numId="91"><w:abstractNumId w:val="90"/></w:num>'
    )
    item = '<w:p><w:pPr><w:numPr><w:ilvl w:val="{}"/><w:numId w:val="91"/></w:numPr></w:pPr>{}</w:p>'
    body = "".join(
        item.format(depth, run(text))
        for depth, text in ((0, "Rent"), (0, "Ramp"), (1, "Snow"), (1, "Salt"), (0, "End"))
    )
    document = load(DOCX, "a.docx", word(body, numbering=numbering))
    assert [text for _, _, text in shown(document)] == ["1. Rent\n2. Ramp\n  2.a) Snow\n  2.b) Salt\n3. End"]


def test_docx_nested_a_thousand_deep_is_named() -> None:
    """Tables within tables would end the run in a recursion without end."""
    import docx

    made = docx.Document()
    made.add_paragraph("MARK")
    out, deep = io.BytesIO(), io.BytesIO()
    made.save(out)
    table = (
        f"<w:tbl xmlns:w='{W}'><w:tr><w:tc>" * 1_000 + f"<w:p xmlns:w='{W}'/>" + "</w:tc></w:tr></w:tbl>" * 1_000
    )
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(deep, "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            if entry == "word/document.xml":
                data = data.replace(b"</w:p>", b"</w:p>" + table.encode(), 1)
            new.writestr(entry, data)
    with pytest.raises(LoadError) as caught:  # deeper than the XML parser agrees to go
        load(DOCX, "a.docx", deep.getvalue())
    assert caught.value.reason == "damaged DOCX"


def columns(left: list[str], right: list[str]) -> bytes:
    """A page that is drawn row by row, over both columns."""
    rows = []
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        top = 700 - 15 * number
        rows.append(f"1 0 0 1 60 {top} Tm ({one}) Tj 1 0 0 1 330 {top} Tm ({other}) Tj")
    plain = pdf([["X"]])
    stream = f"BT /F1 10 Tf {' '.join(rows)} ET"
    start, end = plain.index(b"<< /Length"), plain.index(b"endstream")
    return plain[:start] + f"<< /Length {len(stream)} >>\nstream\n{stream}\n".encode() + plain[end:]


def test_pdf_columns_are_read_one_after_the_other() -> None:
    """Lines of two columns would be mixed into sentences that nobody wrote."""
    left = ["The owl is fed at nine and at", "four each day by the keeper", "of the birds, Ida Lund."]
    right = ["The pond holds two tons of", "water and is cleaned on", "Monday by the town."]
    texts = [text for _, _, text in shown(load(PDF, "a.pdf", columns(left, right)))]
    assert texts == [" ".join(left), " ".join(right)]


def test_pdf_words_that_broke_at_the_end_of_a_line() -> None:
    """ "longterm" would be indexed where the document says long-term, and "re-markable" where it says remarkable."""
    lines = [
        "The board of the harbour has approved the new long-",
        "term plan, and a re-",
        "markable low-",
        "noise ferry.",
    ]
    texts = [text for _, _, text in shown(load(PDF, "a.pdf", pdf([lines])))]
    assert texts == [
        "The board of the harbour has approved the new long-term plan, and a remarkable low-noise ferry."
    ]


@pytest.mark.parametrize("ending", ["docx", "pptx", "xlsx", "odt", "epub"])
def test_bombs_in_every_packed_format(ending: str) -> None:
    """A file of some kilobytes could fill the memory."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", b"\0" * 1000)
    data = bytearray(bomb.getvalue())
    size = (600_000_000).to_bytes(4, "little")
    data[22:26] = size
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = size
    with pytest.raises(LoadError) as caught:
        load(Path(f"/docs/a.{ending}"), f"a.{ending}", bytes(data))
    assert caught.value.reason == "unpacks to more than 500 MB"


@pytest.mark.parametrize("ending", ["pptx", "xlsx", "odt", "epub"])
def test_damaged_packed_formats_are_named(ending: str) -> None:
    """A damaged file would end the run, or be a silent nothing."""
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    for data in (b"no zip at all", empty.getvalue()):
        with pytest.raises(LoadError) as caught:
            load(Path(f"/docs/a.{ending}"), f"a.{ending}", data)
        assert caught.value.reason == f"damaged {ending.upper()}"
