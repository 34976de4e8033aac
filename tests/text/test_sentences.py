"""Sentences are what is quoted: a cut in the wrong place is a quotation that says something else."""

from __future__ import annotations

import itertools
import random

import pytest

from ragheal.text.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Lee met J. Smith. They left.", ["Dr. Lee met J. Smith.", "They left."]),
        (
            "It opens at 5 p.m. The U.S. team won 3.5 points.",
            ["It opens at 5 p.m.", "The U.S. team won 3.5 points."],
        ),
        ('"Great!" he said. Why? Nobody knew.', ['"Great!" he said.', "Why?", "Nobody knew."]),
        ("他说：“你好。”然后走了。真的吗？", ["他说：“你好。”", "然后走了。", "真的吗？"]),
        ("价格是3.5元；很便宜！", ["价格是3.5元；", "很便宜！"]),
        ("- one item\n- another item", ["- one item", "- another item"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
        ("A line that is wrapped\nin its middle goes on.", ["A line that is wrapped\nin its middle goes on."]),
        ("Supply voltage\n3.6 V\nWeight\n90 g", ["Supply voltage", "3.6 V", "Weight", "90 g"]),
        ("One para\n\nAnother para", ["One para", "Another para"]),
        ("Version v2.3.1 was e.g. slower. See [1].", ["Version v2.3.1 was e.g. slower.", "See [1]."]),
    ],
)
def test_boundaries(text: str, expected: list[str]) -> None:
    """Abbreviations, decimals, quotes and lists in both languages."""
    assert split(text) == expected


def test_nothing_is_lost_or_said_twice() -> None:
    """Whatever the text, its sentences are in order and hold every character that is not white space."""
    chance = random.Random(5)
    alphabet = "aB 1.。！?\n|#-“”…; 中文，(x)"
    for _ in range(300):
        text = "".join(chance.choice(alphabet) for _ in range(chance.randrange(80)))
        spans = sentences(text)
        assert all(a < b for a, b in spans)
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
        assert "".join("".join(split(text)).split()) == "".join(text.split())
