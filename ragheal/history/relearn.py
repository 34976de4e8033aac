"""Fill a memory again from the traces, after it was damaged, forgotten, or made with another embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.errors import TraceError
from ragheal.history.signals import judgements
from ragheal.history.traces import TraceStore
from ragheal.indexing.store import DocumentRow
from ragheal.memory.distil import unfit
from ragheal.memory.plans import PlanMemory
from ragheal.settings.sections import MemorySettings
from ragheal.storage.sqlite import Damaged
from ragheal.text.script import lang

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def relearn(
    folder: Path,
    settings: MemorySettings,
    embed: Callable[[str], NDArray[np.float32]],
    embedder: str,
    documents: Iterable[DocumentRow],
) -> PlanMemory:
    """Remember every trace that is worth it, oldest first, and give the memory.

    `embed` makes the vector of a question, `embedder` is its fingerprint, `documents` are those of the index.
    A trace does not tell what its documents held; those that were indexed before it was made still hold that,
    and a trace that cites any other is passed over. What is in the memory already is kept and updated.
    What users said of the answers weighs the plans that are new; those that were there have been weighed when it
    was said.
    Raises TraceError when the history cannot be read; a single trace that cannot is passed over. Raises
    StorageError when the memory cannot be read or written.
    """
    indexed = {row.source: (row.indexed_at, row.sha256) for row in documents if row.status == "ok"}
    memory = PlanMemory(folder, settings, embedder=embedder)
    try:
        before = {entry.id for entry in memory.list(-1)}
    except Damaged:
        before = set()  # a new one is made with the first plan
    traces, judged = TraceStore(folder), judgements(folder)
    rows = traces.list(limit=-1, status="answered")
    for row in reversed(rows):
        try:
            trace = traces.load(row.id)
        except TraceError:
            continue
        if unfit(trace):
            continue
        # To the second: indexes from before wrote no fractions and another sign for the zone.
        hashes = {source: digest for source, (at, digest) in indexed.items() if at[:19] <= trace.created[:19]}
        if all(citation.source in hashes for citation in trace.answer.citations):
            plan = memory.remember(trace, embed(trace.question), lang(trace.question), hashes)
            if plan is not None and plan not in before:
                for good in judged.get(trace.id, ()):
                    (memory.strengthen if good else memory.weaken)(plan, used=False)
            if memory.unwritten is not None:
                raise memory.unwritten
    return memory
