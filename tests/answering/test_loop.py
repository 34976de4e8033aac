"""The loop is bounded, only adds, never repeats a query, and says why it stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from ragheal.answering.kit import Kit
from ragheal.answering.loop import gather
from ragheal.answering.roles import Rewrite, Severity
from ragheal.settings import Settings, load
from ragheal.types import (
    Check,
    Draft,
    Grade,
    Hit,
    JudgeStep,
    Missing,
    Plan,
    Query,
    SearchStep,
    Step,
    StopStep,
    Verdict,
)

DOCUMENTS = {
    "a.md": "Dispatch\nThe scheduler pauses dispatch for thirty minutes.\n\nIt was written by the Dispatch team.",
    "b.md": "Alarms\nA reading above the threshold emits HOLD_RED.",
}


DEFAULTS = Settings()


class Judge:
    """Roles that follow a script of verdicts and rewrites and keep what they were asked."""

    name = "script"

    def __init__(self, verdicts: Sequence[Verdict], rewrites: Sequence[Rewrite | None]) -> None:
        self.verdicts, self.rewrites = list(verdicts), list(rewrites)
        self.pools: list[list[str]] = []
        self.severities: list[Severity] = []
        self.tried: list[list[str]] = []

    def plan(self, question: str, route: str) -> Plan:
        return Plan((Query(question),))

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        self.pools.append([hit.chunk.id for hit in pool])
        return self.verdicts.pop(0)

    def rewrite(
        self, question: str, plan: Plan, verdicts: Sequence[Verdict], tried: Sequence[Query], severity: Severity
    ) -> Rewrite | None:
        self.severities.append(severity)
        self.tried.append([query.text for query in tried])
        return self.rewrites.pop(0)

    def generate(
        self, question: str, plan: Plan, pool: Sequence[Hit], verdict: Verdict, *, strict: bool
    ) -> Draft | None:
        raise AssertionError("the loop does not generate")

    def verify(self, *_: object, **__: object) -> Check:
        raise AssertionError("the loop does not verify")


NO = Verdict(False, 0.2, grades=(Grade("x", 20),), missing=(Missing("entity", "HOLD_RED", ("HOLD_RED",)),))
YES = Verdict(True, 0.9)


def run(doors: Callable, judge: Judge, settings: Settings = DEFAULTS) -> tuple[list[Step], object, object]:
    steps: list[Step] = []
    words = doors(DOCUMENTS)
    kit = Kit(words, judge, settings, steps.append)
    return steps, gather("what pauses dispatch", Plan((Query("what pauses dispatch"),)), kit), words


def test_sufficient_evidence_ends_it_at_once(doors: Callable) -> None:
    """An easy question must not pay for rounds it does not need."""
    _, gathered, words = run(doors, Judge([YES], []))
    assert gathered.rounds == 1
    assert len(words.asked) == 1


def test_a_rewrite_only_adds(doors: Callable) -> None:
    """What the question itself found stays in the pool, whatever a rewrite drags in."""
    judge = Judge([NO, YES], [Rewrite((Query("HOLD_RED", origin="rewrite"),), "missing: HOLD_RED")])
    _, gathered, _ = run(doors, judge)
    assert set(judge.pools[0]) < set(judge.pools[1])
    assert gathered.rounds == 2


def test_rounds_are_bounded(doors: Callable) -> None:
    """grade – rewrite – grade must never go on for ever."""
    rewrites = [Rewrite((Query(f"HOLD_RED threshold {n}", origin="rewrite"),), "x") for n in range(9)]
    steps, gathered, _ = run(doors, Judge([NO] * 9, rewrites), load(env={}, flags={"loop.max_rounds": 2}).settings)
    assert gathered.rounds == 2
    assert [step.why for step in steps if isinstance(step, StopStep)] == ["2 rounds are spent"]


def test_nothing_new_ends_it(doors: Callable) -> None:
    """A round whose queries find only what is known will not be better the next time."""
    judge = Judge([NO, NO], [Rewrite((Query("dispatch pauses", origin="rewrite"),), "x")])
    steps, gathered, _ = run(doors, judge)
    assert gathered.rounds == 2
    assert any(isinstance(step, StopStep) and "nothing" in step.why for step in steps)
    assert sum(isinstance(step, JudgeStep) for step in steps) == 1


def test_no_query_left_ends_it(doors: Callable) -> None:
    """A rewriter that has nothing to add says so instead of repeating itself."""
    steps, _, _ = run(doors, Judge([NO], [None]))
    assert isinstance(steps[-1], StopStep)


def test_each_failed_retry_moves_a_step_up(doors: Callable) -> None:
    """The second retry is not the first one again."""
    rewrites = [
        Rewrite((Query("HOLD_RED", origin="rewrite"),), "x"),
        Rewrite((Query("Dispatch team written", origin="rewrite"),), "x"),
    ]
    judge = Judge([NO, NO, NO], rewrites)
    run(doors, judge)
    order = ["mild", "moderate", "critical"]
    assert order.index(judge.severities[0]) < order.index(judge.severities[1])


def test_no_heal_is_one_shot(doors: Callable) -> None:
    """The baseline that every claim is measured against retrieves once."""
    steps, gathered, words = run(doors, Judge([NO], []), load(env={}, flags={"loop.heal": False}).settings)
    assert gathered.rounds == 1
    assert len(words.asked) == 1
    assert not any(isinstance(step, StopStep) for step in steps)


def test_the_rewriter_sees_every_query_tried(doors: Callable) -> None:
    """Otherwise it can only guess what not to repeat."""
    judge = Judge(
        [NO, NO, NO],
        [Rewrite((Query("HOLD_RED", origin="rewrite"),), "x"), Rewrite((Query("team", origin="rewrite"),), "x")],
    )
    run(doors, judge)
    assert judge.tried[1] == ["what pauses dispatch", "HOLD_RED"]


def test_steps_tell_the_whole_story(doors: Callable) -> None:
    """The terminal and the trace know only the steps."""
    judge = Judge([NO, YES], [Rewrite((Query("HOLD_RED", origin="rewrite"),), "missing: HOLD_RED")])
    steps, _, _ = run(doors, judge)
    kinds = [msgspec.to_builtins(step)["type"] for step in steps]
    assert kinds == ["search", "judge", "rewrite", "search", "judge"]
    assert [step.round for step in steps if isinstance(step, SearchStep)] == [1, 2]


@pytest.mark.parametrize("rounds", [1, 3])
def test_first_round_is_kept(doors: Callable, rounds: int) -> None:
    """Healing may replace the first round's evidence only with better: it must still be there."""
    judge = Judge([NO, NO, NO], [Rewrite((Query("HOLD_RED", origin="rewrite"),), "x"), None])
    _, gathered, _ = run(doors, judge, load(env={}, flags={"loop.max_rounds": rounds}).settings)
    assert gathered.first[1] is NO
    assert {hit.chunk.id for hit in gathered.first[0]} <= {hit.chunk.id for hit in gathered.hits}
