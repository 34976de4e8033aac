"""The loop is bounded, only adds, never repeats a query, and says why it stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from ragheal.answering.kit import Kit
from ragheal.answering.loop import gather
from ragheal.answering.roles import Rewrite, Severity
from ragheal.answering.signals import of_draft
from ragheal.settings import Settings, load
from ragheal.types import (
    Check,
    Claim,
    Draft,
    Grade,
    Hit,
    JudgeStep,
    Missing,
    Plan,
    Query,
    RewriteStep,
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

    def __init__(
        self, verdicts: Sequence[Verdict], rewrites: Sequence[Rewrite | None], explicit_hops: bool = False
    ) -> None:
        self.explicit_hops = explicit_hops
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
YES = Verdict(True, 0.9, (Grade("x", 90),))


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


# --- the severity ladder --------------------------------------------------------------------------------


GOOD, POOR = (Grade("x", 90),), (Grade("x", 20),)


@pytest.mark.parametrize(
    ("grades", "confidence", "rung"),
    [
        (GOOD, 0.9, "mild"),
        (GOOD, 0.2, "moderate"),
        (POOR, 0.9, "moderate"),
        (POOR, 0.2, "critical"),
        ((), 0.9, "moderate"),
    ],
)
def test_rungs_of_a_model(doors: Callable, grades: tuple[Grade, ...], confidence: float, rung: str) -> None:
    """One signal deepens, both take the question apart; without one it is a rewrite."""
    verdict = msgspec.structs.replace(NO, grades=grades, confidence=confidence)
    judge = Judge([verdict, YES], [Rewrite((Query("HOLD_RED", origin="rewrite"),), "x")], explicit_hops=True)
    run(doors, judge)
    assert judge.severities == [rung]


@pytest.mark.parametrize(("raised", "rung"), [(0, "mild"), (1, "moderate"), (2, "critical"), (9, "critical")])
def test_a_thumb_down_is_a_rung(doors: Callable, raised: int, rung: str) -> None:
    """A question that was answered badly before does not start at the bottom again."""
    verdict = msgspec.structs.replace(NO, grades=GOOD, confidence=0.9)
    judge = Judge([verdict, YES], [Rewrite((Query("HOLD_RED", origin="rewrite"),), "x")], explicit_hops=True)
    kit = Kit(doors(DOCUMENTS), judge, DEFAULTS, lambda step: None, raised=raised)
    gather("what pauses dispatch", Plan((Query("what pauses dispatch"),)), kit)
    assert judge.severities == [rung]


def test_a_deeper_search_adds_the_best_five(doors: Callable) -> None:
    """Twenty hits drown a model: of those that it has not seen the first five are worth showing."""
    many = {f"{n}.md": f"Dispatch {n}\nThe scheduler pauses dispatch, part {n}." for n in range(30)}
    world = doors(many)
    steps: list[Step] = []
    judge = Judge([msgspec.structs.replace(NO, grades=POOR, confidence=0.9), YES], [None], explicit_hops=True)
    kit = Kit(world, judge, DEFAULTS, steps.append)
    gather("what pauses dispatch", Plan((Query("what pauses dispatch"),)), kit)
    deep = [step for step in steps if isinstance(step, SearchStep)][1]
    assert (deep.query.origin, deep.query.depth, len(deep.hits)) == ("deepen", DEFAULTS.loop.deep_k, 5)
    assert deep.hits == world.search(deep.query)[10:15]
    rewrite = next(step for step in steps if isinstance(step, RewriteStep))
    assert (rewrite.severity, rewrite.query) == ("moderate", deep.query)


@pytest.mark.parametrize(("confidence", "rounds"), [(0.9, 1), (0.5, 2)])
def test_a_sufficient_that_is_not_sure_is_looked_into(doors: Callable, confidence: float, rounds: int) -> None:
    """A model that says "sufficient" at 50 % is asked again with deeper evidence, once; no rewriter is needed."""
    unsure = Verdict(True, confidence, (Grade("x", 90),))
    judge = Judge([unsure, unsure], [], explicit_hops=True)
    many = {f"{n}.md": f"Dispatch {n}\nThe scheduler pauses dispatch, part {n}." for n in range(30)}
    steps: list[Step] = []
    kit = Kit(doors(many), judge, DEFAULTS, steps.append)
    gathered = gather("what pauses dispatch", Plan((Query("what pauses dispatch"),)), kit)
    assert gathered.rounds == rounds
    assert gathered.verdict.sufficient
    assert not any(isinstance(step, StopStep) for step in steps)


def test_it_is_deepened_once(doors: Callable) -> None:
    """The same deep search again would find the same."""
    judge = Judge([NO, NO, NO], [None, None], explicit_hops=True)
    steps, gathered, _ = run(doors, judge)
    assert [query.origin for query in gathered.tried].count("deepen") == 1
    assert isinstance(steps[-1], StopStep)


def test_a_remembered_plan_is_searched_at_once(doors: Callable) -> None:
    """The second asking takes one round."""
    plan = Plan((Query("what pauses dispatch"), Query("HOLD_RED")), together=True)
    world = doors(DOCUMENTS)
    gathered = gather("what pauses dispatch", plan, Kit(world, Judge([YES], []), DEFAULTS, lambda step: None))
    assert gathered.rounds == 1
    assert [query.text for query in world.asked] == ["what pauses dispatch", "HOLD_RED"]


@pytest.mark.parametrize(
    ("text", "route", "wrong"),
    [
        ("It pauses dispatch.", "standard", ""),
        ("It pauses dispatch.", "self_rag", "shorter"),
        ("它会暂停派单三十分钟，之后自动恢复，期间不再接受新订单。", "self_rag", ""),
        ("I don’t know what it does.", "standard", "I don't know"),
        ("The documents do not mention a price.", "standard", "do not mention"),
        ("It works with nuclear reactors.", "standard", ""),
        ("无法确定暂停多久。", "standard", "无法确定"),
        ("文檔沒有提到價格。", "standard", "没有提到"),
        ("x" * 6000, "standard", "longer"),
    ],
)
def test_signals_of_a_draft(text: str, route: str, wrong: str) -> None:
    """A fluent "I don't know" looks like an answer to every metric but this one."""
    found = of_draft(Draft((Claim(text, (1,)),), ()), route, DEFAULTS.loop)  # type: ignore[arg-type]
    assert bool(found) == bool(wrong)
    assert wrong in " ".join(found)
