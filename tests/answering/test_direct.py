"""Questions that need no documents."""

from __future__ import annotations

import time

import pytest

from ragheal.answering.direct import arithmetic


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is 17*3", "17*3 = 51"),
        ("what's 48 * 12?", "48 * 12 = 576"),
        ("125 除以 5 等于多少？", "125 / 5 = 25"),
        ("1,200 + 300", "1200 + 300 = 1500"),
        ("(2+3)*4 =", "(2+3)*4 = 20"),
        ("2^10", "2**10 = 1024"),
        ("3 加 4 等于几", "3 + 4 = 7"),
        ("1/0", "1/0: division by zero has no value."),
    ],
)
def test_sums(question: str, answer: str) -> None:
    """A stack of documents pasted at "17*3" is the failure this route exists for."""
    assert arithmetic(question) == answer


@pytest.mark.parametrize(
    "question",
    ["what is 17", "When is 2024-05-06?", "What is v2.3.1?", "9**9**9", "9^9^9^9", "((((1", "what is the rate?", "",
     "How many of the 12+ servers?", "__import__('os')", "911", "24/7 support?"],
)  # fmt: skip
def test_no_sums(question: str) -> None:
    """Dates, versions and code are no sums; nothing may hang or run."""
    started = time.perf_counter()
    assert arithmetic(question) is None
    assert time.perf_counter() - started < 0.5
