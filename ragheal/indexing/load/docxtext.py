"""The text of a paragraph of Word, and the number that Word shows before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

TAG = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_GONE = {
    TAG + name
    for name in ("del", "moveFrom", "delText", "instrText", "pPr", "rPr", "sdtPr", "sdtEndPr", "fldData")
}
_MOST_DEPTH = 200  # of nested elements; more is no document of a person


class Para(NamedTuple):
    """The words of a paragraph, and what stands beside it: text boxes, notes, comments, a text each."""

    text: str
    beside: list[str]


class Texts:
    """Reads paragraphs. `notes` holds the XML of footnotes, endnotes and comments by kind."""

    def __init__(self, notes: Mapping[str, Any]) -> None:
        self._notes = {
            kind: {note.get(TAG + "id"): note for note in root.iterchildren()} for kind, root in notes.items()
        }

    def of(self, paragraph: Any, depth: int = 0) -> Para:
        parts: list[str] = []
        beside: list[str] = []
        self._walk(paragraph, parts, beside, depth)
        return Para("".join(parts).replace("~~~~", ""), beside)

    def _walk(self, element: Any, parts: list[str], beside: list[str], depth: int) -> None:
        if depth > _MOST_DEPTH:
            return
        for child in element.iterchildren():
            tag = child.tag
            if tag in _GONE or tag == _CHOICE or not isinstance(tag, str):
                continue
            name = tag.rpartition("}")[2]
            if tag == TAG + "t" or tag == _MATH:
                parts.append(child.text or "")
            elif tag == TAG + "r":
                self._run(child, parts, beside, depth)
            elif name in {"tab", "ptab"}:
                parts.append(" ")
            elif name in {"br", "cr"}:
                parts.append("\n")
            elif name == "noBreakHyphen":
                parts.append("-")
            elif name == "txbxContent":
                lines = [self.of(p, depth + 1) for p in paragraphs(child)]
                beside += [" ".join(line.text.split()) for line in lines if line.text.strip()]
                beside += [text for line in lines for text in line.beside]
            elif name in {"footnoteReference", "endnoteReference", "commentReference"}:
                beside += self._note(name.removesuffix("Reference"), child.get(TAG + "id"), depth)
            else:
                self._walk(child, parts, beside, depth + 1)

    def _run(self, run: Any, parts: list[str], beside: list[str], depth: int) -> None:
        marks = run.find(TAG + "rPr")
        if marks is not None and _on(marks, "vanish"):
            return
        own: list[str] = []
        self._walk(run, own, beside, depth + 1)
        text = "".join(own)
        if marks is not None and text.strip():
            raised = marks.find(TAG + "vertAlign")
            if raised is not None and raised.get(TAG + "val") == "superscript" and parts:
                text = "^" + text
            if _on(marks, "strike") or _on(marks, "dstrike"):
                text = f"~~{text}~~"
        parts.append(text)

    def _note(self, kind: str, identity: str | None, depth: int) -> list[str]:
        note = self._notes.get(kind, {}).get(identity)
        if note is None:
            return []
        lines = [self.of(p, depth + 1).text for p in paragraphs(note)]
        text = " ".join(" ".join(lines).split())
        if not text:
            return []
        if kind == "comment":
            author = note.get(TAG + "author") or ""
            return [f"[Comment{' by ' + author if author else ''}: {text}]"]
        return [text]


def paragraphs(element: Any) -> Iterator[Any]:
    """The paragraphs below an element, those in text boxes left to their own paragraph."""
    stack = list(reversed(list(element.iterchildren())))
    while stack:
        child = stack.pop()
        if child.tag == TAG + "p":
            yield child
        elif child.tag not in _GONE:
            stack.extend(reversed(list(child.iterchildren())))


def _on(marks: Any, name: str) -> bool:
    found = marks.find(TAG + name)
    return found is not None and found.get(TAG + "val") not in {"0", "false", "none"}


class _Level(NamedTuple):
    form: str
    text: str
    start: int


class Numbers:
    """Counts as Word does: each list has its counters, a level goes back to its start when one above it moves."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self.depth = 0  # of the paragraph that was asked for last
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counters: dict[str, dict[int, int]] = {}
        self._group: dict[str, str] = {}  # list -> its definition: lists of one definition count on together
        self._styles: dict[str, tuple[str | None, Any]] = {}
        for style in styles.iter(TAG + "style"):
            based = style.find(TAG + "basedOn")
            self._styles[style.get(TAG + "styleId")] = (
                based.get(TAG + "val") if based is not None else None,
                style.find(f"{TAG}pPr/{TAG}numPr"),
            )
        if numbering is not None:
            self._read(numbering)

    def _read(self, numbering: Any) -> None:
        abstract = {
            one.get(TAG + "abstractNumId"): {
                int(level.get(TAG + "ilvl", "0")): _Level(
                    _value(level, "numFmt", "decimal"),
                    _value(level, "lvlText", ""),
                    _whole(_value(level, "start", "1")),
                )
                for level in one.iter(TAG + "lvl")
            }
            for one in numbering.iter(TAG + "abstractNum")
        }
        for number in numbering.iter(TAG + "num"):
            identity, group = number.get(TAG + "numId"), _value(number, "abstractNumId", "")
            levels = dict(abstract.get(group, {}))
            restarts = False
            for change in number.iter(TAG + "lvlOverride"):
                level, start = int(change.get(TAG + "ilvl", "0")), _value(change, "startOverride", "")
                if start and level in levels:
                    levels[level], restarts = levels[level]._replace(start=_whole(start)), True
            self._levels[identity] = levels
            self._group[identity] = f"{group}/{identity}" if restarts else group

    def of(self, paragraph: Any) -> tuple[str, str]:
        """The style of a paragraph, and the mark before it with a space after: "2.1 ", "- ", or "" for none."""
        found = paragraph.find(f"{TAG}pPr/{TAG}pStyle")
        style = found.get(TAG + "val", "") if found is not None else ""
        identity, level = self._list(paragraph.find(f"{TAG}pPr/{TAG}numPr"), style)
        self.depth = level
        if not identity or identity == "0":
            return style, ""
        levels = self._levels.get(identity, {})
        own = levels.get(level)
        if own is None or own.form in {"bullet", "none"}:
            return style, "- "
        counters = self._counters.setdefault(self._group[identity], {})
        counters[level] = counters.get(level, own.start - 1) + 1
        for deeper in [one for one in counters if one > level]:
            del counters[deeper]

        def shown(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            known = levels.get(at, own)
            return _spelled(counters.get(at, known.start), known.form)

        mark = re.sub(r"%([1-9])", shown, own.text).strip()
        return style, f"{mark} " if mark else "- "

    def _list(self, numbered: Any, style: str) -> tuple[str, int]:
        """The list and level of a paragraph by itself or by its style."""
        identity, level, seen = "", None, 0
        while seen < 20:
            if numbered is not None:
                level = _whole(_value(numbered, "ilvl", "0")) if level is None else level
                identity = identity or _value(numbered, "numId", "")
            if identity or style not in self._styles:
                break
            based, numbered = self._styles[style]
            style, seen = based or "", seen + 1
            if not style and numbered is None:
                break
            if not style:
                level = _whole(_value(numbered, "ilvl", "0")) if level is None else level
                identity = _value(numbered, "numId", "")
                break
        return identity, level or 0


def _value(element: Any, name: str, default: str) -> str:
    found = element.find(TAG + name)
    value = found.get(TAG + "val") if found is not None else None
    return str(value) if value is not None else default


def _whole(text: str) -> int:
    return int(text) if text.lstrip("-").isdigit() and len(text) < 8 else 1


def _spelled(number: int, form: str) -> str:
    if form in {"lowerLetter", "upperLetter"} and number > 0:
        text = chr(97 + (number - 1) % 26) * (1 + (number - 1) // 26 % 20)
        return text.upper() if form == "upperLetter" else text
    if form in {"lowerRoman", "upperRoman"} and 0 < number < 4000:
        text, rest = "", number
        for value, digits in _ROMAN:
            text += digits * (rest // value)
            rest %= value
        return text.upper() if form == "upperRoman" else text
    if form.startswith(("chinese", "ideographDigital", "japaneseCounting", "taiwanese")) and 0 < number < 100:
        tens, ones = divmod(number, 10)
        lead = ("" if tens == 1 else _HAN[tens]) + "十" if tens else ""
        return lead + (_HAN[ones] if ones else "")
    return f"{number:02}" if form == "decimalZero" else str(number)


_HAN = "零一二三四五六七八九"
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
