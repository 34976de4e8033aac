"""What a question asks for decides which sentences can answer it."""

from __future__ import annotations

import pytest

from ragheal.text.questions import analyze, asked_parts


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who leads the dispatch team?", "person"),
        ("When was the depot opened?", "date"),
        ("What year did it open?", "year"),
        ("How many pallets fit?", "number"),
        ("How much does the tag cost?", "money"),
        ("How long is the warranty?", "duration"),
        ("How tall is the mast?", "quantity"),
        ("Where is the head office?", "place"),
        ("Why did the gateway restart?", "reason"),
        ("How do I reset the tag?", "manner"),
        ("What percentage was lost?", "percent"),
        ("Is the tag waterproof?", "yesno"),
        ("谁负责调度组？", "person"),
        ("仓库是哪一年建成的？", "year"),
        ("什么时候开业？", "date"),
        ("有多少个货位？", "number"),
        ("保修期是多久？", "duration"),
        ("单价是多少钱？", "money"),
        ("总部在哪里？", "place"),
        ("为什么会重启？", "reason"),
        ("如何重置标签？", "manner"),
        ("倉庫位於哪個城市？", "place"),
        ("这个标签防水吗？", "yesno"),
        ("什么是频率控制？", "definition"),
        ("限流策略是什么？", "definition"),
    ],
)
def test_kind(question: str, kind: str) -> None:
    """A "when" answered with a name is no answer."""
    assert analyze(question).kind == kind


@pytest.mark.parametrize(
    ("question", "options", "compare"),
    [
        ("Which was released earlier, the Heron or the Puffin?", ("the Heron", "the Puffin"), "earlier"),
        ("Are Ashgrove and Harrow Quay both in the north?", ("Ashgrove", "Harrow Quay"), "same"),
        ("雪鸮和白鹭，哪个容积更大？", ("雪鸮", "白鹭"), "larger"),
        ("张三和李四谁更年轻？", ("张三", "李四"), "later"),
    ],
)
def test_comparisons_name_their_sides(question: str, options: tuple[str, str], compare: str) -> None:
    """A comparison of which only one side is looked up is half an answer."""
    found = analyze(question)
    assert (found.options, found.compare) == (options, compare)


def test_city_names_are_no_function_words() -> None:
    """成都 holds 都, which elsewhere means "both"."""
    assert analyze("武汉和成都哪个城市人口更多？").compare == "larger"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("How wide is the Heron, and what does it weigh?", ["How wide is the Heron", "what does it weigh?"]),
        ("雪鸮的容积是多少，是哪家厂造的？", ["雪鸮的容积是多少", "是哪家厂造的？"]),
        ("When the Heron leaks, what do we do?", ["When the Heron leaks, what do we do?"]),
        ("搬家那天之后，一次最多能装几箱？", ["搬家那天之后，一次最多能装几箱？"]),
    ],
)
def test_two_questions_in_one_are_told_apart(text: str, parts: list[str]) -> None:
    """Half an answer that is called complete sends a script on with the other half missing."""
    assert asked_parts(text) == parts


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (
            "Who lived longer, Ida of Kolk, Countess of Hollin or Piet Loos?",
            ("Ida of Kolk, Countess of Hollin", "Piet Loos"),
        ),
        ("Which had fewer people, Ashgrove, Kent or Hollin, Devon?", ("Ashgrove, Kent", "Hollin, Devon")),
        ("Were the Heron and the Puffin built in the same yard?", ("the Heron", "the Puffin")),
    ],
)
def test_a_comma_belongs_to_the_name(text: str, options: tuple[str, str]) -> None:
    """A side that is cut in the middle of its name is searched for under the wrong one."""
    assert analyze(text).options == options
