"""What a user can have done about failures, each move whole: locked, after what a kill left is put in order.

The engine is handed in: it answers with any overlay (`try_out`) and opens the doors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ragheal.errors import ConfigError
from ragheal.evaluation.questions import Line
from ragheal.healing import auto, pointer, steps
from ragheal.healing.canary import Comparison, compare
from ragheal.healing.overlay import Overlay, in_force
from ragheal.healing.propose import Found
from ragheal.healing.propose import propose as find_proposals
from ragheal.healing.repairs import Proposal
from ragheal.types import Trace

if TYPE_CHECKING:
    from ragheal.models.base import Embedder
    from ragheal.retrieval.base import Doors

PERCENT = 20  # of the questions that a trial is on for, unless said otherwise


class Asks(Protocol):
    """What is needed of an engine."""

    def doors(self) -> Doors: ...
    def embedder(self) -> Embedder: ...
    def try_out(self, question: str, overlay: Overlay | None) -> Trace: ...


@contextmanager
def _changing(index: Path) -> Iterator[None]:
    with pointer.writing(index):
        steps.recover(index)
        yield


def propose(index: Path, engine: Asks, on_question: Callable[[int, int], None] | None = None) -> Found:
    """Derive proposals from the failure log, and keep them. Raises IndexBusy, TraceError."""
    with _changing(index):
        return _proposed(index, engine, on_question)


def verify(
    index: Path, engine: Asks, ids: Sequence[str], lines: Sequence[Line], on_line: Callable[[], None] | None = None
) -> tuple[Proposal, ...]:
    """Measure the proposals named, or all that wait. Raises IndexBusy, and ConfigError as `steps.verify` does."""
    with _changing(index):
        chosen = steps.find(index, ids) if ids else waiting(index)
        if not chosen:
            raise ConfigError("no proposal waits to be verified", hint="make some: ragheal heal propose")
        return steps.verify(index, chosen, lines, engine.try_out, on_line)


def waiting(index: Path) -> tuple[Proposal, ...]:
    """The proposals that can be verified and were not."""
    return tuple(proposal for proposal in auto.open_proposals(index) if proposal.repair is not None)


def start_trial(index: Path, proposal: str, percent: int) -> Overlay:
    """Put a verified repair on trial. Raises IndexBusy, and ConfigError as `steps.start_trial` does."""
    with _changing(index):
        return steps.start_trial(index, steps.find(index, [proposal])[0], percent)


def trial(index: Path) -> tuple[Overlay, Comparison]:
    """The trial that is on, and how it fares. Raises ConfigError when there is none."""
    running = in_force(index)
    if running is None or not running.trial:
        raise ConfigError("no repair is on trial", hint="ragheal heal canary ID --percent 20")
    return running, compare(index, running)


def promote(index: Path, proposal: str, *, untried: bool) -> tuple[Overlay, Comparison]:
    """Put a repair on trial in force for all. Raises IndexBusy, and what `steps.promote` does."""
    with _changing(index):
        return steps.promote(index, steps.find(index, [proposal])[0], untried=untried)


def rollback(index: Path, to: int | None = None) -> tuple[int, int]:
    """Put an earlier overlay in force; gives (from, to). Raises IndexBusy, and what `steps.rollback` does."""
    with _changing(index):
        return steps.rollback(index, to)


def unattended(
    index: Path,
    engine: Asks,
    lines: Sequence[Line],
    percent: int,
    say: Callable[[str], None],
    on_question: Callable[[int, int], None] | None = None,
) -> tuple[Found, auto.Outcome]:
    """From the failure log to repairs in force. Raises IndexBusy, ConfigError for a share that is none."""
    if not 1 <= percent <= 100:
        raise ConfigError(f"--percent {percent}: from 1 to 100", hint=f"without --percent it is {PERCENT}")
    with _changing(index):
        steps.require_quiet(index)
        found = _proposed(index, engine, on_question)
        proposals = auto.open_proposals(index)
        return found, auto.run(index, proposals, lines, engine.try_out, percent, say)


def _proposed(index: Path, engine: Asks, on_question: Callable[[int, int], None] | None) -> Found:
    from ragheal.history.vectors import questions_of

    embedder = engine.embedder()
    embed = questions_of(embedder)
    found = find_proposals(index, engine.doors(), embed, embedder.fingerprint, engine.try_out, on_question)
    steps.add(index, found.proposals)
    return found
