"""One small document of every format, and the way back from a citation into its file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

Parts = dict[str, str]

MARKDOWN = """---
title: Harbour rules
status: in force
owner: Ilse Brandt
summary: >-
  Where boats may lie
  and for how long.
---
# Harbour rules

The **north quay** is closed from [22:00](hours.md) to 5:00.[^1] Boats over 12&nbsp;m pay ~~40~~ 55 euros.
{: .note }

> [!warning] Ice
> The slipway is salted by the _harbour master_
> every morning.

1. Tie up at the red buoy.
2. Call the office on `channel 12`.

| Berth | Depth |
|-------|:-----:|
| A1    | 2.4 m |
| B\\|7  | 3.1 m |

```sh
# Starts the pump.
pump --start
```

港口在冬季
每天八点开放。<br>周日关闭。

Term
: What the term means.

[^1]: Counted from midnight.
""".replace("\\\\", "\\")

HTML = """<!doctype html><html><head><title>Depot</title></head><body><nav>Home</nav><main>
<h1>Depot <em>north</em></h1><p>The depot holds
10<sup>6</sup> litres &amp; two pumps.</p><dl><dt>Gate code<dd>7741</dl>
<ol start="4"><li>Open the gate.<li>Close it.</ol>
<table><thead><tr><th>Tank<th>Volume<tbody><tr><td>East<td>300 l</table>
<pre>
run  --fast
</pre></main></body></html>
"""

TEXTS: dict[str, str] = {
    "a.md": MARKDOWN,
    "crlf.md": MARKDOWN.replace("\n", "\r\n"),
    "a.html": HTML,
    "a.txt": "员工手册\n\n第一章 总则\n本手册适用于全体员工。\n\nThe gate opens at seven in the morning and is closed\nagain at nine in the evening.\n\n- one\n- two\n",
    "a.rst": "Pumps\n=====\n\n.. |rate| replace:: 40 litres\n\nThe *main* pump moves |rate| a second, see :ref:`x`.\n\n.. versionchanged:: 2.4\n   The valve opens\n   with Ctrl-\\ as well.\n\n.. hidden\n\nTank\n   Holds 900 litres.\n\n=== ===\nKey Max\n=== ===\na   12\n=== ===\n\n::\n\n   run it\n",
    "a.adoc": "= Kiln\n:temp: 900\n\n// hidden\nThe kiln is fired at {temp} degrees by *Jonas*.\n\n|===\n|Glaze |Hours\n\n|Blue |12\n|===\n\nRest:: 2 days\n",
    "a.org": "#+TITLE: Bees\n* Hives\nThe *third* hive is [[https://x.y][weak]].\n| Hive | Honey |\n|------+-------|\n| 3    | 12 kg |\n",
    "a.tex": "\\documentclass{x}\n\\begin{document}\n\\section{Weir}\nThe weir is \\emph{nine} metres long. % no\n\n\\begin{itemize}\n\\item First\n\\end{itemize}\n\\end{document}\n",
    "tool.1": '.TH TOOL 1\n.SH OPTIONS\n.TP\n.B \\-n\nKeep\n.I count\nfiles, by default\n.BR 7 .\n.\\" hidden\n',
    "a.vtt": "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Ann>The lift is\n\n2\n00:02.000 --> 00:03.000\n<v Ann>repaired on Friday.\n",
    "a.srt": "1\n00:00:01,000 --> 00:00:02,000\nThe lift is\n\n2\n00:00:02,500 --> 00:00:04,000\n<i>repaired</i> on Friday.\n",
    "a.toml": 'title = "Boats"\n\n[berth]\n# Metres.\ndepth = 2.4\nowners = [\n  "Ida",\n  "Bo",\n]\nrule = """\nTie up\nat the red buoy.\n"""\n\n[[boat]]\nname = "Ida"\n',
    "a.csv": 'Stock of May,,\n,,\nItem,Count,Place\nRope,12,"Shed, north"\n"Two\nlines",3,Barn\n',
    "a.yaml": "# The port of the office.\nserver:\n  port: 8080\n  hosts: [a1, b2]\nnotes: >\n  folded text\n  here\n",
    "a.ini": "[cache]\nsize = 40\n; size = 99\n[disk]\nsize = 900\n",
    "a.json": json.dumps({"name": "Pier", "parts": [{"id": 1, "text": "The pier is 90 m long."}]}, indent=1),
    "a.jsonl": '{"id": 1, "text": "Open on Monday."}\n{"id": 2, "text": "周二关闭。"}\n',
    "a.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["# Runs\n", "\n", "The **batch** size was 48.\n"]},
                {"cell_type": "code", "source": ['x = "a"\n', "print(x)"], "outputs": [{"text": ["loss 0.2\n"]}]},
            ]
        },
        indent=1,
    ),
    "a.py": "def one(n):\n    # Doubles it.\n    return n * 2\n",
    "a.eml": "From: Ann <a@x.org>\nTo: b@x.org\nSubject: =?utf-8?q?Caf=C3=A9?=\nDate: Tue, 3 Mar 2026 10:00:00 +0100\n\nThe caf\u00e9 is closed.\n\n> Since when?\n",
    "a.mbox": "From a@x Tue Mar  3 10:00:00 2026\nFrom: a@x\nTo: b@x\nSubject: Key\n\nThe key is red.\n\nFrom c@x Wed Mar  4 10:00:00 2026\nFrom: c@x\nTo: b@x\nSubject: Lock\n\nThe lock is old.\n",
}


def zipped(parts: Parts) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    f'xmlns:r="{_REL}"'
)


def relations(*targets: str) -> str:
    rows = "".join(f'<Relationship Id="r{n}" Type="x/part" Target="{t}"/>' for n, t in enumerate(targets, 1))
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def xlsx() -> bytes:
    cell = '<c r="{}" t="inlineStr"><is><t>{}</t></is></c>'
    rows = (
        f'<row r="1">{cell.format("A1", "Stock of May")}</row>'
        f'<row r="3">{cell.format("A3", "Item")}{cell.format("B3", "Count")}{cell.format("C3", "Since")}</row>'
        f'<row r="4">{cell.format("A4", "Rope")}<c r="B4"><v>12</v></c><c r="C4" s="1"><v>46000</v></c></row>'
    )
    return zipped(
        {
            "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_REL}"><sheets><sheet name="Shed" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations("worksheets/one.xml"),
            "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
            "xl/worksheets/one.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>',
        }
    )


def pptx() -> bytes:
    def slide(title: str, *lines: str) -> str:
        paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
        return (
            f'<p:sld {_P}><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody>'
            f"<a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody>{paragraphs}</p:txBody></p:sp></p:sld>"
        )

    return zipped(
        {
            "ppt/presentation.xml": f'<p:presentation {_P}><p:sldId r:id="r1"/><p:sldId r:id="r2"/></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations("slides/one.xml", "slides/two.xml"),
            "ppt/slides/one.xml": slide("Plan", "The shop opens in May.", "It closes in June."),
            "ppt/slides/two.xml": slide("Costs", "The roof costs 900 euros."),
        }
    )


def odt() -> bytes:
    names = {"office": "office", "text": "text", "table": "table"}
    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{v}:1.0"' for n, v in names.items())
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{cell.format(a)}{cell.format(b)}</table:table-row>"
        for a, b in (("Boat", "Crew"), ("Ida", "4"))
    )
    return zipped(
        {
            "content.xml": f"<office:document-content {spaces}><office:body><office:text><text:tracked-changes><text:p>deleted words"
            '</text:p></text:tracked-changes><text:h text:outline-level="1">Boats</text:h><text:p>The red<text:s/>boat<text:note>'
            "<text:note-body><text:p>Built in 1950.</text:p></text:note-body></text:note> is old.</text:p>"
            f"<table:table>{rows}</table:table></office:text></office:body></office:document-content>"
        }
    )


def epub() -> bytes:
    return zipped(
        {
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfile full-path="b/p.opf"/></container>',
            "b/p.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Sea</dc:title>'
            '<item id="a" href="a.xhtml"/><item id="c" href="c.xhtml"/><itemref idref="a"/><itemref idref="c"/></package>',
            "b/a.xhtml": "<html><body><h1>One</h1>\n<p>The sea is <b>11 km</b> deep.</p></body></html>",
            "b/c.xhtml": "<html><body><h1>Two</h1>\n\n<p>The tide turns twice.</p></body></html>",
        }
    )


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


def docx() -> bytes:
    import docx as word

    made = word.Document()
    made.add_heading("Depot", 1)
    made.add_paragraph("The depot is locked at night. Its key hangs in the office.")
    made.add_paragraph("Two pumps stand outside.", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Tank", "Litres", "East", "300"), strict=True):
        cell.text = text
    made.add_paragraph("仓库周日关闭。")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def paper() -> bytes:
    return pdf(
        [
            ["The harbour was dredged in spring, and the", "north quay is now eight metres deep."],
            ["Ships over ninety metres need a pilot. The", "pilot boards at the outer buoy."],
        ]
    )


PACKED: dict[str, Callable[[], bytes]] = {
    "a.pdf": paper,
    "a.docx": docx,
    "a.xlsx": xlsx,
    "a.pptx": pptx,
    "a.odt": odt,
    "a.epub": epub,
}


def at_place(name: str, data: bytes, place: Any) -> str:
    """What stands in the file at a place, found by other means than the loader's: the lines of a text; the slide, the
    row of the sheet, the lines of the chapter, the words of the whole for the other formats."""
    if name in TEXTS:
        text = data.decode()
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return "\n".join(lines[place.start_line - 1 : place.end_line])
    if name.endswith("pdf"):
        import pypdfium2

        return str(pypdfium2.PdfDocument(data)[place.page - 1].get_textpage().get_text_bounded())
    if name.endswith("docx"):
        import docx as word

        found = word.Document(io.BytesIO(data)).element.body.xpath("./w:p | ./w:tbl/w:tr")
        return "\n".join(" ".join(one.itertext()) for one in found[place.start_line - 1 : place.end_line])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {one: archive.read(one).decode() for one in archive.namelist()}
    if name.endswith("pptx"):
        return parts[["ppt/slides/one.xml", "ppt/slides/two.xml"][place.page - 1]]
    if name.endswith("xlsx"):
        sheet = parts["xl/worksheets/one.xml"]
        rows = sheet.split('<row r="')[1:]
        return "".join(row for row in rows if place.start_line <= int(row.split('"')[0]) <= place.end_line)
    if name.endswith("epub"):
        chapter = parts[["b/a.xhtml", "b/c.xhtml"][place.page - 1]]
        return "\n".join(chapter.split("\n")[place.start_line - 1 : place.end_line])
    return parts["content.xml"]
