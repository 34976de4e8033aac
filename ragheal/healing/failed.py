"""The failures that proposals start from: questions, each once, in the groups that missed the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.evaluation.questions import alike
from ragheal.failures import log
from ragheal.failures.clusters import Cluster, cluster
from ragheal.failures.log import Failure
from ragheal.storage.sqlite import has_table
from ragheal.tracing.store import open_history
from ragheal.types import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FAILURES = 500


class Asked(Value, frozen=True):
    """A question that failed or healed, however often. `group` is the label of its cluster."""

    question: str
    times: int
    traces: tuple[str, ...]
    group: str
    failed: bool = True  # False: it was answered in the end, after more than one round
    worked: tuple[str, ...] = ()  # the same in other words, by the same user, answered at once


def failures(
    index: Path, embed: Callable[[Sequence[str]], NDArray[np.float32]], fingerprint: str
) -> tuple[tuple[Asked, ...], tuple[Cluster, ...]]:
    """Questions of the failure log, those of the largest groups first, and the groups. Raises TraceError."""
    logged = log.list(index, limit=_FAILURES)
    if not logged:
        return (), ()
    groups = cluster(logged, embed, folder=index, embedder=fingerprint)
    place = {trace: number for number, group in enumerate(groups) for trace in group.trace_ids}
    again = _put_again(index)
    found: dict[str, list[Failure]] = {}
    for failure in logged:
        found.setdefault(alike(failure.question), []).append(failure)
    ordered = sorted(found.values(), key=lambda fs: (place.get(fs[0].trace_id, len(groups)), -len(fs)))
    asked = []
    for same in ordered:
        number = place.get(same[0].trace_id)
        asked.append(
            Asked(
                question=same[0].question,
                times=len(same),
                traces=tuple(failure.trace_id for failure in same[:10]),
                group="" if number is None else groups[number].label,
                failed=any(failure.failed for failure in same),
                worked=tuple(dict.fromkeys(q for failure in same for q in again.get(failure.trace_id, ()))),
            )
        )
    return tuple(asked), groups


def _put_again(index: Path) -> dict[str, tuple[str, ...]]:
    """For each trace, questions in which the same user said it in other words and was answered at once.

    Such a signal is as old as the run that gave rise to it.
    """
    with open_history(index, write=False) as db:
        if not has_table(db, "signals"):
            return {}
        rows = db.execute(
            "SELECT s.trace_id, t.question FROM signals s JOIN traces t ON t.created = s.created "
            "WHERE s.signal = 'rephrased_query' AND t.status = 'answered' AND t.rounds = 1 ORDER BY s.rowid"
        ).fetchall()
    found: dict[str, tuple[str, ...]] = {}
    for trace, question in rows:
        found[trace] = (*found.get(trace, ()), question)
    return found
