"""The failures that proposals start from: questions, each once, in the groups that missed the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.evaluation.questions import alike
from ragheal.history import log, signals
from ragheal.history.clusters import Cluster, cluster
from ragheal.history.log import Failure
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
    again = signals.put_again(index)
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
