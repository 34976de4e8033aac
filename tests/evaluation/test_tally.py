"""Counting, intervals, and what is a difference."""

from __future__ import annotations

import pytest

from ragheal.evaluation.questions import Line
from ragheal.evaluation.run import Asked, Row
from ragheal.evaluation.tally import compare, sign_test, tally
from ragheal.types import Tokens


def rows(*grades_of_ways, line=None):
    """A row for each tuple of grades, by way a, b …; a list is several askings."""
    made = []
    for n, grades in enumerate(grades_of_ways, start=1):
        asked = {}
        for way, grade in zip("ab", grades, strict=False):
            askings = grade if isinstance(grade, list) else [grade]
            asked[way] = tuple(Asked(g, "answered", seconds=n / 10) for g in askings)
        made.append(Row(line or Line(f"q{n}?", answers=("x",), number=n), asked))
    return made


def test_every_figure(evaluated):
    """The figures that a team decides by, each with what it is a share of."""
    healed, plain = evaluated().tallies
    assert (healed.questions, healed.graded, healed.not_graded) == (4, 3, 1)
    assert (healed.right.count, healed.right.of, healed.right.share) == (3, 3, 1.0)
    assert healed.sure.count == 2
    assert (healed.refused_rightly.count, healed.refused_rightly.of) == (1, 1)
    assert (healed.refused_wrongly.count, healed.refused_wrongly.of) == (0, 2)
    assert (healed.cites.count, healed.cites.of) == (1, 2)
    assert (plain.right.count, plain.wrong.count) == (1, 2)
    assert healed.rounds == 1.75
    assert healed.statuses == {"abstained": 1, "answered": 2, "disclaimed": 1}
    assert (healed.seconds, plain.seconds) == (0.5, 0.1)
    assert healed.degraded.share == 0.0


def test_nothing_to_count_is_not_nought():
    """0 % of no question would pass for a bad figure, or for a good one."""
    counted = tally(rows((None,), line=Line("q", number=1)), "a")
    assert counted.right.share is None
    assert counted.right.low is None
    assert tally([], "a").seconds is None
    assert tally([], "a").rounds is None


def test_intervals_of_wilson():
    """3 of 20 must not be read as a trend: Newcombe (1998) gives these for 81 of 263 and 0 of 20."""
    share = tally(rows(*[(3,)] * 81, *[(0,)] * 182), "a").right
    assert (share.low, share.high) == (pytest.approx(0.2553, abs=1e-4), pytest.approx(0.3662, abs=1e-4))
    none = tally(rows(*[(0,)] * 20), "a").right
    assert (none.low, none.high) == (0.0, pytest.approx(0.1611, abs=1e-4))


def test_repeats_do_not_narrow_an_interval():
    """The same 4 questions asked 50 times are still 4 questions."""
    once, often = rows((3,), (3,), (0,), (0,)), rows(([3] * 50,), ([3] * 50,), ([0] * 50,), ([0] * 50,))
    one, many = tally(once, "a").right, tally(often, "a").right
    assert (one.low, one.high) == (many.low, many.high)
    assert (many.count, many.of) == (100, 200)
    assert tally(rows(([3, 0],), ([3, 3],)), "a").unstable == 1


def test_percentiles_are_times_that_occurred():
    """A 95 % that no question took would send somebody looking for it."""
    made = rows(*[(3,)] * 20)
    assert tally(made, "a").seconds == 1.0
    assert tally(made, "a").seconds_p95 == 1.9
    assert tally(made[:1], "a").seconds_p95 == 0.1


def test_tokens_and_calls():
    """What a model costs, of an asking and in all."""
    asked = (
        Asked(3, "answered", tokens=Tokens(100, 20), calls=2),
        Asked(3, "answered", tokens=Tokens(50, 10), calls=1),
    )
    counted = tally([Row(Line("q", answers=("x",), number=1), {"a": asked})], "a")
    assert (counted.tokens, counted.calls, counted.calls_total) == (90.0, 1.5, 3)
    assert counted.tokens_total == Tokens(150, 30)


def test_better_and_worse_question_by_question(evaluated):
    """Equal totals may hide that every second question changed."""
    (compared,) = evaluated().comparisons
    assert [(c.line, c.before, c.after) for c in compared.better] == [(1, "wrong", "right"), (4, "wrong", "right")]
    assert [(c.line, c.before, c.after) for c in compared.worse] == [(2, "right", "right, not sure")]
    assert (compared.worse[0].before_status, compared.worse[0].after_status) == ("answered", "disclaimed")
    assert compared.same == 0  # the line that does not say what is right is not counted
    made = compare(rows((3, 3), (1, 0), (0, 1), (None, 3)), "a", "b")
    assert (len(made.better), len(made.worse), made.same) == (1, 1, 1)


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (0, 6, 0.03125), (8, 2, 0.109375), (3, 3, 1.0)],
)
def test_the_sign_test(better, worse, p):
    """Whether a difference could be chance: the exact two-sided values."""
    assert sign_test(better, worse) == pytest.approx(p)


def test_the_sign_test_of_many():
    """Ten thousand questions must not overflow."""
    assert 0 <= sign_test(4000, 6000) < 1e-50
