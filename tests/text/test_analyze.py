"""The analyzer: what the word index and the queries agree on."""

from __future__ import annotations

import pytest

from ragheal.text.analyze import terms


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("How do I configure limits?", "Configuring the limit"),
        ("Pal Gabor", "Pál Gábor"),
        ("1200 requests", "1,200 requests"),
        ("max rounds", "set `max_rounds` to 3"),
        ("max rounds", "maxRounds"),
        ("v2.3.1", "Released as v2.3.1."),
        ("臺灣海峽", "台湾海峡"),
        ("數據庫", "数据库的配置"),
        ("company's policy", "the policy of the company"),
        ("Ｗｉｄｔｈ", "width"),
    ],
)
def test_a_question_meets_its_document(question: str, document: str) -> None:
    """A user who writes it otherwise than the document still finds it."""
    assert set(terms(question)) <= set(terms(document))


def test_stop_words_carry_nothing() -> None:
    """ "What is the …" must not match every chunk that holds "the"."""
    assert terms("What is the of and to") == []
    assert terms("的是在什么") == []


def test_chinese_compounds_yield_their_parts() -> None:
    """A search for the short word finds the long one."""
    assert {"分布", "数据", "数据库"} <= set(terms("分布式数据库"))


def test_identifiers_stay_whole() -> None:
    """Looking for RAGHEAL_INDEX must not mean looking for every "index"."""
    assert terms("RAGHEAL_INDEX")[0] == "ragheal_index"
    assert terms("C++") == ["c++"]


def test_any_text_is_analysed() -> None:
    """Control characters, emoji and lone surrogates must not stop an index run."""
    assert isinstance(terms("\x00\ud800 😀 \u202e ﷽ a" * 50), list)
