"""Every question of a file in every way, and what is kept of each asking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ragheal.errors import RaghealError
from ragheal.evaluation.grading import grade, sources
from ragheal.evaluation.questions import Line
from ragheal.history.facts import judge_errors
from ragheal.types import (
    CheckStep,
    FaultStep,
    HopStep,
    JudgeStep,
    Route,
    RouteStep,
    SearchStep,
    Status,
    Tokens,
    Trace,
    Value,
)

#: Answers a question in one way, from nothing that was asked before, and keeps nothing.
Ask = Callable[[str], Trace]


class Asked(Value, frozen=True):
    """What came of asking a question once. `grade` is one of `grading`, None where the line does not say.

    `degraded`: what was given up, in words. `unreached`: the model server was asked and gave nothing.
    """

    grade: int | None
    status: Status
    answer: str = ""
    cited: tuple[str, ...] = ()  # documents
    places: tuple[str, ...] = ()  # the same as path:line
    route: Route = "standard"
    rounds: int = 0
    seconds: float = 0.0
    tokens: Tokens = Tokens()
    calls: int = 0
    degraded: tuple[str, ...] = ()
    judge_errors: int = 0
    unreached: bool = False
    story: tuple[str, ...] = ()  # the run in a few lines, for whoever looks into a failure


class Row(Value, frozen=True):
    """A question and every asking of it, by way."""

    line: Line
    asked: dict[str, tuple[Asked, ...]]

    def typical(self, way: str) -> Asked:
        """The asking that stands for all: the one in the middle by grade, of two in the middle the worse."""
        askings = self.asked[way]
        ranked = sorted(askings, key=lambda asked: -1 if asked.grade is None else asked.grade)
        return ranked[(len(ranked) - 1) // 2]

    def unstable(self, way: str) -> bool:
        """Whether its grade changes from asking to asking."""
        return len({asked.grade for asked in self.asked[way]}) > 1


class Outcome(Value, frozen=True):
    """The questions that were asked in every way. `stopped` says why not all of them were; "" when all were."""

    rows: tuple[Row, ...]
    stopped: str = ""
    exit_code: int = 0  # of the error that stopped it; Ctrl-C is none
    interrupted: bool = False


def run(
    lines: Sequence[Line],
    ways: Mapping[str, Ask],
    repeat: int = 1,
    on_asked: Callable[[], None] | None = None,
) -> Outcome:
    """Ask every line `repeat` times in each way: one question in all ways before the next.

    Ctrl-C, an index or model that cannot be used any more, and whatever was not foreseen end the run; a question
    that was not asked in every way by then is left out. Before the first is done they are raised: there is
    nothing to report.
    """
    rows: list[Row] = []
    number = 0
    try:
        for line in lines:
            number = line.number
            asked: dict[str, tuple[Asked, ...]] = {}
            for way, ask in ways.items():
                askings = []
                for _ in range(repeat):
                    askings.append(_asked(line, ask(line.question)))
                    if on_asked is not None:
                        on_asked()
                asked[way] = tuple(askings)
            rows.append(Row(line, asked))
    except KeyboardInterrupt:
        if not rows:
            raise
        return Outcome(tuple(rows), "interrupted", interrupted=True)
    except RaghealError as error:
        if not rows:
            raise
        return Outcome(tuple(rows), f"line {number}: {error.message}", error.exit_code)
    except Exception as error:  # what an hour was spent on is not thrown away
        if not rows:
            raise
        return Outcome(tuple(rows), f"line {number}: unexpected error: {type(error).__name__}: {error}", 1)
    return Outcome(tuple(rows))


def _asked(line: Line, trace: Trace) -> Asked:
    answer = trace.answer
    lost = any(isinstance(step, FaultStep) and step.kind != "malformed" for step in trace.steps)
    return Asked(
        grade=grade(line, trace),
        status=answer.status,
        answer=answer.text,
        cited=sources(trace),
        places=tuple(dict.fromkeys(f"{c.source}:{c.start_line}" for c in answer.citations)),
        route=answer.route,
        rounds=answer.rounds,
        seconds=trace.seconds,
        tokens=answer.tokens,
        calls=answer.calls,
        degraded=answer.degraded,
        judge_errors=judge_errors(trace),
        unreached=lost and answer.tokens == Tokens(),
        story=tuple(_story(trace)),
    )


def _story(trace: Trace) -> list[str]:
    """Route, rounds, hops and check, a line each."""
    told: list[str] = []
    if trace.asked:
        told.append(f"asked as: {trace.asked} (repair {trace.overlay})")
    for step in trace.steps:
        match step:
            case RouteStep():
                told.append(f"route {step.routing.route}: {step.routing.reason}")
            case SearchStep():
                told.append(f"round {step.round}: {step.query.text} ({len(step.hits)} hits, {step.new} new)")
            case JudgeStep():
                verdict = step.verdict
                missing = "; ".join(missing.label for missing in verdict.missing)
                told.append(
                    "  sufficient" if verdict.sufficient else f"  not sufficient; missing: {missing or '-'}"
                )
            case HopStep():
                told.append(f"hop {step.hop.n}: {step.hop.question} -> {step.hop.answer or 'not found'}")
            case FaultStep():
                told.append(f"fault: {step.role} {step.kind} {step.detail}".rstrip())
            case CheckStep():
                told.append(f"check: {step.check.grounded}, {step.check.outcome}")
    return told
