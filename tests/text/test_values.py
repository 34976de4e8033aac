"""Typed values: the judge looks for them, the conflict check compares them, the verifier holds answers to them."""

from __future__ import annotations

import pytest

from ragheal.text.numerals import number_value
from ragheal.text.values import values


@pytest.mark.parametrize(
    ("text", "kind", "norm"),
    [
        ("opened on 8 May 1945", "date", "1945-05-08"),
        ("opened on May 8, 1945", "date", "1945-05-08"),
        ("opened on 1945-05-08", "date", "1945-05-08"),
        ("于1945年5月8日开业", "date", "1945-05-08"),
        ("in March 2024", "date", "2024-03"),
        ("于 2019 年 4 月启用", "date", "2019-04"),
        ("2019 年建成", "year", "2019"),
        ("in 1987 he", "year", "1987"),
        ("1987年建成", "year", "1987"),
        ("二〇一六年建成", "year", "2016"),
        ("costs $1.2 million", "money", "1200000"),
        ("票价三千五百元", "money", "3500"),
        ("35% of all", "percent", "35"),
        ("占百分之三十", "percent", "30"),
        ("within 90 minutes", "duration", "90min"),
        ("暂停 30 分钟", "duration", "30min"),
        ("twenty-five miles away", "quantity", "25"),
        ("全长12.5公里", "quantity", "12.5"),
        ("1,200 people", "number", "1200"),
        ("set max_rounds first", "identifier", "max_rounds"),
        ("released v2.3.1 today", "identifier", "v2.3.1"),
        ("met Oddny Falkenrath there", "name", "oddny falkenrath"),
        ("《战国无双》上市", "quoted", "战国无双"),
    ],
)
def test_values_have_one_form(text: str, kind: str, norm: str) -> None:
    """The same value written two ways is one value; otherwise two sources that agree would seem to differ."""
    assert (kind, norm) in {(span.kind, span.norm) for span in values(text)}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,200", 1200), ("一千二百", 1200), ("twelve hundred", 1200), ("3.5万", 35000), ("两亿三千万", 230000000),
     ("1.2 million", 1200000), ("二〇二四", 2024), ("百分之三十五", 35), ("no number", None)],
)  # fmt: skip
def test_numbers_however_written(text: str, value: float | None) -> None:
    """A number in words is checked against a number in digits."""
    assert number_value(text) == value


def test_offsets_point_at_the_text() -> None:
    """A span that is off by one would mark the wrong words on the terminal."""
    text = "2019年，臺灣的北極星公司付了三千五百元，約 1,200 人參加。"
    for span in values(text):
        assert text[span.start : span.end] == span.text
