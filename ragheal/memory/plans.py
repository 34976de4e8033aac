"""`PlanMemory`: remember the plan of a verified answer, recall it for a question like it, let it go."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ragheal.errors import ConfigError, StorageError
from ragheal.memory import store
from ragheal.memory.distil import distil, for_question, unfit
from ragheal.memory.guard import alike, subject
from ragheal.memory.normal import normalised
from ragheal.memory.store import FIELDS, MEMORY, SELECT, Remembered
from ragheal.memory.vectors import Vectors
from ragheal.settings.sections import MemorySettings
from ragheal.storage.clock import new_id, now
from ragheal.storage.sqlite import Damaged, storable
from ragheal.types import Lang, Recalled, Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
#: A plan begins at 1, gains a little with each success up to MOST, is halved by each failure, goes below FLOOR.
GAIN, MOST, FLOOR = 0.1, 1.5, 0.2
#: Entries looked at in one recall; more that are alike and yet fail the guard tell that none will pass.
_TRIED = 50


class PlanMemory:
    """The plans of one index folder. Nothing is created before the first plan is remembered.

    `embedder` is the fingerprint of what made the vectors; plans of another are kept but never recalled.
    What could not be read or written is told in `notes` and never raised by remember, recall, strengthen and
    weaken: a question is not refused because its memory is out of order.
    """

    def __init__(self, folder: Path, settings: MemorySettings | None = None, *, embedder: str = "") -> None:
        self.folder = folder
        self.settings = settings or MemorySettings()
        self.embedder = embedder
        self._vectors = Vectors(folder)
        self._notes: list[str] = []
        #: Why the last thing to be written was not; for who learns of set purpose, as `rebuild` does.
        self.unwritten: StorageError | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was given up, in words; each begins with "memory"."""
        return tuple(dict.fromkeys(self._notes))

    def start_question(self) -> None:
        """Forget the notes of the question before."""
        self._notes.clear()

    # --- recalling ---

    def recall(
        self, question: str, vector: NDArray[np.float32], lang: Lang, current: Callable[[str], str | None]
    ) -> Recalled | None:
        """The plan to try for a question: that of one alike, best strength x similarity; None when there is none.

        `vector` is the question's, shape (dim,), unit length. `current` tells the SHA-256 of a document as it is
        indexed now, None when it is gone: a plan one of whose documents changed is dropped. The plan given
        searches the question itself first, then the remembered queries, all in one round.
        """
        if not self.settings.enabled or not MEMORY.begun(self.folder):
            return None
        return self._kept_quiet(lambda: self._recall(question, vector, lang, current), "read")

    def _recall(
        self, question: str, vector: NDArray[np.float32], lang: Lang, current: Callable[[str], str | None]
    ) -> Recalled | None:
        with MEMORY.reading(self.folder) as db:
            near = self._vectors.near(
                db, self.embedder, lang, vector, normalised(question), self.settings.similarity
            )
            asked = subject(question)
            stale: list[str] = []
            found: Recalled | None = None
            for id_, similarity in near[:_TRIED]:
                entry = self._row(db, id_)
                if entry is None:
                    continue
                same = normalised(entry.question) == normalised(question)
                if not same and not alike(asked, subject(entry.question), similarity, self.settings.similarity):
                    continue
                if any(current(source) != digest for source, digest in entry.documents.items()):
                    stale.append(id_)
                    continue
                plan = for_question(entry.plan, question)
                found = Recalled(id_, round(similarity, 4), entry.question, plan)
                break
        if stale:
            self._kept_quiet(lambda: self._delete(stale), "written")
        return found

    # --- learning ---

    def remember(
        self, trace: Trace, vector: NDArray[np.float32], lang: Lang, hashes: Mapping[str, str]
    ) -> str | None:
        """Keep the plan of a run that ended in a verified answer; gives its id, or None: nothing to keep.

        `vector` is that of the question as the user put it, `hashes` the SHA-256 of the indexed documents, of
        which those that the answer cites are needed. A question that is known already is updated; so is the
        recalled plan that the run started from: a plan that did it in one round is strengthened, one that
        needed more gives way to what was found.
        """
        plan = None if not self.settings.enabled or unfit(trace) else distil(trace)
        documents = {citation.source: hashes.get(citation.source, "") for citation in trace.answer.citations}
        if plan is None or not all(documents.values()):
            return None
        entry = Remembered(
            id=new_id(), question=storable(trace.question), lang=lang, route=trace.answer.route, plan=plan,
            documents=documents, embedder=self.embedder or trace.models.get("similarity", ""), strength=1.0,
            uses=0, successes=1, failures=0, created=now(), last_used="", trace_id=trace.id,
        )  # fmt: skip
        return self._kept_quiet(lambda: self._remember(entry, trace, vector), "written")

    def _remember(self, entry: Remembered, trace: Trace, vector: NDArray[np.float32]) -> str:
        with store.changing(self.folder) as db:
            started = self._row(db, trace.memory.id) if trace.memory is not None else None
            known = started or self._known(db, entry, vector)
            if known is None:
                _insert(db, entry, vector)
                self._prune(db)
                return entry.id
            kept = msgspec.structs.replace(
                known, strength=min(MOST, known.strength + GAIN), uses=known.uses + (started is not None),
                successes=known.successes + 1, last_used=entry.created,
            )  # fmt: skip
            if started is None or trace.answer.rounds > 1:
                kept = msgspec.structs.replace(
                    kept, plan=entry.plan, documents=entry.documents, trace_id=entry.trace_id, route=entry.route,
                    strength=known.strength,
                )  # fmt: skip
            _update(db, kept)
            return kept.id

    def _known(self, db: sqlite3.Connection, entry: Remembered, vector: NDArray[np.float32]) -> Remembered | None:
        """The entry of the same question or its rewording."""
        normal, asked = normalised(entry.question), subject(entry.question)
        bound = self.settings.similarity
        for id_, similarity in self._vectors.near(db, entry.embedder, entry.lang, vector, normal, bound)[:_TRIED]:
            known = self._row(db, id_)
            if known is not None and (
                normalised(known.question) == normal
                or alike(asked, subject(known.question), similarity, self.settings.similarity)
            ):
                return known
        return None

    def strengthen(self, reference: str, *, used: bool = True) -> None:
        """A plan did well. By its id, or its trace's; `used`: it was recalled, not only judged."""
        self._kept_quiet(lambda: self._weigh(reference, good=True, used=used), "written")

    def weaken(self, reference: str, *, used: bool = True) -> None:
        """A plan did not end in an answer, or the user disliked it: halved, and dropped in the end."""
        self._kept_quiet(lambda: self._weigh(reference, good=False, used=used), "written")

    def _weigh(self, reference: str, *, good: bool, used: bool) -> None:
        if not MEMORY.begun(self.folder):
            return
        with store.changing(self.folder) as db:
            change = (
                f"strength = min({MOST}, strength + {GAIN}), successes = successes + 1"
                if good
                else "strength = strength / 2, failures = failures + 1"
            )
            db.execute(
                f"UPDATE plans SET {change}, uses = uses + ?3, "
                "last_used = CASE WHEN ?3 THEN ?2 ELSE last_used END WHERE id = ?1 OR trace_id = ?1",
                (reference, now(), int(used)),
            )
            db.execute(f"DELETE FROM plans WHERE strength < {FLOOR}")

    # --- looking after ---

    def list(self, limit: int = 20) -> tuple[Remembered, ...]:
        """The plans that were used or learned last, first. Raises StorageError."""
        if not MEMORY.begun(self.folder):
            return ()
        with MEMORY.reading(self.folder) as db:
            rows = db.execute(f"{SELECT} ORDER BY max(created, last_used) DESC, rowid DESC LIMIT ?", (limit,))
            return tuple(filter(None, map(store.decoded, rows)))

    def count(self) -> int:
        """How many plans there are. Raises StorageError."""
        if not MEMORY.begun(self.folder):
            return 0
        with MEMORY.reading(self.folder) as db:
            return int(db.execute("SELECT count(*) FROM plans").fetchone()[0])

    def show(self, reference: str) -> Remembered:
        """The plan with this id, or the only one with this beginning or end. Raises ConfigError, StorageError."""
        if MEMORY.begun(self.folder):
            with MEMORY.reading(self.folder) as db:
                entry = self._row(db, _resolve(db, reference))
                if entry is not None:
                    return entry
        raise ConfigError(f"no remembered plan `{reference}`", hint="`ragheal memory list` shows them")

    def forget(self, reference: str | None) -> int:
        """Forget one plan, or with None all of them; how many went. Raises ConfigError, StorageError."""
        if not MEMORY.begun(self.folder):
            if reference is None:
                return 0
            raise ConfigError(f"no remembered plan `{reference}`", hint="nothing is remembered yet")
        try:
            with store.changing(self.folder) as db:
                if reference is None:
                    return db.execute("DELETE FROM plans").rowcount
                return db.execute("DELETE FROM plans WHERE id = ?", (_resolve(db, reference),)).rowcount
        except Damaged:
            if reference is not None or store.set_aside(self.folder) is None:
                raise
            return 0

    def prune(self) -> int:
        """Drop the weakest plans beyond `settings.plans`; how many went. Raises StorageError."""
        if not MEMORY.begun(self.folder):
            return 0
        with store.changing(self.folder) as db:
            return self._prune(db)

    def _prune(self, db: sqlite3.Connection) -> int:
        # Plans of another embedder cannot be recalled: they go first, and of equals the one unused for longest.
        return db.execute(
            "DELETE FROM plans WHERE id IN (SELECT id FROM plans ORDER BY embedder = ? DESC, strength DESC, "
            "max(created, last_used) DESC, rowid DESC LIMIT -1 OFFSET ?)",
            (self.embedder, max(0, self.settings.plans)),
        ).rowcount

    def _delete(self, ids: Sequence[str]) -> None:
        with store.changing(self.folder) as db:
            db.executemany("DELETE FROM plans WHERE id = ?", [(id_,) for id_ in ids])

    def _row(self, db: sqlite3.Connection, id_: str) -> Remembered | None:
        row = db.execute(f"{SELECT} WHERE id = ?", (id_,)).fetchone()
        return None if row is None else store.decoded(row)

    def _kept_quiet(self, work: Callable[[], T], what: str) -> T | None:
        try:
            return work()
        except Damaged as error:
            name = store.set_aside(self.folder)
            if name is None:
                self._gave_up(error, what)
                return None
            kept = f"; it is kept as {name}" if name else ""
            self._notes.append(f"memory begun anew: {error.message}{kept}")
        except StorageError as error:
            self._gave_up(error, what)
            return None
        try:
            return work() if what == "written" else None
        except StorageError as error:
            self._gave_up(error, what)
            return None

    def _gave_up(self, error: StorageError, what: str) -> None:
        self._notes.append(f"memory not {what}: {error.message}")
        if what == "written":
            self.unwritten = error


def _insert(db: sqlite3.Connection, entry: Remembered, vector: NDArray[np.float32]) -> None:
    columns = (*FIELDS, "normal", "vector")
    values = (*_values(entry), normalised(entry.question), vector.astype("<f4").tobytes())
    marks = ", ".join("?" * len(columns))
    db.execute(f"INSERT INTO plans ({', '.join(columns)}) VALUES ({marks})", values)


def _update(db: sqlite3.Connection, entry: Remembered) -> None:
    db.execute(
        f"UPDATE plans SET {', '.join(f'{name} = ?' for name in FIELDS)} WHERE id = ?", (*_values(entry), entry.id)
    )


def _values(entry: Remembered) -> tuple[object, ...]:
    plain = {
        "plan": msgspec.json.encode(entry.plan).decode(),
        "documents": msgspec.json.encode(entry.documents).decode(),
    }
    return tuple(plain.get(name, getattr(entry, name)) for name in FIELDS)


def _resolve(db: sqlite3.Connection, reference: str) -> str:
    wanted = reference.lower()
    ids = [
        row[0]
        for row in db.execute(
            "SELECT id FROM plans WHERE substr(id, 1, ?1) = ?2 OR substr(id, -?1) = ?2", (len(wanted), wanted)
        )
    ]
    if wanted in ids or len(ids) == 1:
        return wanted if wanted in ids else str(ids[0])
    if ids:
        shown = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
        raise ConfigError(f"{len(ids)} remembered plans match `{reference}`", hint=f"give more of the id: {shown}")
    raise ConfigError(f"no remembered plan `{reference}`", hint="`ragheal memory list` shows them")
