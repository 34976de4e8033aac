"""What users did and said after an answer: signals that mark its trace, weigh, and fade.

A signal goes when its trace goes. The table `asked` remembers for some
minutes who asked what, so that a question put in other words is noticed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from ragheal.errors import ConfigError, nearest
from ragheal.history.database import reading, writing
from ragheal.history.traces import TraceStore
from ragheal.memory.guard import near_in_words, subject
from ragheal.memory.normal import normalised
from ragheal.settings.sections import MemorySettings
from ragheal.storage.clock import moment, stamp
from ragheal.storage.sqlite import storable
from ragheal.types import Trace, Value

Signal = Literal["thumbs_up", "thumbs_down", "follow_up_correction", "no_engagement", "rephrased_query"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)
#: How much a signal says of the answer, when it is given. It halves every HALF_LIFE days.
WEIGHTS: dict[str, float] = {
    "thumbs_up": 1.0,
    "thumbs_down": -1.0,
    "follow_up_correction": -0.9,
    "rephrased_query": -0.2,
    "no_engagement": -0.1,
}
HALF_LIFE = 30.0
#: What must be left of the ill that was said of a question for its next run to start higher up the ladder: a
#: thumb down counts for two months, one rephrasing alone never.
FLOOR = 0.25
#: Whoever asks again within so many seconds, in words that share this much, was not served by the answer.
REPHRASED_WITHIN = 120.0
REPHRASED_COSINE, _SWAPPED, _ADDED = 0.82, 0.67, 0.5
_TEACHING = frozenset({"thumbs_up", "thumbs_down", "follow_up_correction"})
_OPPOSITES: dict[str, str] = {"thumbs_up": "thumbs_down", "thumbs_down": "thumbs_up"}
_OLDEST_DAYS = 180.0  # a signal older than this weighs nothing that counts
_ALIKE = MemorySettings().similarity
_LOOKED_AT = 200  # questions that ill was said of, the newest first


class Noted(Value, frozen=True):
    """A signal as it stands. `existed`: it was there already; `replaced`: the opposite one that it took away."""

    trace_id: str
    question: str
    signal: str
    note: str
    created: str  # ISO 8601, UTC
    weight: float
    existed: bool = False
    replaced: str = ""


def known(signal: str) -> Signal:
    """The signal of this name, `-` for `_` and case aside. Raises ConfigError that names the nearest."""
    wanted = signal.strip().lower().replace("-", "_")
    for name in SIGNALS:
        if name == wanted:
            return name
    close = nearest(wanted, SIGNALS, 0.4)
    hint = f"did you mean `{close}`?" if close else ""
    raise ConfigError(f"unknown signal `{signal}`", hint=hint or f"one of {', '.join(SIGNALS)}")


def note(
    folder: Path, trace_id: str, signal: str, note: str = "", *, now: datetime | None = None, session: str = ""
) -> Noted:
    """Mark a trace, named as `TraceStore.load` takes it. A thumb up takes away a thumb down, and the reverse.

    A signal that the trace has already stays as it was, but for its note, when one is given.
    Raises ConfigError for an unknown signal, TraceError for an unknown trace, StorageError.
    """
    name = known(signal)
    trace = TraceStore(folder).load(trace_id)
    with writing(folder) as db:
        created = stamp(now or datetime.now(UTC))
        opposite = _OPPOSITES.get(name, "")
        gone = db.execute("DELETE FROM signals WHERE trace_id = ? AND signal = ?", (trace.id, opposite)).rowcount
        added = _add(db, trace.id, name, note, created, session)
        if not added and note:
            db.execute(
                "UPDATE signals SET note = ? WHERE trace_id = ? AND signal = ?", (storable(note), trace.id, name)
            )
        row = db.execute(
            "SELECT note, created, weight FROM signals WHERE trace_id = ? AND signal = ?", (trace.id, name)
        ).fetchone()
    if added and name in _TEACHING:
        _teach(folder, trace, good=WEIGHTS[name] > 0)
    text, at, weight = row
    return Noted(trace.id, trace.question, name, text, at, weight, not added, opposite if gone else "")


def _teach(folder: Path, trace: Trace, *, good: bool) -> None:
    """What a user says of an answer holds for the plan that led to it. No error when it cannot be written."""
    from ragheal.memory.plans import PlanMemory

    memory = PlanMemory(folder)
    weigh = memory.strengthen if good else memory.weaken
    for reference in (trace.id, trace.memory.id if trace.memory is not None else ""):
        if reference:
            weigh(reference, used=False)


def judgements(folder: Path) -> dict[str, tuple[bool, ...]]:
    """What was said of answers that holds for their plans, by trace id, oldest first: true for good.

    Raises TraceError.
    """
    found: dict[str, tuple[bool, ...]] = {}
    with reading(folder) as db:
        for trace_id, signal in db.execute("SELECT trace_id, signal FROM signals ORDER BY created, rowid"):
            if signal in _TEACHING:
                found[trace_id] = (*found.get(trace_id, ()), WEIGHTS[signal] > 0)
    return found


def unhappy(folder: Path) -> frozenset[str]:
    """Traces that a user thumbed down or corrected. Raises TraceError."""
    query = "SELECT trace_id FROM signals WHERE signal IN ('thumbs_down', 'follow_up_correction')"
    with reading(folder) as db:
        return frozenset(row[0] for row in db.execute(query))


def put_again(folder: Path) -> dict[str, tuple[str, ...]]:
    """For each trace, questions in which the same user said it in other words and was answered at once.

    Such a signal is as old as the run that gave rise to it. Raises TraceError.
    """
    found: dict[str, tuple[str, ...]] = {}
    with reading(folder) as db:
        for trace, question in db.execute(
            "SELECT s.trace_id, t.question FROM signals s JOIN traces t ON t.created = s.created "
            "WHERE s.signal = 'rephrased_query' AND t.status = 'answered' AND t.rounds = 1 ORDER BY s.rowid"
        ):
            found[trace] = (*found.get(trace, ()), question)
    return found


def decayed(weight: float, created: str, now: datetime) -> float:
    """What is left of a weight that was given at `created`."""
    days = max(0.0, (now - moment(created)).total_seconds() / 86_400)
    return float(weight * 0.5 ** (days / HALF_LIFE))


def raised(
    folder: Path,
    question: str,
    similar: Callable[[str], float] | None = None,
    now: datetime | None = None,
) -> int:
    """How many steps up the severity ladder a run starts: 1 when ill was said of this question or one like it.

    `similar` gives the cosine of another question to this one; it is called only for questions that are near in
    words. Without it, only the same question counts. Praise of a later answer outweighs the ill said of an
    earlier one. Raises TraceError.
    """
    today = now or datetime.now(UTC)
    with reading(folder) as db:
        since = stamp(today - timedelta(days=_OLDEST_DAYS))
        ill = db.execute(
            "SELECT t.question FROM signals s JOIN traces t ON t.id = s.trace_id WHERE s.weight < 0 "
            "AND s.created >= ? GROUP BY t.question ORDER BY max(s.created) DESC LIMIT ?",
            (since, _LOOKED_AT),
        ).fetchall()
        meant = [other for (other,) in ill if _is_like(question, other, similar)]
        if not meant:
            return 0
        rows = db.execute(
            "SELECT s.weight, s.created FROM signals s JOIN traces t ON t.id = s.trace_id WHERE s.created >= ? "
            f"AND t.question IN ({','.join('?' * len(meant))})",
            (since, *meant),
        )
        total = sum(decayed(weight, created, today) for weight, created in rows)
    return int(total <= -FLOOR)


def find_rephrased(
    folder: Path, trace: Trace, similar: Callable[[str], float], session: str | None = None
) -> str | None:
    """Mark the run before this one when this question says it in other words; gives the id of what was marked.

    Looked at are the questions that the same session put in the two minutes before `trace`, which must be saved.
    `session`: `session_id()` when None; empty: nothing is looked at, as for questions out of a file.
    `similar` gives the cosine of another question to this one. Raises StorageError.
    """
    who = session_id() if session is None else session
    if not who or trace.cache is not None or trace.answer.status == "direct":
        return None
    asked_at = moment(trace.created)
    with writing(folder) as db:
        since = stamp(asked_at - timedelta(seconds=REPHRASED_WITHIN))
        db.execute("DELETE FROM asked WHERE created < ?", (stamp(asked_at - timedelta(hours=1)),))
        db.execute("INSERT OR REPLACE INTO asked VALUES (?, ?, ?)", (trace.id, who, trace.created))
        earlier = db.execute(
            "SELECT t.id, t.question FROM asked a JOIN traces t ON t.id = a.trace_id WHERE a.session = ? "
            "AND a.created >= ? AND a.created <= ? AND a.trace_id != ? ORDER BY a.created DESC",
            (who, since, trace.created, trace.id),
        ).fetchall()
    same = normalised(trace.question)
    found = next(
        (i for i, q in earlier if normalised(q) != same and _is_reworded(trace.question, q, similar)), None
    )
    if found is not None:
        with writing(folder) as db:
            _add(db, found, "rephrased_query", "", trace.created, who)
    return found


def session_id() -> str:
    """Who is asking: RAGHEAL_SESSION, else the terminal with its login session and user; "" without a terminal.

    A script has no terminal, and its questions are not one person's second thoughts.
    """
    given = os.environ.get("RAGHEAL_SESSION", "").strip()
    if given:
        return given
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if stream is not None and stream.isatty():
                descriptor = stream.fileno()
                name = os.ttyname(descriptor) if hasattr(os, "ttyname") else "console"
                login = os.getsid(0) if hasattr(os, "getsid") else os.getppid()
                user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
                return f"{name}:{login}:{user}"
    return ""


def _is_like(question: str, other: str, similar: Callable[[str], float] | None) -> bool:
    if normalised(question) == normalised(other):
        return True
    return similar is not None and near_in_words(subject(question), subject(other)) and similar(other) >= _ALIKE


def _is_reworded(question: str, other: str, similar: Callable[[str], float]) -> bool:
    near = near_in_words(subject(question), subject(other), swapped=_SWAPPED, added=_ADDED)
    return near and similar(other) >= REPHRASED_COSINE


def _add(db: sqlite3.Connection, trace_id: str, signal: str, text: str, created: str, session: str) -> bool:
    """Whether it was new."""
    row = (trace_id, signal, storable(text), created, WEIGHTS[signal], storable(session))
    return db.execute("INSERT OR IGNORE INTO signals VALUES (?,?,?,?,?,?)", row).rowcount > 0
