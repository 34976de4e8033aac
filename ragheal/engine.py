"""Puts the parts together: index, ask, search, replay. The only file that knows which are real."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragheal.errors import IndexMissing, RaghealError, TraceError
from ragheal.settings import Settings
from ragheal.types import TRACE_VERSION, Answer, Citation, Hit, Query, RouteStep, Step, Trace

if TYPE_CHECKING:
    from ragheal.answering.roles import Roles
    from ragheal.indexing.opened import OpenIndex
    from ragheal.indexing.report import Progress, Report
    from ragheal.models.base import Embedder
    from ragheal.retrieval.base import Doors
    from ragheal.retrieval.live import LiveDoors, PassageReader

INDEX_NAME = ".ragheal"


def find_index(start: Path, given: Path | None = None) -> Path:
    """The index folder: the one given, else the nearest `.ragheal` upwards. Raises IndexMissing."""
    from ragheal.indexing.folder import find

    if given is not None:
        if not given.is_dir():
            raise IndexMissing(f"no index at {given}", hint=f"make one: ragheal index PATH --index {given}")
        return given
    found = find(start)
    if found is None:
        raise IndexMissing(f"no index in {start} or above it", hint="make one: ragheal index PATH")
    return found


class Engine:
    """One index and its settings. Nothing is opened or loaded until it is needed; then it is kept."""

    def __init__(self, settings: Settings, index_dir: Path) -> None:
        self.settings = settings
        self.index_dir = index_dir
        self._index: OpenIndex | None = None
        self._embedder_made: Embedder | None = None
        self._doors_made: LiveDoors | None = None

    # --- indexing ---

    def index(
        self, paths: Sequence[Path], *, on_progress: Callable[[Progress], None] | None = None, full: bool = False
    ) -> Report:
        """Bring the index up to date; `full` starts from nothing. Raises what `indexing.build.build` does."""
        from ragheal.indexing.build import build

        return build(paths, self.index_dir, self.settings, self._embedder, on_progress, rebuild=full)

    # --- answering ---

    def ask(self, question: str, *, on_step: Callable[[Step], None] | None = None) -> Trace:
        """Answer a question and keep its trace. Raises IndexUnusable, ModelError; not finding is no error."""
        from ragheal.answering.embedded.reading import uses_reader
        from ragheal.strategies.adaptive import route
        from ragheal.text.questions import analyze
        from ragheal.tracing.record import Recorder

        live = self.doors()
        chosen = route(question, self.settings).route
        if chosen != "direct":
            # The models and the index load while the question is planned.
            parted = chosen in {"multi_hop", "combined"}
            live.warm(reader=uses_reader(self.settings.embedded.reader, analyze(question), part=parted))
        recorder = Recorder(live)
        trace = self._run(question, recorder, on_step)
        answer = msgspec.structs.replace(trace.answer, degraded=(*trace.answer.degraded, *live.degraded))
        trace = msgspec.structs.replace(trace, answer=answer, exchanges=recorder.exchanges)
        return self._saved(self._with_changes(trace))

    def search(self, query: str) -> tuple[Hit, ...]:
        """Retrieval alone."""
        return self.doors().search(Query(query))

    # --- replaying ---

    def check(self, trace: Trace) -> None:
        """Run a trace again offline, its doors answered from the record.

        Raises CheckFailed at the first difference.
        """
        from ragheal.tracing.replay import check

        def run(doors: Doors, on_step: Callable[[Step], None]) -> Trace:
            return self._replayer(trace)._run(trace.question, doors, on_step, generation=trace.index_generation)

        check(trace, run)

    def rerun(self, trace: Trace, on_step: Callable[[Step], None] | None = None) -> Trace:
        """Ask the question of a trace again on today's index, with the trace's settings."""
        other = self._replayer(trace)
        try:
            return other.ask(trace.question, on_step=on_step)
        finally:
            other.close()

    def _replayer(self, trace: Trace) -> Engine:
        try:
            settings = msgspec.convert(trace.settings, Settings, strict=False)
        except msgspec.ValidationError as error:
            raise TraceError(
                f"the settings of trace {trace.id} are not this version's: {error}", hint="ask the question again"
            ) from None
        return Engine(settings, self.index_dir)

    # --- parts ---

    def close(self) -> None:
        if self._index is not None:
            self._index.close()
        self._index = self._doors_made = None

    def _run(
        self,
        question: str,
        doors: Doors,
        on_step: Callable[[Step], None] | None,
        *,
        generation: int | None = None,
    ) -> Trace:
        from ragheal import __version__
        from ragheal.answering.kit import Kit
        from ragheal.strategies import STRATEGIES
        from ragheal.strategies.adaptive import route
        from ragheal.tracing.store import new_id, now

        started = time.perf_counter()
        steps: list[Step] = []

        def emit(step: Step) -> None:
            steps.append(step)
            if on_step is not None:
                on_step(step)

        routing = route(question, self.settings)
        emit(RouteStep(routing))
        kit = Kit(doors, self._roles(doors), self.settings, emit)
        answer: Answer = STRATEGIES[routing.route](question, routing, kit)
        if generation is None:
            generation = self._index.generation if self._index is not None else 0
        return Trace(
            version=TRACE_VERSION,
            id=new_id(),
            created=now(),
            ragheal=__version__,
            question=question,
            index_generation=generation,
            settings=recorded_settings(self.settings),
            models=dict(doors.fingerprints),
            steps=tuple(steps),
            exchanges=(),
            answer=answer,
            seconds=round(time.perf_counter() - started, 4),
            healed=self.settings.loop.heal,
        )

    def _roles(self, doors: Doors) -> Roles:
        from ragheal.answering.embedded import EmbeddedRoles

        embedded = EmbeddedRoles(doors, self.settings)
        if self.settings.model.backend == "scripted":
            from ragheal.answering.scripted import ScriptedRoles

            return ScriptedRoles.load(Path(self.settings.model.script), embedded)
        return embedded

    def _with_changes(self, trace: Trace) -> Trace:
        """Mark citations whose file is no longer what was indexed."""
        if self._index is None or not trace.answer.citations:
            return trace
        index = self._index

        def marked(citation: Citation) -> Citation:
            changed = not index.is_current(citation.source)
            return msgspec.structs.replace(citation, changed=True) if changed else citation

        citations = tuple(marked(citation) for citation in trace.answer.citations)
        return msgspec.structs.replace(trace, answer=msgspec.structs.replace(trace.answer, citations=citations))

    def _saved(self, trace: Trace) -> Trace:
        """Keep the trace; an answer is not withheld because its record cannot be written, but it says so."""
        from ragheal.tracing.store import TraceStore

        if not self.settings.trace.save:
            return trace
        try:
            TraceStore(self.index_dir).save(trace)
        except RaghealError as error:
            note = f"trace not saved: {error.message}"
            answer = msgspec.structs.replace(trace.answer, degraded=(*trace.answer.degraded, note))
            return msgspec.structs.replace(trace, answer=answer)
        return trace

    def _embedder(self) -> Embedder:
        from ragheal.models import load_embedder

        if self._embedder_made is None:
            chosen = self.settings.embedding
            self._embedder_made = load_embedder(
                chosen.model, chosen.query_prefix, chosen.passage_prefix, threads=chosen.threads
            )
        return self._embedder_made

    def _reader(self) -> PassageReader | None:
        """The shipped reader, unless it is switched off. A damaged one is found at its first use."""
        from ragheal.models.reader import SHIPPED, OnnxReader

        if self.settings.embedded.reader == "off" or not SHIPPED.is_dir():
            return None
        return OnnxReader(threads=self.settings.embedding.threads)

    def doors(self) -> LiveDoors:
        """The real doors, opened once."""
        from ragheal.indexing.opened import OpenIndex
        from ragheal.retrieval.live import LiveDoors
        from ragheal.text.analyze import ANALYZER

        if self._doors_made is None:
            index = OpenIndex.open(self.index_dir)
            try:
                embedder = self._embedder()
                index.require(embedder.fingerprint, ANALYZER, embedder.name)
            except BaseException:
                index.close()
                raise
            self._index = index
            self._doors_made = LiveDoors(index, embedder, self.settings, self._reader())
        return self._doors_made


def recorded_settings(settings: Settings) -> dict[str, Any]:
    """The settings as a trace keeps them: sections of plain values, no keys and no paths of the machine."""
    tree: Mapping[str, Any] = msgspec.to_builtins(settings)
    return {section: dict(values) for section, values in tree.items() if section != "trace"}
