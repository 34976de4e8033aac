"""Write the binary files of sample_corpus (PDF, DOCX) from the text in this script.

The same text gives the same bytes on every run with the same library versions, so a diff of the corpus shows
changes of content alone. Needs ``reportlab`` and ``python-docx``; neither is a dependency of the product.

    python tools/make_sample_files.py [FOLDER]
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parent.parent / "sample_corpus"

# In all three texts: "# " and "## " are headings, "- " a list item, "| " a table row; anything else a paragraph.
FULMAR_DATASHEET = """\
# Fulmar datasheet
Revision 4 of the datasheet for the Fulmar tag. It lists measured values; for what they are good for, see the
page.
## Electrical
| Item | Value
| Power source | one ER26500 lithium thionyl chloride cell
| Supply voltage | 3.6 V
| Current while asleep | 1.1 microampere
| Current while sending | 28 milliampere
The Fulmar is powered by one ER26500 lithium thionyl chloride cell. The cell is held by springs and can be
exchanged.
Used cells are hazardous waste; tape both ends before they go into the red bin.
## Measuring
| Quantity | Range | Accuracy
| Temperature | -40 to +70 degrees C | 0.2 degrees
| Humidity | 0 to 100 per cent | 2 per cent
| Light | 0 to 20,000 lux | 10 per cent
A reading is taken every 60 seconds. The interval can be set between 10 seconds and 6 hours in the portal.
## Mechanical
| Item | Value
| Size | 74 x 42 x 31 mm
| Housing | polycarbonate, glued
| Protection | IP68, one metre for 24 hours
The housing of the Fulmar is rated IP68. It survives a fall of two metres onto concrete.
## Radio
The Fulmar sends in the 868 MHz band with 14 dBm. Readings are signed with a key that never leaves the tag.
## Ordering
The order number is BF-FU-1. The smallest order is five pieces. Prices are in the price list.
"""

HYGIENE_HANDBOOK = """\
# Hygiene handbook for trailers and cold rooms
This handbook tells how trailers, cold rooms and tools are cleaned at Harrow Quay and Ashgrove. It belongs to
the
Quality team. A copy hangs in each wash bay.
## Daily cleaning
- Sweep the floor of the trailer and take out all film and straps.
- Rinse with water of 45 degrees, from the bulkhead to the doors.
- Leave both doors open for at least 25 minutes before the unit is started again.
## Weekly cleaning
Once a week the trailer is washed with the alkaline cleaner Vessa, diluted to two per cent. The cleaner stays
on the
walls for ten minutes and is then rinsed off. Wear goggles: Vessa is not kind to eyes.
| Surface | Cleaner | Contact time
| Walls and ceiling | Vessa, 2 per cent | 10 minutes
| Floor | Vessa, 3 per cent | 15 minutes
| Evaporator | clear water only | none
## Trailer doors
Rubber seals of trailer doors are replaced every 14 months, and at once when a sheet of paper can be pulled
through the
closed door. The hinges are greased with food-grade grease at every second weekly cleaning.
## Cold rooms
Cold rooms are emptied and washed twice a year. The freight is moved to the neighbouring room, and the tags
move along
with it. Nobody washes a room alone.
## Pests
Traps are checked on Mondays. A mouse is reported to the Quality team, with its whereabouts and, if possible,
the mouse.
## Records
Every cleaning is entered in the portal with the number of the trailer, the time and the name of the person.
Entries
are kept for two years. An empty field counts as not cleaned.
"""

EXCURSION_PROCEDURE = """\
# 超温处置流程
本流程适用于临浦仓和基隆仓的所有冷藏、冷冻货物，由校准组负责维护。
## 发现
记录仪报警、曲线异常或者手感异常，都算发现超温。发现超温之后，当班人员必须在 15 分钟之内上报。
超温时的值班电话是 8806，二十四小时有人接听。
## 现场处置
- 关闭车门或者库门，查看制冷机组的运行灯。
- 在货物四周补放冰包，每托盘不少于六只。冰包不得直接压在货物上面。
- 如果机组停机超过半个小时，把货物转移到最近的备用库。
- 拍照记录温度显示、货物状态和封条编号。
## 判定
| 超温时长 | 冷藏货物 | 冷冻货物
| 30 分钟以内 | 放行 | 放行
| 30 至 120 分钟 | 由质检员判定 | 由质检员判定
| 120 分钟以上 | 封存 | 封存
封存的货物贴红色标签，单独存放，任何人不得擅自处理。封存货物的处理意见由客户和质检员共同签字。
## 报告
处置结束之后二十四小时之内提交书面报告，报告应当写明发现时间、原因、采取的措施和货物去向。
报告附上记录仪导出的完整曲线，不得截取片段。
## 复盘
每月第一个星期四的会议上逐件复盘。重复发生两次以上的问题，由班组长提出整改办法。
"""


def blocks(text: str) -> list[tuple[str, list[str]]]:
    """Split marked text into (kind, lines): kind is h1, h2, li, p or table (one row a line)."""
    marks = {"# ": "h1", "## ": "h2", "- ": "li", "| ": "table"}
    out: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        mark = next((m for m in marks if line.startswith(m)), "")
        kind, body = marks.get(mark, "p"), line[len(mark) :]
        if out and out[-1][0] == kind and kind in ("p", "table"):
            out[-1][1].append(body)
        else:
            out.append((kind, [body]))
    return out


def cells(row: str) -> list[str]:
    """The cells of a table row."""
    return [cell.strip() for cell in row.split("|")]


def joined(lines: list[str]) -> str:
    """One paragraph of several lines: a space between Latin lines, nothing after a full-width stop."""
    out = ""
    for line in lines:
        out += ("" if not out or out[-1] in "。\uff01\uff1f" else " ") + line
    return out


def pdf_bytes(text: str) -> bytes:
    """A PDF with a text layer, without a time stamp (``invariant``)."""
    from reportlab.lib import colors  # type: ignore[import-untyped]
    from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
    from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table  # type: ignore[import-untyped]

    styles = getSampleStyleSheet()
    names = {"h1": "Heading1", "h2": "Heading2", "li": "BodyText", "p": "BodyText"}
    story: list[Any] = []
    for kind, lines in blocks(text):
        if kind == "table":
            story.append(
                Table([cells(row) for row in lines], style=[("GRID", (0, 0), (-1, -1), 0.5, colors.grey)])
            )
            story.append(Spacer(1, 8))
        else:
            story.append(Paragraph(joined(lines), styles[names[kind]]))
    buffer = io.BytesIO()
    SimpleDocTemplate(buffer, pagesize=A4, title=blocks(text)[0][1][0], invariant=1).build(story)
    return buffer.getvalue()


def docx_bytes(text: str) -> bytes:
    """A DOCX whose zip entries all bear the same date."""
    from docx import Document

    document = Document()
    for kind, lines in blocks(text):
        if kind in ("h1", "h2"):
            document.add_heading(lines[0], level=int(kind[1]))
        elif kind == "li":
            document.add_paragraph(lines[0], style="List Bullet")
        elif kind == "table":
            rows = [cells(row) for row in lines]
            table = document.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
            for r, row in enumerate(rows):
                for c, value in enumerate(row):
                    table.cell(r, c).text = value
        else:
            document.add_paragraph(joined(lines))
    first = io.BytesIO()
    document.save(first)
    return _undated(first.getvalue())


def _undated(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return out.getvalue()


FILES: dict[str, tuple[Callable[[str], bytes], str]] = {
    "products/fulmar-datasheet.pdf": (pdf_bytes, FULMAR_DATASHEET),
    "operations/hygiene-handbook.docx": (docx_bytes, HYGIENE_HANDBOOK),
    "operations/超温处置流程.docx": (docx_bytes, EXCURSION_PROCEDURE),
}


def main(folder: Path) -> None:
    """Write all files beneath ``folder``."""
    for name, (make, text) in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make(text))
        print(f"{path}  {path.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS)
