"""What surrounds the run of a question: repairs, the cache, memory before it; the records after it.

Nothing here may cost the user an answer: what cannot be read or written is told in `notes`, which go into
`Answer.degraded`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ragheal.errors import RaghealError
from ragheal.settings import Settings
from ragheal.text.script import lang
from ragheal.types import Cached, Recalled, Route, Trace, Value

if TYPE_CHECKING:
    from ragheal.healing.overlay import Overlay
    from ragheal.indexing.opened import OpenIndex
    from ragheal.memory.plans import PlanMemory
    from ragheal.models.base import Embedder

T = TypeVar("T")
#: Routes that search, so that a remembered plan can help.
_SEARCHING: frozenset[Route] = frozenset({"standard", "multi_hop", "self_rag", "combined"})


class Start(Value, frozen=True):
    """What a run starts from, beside question, index and settings. The trace has it, so a replay starts alike."""

    asked: str  # the question as a repair words it
    overlay: int = 0
    overlay_made: str = ""
    canary: bool = False
    raised: int = 0
    recalled: Recalled | None = None
    overlay_acts: bool = False  # a repair reworded the question

    @classmethod
    def of(cls, trace: Trace) -> Start:
        asked = trace.asked or trace.question
        return cls(asked, trace.overlay, "", trace.canary, trace.raised, trace.memory, bool(trace.asked))


class Surroundings:
    """The stores of one index folder around one engine's questions."""

    def __init__(self, folder: Path, settings: Settings, index: OpenIndex, embedder: Embedder) -> None:
        self._folder = folder
        self._settings = settings
        self._index = index
        self._embedder = embedder
        self._memory_made: PlanMemory | None = None
        #: An overlay to answer with in place of the one in force: how repairs are tried out.
        self.trial: Overlay | None = None
        #: Questions of a file: no one asks again because the answer was not good.
        self.batch = False
        #: As if nobody had asked or said anything before: repairs count, and nothing is kept.
        self.apart = False
        self._notes: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """What was given up for this question, in words."""
        memory = self._memory_made.notes if self._memory_made is not None else ()
        return tuple(dict.fromkeys((*self._notes, *memory)))

    # --- before ---

    def begin(self, question: str) -> Start:
        """Repairs and warnings that bear on a question."""
        self._notes = []
        if self._memory_made is not None:
            self._memory_made.start_question()
        overlay = self.trial or self._in_force()
        raised = self._raised(question) if self._settings.loop.heal and not self.apart else 0
        if overlay is None or not self._settings.loop.heal:
            return Start(question, raised=raised)
        self._notes += overlay.notes
        asked = self._guarded(lambda: overlay.reword(question), question)
        return Start(
            asked,
            overlay.number,
            overlay.created,
            overlay.chosen(question),
            raised,
            overlay_acts=asked != question,
        )

    def cached(self, key: str) -> Trace | None:
        """A run that answered this very question before, and may still be shown."""
        from ragheal.caching.answers import AnswerCache

        cache = AnswerCache(self._folder, self._settings)
        found = cache.get(key)
        self._notes += cache.notes
        if found is None:
            return None
        trace, age = found
        return msgspec.structs.replace(trace, cache=Cached(trace.id, round(age, 1)))

    def recalled(self, start: Start, route: Route) -> Start:
        """The same start with the plan of a question like it, when one is remembered."""
        from ragheal.memory.store import MEMORY

        memory = self._memory()
        # What was learnt of a repaired question must not outlive its repair: those are not remembered.
        if route not in _SEARCHING or memory is None or start.raised or start.overlay_acts:
            return start
        if not MEMORY.begun(memory.folder):
            return start
        vector = self._embedder.embed_query(start.asked)
        found = memory.recall(start.asked, vector, lang(start.asked), self._index.hash_of)
        return start if found is None else msgspec.structs.replace(start, recalled=found)

    # --- after ---

    def end(self, trace: Trace, key: str | None) -> None:
        """Learn from a run: memory, and where it may be asked again alike, the cache."""
        memory = self._memory()
        if memory is not None and self._settings.loop.heal:
            self._learn(memory, trace)
        if key is not None and not trace.raised and self.trial is None:
            from ragheal.caching.answers import AnswerCache

            AnswerCache(self._folder, self._settings).put(key, trace)

    def record(self, trace: Trace) -> tuple[str, ...]:
        """Keep the trace and what the reviews read; gives what could not be kept, in words."""
        from ragheal.history import log, runs, signals
        from ragheal.history.database import writing
        from ragheal.history.retention import prune_if_due
        from ragheal.history.traces import TraceStore

        if not self._settings.trace.save or self.trial is not None or self.apart:
            return ()
        try:
            if trace.cache is None:
                TraceStore(self._folder).save(trace)
            else:
                TraceStore(self._folder).shown(trace.id)  # what `last` means, to whoever just read it
        except RaghealError as error:
            return (f"trace not saved: {error.message}",)
        try:
            with writing(self._folder) as db:
                runs.write(db, trace)
                if trace.cache is None and self._settings.loop.heal:
                    log.write(db, trace)
            if trace.cache is None:
                # The lines of a batch are alike without anybody having asked twice.
                session = "" if self.batch else None
                signals.find_rephrased(self._folder, trace, self._similar(trace.question), session=session)
            prune_if_due(self._folder, self._settings)
        except RaghealError as error:
            return (f"not logged: {error.message}",)
        return ()

    def _learn(self, memory: PlanMemory, trace: Trace) -> None:
        if trace.answer.route not in _SEARCHING or trace.asked:
            return
        from ragheal.memory.distil import unfit

        if unfit(trace):
            if trace.memory is not None and trace.answer.status != "answered":
                memory.weaken(trace.memory.id)
            return
        hashes = {c.source: self._index.hash_of(c.source) or "" for c in trace.answer.citations}
        memory.remember(trace, self._embedder.embed_query(trace.question), lang(trace.question), hashes)

    def _memory(self) -> PlanMemory | None:
        from ragheal.memory.plans import PlanMemory

        if not self._settings.memory.enabled or self.trial is not None or self.apart:
            return None
        if self._memory_made is None:
            self._memory_made = PlanMemory(
                self._folder, self._settings.memory, embedder=self._embedder.fingerprint
            )
        return self._memory_made

    def _in_force(self) -> Overlay | None:
        from ragheal.healing.overlay import in_force

        return in_force(self._folder)

    def _raised(self, question: str) -> int:
        from ragheal.history.signals import raised

        try:
            return raised(self._folder, question, self._similar(question))
        except RaghealError:
            return 0  # a history that cannot be read is told of when this run is to be kept in it

    def _similar(self, question: str) -> Callable[[str], float]:
        """Cosine of another question to this one; the models load at the first call."""

        def similar(other: str) -> float:
            return float(self._embedder.embed_query(question) @ self._embedder.embed_query(other))

        return similar

    def _guarded(self, work: Callable[[], T], instead: T) -> T:
        try:
            return work()
        except RaghealError as error:
            self._notes.append(error.message)
            return instead
