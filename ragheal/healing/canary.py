"""A repair on trial: how the questions of its share fared, against the others and against themselves before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ragheal.evaluation.questions import alike
from ragheal.healing.overlay import Overlay
from ragheal.healing.wording import applies
from ragheal.history import signals
from ragheal.history.traces import TraceStore
from ragheal.types import Trace, Value

#: Traces read at most, the newest first.
_TRACES = 1000
#: Questions a side needs before their shares are compared: fewer differ by chance.
ENOUGH = 5
_GOOD = frozenset({"answered", "conflict", "direct"})
#: A share of answers that is lower by more than this is worse.
_SLACK = 0.05


class Side(Value, frozen=True):
    """Questions that the repair is about. `rounds` is their mean; `unhappy` were thumbed down or corrected."""

    questions: int = 0
    answered: int = 0
    rounds: float = 0.0
    unhappy: int = 0

    @property
    def share(self) -> float:
        return self.answered / self.questions if self.questions else 0.0


class Comparison(Value, frozen=True):
    """What the history says of a trial. `worse` names what speaks against it; empty: nothing does.

    `again` counts questions of the trial that were asked before it too: (question, status before, status now).
    """

    overlay: int
    percent: int
    trial: Side
    control: Side
    again: tuple[tuple[str, str, str], ...] = ()
    worse: tuple[str, ...] = ()

    @property
    def conclusion(self) -> str:
        if self.worse:
            return "worse: " + "; ".join(self.worse)
        if not self.trial.questions:
            return "no question that it changes has been asked in its share yet"
        return f"nothing against it in {self.trial.questions} question{'' if self.trial.questions == 1 else 's'}"


def compare(index: Path, overlay: Overlay) -> Comparison:
    """Trial against control from the traces since the trial began. Raises TraceError."""
    store = TraceStore(index)
    trial: list[Trace] = []
    control: list[Trace] = []
    repairs = [entry.repair for entry in overlay.trial]
    for row in store.list(limit=_TRACES, since=overlay.created):
        if not any(applies(row.question, repair) for repair in repairs):
            continue  # the repair is not about it: it tells nothing
        trace = store.load(row.id)
        if trace.overlay == overlay.number:
            (trial if trace.canary else control).append(trace)
    unhappy = signals.unhappy(index)
    again = _again(store, trial, overlay.created)
    compared = Comparison(overlay.number, overlay.percent, _side(trial, unhappy), _side(control, unhappy), again)
    return msgspec.structs.replace(compared, worse=tuple(_worse(compared)))


def _worse(compared: Comparison) -> list[str]:
    trial, control = compared.trial, compared.control
    found = [
        f"“{question}” was {before}, is {after}"
        for question, before, after in compared.again
        if before in _GOOD and after not in _GOOD
    ]
    if trial.unhappy and trial.unhappy / trial.questions > control.unhappy / max(1, control.questions):
        found.append(f"{trial.unhappy} of its answers were objected to")
    if min(trial.questions, control.questions) >= ENOUGH and trial.share < control.share - _SLACK:
        found.append(f"answers {trial.share:.0%} of its questions, the others are at {control.share:.0%}")
    return found


def _side(traces: Sequence[Trace], unhappy: frozenset[str]) -> Side:
    return Side(
        questions=len(traces),
        answered=sum(trace.answer.status in _GOOD for trace in traces),
        rounds=round(sum(trace.answer.rounds for trace in traces) / len(traces), 2) if traces else 0.0,
        unhappy=sum(trace.id in unhappy for trace in traces),
    )


def _again(store: TraceStore, trial: Sequence[Trace], since: str) -> tuple[tuple[str, str, str], ...]:
    """Each question of the trial whose last asking before it is on record."""
    now = {alike(trace.question): trace for trace in reversed(trial)}  # the newest counts
    if not now:
        return ()
    before: dict[str, str] = {}
    for row in store.list(limit=_TRACES, until=since):
        before.setdefault(alike(row.question), row.status)
    return tuple(
        (trace.question, before[normal], trace.answer.status) for normal, trace in now.items() if normal in before
    )
