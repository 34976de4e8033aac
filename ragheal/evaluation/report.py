"""All of an evaluation in one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragheal.evaluation.bars import Bar, Held, measured
from ragheal.evaluation.baseline import Baseline, Since, hold
from ragheal.evaluation.run import Outcome, Row
from ragheal.evaluation.tally import Comparison, Tally, compare, tally
from ragheal.types import Value


class Way(Value, frozen=True):
    """How the questions are asked: by which strategy, and whether the loop heals."""

    name: str
    strategy: str
    heal: bool


class About(Value, frozen=True):
    """What the questions are asked of, and with what. `total`: questions of the file; `created`: ISO 8601, UTC."""

    file: str
    total: int
    created: str
    ragheal: str
    backend: str
    model: str = ""
    index_generation: int = 0
    overlay: int = 0  # of repairs in force; 0: none
    repeat: int = 1
    models: Mapping[str, str] = {}
    settings: Mapping[str, Any] = {}


class Report(Value, frozen=True):
    """An evaluation. Thresholds and the baseline are held against the first way.

    Each way but the last is compared with the last, which is one shot when that was asked for; with several
    strategies and no one shot, the first is compared with each of the others.
    """

    about: About
    ways: tuple[Way, ...]
    outcome: Outcome
    seconds: float
    tallies: tuple[Tally, ...]
    comparisons: tuple[Comparison, ...] = ()
    since: Since | None = None
    bars: tuple[Held, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.outcome.rows

    @property
    def broken(self) -> tuple[Held, ...]:
        return tuple(bar for bar in self.bars if not bar.held)

    @property
    def unreached(self) -> bool:
        """Whether the model server was asked and never gave anything, so that nothing of it was measured."""
        asked = [one for row in self.rows for askings in row.asked.values() for one in askings]
        return any(one.unreached for one in asked) and not any(one.tokens.completion for one in asked)


#: The way that `--no-heal` goes.
PLAIN = "plain"


def build(
    about: About,
    ways: Sequence[Way],
    outcome: Outcome,
    seconds: float,
    *,
    bars: Sequence[Bar] = (),
    baseline: Baseline | None = None,
    notes: Sequence[str] = (),
) -> Report:
    """Count, compare and hold against the bars. `seconds`: how long all of it took."""
    names = [way.name for way in ways]
    tallies = tuple(tally(outcome.rows, name) for name in names)
    if names[-1] == PLAIN:
        pairs = [(name, PLAIN) for name in names[:-1]]
    else:
        pairs = [(names[0], name) for name in names[1:]]
    comparisons = tuple(compare(outcome.rows, way, against) for way, against in pairs)
    since = None
    if baseline is not None:
        now = {
            name: getattr(about, name) for name in ("settings", "models", "index_generation", "overlay", "ragheal")
        }
        since = hold(baseline, outcome.rows, names[0], now)
    first = comparisons[0] if comparisons else None
    held = measured(bars, tallies[0], first, since.compared if since is not None else None)
    return Report(about, tuple(ways), outcome, seconds, tallies, comparisons, since, held, tuple(notes))
