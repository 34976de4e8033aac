"""Slides and sheets (PPTX, XLSX), straight from their XML.

The page of a place is the slide or the sheet; its line the paragraph of the slide, or the row of the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zipfile import ZipFile

from ragheal.errors import LoadError
from ragheal.indexing.load.packed import opened, tree
from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.records import Cell, recorded

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MOST_ROWS = 200_000
_COLUMN = re.compile(r"([A-Z]{1,3})\d+")
# Numbers of formats that show dates; those of a file's own are told by their letters.
_DATES = frozenset({14, 15, 16, 17, 22, 27, 30, 36, 50, 57})
_DATE_FORM = re.compile(r"(?:yy|[^\w]d{1,4}[^\w]|m{3,})", re.IGNORECASE)


def parse_pptx(data: bytes) -> Parsed:
    """Slides in their order, hidden ones left out; the notes of the speaker follow their slide, marked as such."""
    with opened(data, "PPTX") as archive:
        order = _order(archive, "ppt/presentation.xml", _P + "sldId")
        if not order:
            raise LoadError("damaged PPTX")
        writer = Writer()
        title = ""
        for number, (path, _) in enumerate(order, 1):
            slide = tree(archive, path)
            if slide is None or slide.get("show") == "0":
                continue
            head = _slide(writer, slide, number)
            title = title or head
            for target in _related(archive, path, "notesSlide"):
                notes = tree(archive, target)
                shapes = notes.iter(_P + "sp") if notes is not None else ()
                words = " ".join(line for shape in shapes if _role(shape) == "body" for line in _lines(shape))
                if words:
                    writer.block("paragraph", [Bit("Notes: "), *_bits(words, 1, number)])
        return writer.parsed(title, _about(archive))


def _slide(writer: Writer, slide: Any, number: int) -> str:
    """Write one slide; returns its title."""
    shapes = list(slide.iter(_P + "sp", _P + "graphicFrame"))
    head = next((s for s in shapes if _role(s) in {"title", "ctrTitle"}), None)
    title = " ".join(_lines(head)) if head is not None else ""
    writer.path.clear()
    writer.block("heading", _bits(title, 1, number), level=1)
    line = 1
    for shape in shapes:
        if shape is head or _role(shape) in {"sldNum", "dt", "ftr"}:
            continue
        rows: list[list[Cell]] = []
        for row in shape.iter(_A + "tr"):
            line += 1
            rows.append([_bits(" ".join(_lines(cell)), line, number) for cell in row.iter(_A + "tc")])
        if rows:
            writer.rows("record", recorded(rows, 1 if len(rows) > 1 else 0))
            continue
        words = []
        for text in _lines(shape):
            line += 1
            words.append(_bits(text, line, number))
        if len(words) > 1:
            writer.rows("list", [[Bit("- "), *bits] for bits in words])
        else:
            writer.rows("paragraph", words)
    return title


def _role(shape: Any) -> str:
    found = next(shape.iter(_P + "ph"), None)
    return str(found.get("type", "body")) if found is not None else ""


def _lines(shape: Any) -> list[str]:
    lines = []
    for paragraph in shape.iter(_A + "p"):
        parts = [(one.text or "") if one.tag == _A + "t" else " " for one in paragraph.iter(_A + "t", _A + "br")]
        if text := " ".join("".join(parts).split()):
            lines.append(text)
    return lines


def parse_xlsx(data: bytes) -> Parsed:
    """A record for each row under the name of its sheet; values as they were last computed, dates as dates."""
    with opened(data, "XLSX") as archive:
        sheets = _order(archive, "xl/workbook.xml", _S + "sheet")
        if not sheets:
            raise LoadError("damaged XLSX")
        shared = tree(archive, "xl/sharedStrings.xml")
        words = [_joined(one) for one in shared.iterchildren(_S + "si")] if shared is not None else []
        dates = _date_styles(tree(archive, "xl/styles.xml"))
        writer = Writer()
        for number, (path, element) in enumerate(sheets, 1):
            sheet = tree(archive, path)
            if sheet is None or element.get("state") in {"hidden", "veryHidden"}:
                continue
            writer.path.clear()
            writer.block("heading", _bits(element.get("name", ""), 1, number), level=1)
            _sheet(writer, list(_rows(sheet, words, dates, number)))
        return writer.parsed("", _about(archive))


def _sheet(writer: Writer, rows: list[list[Cell]]) -> None:
    """Rows of one filled cell before the column names are titles."""
    at = 0
    while at < len(rows) - 1 and sum(bool(cell) for cell in rows[at]) == 1 and sum(map(bool, rows[at + 1])) > 0:
        writer.block("paragraph", [bit for cell in rows[at] for bit in cell])
        at += 1
    names = ["".join(bit.text for bit in cell) for cell in rows[at]] if at < len(rows) else []
    named = len(rows) > at + 1 and len([n for n in names if n]) > 1 and not any(n[:1].isdigit() for n in names)
    table = rows[at:]
    step = 200  # rows of a block: a sheet may be as long as a book
    head = table[:1] if named else []
    for begin in range(len(head), max(len(table), len(head) + 1), step):
        lines = recorded([*head, *table[begin : begin + step]], len(head))
        writer.rows("record", lines)


def _rows(sheet: Any, words: list[str], dates: frozenset[int], page: int) -> Iterator[list[Cell]]:
    for count, row in enumerate(sheet.iter(_S + "row"), 1):
        if count > _MOST_ROWS:
            return
        line = int(row.get("r", count)) if str(row.get("r", count)).isdigit() else count
        cells: list[Cell] = []
        for cell in row.iterchildren(_S + "c"):
            found = _COLUMN.match(cell.get("r", ""))
            column = _index(found[1]) if found else len(cells)
            cells += [[] for _ in range(min(column - len(cells), 1000))]
            value = _value(cell, words, dates)
            cells.append(_bits(value, line, page) if value else [])
        if any(cells):
            yield cells


def _value(cell: Any, words: list[str], dates: frozenset[int]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _joined(cell)
    found = cell.find(_S + "v")
    text = (found.text or "").strip() if found is not None else ""
    if kind == "s":
        return words[int(text)] if text.isdigit() and int(text) < len(words) else ""
    if kind == "b":
        return "true" if text == "1" else "false"
    if kind == "n" and text:
        style = cell.get("s", "")
        if style.isdigit() and int(style) in dates:
            return _date(text)
        try:
            number = float(text)
        except ValueError:
            return text
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.12g}"
    return " ".join(text.split())


def _date(text: str) -> str:
    try:
        moment = datetime(1899, 12, 30) + timedelta(days=float(text))
    except (ValueError, OverflowError):
        return text
    return moment.date().isoformat() if moment.time() == moment.time().min else moment.isoformat(" ", "minutes")


def _date_styles(styles: Any) -> frozenset[int]:
    """The numbers of the cell styles that show a date."""
    if styles is None:
        return frozenset()
    own = {
        form.get("numFmtId")
        for form in styles.iter(_S + "numFmt")
        if _DATE_FORM.search(f" {form.get('formatCode', '')} ")
    }
    used = styles.find(_S + "cellXfs")
    found = set()
    for number, style in enumerate(used if used is not None else ()):
        form = style.get("numFmtId", "0")
        if form in own or (form.isdigit() and int(form) in _DATES):
            found.add(number)
    return frozenset(found)


def _index(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _joined(element: Any) -> str:
    """The words of a string, its readings left out."""
    texts = [one.text or "" for one in element.iter(_S + "t") if one.getparent().tag != _S + "rPh"]
    return " ".join("".join(texts).split())


def _bits(text: str, line: int, page: int) -> list[Bit]:
    return [Bit(text, 0, len(text), line, page)] if text else []


def _order(archive: ZipFile, path: str, tag: str) -> list[tuple[str, Any]]:
    """(path of the part, element) of what a part lists, in order."""
    root = tree(archive, path)
    if root is None:
        return []
    targets = _targets(archive, path)
    found = [(targets.get(one.get(_R + "id", ""), ("", ""))[1], one) for one in root.iter(tag)]
    return [(target, one) for target, one in found if target]


def _related(archive: ZipFile, path: str, kind: str) -> list[str]:
    return [target for name, target in _targets(archive, path).values() if name == kind]


def _targets(archive: ZipFile, path: str) -> dict[str, tuple[str, str]]:
    """By id: (last word of the relation, path of the part)."""
    folder, _, name = path.rpartition("/")
    relations = tree(archive, f"{folder}/_rels/{name}.rels")
    found = {}
    for one in relations if relations is not None else ():
        target = str(one.get("Target", ""))
        parts = (
            target.lstrip("/").split("/") if target.startswith("/") else [*folder.split("/"), *target.split("/")]
        )
        whole: list[str] = []
        for part in parts:
            if part == "..":
                whole = whole[:-1]
            elif part not in {"", "."}:
                whole.append(part)
        found[str(one.get("Id", ""))] = str(one.get("Type", "")).rpartition("/")[2], "/".join(whole)
    return found


def _about(archive: ZipFile) -> dict[str, str]:
    """Author and date of change, as far as the file tells."""
    core = tree(archive, "docProps/core.xml")
    metadata: dict[str, str] = {}
    for one in core if core is not None else ():
        name = str(one.tag).rpartition("}")[2]
        if name == "creator" and (one.text or "").strip():
            metadata["author"] = " ".join(one.text.split())
        elif name == "modified" and re.match(r"\d{4}-\d\d-\d\d", one.text or ""):
            metadata["modified"] = one.text[:10]
    return metadata
