"""A nested question comes apart at its unnamed middle, in both languages."""

from __future__ import annotations

import pytest

from ragheal.answering.embedded.decompose import HOLE, chain


@pytest.mark.parametrize(
    ("question", "inner", "outer"),
    [
        (
            "Where was the director of the film Northern Harbour born?",
            "Who is the director of the film Northern Harbour?",
            f"Where was {HOLE} born?",
        ),
        (
            "What is the birthplace of the founder of Brindlefrost?",
            "Who is the founder of Brindlefrost?",
            f"What is the birthplace of {HOLE}?",
        ),
        ("When did Hedda Korrin's manager join?", "Who is Hedda Korrin's manager?", f"When did {HOLE} join?"),
        ("包装组负责人毕业于哪所大学？", "包装组负责人是谁？", f"{HOLE}毕业于哪所大学？"),
        ("维护青雁的团队的负责人是谁？", "维护青雁的团队是什么？", f"{HOLE}的负责人是谁？"),
        ("雪鸮由哪个小组设计？该小组有多少人？", "雪鸮由哪个小组设计？", f"{HOLE}有多少人？"),
    ],
)
def test_halves(question: str, inner: str, outer: str) -> None:
    """The inner half finds the middle, the outer one has a hole for it."""
    found = chain(question)
    assert found is not None
    assert (found.inner, found.outer) == (inner, outer)
    assert HOLE not in found.fill("X")


@pytest.mark.parametrize(
    "question", ["What is the default port?", "默认端口是多少？", "Who?", "谁", "", "of of of of"]
)
def test_plain_questions_stay_whole(question: str) -> None:
    """A simple fact that is cut in two costs a round and finds less."""
    assert chain(question) is None
