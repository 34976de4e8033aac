"""What fails out of proportion: documents and kinds of question; and documents that never help.

A share is out of proportion when even the lower end of its 95 % interval (Wilson 1927) lies above the share
of all runs of the window, and it is at least half as high again. Small counts raise nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from ragheal.history.database import reading
from ragheal.types import Value

MIN_RUNS, MIN_FAILED, MIN_LIFT = 5, 3, 1.5
#: Answered runs a document has to be in the final evidence of, uncited, before it is called no help.
MIN_UNCITED = 10
_Z = 1.96


class Pattern(Value, frozen=True):
    """Something that fails more than the rest: `failed` of `runs`; `lift` is how many times as often as all."""

    what: str  # document, route, language, asks for, begins with
    name: str
    runs: int
    failed: int
    lift: float

    @property
    def rate(self) -> float:
        return self.failed / self.runs


class Idle(Value, frozen=True):
    """A document in the final evidence of `runs` answered questions that no answer cited."""

    source: str
    runs: int


class Patterns(Value, frozen=True):
    """What stands out in a window of `runs` runs, of which `failed` failed; each list the most telling first."""

    runs: int = 0
    failed: int = 0
    documents: tuple[Pattern, ...] = ()
    questions: tuple[Pattern, ...] = ()
    idle: tuple[Idle, ...] = ()


def find(folder: Path, *, since: datetime | None = None) -> Patterns:
    """What stands out since the day (UTC) of a time. Raises TraceError for a damaged history."""
    with reading(folder) as db:
        rows = db.execute(
            "SELECT what, name, sum(runs), sum(failed), sum(answered), sum(cited) FROM traits WHERE day >= ? "
            "GROUP BY what, name",
            (int(since.timestamp()) // 86_400 if since else 0,),
        ).fetchall()
    # Only runs that searched are counted: greetings never fail, and would make all else look bad.
    runs, failed = next(((some, bad) for what, _, some, bad, *_ in rows if what == "all"), (0, 0))
    found = standing_out((row[:4] for row in rows if row[0] != "all"), runs, failed)
    idle = [Idle(row[1], row[4]) for row in rows if row[0] == "document" and not row[5] and row[4] >= MIN_UNCITED]
    return Patterns(
        runs=runs,
        failed=failed,
        documents=tuple(pattern for pattern in found if pattern.what == "document"),
        questions=tuple(pattern for pattern in found if pattern.what != "document"),
        idle=tuple(sorted(idle, key=lambda one: (-one.runs, one.source))),
    )


def standing_out(counted: Iterable[tuple[str, str, int, int]], runs: int, failed: int) -> tuple[Pattern, ...]:
    """Those of (what, name, runs, failed) that fail out of proportion to `failed` of `runs`."""
    base = failed / runs if runs else 0.0
    found = []
    for what, name, some, bad in counted:
        if some < MIN_RUNS or bad < MIN_FAILED or not base:
            continue
        low, lift = wilson(bad, some), bad / some / base
        if low > base and lift >= MIN_LIFT:
            found.append((low, Pattern(what, name, some, bad, round(lift, 2))))
    return tuple(pattern for _, pattern in sorted(found, key=lambda item: (-item[0], item[1].what, item[1].name)))


def wilson(part: float, whole: float) -> float:
    """Lower end of the 95 % interval of a share (Wilson 1927); the upper is 1 less that of the rest."""
    share, square = part / whole, _Z * _Z
    middle = share + square / (2 * whole)
    spread = _Z * math.sqrt(share * (1 - share) / whole + square / (4 * whole * whole))
    return (middle - spread) / (1 + square / whole)
