"""Evaluations made by hand: questions, and what each way said to them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from repair_world import trace

from ragheal.evaluation.bars import Bar
from ragheal.evaluation.baseline import Baseline
from ragheal.evaluation.questions import Line
from ragheal.evaluation.report import About, Report, Way, build
from ragheal.evaluation.run import run
from ragheal.types import Trace

LINES = (
    Line("How long is leave?", answers=("25 days",), sources=("leave.md",), number=1, other={"qid": "leave"}),
    Line("年假几天？", answers=("十五天",), sources=("休假.txt",), number=2),
    Line("What is the CEO's salary?", answerable=False, number=4),
    Line("Tell me of the canteen.", number=5),
)
HEALED = {
    LINES[0].question: trace("", "answered", "25 days [1]", 2, "leave.md"),
    LINES[1].question: trace("", "disclaimed", "十五天", 1, "other.txt"),
    LINES[2].question: trace("", "abstained", "", 3),
    LINES[3].question: trace("", "answered", "It opens at noon.", 1),
}
PLAIN = {
    LINES[0].question: trace("", "answered", "30 days", 1, "leave.md"),
    LINES[1].question: trace("", "answered", "十五天", 1, "休假.txt"),
    LINES[2].question: trace("", "answered", "A million", 1),
    LINES[3].question: trace("", "abstained", "", 1),
}
WAYS = (Way("healed", "adaptive", True), Way("plain", "adaptive", False))


def asker(answers: dict[str, Trace], seconds: float = 0.5) -> Callable[[str], Trace]:
    return lambda question: msgspec.structs.replace(answers[question], seconds=seconds)


def about(**fields: object) -> About:
    return About("q.jsonl", len(LINES), "2026-03-04T05:06:07.000Z", "0.1.0", "embedded", **fields)  # type: ignore[arg-type]


@pytest.fixture
def evaluated() -> Callable[..., Report]:
    """Makes a report; `bars` and `baseline` as for `build`."""

    def made(bars: tuple[Bar, ...] = (), baseline: Baseline | None = None, **fields: object) -> Report:
        outcome = run(LINES, {"healed": asker(HEALED), "plain": asker(PLAIN, 0.1)})
        return build(about(**fields), WAYS, outcome, 1.5, bars=bars, baseline=baseline)

    return made
