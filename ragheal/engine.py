"""Puts the parts together: index, ask, search, replay. The only file that knows which are real."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragheal.asking import Start, Surroundings
from ragheal.errors import IndexMissing, TraceError
from ragheal.settings import Settings
from ragheal.types import TRACE_VERSION, Answer, Citation, Hit, Query, RouteStep, Step, Trace

if TYPE_CHECKING:
    from ragheal.answering.roles import Roles
    from ragheal.healing.overlay import Overlay
    from ragheal.indexing.opened import OpenIndex
    from ragheal.indexing.report import Progress, Report
    from ragheal.models.base import Embedder
    from ragheal.models.chat import ChatClient
    from ragheal.retrieval.base import Doors
    from ragheal.retrieval.live import ChatModel, LiveDoors
    from ragheal.settings.sections import LoopSettings


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
        self._around_made: Surroundings | None = None
        self._chat: ChatClient | None = None

    # --- indexing ---

    def index(
        self, paths: Sequence[Path], *, on_progress: Callable[[Progress], None] | None = None, full: bool = False
    ) -> Report:
        """Bring the index up to date; `full` starts from nothing. Raises what `indexing.build.build` does."""
        from ragheal.indexing.build import build

        return build(paths, self.index_dir, self.settings, self.embedder, on_progress, rebuild=full)

    # --- answering ---

    def ask(
        self,
        question: str,
        *,
        on_step: Callable[[Step], None] | None = None,
        on_text: Callable[[str], None] | None = None,
        batch: bool = False,
    ) -> Trace:
        """Answer a question and keep its trace. Raises IndexUnusable, ModelError; not finding is no error.

        `on_step` is told every step as it happens; `on_text` the words of a model server as they come, before
        they are verified. `batch`: one question of a file, that nobody asks again for want of an answer.
        """
        from ragheal.strategies.adaptive import route
        from ragheal.text.script import lang
        from ragheal.tracing.record import Recorder

        began = time.perf_counter()
        live, around = self.doors(), self._around()
        around.batch = batch
        if self._chat is not None:
            self._chat.start_question()
            self._chat.on_text = on_text
        start = around.begin(question)
        key = None if start.raised or around.trial or around.apart else self._key(question, start, live)
        known = around.cached(key) if key else None
        if known is not None:
            if on_step is not None:
                for step in known.steps:
                    on_step(step)
            seconds = round(time.perf_counter() - began, 4)
            answer = msgspec.structs.replace(known.answer, question=question)
            known = msgspec.structs.replace(known, question=question, answer=answer, seconds=seconds)
            return self._kept(self._with_changes(known), around)
        chosen = route(start.asked, self.settings).route
        if chosen != "direct":
            # The models and the index load while the question is planned.
            live.warm(lang(start.asked))
        start = around.recalled(start, chosen)
        recorder = Recorder(live)
        trace = self._run(question, start, recorder, on_step)
        trace = msgspec.structs.replace(trace, exchanges=recorder.exchanges)
        around.end(trace, key)
        return self._kept(self._with_changes(trace), around)

    def try_out(self, question: str, overlay: Overlay | None) -> Trace:
        """Answer with these repairs in place of those in force (None: with none). Nothing is kept or recalled."""
        from ragheal.healing.overlay import Overlay as Repairs

        self.doors()
        around = self._around()
        around.trial = overlay or Repairs(0)
        try:
            return self.ask(question)
        finally:
            around.trial = None

    def examiner(self, loop: LoopSettings) -> Engine:
        """An engine on the same open index and models, with its own loop: as if nobody had asked before, and
        leaving nothing behind (no cache, memory, signals). Close this one, not that one."""
        other = Engine(msgspec.structs.replace(self.settings, loop=loop), self.index_dir)
        other._doors_made, other._index, other._chat = self.doors(), self._index, self._chat
        other._embedder_made = self._embedder_made
        other._around().apart = True
        return other

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
            replayer, start = self._replayer(trace), Start.of(trace)
            return replayer._run(trace.question, start, doors, on_step, generation=trace.index_generation)

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
        if self._chat is not None:
            self._chat.close()
        self._index = self._doors_made = self._around_made = self._chat = None

    def _run(
        self,
        question: str,
        start: Start,
        doors: Doors,
        on_step: Callable[[Step], None] | None,
        *,
        generation: int | None = None,
    ) -> Trace:
        from ragheal import __version__
        from ragheal.answering.account import accounted
        from ragheal.answering.kit import Kit, Story
        from ragheal.storage.clock import new_id, now
        from ragheal.strategies import STRATEGIES
        from ragheal.strategies.adaptive import decide

        started = time.perf_counter()
        steps: list[Step] = []

        def emit(step: Step) -> None:
            steps.append(step)
            if on_step is not None:
                on_step(step)

        asked, story = start.asked, Story(emit)
        roles = self._roles(doors, story)
        routing = decide(asked, self.settings, roles)
        story(RouteStep(routing))
        remembered = start.recalled.plan if start.recalled is not None else None
        kit = Kit(doors, roles, self.settings, story, remembered=remembered, raised=start.raised)
        answer: Answer = STRATEGIES[routing.route](asked, routing, kit)
        answer = accounted(msgspec.structs.replace(answer, question=question), roles, steps)
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
            asked=asked if asked != question else "",
            overlay=start.overlay,
            canary=start.canary,
            memory=start.recalled,
            raised=start.raised,
        )

    def _roles(self, doors: Doors, emit: Callable[[Step], None]) -> Roles:
        from ragheal.answering.embedded import EmbeddedRoles

        embedded = EmbeddedRoles(doors, self.settings)
        if self.settings.model.backend == "scripted":
            from ragheal.answering.scripted import ScriptedRoles

            return ScriptedRoles.load(Path(self.settings.model.script), embedded)
        if self.settings.model.backend == "openai":
            from ragheal.answering.model import ModelRoles

            return ModelRoles(doors, self.settings, embedded, emit)
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

    def _kept(self, trace: Trace, around: Surroundings) -> Trace:
        """Keep the trace; an answer is not withheld because its record cannot be written, but it says so."""
        not_kept = around.record(_degraded(trace, around.notes))
        return _degraded(trace, (*not_kept, *around.notes))

    def _key(self, question: str, start: Start, live: LiveDoors) -> str | None:
        """What a cached answer to this question is found by; None: not to be cached."""
        from ragheal import __version__
        from ragheal.caching.key import answer_key

        kept = self.settings.cache.enabled and self.settings.trace.save
        if not kept or self.settings.model.backend == "scripted":
            return None
        assert self._index is not None
        # Numbers begin again in a folder whose generations or overlays were deleted.
        generation = f"{self._index.generation} {self._index.manifest.created} {start.overlay_made}"
        return answer_key(question, generation, self.settings, live.fingerprints, start.overlay, __version__)

    def _around(self) -> Surroundings:
        if self._around_made is None:
            assert self._index is not None
            self._around_made = Surroundings(self.index_dir, self.settings, self._index, self.embedder())
        return self._around_made

    def embedder(self) -> Embedder:
        """The embedder of the settings, made once."""
        from ragheal.models import load_embedder

        if self._embedder_made is None:
            chosen = self.settings.embedding
            self._embedder_made = load_embedder(
                chosen.model, chosen.query_prefix, chosen.passage_prefix, threads=chosen.threads
            )
        return self._embedder_made

    def _asked_server(self) -> ChatModel | None:
        """The model server, where one is configured. Raises ConfigError."""
        if self.settings.model.backend != "openai":
            return None
        from ragheal import __version__
        from ragheal.caching.decisions import CachedDecisions, DecisionCache
        from ragheal.models.chat import open_chat

        self._chat = open_chat(self.settings, self.index_dir)
        self._chat.warm()
        return CachedDecisions(self._chat, DecisionCache(self.index_dir, self.settings), __version__)

    def doors(self) -> LiveDoors:
        """The real doors, opened once."""
        from ragheal.indexing.opened import OpenIndex
        from ragheal.models.reader import OnnxReader
        from ragheal.retrieval.live import LiveDoors
        from ragheal.text.analyze import ANALYZER

        if self._doors_made is None:
            index = OpenIndex.open(self.index_dir)
            try:
                embedder = self.embedder()
                index.require(embedder.fingerprint, ANALYZER, embedder.name)
            except BaseException:
                index.close()
                raise
            self._index = index
            reader = OnnxReader(threads=self.settings.embedding.threads)
            self._doors_made = LiveDoors(index, embedder, self.settings, reader, self._asked_server())
        return self._doors_made


def _degraded(trace: Trace, notes: Sequence[str]) -> Trace:
    """The trace whose answer says what was given up as well."""
    if not notes:
        return trace
    given_up = tuple(dict.fromkeys((*trace.answer.degraded, *notes)))
    return msgspec.structs.replace(trace, answer=msgspec.structs.replace(trace.answer, degraded=given_up))


def recorded_settings(settings: Settings) -> dict[str, Any]:
    """The settings as a trace keeps them: sections of plain values, no keys and no paths of the machine."""
    tree: Mapping[str, Any] = msgspec.to_builtins(settings)
    return {section: dict(values) for section, values in tree.items() if section != "trace"}
