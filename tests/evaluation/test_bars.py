"""Thresholds: what passes, what fails, and what must not pass for want of a figure."""

from __future__ import annotations

import msgspec
import pytest

from ragheal.errors import ConfigError
from ragheal.evaluation.bars import COUNTS, NAMES, NUMBERS, SHARES, Bar, parse, require, said
from ragheal.evaluation.tally import Comparison, Tally


@pytest.mark.parametrize(
    ("text", "bar"),
    [
        ("right=0.9", Bar("right", "min", 0.9)),
        ("right=90%", Bar("right", "min", 0.9)),
        ("right = 7 %", Bar("right", "min", 0.07)),
        ("Refused-Wrongly=0", Bar("refused_wrongly", "min", 0.0)),
        ("seconds p95=2", Bar("seconds_p95", "min", 2.0)),
    ],
)
def test_written_in_any_usual_way(text, bar):
    """A share in a CI file is written as people write shares."""
    assert parse(text, "min") == bar


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rigth=0.9", "did you mean `right`?"),
        ("refused_wrong=0.1", "did you mean `refused_wrongly`?"),
        ("zzz=1", "there are: right, sure"),
        ("right", "--min NAME=VALUE"),
        ("right=", "--min NAME=VALUE"),
        ("right=90", "0.9 or 90%"),
        ("right=-0.1", "0.9 or 90%"),
        ("right=nan", "0.9 or 90%"),
        ("rounds=inf", "a number, 0 or more"),
        ("rounds=2%", "a number, 0 or more"),
    ],
)
def test_what_cannot_be_a_bar_is_refused(text, words):
    """A bar that is misread is never broken, and nobody notices."""
    with pytest.raises(ConfigError) as error:
        parse(text, "min")
    assert words in error.value.hint


@pytest.mark.parametrize("name", ["worse", "worse_than_baseline", "unstable"])
def test_a_bar_without_anything_to_measure_is_refused(name):
    """`--max worse=0` where nothing is compared would always hold."""
    bar = Bar(name, "max", 0)
    with pytest.raises(ConfigError, match=name):
        require([bar], ways=1, repeat=1, baseline=False)
    require([bar], ways=2, repeat=2, baseline=True)


def test_every_name_is_measured():
    """A name that the help lists and nothing measures would break the job of whoever uses it."""
    assert {*SHARES, *NUMBERS, *COUNTS} <= set(Tally.__struct_fields__)
    others = set(NAMES) - {*SHARES, *NUMBERS, *COUNTS}
    assert {name.removesuffix("_than_baseline") for name in others} <= set(Comparison.__struct_fields__)


def test_the_bars_of_a_report(evaluated):
    """They count for the first way; a bar that is met exactly holds."""
    report = evaluated(
        bars=(
            Bar("right", "min", 1.0), Bar("sure", "min", 0.7), Bar("worse", "max", 0), Bar("better", "min", 2),
            Bar("rounds", "max", 1.75), Bar("graded", "min", 3), Bar("cites", "max", 0.1),
        )
    )  # fmt: skip
    assert [bar.held for bar in report.bars] == [True, False, False, True, True, True, False]
    assert [said(bar) for bar in report.broken] == [
        "sure 66.67 % (2 of 3): below 70 %", "worse 1: above 0", "cites 50 % (1 of 2): above 10 %",
    ]  # fmt: skip
    assert said(report.bars[0]) == "right 100 % (3 of 3): at least 100 %"


def test_nothing_measured_does_not_hold(evaluated):
    """A question file that lost its answers must fail the job, whichever way the bar looks."""
    report = evaluated()
    nothing = msgspec.structs.replace(report.tallies[0].right, share=None, of=0, count=0)
    first = msgspec.structs.replace(report.tallies[0], right=nothing)
    from ragheal.evaluation.bars import measured

    held = measured([Bar("right", "min", 0.0), Bar("right", "max", 1.0)], first, None, None)
    assert [bar.held for bar in held] == [False, False]
    assert "nothing was measured" in said(held[0])
