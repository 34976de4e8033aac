"""Every citation leads back: any sentence that a loader gives stands in the file where its place says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documents import PACKED, TEXTS, at_place

from ragheal.indexing.chunk import split
from ragheal.indexing.load import load
from ragheal.settings import IndexSettings
from ragheal.text.sentences import sentences
from ragheal.types import Chunk

DATE = re.compile(r"\d{4}-\d\d-\d\d")  # a sheet holds the number of the day
WORD = re.compile(r"[A-Za-z0-9\u4e00-\u9fff]+")


def chunks_of(name: str, data: bytes, size: int = 220) -> list[Chunk]:
    return split(load(Path("/docs") / name, name, data), IndexSettings(chunk_tokens=size))


def spans(chunk: Chunk) -> list[tuple[int, int]]:
    lines = [found.span() for found in re.finditer(r"\S.*", chunk.text)]
    return [*sentences(chunk.text), *lines]


@pytest.mark.parametrize("size", [32, 220])
@pytest.mark.parametrize("name", TEXTS)
def test_text_formats(name: str, size: int) -> None:
    """A citation would open the wrong line, or its quotation could not be found in the file."""
    data = TEXTS[name].encode()
    source = TEXTS[name]
    seen = 0
    for chunk in chunks_of(name, data, size):
        for start, end in spans(chunk):
            place, quote = chunk.place(start, end), chunk.quote(start, end)
            shown = at_place(name, data, place)
            assert chunk.start_line <= place.start_line <= place.end_line <= chunk.end_line
            if chunk.raw:
                assert quote in source, quote
                assert quote.replace("\r\n", "\n") in shown, (quote, place)
            else:
                assert all(word in shown for word in WORD.findall(quote)), (quote, place)
            seen += 1
    assert seen > 1


@pytest.mark.parametrize("name", PACKED)
def test_packed_formats(name: str) -> None:
    """A citation would name the wrong slide, sheet row, chapter or paragraph."""
    data = PACKED[name]()
    seen = 0
    for chunk in chunks_of(name, data):
        for start, end in spans(chunk):
            shown = at_place(name, data, chunk.place(start, end))
            placed = [(low, high) for low, high in _values(chunk, start, end)]
            for low, high in placed:
                words = [] if DATE.search(chunk.text[low:high]) else WORD.findall(chunk.text[low:high])
                assert all(word in shown for word in words), (chunk.text[low:high], shown)
                seen += len(words)
    assert seen > 5


def _values(chunk: Chunk, start: int, end: int) -> list[tuple[int, int]]:
    """The parts of a line after the names of their columns."""
    found, at = [], start
    for field in chunk.text[start:end].split("; "):
        name = field.find(": ") + 2 if ": " in field else 0
        found.append((at + name, at + len(field)))
        at += len(field) + 2
    return found


def test_a_word_alone_leads_back_too() -> None:
    """The place of a value within a long line would be that of the whole passage."""
    data = TEXTS["a.md"].encode()
    lines = TEXTS["a.md"].split("\n")
    for chunk in chunks_of("a.md", data):
        for word in (
            "55",
            "harbour master",
            "channel 12",
            "3.1 m",
            "pump --start",
            "周日关闭",
            "midnight",
            "Ilse Brandt",
        ):
            at = chunk.text.find(word)
            if at >= 0:
                place = chunk.place(at, at + len(word))
                assert word in lines[place.start_line - 1], (word, place)
                assert word in chunk.quote(at, at + len(word))
