"""One value, many spellings: conflicts, checks and comparisons all stand on their being read alike."""

from __future__ import annotations

import math

import pytest

from ragheal.text.quantities import compatible, quantity, same_value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("half an hour", "30 min"),
        ("三十分钟", "半小时"),
        ("one day", "24 hours"),
        ("1 hour 30 minutes", "90 minutes"),
        ("one and a half hours", "一个半小时"),
        ("a quarter of an hour", "一刻钟"),
        ("1.5 GB", "1536 MB"),
        ("1.5 GB", "1500 MB"),
        ("a dozen crates", "12 crates"),
        ("两打", "24"),
        ("2024-03-05", "5 March 2024"),
        ("March 5, 2024", "2024年3月5日"),
        ("50 %", "half"),
        ("五成", "一半"),
        ("three quarters", "75 percent"),
        ("三分之一", "a third"),
        ("12 months", "a year"),
        ("半年", "six months"),
        ("£5", "5 pounds"),
        ("3.5万人", "35,000 people"),
        ("300元/晚", "每晚300元"),
        ("Monday to Friday", "周一至周五"),
        ("30-40 days", "between 30 and 40 days"),
        ("about 30 km", "31 km"),
        ("Ulrike Sand", "Dr. Ulrike Sand"),
        ("《白鹭》", "白鷺"),
    ],
)
def test_spellings_of_one_value(one: str, other: str) -> None:
    """Two files that agree in other words would be told as a conflict."""
    assert same_value(one, other) is True
    assert same_value(other, one) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("500 MB", "512 MB"),
        ("30 minutes", "30 hours"),
        ("五成", "六成"),
        ("5 March 2024", "3 May 2024"),
        ("at least 5 days", "5 days"),
        ("Hall 5", "Terminal 5"),
        ("Ulrike Sand", "Ulrike Berg"),
        ("不超过30天", "不超过45天"),
        ("9:00", "17:00"),
    ],
)
def test_different_values(one: str, other: str) -> None:
    """A real disagreement would pass unseen."""
    assert same_value(one, other) is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 days", "1 month"),
        ("5 kg", "5 days"),
        ("$5 per day", "$5 per hour"),
        ("10 working days", "14 days"),
        ("Berlin", "30"),
        ("TR-1180", "30"),
        ("120元", "120 euros"),
    ],
)
def test_what_cannot_be_compared_is_not(one: str, other: str) -> None:
    """A month against 30 days, or one currency against another, told as a difference would be invented."""
    assert same_value(one, other) is None


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("2024", "5 March 2024", True),
        ("5 March", "2024-03-05", True),
        ("March 2024", "5 April 2024", False),
        ("at least 5", "up to 10", True),
        ("at least 16", "at least 18", False),
        ("up to 30 days", "20 days", True),
        ("up to 30 days", "40 days", False),
        ("the 1990s", "1994", True),
        ("19世纪", "1850年", True),
        ("1.2 million", "1,203,400", True),
        ("7:30", "7:30 pm", True),
        ("7:30 am", "7:30 pm", False),
        ("Monday", "Monday to Friday", True),
        ("Monday", "Tuesday", False),
    ],
)
def test_values_that_can_both_hold(one: str, other: str, both: bool) -> None:
    """The more exact of two true statements is no rival of the other."""
    assert compatible(one, other) is both
    assert compatible(other, one) is both


def test_bounds_and_ranges_are_intervals() -> None:
    """ "At least 18" read as 18 would answer who is 18."""
    found = [quantity(text) for text in ("at least 18", "不超过30天", "三到五天")]
    ends = [(one.low, one.high) for one in found if one]
    assert ends == [(18, math.inf), (-math.inf, 30 * 86400), (3 * 86400, 5 * 86400)]


@pytest.mark.parametrize("text", ["TR-1180", "v2.3.1", "Ulrike Sand", "统一公司", ""])
def test_names_and_identifiers_are_no_quantities(text: str) -> None:
    """An order's number taken as an amount would be bigger or smaller than another's."""
    assert quantity(text) is None
