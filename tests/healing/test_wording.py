"""How a repair words a question: the right words, whole words, in the right sense."""

from __future__ import annotations

import pytest

from ragheal.healing.repairs import Rewrite, Synonym
from ragheal.healing.wording import applies, occurrences, reword
from ragheal.text.analyze import terms

RATE = Synonym("rate limiting", "frequency control", "en")
LIMIT = Synonym("限流", "频率控制", "zh")
CERTIFICATES = Synonym("certificates", "trust bundle", "en", ("deployment", "gateway"))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the rate limiting policy?", "What is the frequency control policy?"),
        ("What is the Rate Limit?", "What is the frequency control?"),
        ("Rate limits of the API?", "Frequency control of the API?"),
        ("How are calls rate-limited?", "How are calls frequency control?"),
        ("What is the frame rate? What limits it?", "What is the frame rate? What limits it?"),
        ("What is the speed limit?", "What is the speed limit?"),
    ],
)
def test_english_inflections(question, asked):
    """A user who writes "rate limits" means what the one meant who wrote "rate limiting"."""
    assert reword(question, (RATE,)) == asked


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("接口的限流策略是什么？", "接口的频率控制策略是什么？"),
        ("上限流程由谁审批？", "上限流程由谁审批？"),
        ("這個介面有沒有限流？", "這個介面有沒有频率控制？"),
    ],
)
def test_chinese_words_are_whole_and_scripts_are_one(question, asked):
    """Without spaces, the letters of a term turn up across the border of two other words."""
    assert reword(question, (LIMIT,)) == asked


def test_traditional_terms_match_simplified_questions():
    """A repair that was learnt from one script helps those who write the other."""
    assert reword("值班的工程师是谁？", (Synonym("值班", "輪守", "zh"),)) == "輪守的工程师是谁？"
    assert reword("誰負責備份？", (Synonym("备份", "冷副本", "zh"),)) == "誰負責冷副本？"


def test_a_sense_is_guarded_by_its_context():
    """Crane operators' certificates are not a gateway's: a repair for one must leave the other alone."""
    assert reword("Which certificates does the gateway need?", (CERTIFICATES,)) == (
        "Which trust bundle does the gateway need?"
    )
    crane = "Which certificates does a crane operator need?"
    assert reword(crane, (CERTIFICATES,)) == crane
    assert not applies(crane, CERTIFICATES)
    assert applies("Certificates for the deployments?", CERTIFICATES), "the context may be inflected too"


def test_longer_terms_go_first_and_nothing_is_replaced_twice():
    """Two repairs that meet in one question must not make a third thing of it."""
    short = Synonym("limiting", "ceiling", "en")
    back = Synonym("frequency control", "rate limiting", "en")
    assert reword("What is rate limiting?", (short, RATE, back)) == "What is frequency control?"


def test_a_question_in_the_documents_words_is_left_alone():
    """Whoever knows the right word and explains it would otherwise have it said twice."""
    question = "Is frequency control the same as rate limiting?"
    assert reword(question, (RATE,)) == question


def test_other_languages_are_left_alone():
    """An English repair has nothing to do in a Chinese sentence that quotes the term."""
    question = "rate limiting 是什么意思？请用中文说明"
    assert reword(question, (RATE,)) == question


def test_a_rewrite_adds_words_once():
    """The words that helped one user are added to the same question of the next, and to no other."""
    rewrite = Rewrite(("trucks", "broken"), "roadside recovery", "en")
    assert reword("My truck has broken down?", (rewrite,)) == "My truck has broken down (roadside recovery)?"
    assert reword("Which truck is the newest?", (rewrite,)) == "Which truck is the newest?"
    assert (
        reword("车坏了怎么办？", (Rewrite(tuple(terms("车坏了")), "道路救援", "zh"),))
        == "车坏了怎么办（道路救援）？"
    )


def test_a_question_never_grows_past_its_limit():
    """A repair that makes a question too long to ask would turn an answer into an error."""
    question = "What is rate limiting? " + "x" * 1977
    assert reword(question, (Synonym("rate limiting", "y" * 100, "en"),)) == question


def test_occurrences_are_offsets_into_the_text_as_it_is():
    """An offset into a folded copy would cut the question in the wrong place."""
    text = "Ｒａｔｅ limits, rate limit"
    assert [text[a:b] for a, b in occurrences(text, "rate limiting")] == ["Ｒａｔｅ limits", "rate limit"]
    assert occurrences("", "rate") == []
    assert occurrences("rate", "?!") == []
