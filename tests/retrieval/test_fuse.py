"""Fusion: two ranked lists, one order, deterministic, never a hit without a score."""

from __future__ import annotations

from ragheal.retrieval.fuse import fuse
from ragheal.settings import RetrievalSettings

RRF = RetrievalSettings(fusion="rrf")
ADAPTIVE = RetrievalSettings()


def test_rrf_is_the_known_formula() -> None:
    """k = 60, weights 0.6 and 0.4: who sets `fusion: rrf` gets what the papers call so."""
    fused = fuse([(7, 0.9), (8, 0.8)], [(8, 12.0)], 20.0, RRF)
    scores = {item.number: item.score for item in fused}
    assert scores[7] == round(0.6 / 61, 6)
    assert scores[8] == round(0.6 / 62 + 0.4 / 61, 6)


def test_found_by_both_beats_found_by_one() -> None:
    """Agreement between channels is the best sign there is."""
    dense = [(1, 0.90), (2, 0.89), (3, 0.80)]
    lexical = [(2, 15.0), (4, 14.0), (5, 1.0)]
    assert fuse(dense, lexical, 20.0, ADAPTIVE)[0].number == 2


def test_words_weigh_more_the_more_of_the_question_they_cover() -> None:
    """A chunk that holds every rare term of the question comes first; one that holds a common word does not."""
    dense = [(1, 0.90), (2, 0.84), (3, 0.80)]
    assert fuse(dense, [(2, 19.0), (3, 2.0)], 20.0, ADAPTIVE)[0].number == 2
    assert fuse(dense, [(2, 2.0), (3, 1.9)], 40.0, ADAPTIVE)[0].number == 1


def test_places_are_kept_and_ties_are_stable() -> None:
    """`--explain` shows each channel's place; the same lists always give the same order."""
    fused = fuse([(2, 0.9), (1, 0.9)], [(1, 3.0), (2, 3.0)], 10.0, RRF)
    assert [item.dense for item in fused if item.number == 2] == [(1, 0.9)]
    again = fuse([(2, 0.9), (1, 0.9)], [(1, 3.0), (2, 3.0)], 10.0, RRF)
    assert [item.number for item in fused] == [item.number for item in again]


def test_nothing_scored_is_nothing_found() -> None:
    """A zero-score hit is not a hit."""
    assert fuse([], [], 1.0, ADAPTIVE) == []
    assert all(item.score > 0 for item in fuse([(1, 0.9), (2, 0.8)], [(1, 1.0)], 5.0, ADAPTIVE))
    assert [item.number for item in fuse([(1, 0.9)], [], 5.0, ADAPTIVE)] == [1]
