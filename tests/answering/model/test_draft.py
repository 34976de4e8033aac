"""Cited prose becomes claims with quotations that stand in the documents, whatever a model's habits."""

from __future__ import annotations

from typing import Any

import pytest

from ragheal.answering.model import draft
from ragheal.answering.model.parse import Malformed
from ragheal.answering.model.support import nearly_quoted
from ragheal.text.questions import analyze
from ragheal.types import Chunk, Hit

TEXTS = {
    1: "# Prices\n\nThe price of the Fulmar is 84 EUR. It was raised on 5 May 2024.\nDelivery is free.",
    2: "The Fulmar stores 32,000 readings. Its battery lasts nine years.",
    3: "雪鸮冷藏箱的单价是 860 元。保修期为 36 个月。",
}
HITS = {
    n: Hit(
        Chunk(f"c{n}", f"{n}.md", 0, text, ("Fulmar",), "paragraph", 10, 10 + text.count("\n"), 0, len(text)), 1.0
    )
    for n, text in TEXTS.items()
}
QUESTION = analyze("What is the price of the Fulmar?")


def read(text: str, question: Any = QUESTION) -> Any:
    return draft.read(text, HITS, question, limit=5000)


def cited(made: Any) -> list[tuple[str, list[str]]]:
    by_number = {citation.n: citation for citation in made.citations}
    return [(claim.text, [by_number[n].chunk_id for n in claim.cites if n in by_number]) for claim in made.claims]


PRICE, BATTERY = "The price of the Fulmar is 84 EUR", "Its battery lasts nine years"


@pytest.mark.parametrize(
    "text",
    [
        f"{PRICE} [1]. {BATTERY} [2].",
        f"{PRICE}. [1] {BATTERY}. [2]",
        f"{PRICE}[1]. {BATTERY}[2].",
        f"{PRICE} 【1】. {BATTERY} ［2］.",
        f"{PRICE} [^1]. {BATTERY} [Hit 2].",
        f"{PRICE} [hit 1]. {BATTERY} [source: 2].",
        f"- {PRICE} [1].\n- {BATTERY} [2].",
        f"1. {PRICE} [1].\n2. {BATTERY} [2].",
        f"Answer: {PRICE} [1]. {BATTERY} [2].",
        f"**Answer:** {PRICE} [1]. {BATTERY} [2].",
        f"**{PRICE}** [1]. {BATTERY} [2].",
        f"```\n{PRICE} [1].\n{BATTERY} [2].\n```",
        f"<answer>{PRICE} [1]. {BATTERY} [2].</answer>",
        f"{PRICE} [1]. {BATTERY} [2].\n\nSources:\n[1] 1.md\n[2] 2.md",
        f"According to the hits:\n\n{PRICE} [1]. {BATTERY} [2].",
        f"{PRICE} [1]. {BATTERY} [2]. The hits do not say who made it.",
        '{"answer": "' + f"{PRICE} [1]. {BATTERY} [2]." + '"}',
        f"{PRICE}. {BATTERY}.",  # no marks at all: each sentence stands in one hit
        f"{PRICE} [1]. {BATTERY} [2]. Do you want to know more?",
    ],
)  # fmt: skip
def test_habits(text: str) -> None:
    """Every one of these says the same two things of the same two hits."""
    assert cited(read(text)) == [(f"{PRICE}.", ["c1"]), (f"{BATTERY}.", ["c2"])]


def test_several_marks_of_one_sentence() -> None:
    """[1, 2], [1][2] and [1-2] are two citations each."""
    for marks in ("[1, 2]", "[1][2]", "[1-2]", "[1、2]", "[1; 2]", "[1] [2]", "[1 and 2]"):
        assert cited(read(f"The Fulmar costs 84 EUR and stores 32,000 readings {marks}.")) == [
            ("The Fulmar costs 84 EUR and stores 32,000 readings.", ["c1", "c2"])
        ]


def test_marks_at_the_end_are_for_the_paragraph() -> None:
    """Verification decides whether they hold; without them the first sentence would have no source."""
    made = read(f"{PRICE}. It was raised on 5 May 2024 [1].\n{BATTERY} [2].")
    assert [ids for _, ids in cited(made)] == [["c1"], ["c1"], ["c2"]]


def test_quotations_are_verbatim_and_placed() -> None:
    """What a reader checks: the words, and the line they stand on."""
    made = read("Since 5 May 2024 the Fulmar has cost 84 EUR [1]. Nine years is what its battery lasts [2].")
    for citation in made.citations:
        assert citation.quote in TEXTS[int(citation.source[0])]
    assert [(c.source, c.start_line, c.end_line) for c in made.citations] == [("1.md", 12, 12), ("2.md", 10, 10)]
    assert "84 EUR. It was raised on 5 May 2024." in made.citations[0].quote


def test_the_value_is_marked() -> None:
    """The answer proper is what a reader's eye looks for."""
    claim = read(f"{PRICE} [1].").claims[0]
    assert claim.span is not None
    assert "84" in claim.text[slice(*claim.span)]


@pytest.mark.parametrize(
    "text", ["NOT FOUND", "not found.", "NOT FOUND [1]", "未找到", "未找到。", "**NOT FOUND**"]
)
def test_not_found(text: str) -> None:
    """A refusal is read as a whole, never found within a sentence."""
    assert read(text) is None
    assert read(f"The error text is NOT FOUND and {PRICE} [1].") is not None


@pytest.mark.parametrize(
    "text",
    ["The hits do not mention this.", "I'm sorry, I cannot answer that.", "文档中没有提到。", "抱歉，无法确定。"],
)
def test_talk_about_the_hits_is_no_claim(text: str) -> None:
    """Nothing is left to show: an honest refusal follows."""
    assert read(text) is None


@pytest.mark.parametrize(
    "text", ["", "  \n", "```\n```", "The moon is far away.", '{"hits": []}', '{"answer": 3}']
)
def test_what_cites_nothing_is_malformed(text: str) -> None:
    """It is asked for again, with a word on what is wanted."""
    with pytest.raises(Malformed):
        read(text)


def test_an_invented_number_keeps_standing_for_nothing() -> None:
    """It must not turn into another hit's number when citations are counted anew."""
    made = read(f"{PRICE} [1][9].")
    assert made.claims[0].cites == (1, 9)
    assert [citation.n for citation in made.citations] == [1]
    made = read(f"{PRICE} [4][1].")
    assert len(made.claims[0].cites) == 2
    assert sum(n in {citation.n for citation in made.citations} for n in made.claims[0].cites) == 1


def test_chinese() -> None:
    """Marks before or behind 。, and no blanks between the sentences."""
    question = analyze("雪鸮的单价是多少？")
    for text in (
        "单价是 860 元[3]。保修期为 36 个月[3]。",
        "单价是 860 元。[3]保修期为 36 个月。[3]",
        "答案：单价是 860 元【3】。保修期为 36 个月【3】。",
    ):
        assert cited(read(text, question)) == [("单价是 860 元。", ["c3"]), ("保修期为 36 个月。", ["c3"])]


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("The price of the Fulmar is 84 EUR.", TEXTS[1], True),
        ("the price of the fulmar is 84 eur", TEXTS[1], True),
        ("The price of the Fulmar is not 84 EUR.", TEXTS[1], False),
        ("The price of the Fulmar is 84 EUR.", "It is false that the price of the Fulmar is 84 EUR.", False),
        ("The box is safe.", "The box is safe only if the lid is shut.", False),
        ("The Fulmar costs 84 EUR.", TEXTS[1], False),
        ("The price of the Fulmar is 84 EUR for schools.", TEXTS[1], False),
        ("保修期为 36 个月。", TEXTS[3], True),
        ("保修期不为 36 个月。", TEXTS[3], False),
    ],
)
def test_nearly_quoted(claim: str, source: str, expected: bool) -> None:
    """What passes without a second look must say what its source says, turn for turn."""
    assert nearly_quoted(claim, [source], QUESTION.text) == expected
