"""Overlays on disk: exactly one in force, whatever happens to the files."""

from __future__ import annotations

import time

import pytest

from ragheal.errors import ConfigError, IndexDamaged
from ragheal.healing import overlay as overlays
from ragheal.healing import pointer
from ragheal.healing.overlay import Entry, Overlay, in_force, load, share, write
from ragheal.healing.pointer import Pointer
from ragheal.healing.repairs import Synonym

FIRST = Entry("p1", Synonym("rate limiting", "frequency control", "en"))
SECOND = Entry("p2", Synonym("backup", "cold copy", "en"))


@pytest.fixture
def two(index):
    """Overlay 2 in force on top of overlay 1."""
    write(index, Overlay(1, (FIRST,)))
    write(index, Overlay(2, (FIRST, SECOND), parent=1))
    pointer.swap(index, Pointer(2, (1,)))
    return index


def test_nothing_in_force(index, tmp_path):
    """Who never repaired anything has no folder for it, and pays nothing for it."""
    assert in_force(index) is None
    assert in_force(tmp_path / "nowhere") is None
    pointer_folder = index / pointer.FOLDER
    pointer_folder.mkdir()
    pointer.swap(index, Pointer(0))
    assert in_force(index) is None


def test_what_was_written_is_read(two):
    """Repairs must come back as they were verified."""
    found = in_force(two)
    assert found == Overlay(2, (FIRST, SECOND), parent=1)
    assert found.reword("rate limits of the backup?") == "frequency control of the cold copy?"


def test_it_is_cheap(two):
    """It is looked up for every question, within an answer time of a few hundred milliseconds."""
    in_force(two)
    best = min(_timed(two) for _ in range(5))
    assert best < 0.001


def _timed(index):
    start = time.perf_counter()
    for _ in range(20):
        in_force(index)
    return (time.perf_counter() - start) / 20


@pytest.mark.parametrize("damage", ["gone", "cut", "edited", "empty", "other"])
def test_a_damaged_overlay_is_passed_over_for_the_one_before(two, damage):
    """A file that rots may cost a repair, never the answer; and the user is told."""
    file = overlays.file_of(two, 2)
    data = file.read_bytes()
    if damage == "gone":
        file.unlink()
    elif damage == "other":
        file.write_bytes(overlays.file_of(two, 1).read_bytes())
    else:
        edited = {"cut": data[: len(data) // 2], "edited": data.replace(b"cold copy", b"gold copy"), "empty": b""}
        file.write_bytes(edited[damage])
    found = in_force(two)
    assert (found.number, found.repairs) == (1, (FIRST,))
    assert "overlay 2" in found.notes[0]
    assert "rollback" in found.notes[-1]


def test_with_every_overlay_damaged_none_is_in_force(two):
    """Half of a repair is worse than none."""
    for number in (1, 2):
        overlays.file_of(two, number).write_bytes(b"\0")
    found = in_force(two)
    assert (found.number, found.repairs) == (0, ())
    assert found.reword("rate limits?") == "rate limits?"
    assert len(found.notes) == 3


@pytest.mark.parametrize("content", [b"", b"\0\xff", b"{}", b'{"number": -1}', b'{"number": "1"}', b"[1]"])
def test_a_corrupt_pointer_turns_repairs_off_and_says_so(two, content):
    """Guessing which overlay was meant could bring back one that was rolled back."""
    (two / pointer.FOLDER / pointer.POINTER).write_bytes(content)
    found = in_force(two)
    assert (found.number, found.repairs) == (0, ())
    assert "rollback" in found.notes[0]


def test_a_pointer_that_is_a_folder_is_no_crash(two):
    """A restored backup may hold anything."""
    path = two / pointer.FOLDER / pointer.POINTER
    path.unlink()
    path.mkdir()
    assert in_force(two).notes


def test_unknown_numbers(two):
    """The message names those that there are."""
    with pytest.raises(ConfigError) as error:
        load(two, 9)
    assert "1, 2" in error.value.hint
    overlays.file_of(two, 1).write_bytes(b"{}")
    with pytest.raises(IndexDamaged):
        load(two, 1)


def test_numbers_are_never_used_twice(two):
    """An answer that was cached under overlay 2 must not be shown under another of that number."""
    assert overlays.next_number(two) == 3
    for number in (1, 2):
        overlays.file_of(two, number).unlink()
    assert overlays.next_number(two) == 3


def test_the_share_is_by_hash_and_fair():
    """A question that is on trial on Monday must be on trial on Tuesday, or nothing can be compared."""
    trial = Overlay(3, (), (SECOND,), percent=20)
    questions = [f"What is the limit of thing {n}?" for n in range(2000)]
    chosen = [question for question in questions if trial.chosen(question)]
    assert 320 <= len(chosen) <= 480
    assert chosen == [question for question in questions if trial.chosen(question)]
    assert share("How long?", "p1") == share("  how   LONG ", "p1")
    assert not Overlay(3, (FIRST,)).chosen("anything")
    assert all(Overlay(3, (), (FIRST,), percent=100).chosen(question) for question in questions[:50])


def test_control_keeps_what_is_promoted():
    """A trial of the second repair must not switch the first one off for the others."""
    trial = Overlay(3, (FIRST,), (SECOND,), percent=0)
    assert trial.reword("rate limits of the backup?") == "frequency control of the backup?"
    everyone = Overlay(3, (FIRST,), (SECOND,), percent=100)
    assert everyone.reword("rate limits of the backup?") == "frequency control of the cold copy?"
