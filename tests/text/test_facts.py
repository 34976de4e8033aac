"""Facts of a text, with all their readings: what the veto compares."""

from __future__ import annotations

import pytest

from ragheal.text.facts import facts
from ragheal.text.numerals import number_value
from ragheal.text.units import mentioned


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("5 GB", {"5e+09 B"}),
        ("$1.2m", {f"1200000 {currency}" for currency in ("usd", "hkd", "twd", "aud", "cad", "sgd")}),
        ("€3bn", {"3e+09 eur"}),
        ("90-minute", {"5400 s"}),
        ("五六个人", {"5", "6"}),
        ("三分之一", {"0.333333333"}),
        ("晚上7点半", {"clock 70200"}),
        ("十九世纪", {"century 19"}),
        ("Q3", {"quarter 3"}),
        ("v2.3.1", {"2.3.1"}),
        ("INC-2041", {"inc2041"}),
        ("三点五公里", {"3500 m"}),
    ],
)
def test_one_fact_and_its_readings(text: str, readings: set[str]) -> None:
    """A unit or a sign that is read wrongly vetoes right answers."""
    found = facts(text)
    assert len(found) == 1
    assert found[0].readings == readings


@pytest.mark.parametrize(
    "text",
    [
        "Section may be used",
        "如果第二天仍未处理",
        "一年一度的万一",
        "no one knows",
        "https://a.example/readings",
        "the March on",
    ],
)
def test_words_that_only_look_like_facts(text: str) -> None:
    """A month's name that is a verb, 十分 and 万一 count nothing."""
    assert facts(text) == ()


def test_text_is_as_written() -> None:
    """A problem quotes the answer as the user sees it."""
    assert [fact.text for fact in facts("On 5 May 2024 ER26500 cost 84 EUR.")] == [
        "5 May 2024",
        "ER26500",
        "84 EUR",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [("一万两千五", 12500), ("三万五", 35000), ("一百零五", 105), ("二十五", 25), ("3亿5000万", 350000000),
     ("one hundred and twenty", 120)],
)  # fmt: skip
def test_spoken_numbers(text: str, value: float) -> None:
    """三万五 is 35,000, not 30,005."""
    assert number_value(text) == value


def test_units_named_without_a_number() -> None:
    """A key such as `timeout_ms` or the head of a table says what its numbers count."""
    assert "s" in mentioned("timeout_ms = 30")
    assert "eur" in mentioned("Price (EUR)")
    assert "s" not in mentioned("the address of this system")
