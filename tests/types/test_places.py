"""The map from reading text to source, packed and unpacked."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ragheal.indexing.chunk import split
from ragheal.indexing.load import load
from ragheal.settings import IndexSettings
from ragheal.types import Chunk, Place, Runs
from ragheal.types.places import pack, unpack


def some_runs(dice: random.Random) -> tuple[Runs, int]:
    runs, at, raw, line = Runs.empty(), 0, 0, 1
    for _ in range(dice.randint(1, 30)):
        size = dice.randint(1, 200)
        if dice.random() < 0.2:
            runs.add(at, -1, 0, 0)
        else:
            raw += dice.randint(0, 500)
            own = size if dice.random() < 0.7 else dice.randint(1, 9)
            runs.add(at, raw, own, line, dice.randint(0, 300))
            raw += own
            line += dice.randint(0, 4)
        at += size
    return runs, at


def test_what_is_packed_comes_back() -> None:
    """Citations of an index would point elsewhere than those of the document it was made from."""
    dice = random.Random(1)
    for _ in range(200):
        runs, size = some_runs(dice)
        low, high = runs.within(0, size)
        back = unpack(pack(runs, size, low, high, 0, 0), size)
        for _ in range(10):
            start = dice.randrange(size)
            end = dice.randint(start + 1, size)
            assert back.place(start, end) == runs.place(start, end)
            assert back.span(start, end, size) == runs.span(start, end, size)


def test_a_cut_map_has_the_places_of_the_whole() -> None:
    """A chunk that begins in the middle of a run would be cited at the run's beginning."""
    dice = random.Random(2)
    for _ in range(200):
        runs, size = some_runs(dice)
        first = dice.randrange(size)
        last = dice.randint(first + 1, size)
        low, high = runs.within(first, last)
        back = unpack(pack(runs, size, low, high, first, None), last - first)
        start = dice.randrange(last - first)
        end = dice.randint(start + 1, last - first)
        held = any(runs.raws[n] >= 0 for n in range(*runs.within(first + start, first + end)))
        if held:
            assert back.place(start, end) == runs.place(first + start, first + end)


def test_a_damaged_map_is_told() -> None:
    """A damaged index would end in a traceback."""
    runs = Runs.empty()
    runs.add(0, 0, 500, 1000)
    with pytest.raises(ValueError, match="ends too early"):
        unpack(pack(runs, 500, 0, 1, 0, 0)[:-2], 500)


def test_a_chunk_without_a_map_is_placed_by_its_lines() -> None:
    """A trace that is older than the map would show other lines than it did when it was made."""
    chunk = Chunk("c", "a.md", 0, "one\ntwo\nthree", (), "paragraph", 10, 12, 0, 13)
    assert (chunk.place(4, 7), chunk.place(0, 7)) == (Place(11, 11), Place(10, 11))
    assert (chunk.quote(4, 7), chunk.read("two")) == ("two", "two")


def test_a_quotation_is_read_as_its_reader_sees_it() -> None:
    """ "10^6 litres" would be vetoed because the file says 10<sup>6</sup>, or a row because its column is not quoted."""
    text = "It holds 10<sup>6</sup> litres.\n\n| Tank | Size |\n|--|--|\n| East | 3 l |\n| West | 9 l |\n"
    chunks = split(load(Path("a.md"), "a.md", text.encode()), IndexSettings())
    for said, first in (("It holds 10^6 litres.", 0), ("10^6", 0), ("Tank: East; Size: 3 l", 1)):
        at = chunks[first].text.index(said)
        quote = chunks[first].quote(at, at + len(said))
        assert quote in text
        assert chunks[first].read(quote) == said
    assert chunks[1].quote(0, 21) == "East | 3 l"
