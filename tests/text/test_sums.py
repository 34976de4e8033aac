"""Results that no document states: a wrong unit or sign here is a false answer with two true citations."""

from __future__ import annotations

import pytest

from ragheal.text.sums import difference, total


@pytest.mark.parametrize(
    ("one", "other", "by"),
    [
        ("3 March 1950", "5 May 1955", "5 years and 2 months"),
        ("1962", "1950", "12 years"),
        ("March 1950", "May 1951", "1 year and 2 months"),
        ("1 March 2024", "15 March 2024", "14 days"),
        ("2 kg", "500 g", "1.5 kg"),
        ("$1,200", "$900", "$300"),
        ("90 minutes", "2 hours", "30 minutes"),
        ("34 years old", "29 years", "5 years"),
        ("三十分钟", "2小时", "1.5 hours"),
        ("6 feet", "5 feet", "1 foot"),
        ("35%", "30%", "5%"),
        ("9:00", "10:30", "90 minutes"),
        ("12 crates", "7 crates", "5"),
    ],
)
def test_difference(one: str, other: str, by: str) -> None:
    """ "How much more" is answered with the amount and its unit, whichever side is the larger."""
    assert difference(one, other) == by


@pytest.mark.parametrize(
    ("one", "other", "by"),
    [
        ("1950年3月", "1951年5月", "1年零2个月"),
        ("2公斤", "1500克", "500克"),
        ("2 kg", "1.5 kg", "0.5公斤"),
        ("3.5万人", "12000人", "23000"),
        ("1990年5月1日", "1990年5月20日", "19天"),
        ("300元", "250元", "50元"),
    ],
)
def test_difference_in_chinese(one: str, other: str, by: str) -> None:
    """A Chinese question gets its units in Chinese even from English files."""
    assert difference(one, other, lang="zh") == by


@pytest.mark.parametrize(
    ("one", "other"),
    [("5 kg", "3 days"), ("120元", "1美元"), ("1950", "3 May 1962"), ("at least 5", "3"), ("Anna", "Otto")],
)
def test_no_difference_where_none_is_told(one: str, other: str) -> None:
    """Nothing is better than an amount made of two that do not match."""
    assert difference(one, other) is None


def test_the_unit_that_is_asked_for() -> None:
    """ "How many days later" is not answered in months."""
    assert difference("2024-03-01", "2025-03-01", unit_name="days") == "365 days"
    assert difference("90 minutes", "3 hours", unit_name="hours") == "1.5 hours"


def test_total() -> None:
    """A sum of costs or times keeps its unit; one stray value spoils it."""
    assert total(["30 minutes", "1 hour", "15 min"]) == "1.75 hours"
    assert total(["200元", "300元"], lang="zh") == "500元"
    assert total(["1.5 kg", "250 g"]) == "1.75 kg"
    assert total(["3 kg", "4 m"]) is None
    assert total(["3 kg", "unknown"]) is None
