"""Signals mark a trace, weigh, fade, and are found without being given."""

import os
import sqlite3
import time
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from ragheal.errors import ConfigError, StorageError, TraceError
from ragheal.history import signals
from ragheal.history.database import HISTORY
from ragheal.history.traces import TraceStore
from ragheal.memory import PlanMemory
from ragheal.types import Cached

NOW = datetime(2026, 3, 4, 12, 0, 0, tzinfo=UTC)
QUESTION = "What is the rate limiting policy of the telemetry API?"


@pytest.fixture
def ask(tmp_path, samples):
    """Save a run of a question, asked some seconds after NOW; gives its trace."""
    count = iter(range(1000))

    def call(question, seconds=0.0, **changes):
        created = (NOW + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        base = samples.abstained()
        answer = msgspec.structs.replace(base.answer, question=question)
        trace = msgspec.structs.replace(
            base, id=f"t{next(count):03}", question=question, created=created, answer=answer, **changes
        )
        TraceStore(tmp_path).save(trace)
        return trace

    return call


def given(folder, trace, what="signal"):
    """What the file holds of a trace: other programs and `health` read it from there."""
    query = f"SELECT {what} FROM signals WHERE trace_id = ? ORDER BY created, rowid"
    with sqlite3.connect(folder / HISTORY.name) as db:
        return [row[0] if len(row) == 1 else row for row in db.execute(query, (trace.id,))]


def test_a_signal_marks_its_trace(ask, tmp_path):
    """What a user says of an answer is kept with its words."""
    trace = ask(QUESTION)
    noted = signals.note(tmp_path, "last", "thumbs_down", "that is the old quota", now=NOW)
    assert (noted.trace_id, noted.question, noted.existed, noted.replaced) == (trace.id, QUESTION, False, "")
    kept = ("thumbs_down", "that is the old quota", -1.0, "2026-03-04T12:00:00.000Z")
    assert given(tmp_path, trace, "signal, note, weight, created") == [kept]
    assert (noted.signal, noted.note, noted.weight, noted.created) == kept


def test_given_twice(ask, tmp_path):
    """A second click is no second opinion, and no error; a later note is not lost."""
    trace = ask(QUESTION)
    first = signals.note(tmp_path, trace.id, "thumbs_down", now=NOW)
    again = signals.note(tmp_path, trace.id, "Thumbs-Down", "wrong year", now=NOW + timedelta(days=3))
    assert again.existed
    assert (again.created, again.note) == (first.created, "wrong year")
    assert given(tmp_path, trace) == ["thumbs_down"]


def test_opposites_replace_each_other(ask, tmp_path):
    """Who changes their mind means the last one."""
    trace = ask(QUESTION)
    signals.note(tmp_path, trace.id, "thumbs_down")
    signals.note(tmp_path, trace.id, "no_engagement")
    assert signals.note(tmp_path, trace.id, "thumbs_up").replaced == "thumbs_down"
    assert sorted(given(tmp_path, trace)) == ["no_engagement", "thumbs_up"]
    assert signals.note(tmp_path, trace.id, "thumbs_down").replaced == "thumbs_up"


def test_what_is_no_signal_and_no_trace(ask, tmp_path):
    """A misspelt word must not be swallowed."""
    ask(QUESTION)
    with pytest.raises(ConfigError, match="unknown signal `thumb_down`") as error:
        signals.note(tmp_path, "last", "thumb_down")
    assert "thumbs_down" in error.value.hint
    with pytest.raises(ConfigError) as error:
        signals.note(tmp_path, "last", "天气")
    assert "rephrased_query" in error.value.hint
    with pytest.raises(TraceError, match="no trace `zz`"):
        signals.note(tmp_path, "zz", "thumbs_up")
    with pytest.raises(TraceError):
        signals.note(tmp_path / "nowhere", "last", "thumbs_up")


def test_a_disliked_question_starts_higher(ask, tmp_path):
    """The answer that was thumbed down must not simply come again."""
    trace = ask(QUESTION)
    assert signals.raised(tmp_path, QUESTION, now=NOW) == 0
    signals.note(tmp_path, trace.id, "thumbs_down", now=NOW)
    assert signals.raised(tmp_path, QUESTION, now=NOW) == 1
    assert signals.raised(tmp_path, "what is the rate limiting policy of the telemetry API", now=NOW) == 1
    assert signals.raised(tmp_path, "Who leads the Firmware team?", now=NOW) == 0


def test_so_does_one_like_it(ask, tmp_path):
    """Near in vector and in words, in both languages; another name is another question."""
    near, far = (lambda other: 0.97), (lambda other: 0.80)
    signals.note(tmp_path, ask(QUESTION).id, "thumbs_down", now=NOW)
    signals.note(tmp_path, ask("A套餐的额度是多少？").id, "thumbs_down", now=NOW)
    reworded = "Which rate limiting policy does the telemetry API have?"
    assert signals.raised(tmp_path, reworded, near, NOW) == 1
    assert signals.raised(tmp_path, reworded, far, NOW) == 0
    assert signals.raised(tmp_path, reworded, None, NOW) == 0
    assert signals.raised(tmp_path, "What is the rate limiting policy of the billing API?", near, NOW) == 0
    assert signals.raised(tmp_path, "请问A套餐的额度有多少？", near, NOW) == 1
    assert signals.raised(tmp_path, "B套餐的额度是多少？", near, NOW) == 0


def test_vectors_only_for_what_is_near_in_words(ask, tmp_path):
    """Each costs some milliseconds, and most disliked questions are about something else."""
    asked = []
    for n in range(30):
        signals.note(tmp_path, ask(f"Who maintains part-{n}?").id, "thumbs_down", now=NOW)
    signals.raised(tmp_path, QUESTION, lambda other: asked.append(other) or 0.99, NOW)
    assert asked == []


def test_signals_fade(ask, tmp_path):
    """What was wrong half a year ago may have been put right since."""
    trace = ask(QUESTION)
    signals.note(tmp_path, trace.id, "thumbs_down", now=NOW)
    assert signals.decayed(-1.0, "2026-03-04T12:00:00.000Z", NOW + timedelta(days=30)) == pytest.approx(-0.5)
    assert signals.decayed(-1.0, "2026-03-04T12:00:00.000Z", NOW - timedelta(days=1)) == -1.0
    assert signals.raised(tmp_path, QUESTION, now=NOW + timedelta(days=59)) == 1
    assert signals.raised(tmp_path, QUESTION, now=NOW + timedelta(days=61)) == 0


def test_praise_of_a_later_answer_counts(ask, tmp_path):
    """Once it is answered well, it is an ordinary question again."""
    signals.note(tmp_path, ask(QUESTION).id, "thumbs_down", now=NOW)
    signals.note(tmp_path, ask(QUESTION).id, "thumbs_up", now=NOW)
    assert signals.raised(tmp_path, QUESTION, now=NOW) == 0


@pytest.mark.parametrize(
    ("signal", "expected"), [("no_engagement", 0), ("rephrased_query", 0), ("follow_up_correction", 1)]
)
def test_faint_signals_alone_do_not(ask, tmp_path, signal, expected):
    """Nobody's looking away is a verdict; a correction is one."""
    signals.note(tmp_path, ask(QUESTION).id, signal, now=NOW)
    assert signals.raised(tmp_path, QUESTION, now=NOW) == expected


def test_cheap_without_any(ask, tmp_path):
    """Every question asks this first."""
    ask(QUESTION)
    signals.note(tmp_path, "last", "thumbs_up", now=NOW)
    signals.raised(tmp_path, QUESTION, now=NOW)
    times = []
    for _ in range(9):
        started = time.thread_time()
        signals.raised(tmp_path, QUESTION, now=NOW)
        times.append(time.thread_time() - started)
    assert sorted(times)[4] < 0.005  # of the processor: 0.3 ms here


def test_asked_again_in_other_words(ask, tmp_path):
    """Nobody gives a signal for a useless answer; they ask again."""
    first = ask(QUESTION)
    assert signals.find_rephrased(tmp_path, first, lambda other: 0.97, "me") is None
    second = ask("Which rate limiting does the telemetry API have?", 40)
    assert signals.find_rephrased(tmp_path, second, lambda other: 0.95, "me") == first.id
    assert given(tmp_path, first) == ["rephrased_query"]
    assert given(tmp_path, second) == []


@pytest.mark.parametrize(
    ("question", "seconds", "who", "cosine"),
    [
        (QUESTION, 30, "me", 1.0),  # the very same
        ("what is the rate limiting policy of the telemetry api", 30, "me", 1.0),  # only looks different
        ("What is the rate limiting policy of the billing API?", 30, "me", 0.97),  # another thing
        ("Which rate limiting does the telemetry API have?", 150, "me", 0.97),  # too late
        ("Which rate limiting does the telemetry API have?", 30, "you", 0.97),  # somebody else
        ("Which rate limiting does the telemetry API have?", 30, "", 0.97),  # out of a file
        ("Which rate limiting does the telemetry API have?", 30, "me", 0.80),  # only the words are near
    ],
)
def test_not_every_second_question(ask, tmp_path, question, seconds, who, cosine):
    """A follow-up is no complaint."""
    first = ask(QUESTION)
    signals.find_rephrased(tmp_path, first, lambda other: cosine, "me")
    assert signals.find_rephrased(tmp_path, ask(question, seconds), lambda other: cosine, who) is None
    assert given(tmp_path, first) == []


def test_a_cached_answer_is_no_second_asking(ask, tmp_path):
    """It was asked before in the same words."""
    signals.find_rephrased(tmp_path, ask(QUESTION), lambda other: 1.0, "me")
    again = ask("Which rate limiting does the telemetry API have?", 10, cache=Cached("t", 3.0))
    assert signals.find_rephrased(tmp_path, again, lambda other: 1.0, "me") is None


def test_who_is_asking(monkeypatch):
    """Without a terminal it is a script, whose questions are not one person's second thoughts."""
    monkeypatch.setenv("RAGHEAL_SESSION", "chat-7")
    assert signals.session_id() == "chat-7"
    monkeypatch.delenv("RAGHEAL_SESSION")
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{name}", None)
    assert signals.session_id() == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals of our own here")
def test_a_terminal_is_a_session(monkeypatch):
    """Two windows are two sessions."""
    monkeypatch.delenv("RAGHEAL_SESSION", raising=False)
    names = []
    for _ in range(2):
        master, slave = os.openpty()
        with open(slave, "w", closefd=False) as terminal:
            monkeypatch.setattr("sys.stdin", terminal)
            names.append(signals.session_id())
            assert signals.session_id() == names[-1]
        names.append((master, slave))
    assert names[0] != names[2]
    assert str(os.getsid(0)) in names[0]


def test_feedback_reaches_the_plan(ask, tmp_path, samples):
    """An answer that was disliked must not have the way to it remembered as a success."""
    import numpy as np

    vector = np.zeros(8, dtype=np.float32)
    vector[0] = 1.0
    trace = samples.healed()
    TraceStore(tmp_path).save(trace)
    memory = PlanMemory(tmp_path, embedder="e")
    sources = {citation.source: "aa" for citation in trace.answer.citations}
    id_ = memory.remember(trace, vector, "en", sources)
    signals.note(tmp_path, trace.id, "thumbs_down")
    signals.note(tmp_path, trace.id, "thumbs_down")
    assert memory.show(id_).strength == pytest.approx(0.5)
    signals.note(tmp_path, trace.id, "thumbs_up")
    assert memory.show(id_).strength == pytest.approx(0.6)
    assert memory.show(id_).uses == 0


def test_a_damaged_history_is_told(ask, tmp_path):
    """The caller decides what to make of it; nothing but our own errors comes through."""
    trace = ask(QUESTION)
    (tmp_path / HISTORY.name).write_bytes(b"no database" * 500)
    with pytest.raises(TraceError):
        signals.raised(tmp_path, QUESTION, now=NOW)
    with pytest.raises(StorageError):
        signals.find_rephrased(tmp_path, trace, lambda other: 1.0, "me")


def test_a_history_from_before_signals(ask, tmp_path):
    """An older index has no such table, and no number."""
    ask(QUESTION)
    with sqlite3.connect(tmp_path / HISTORY.name) as db:
        for statement in ("DROP TABLE signals", "DROP TABLE asked", "PRAGMA user_version = 0"):
            db.execute(statement)
    assert signals.raised(tmp_path, QUESTION, now=NOW) == 0
    assert signals.judgements(tmp_path) == {}
    assert signals.note(tmp_path, "last", "thumbs_down", now=NOW).weight == -1.0
    assert signals.raised(tmp_path / "nowhere", QUESTION, now=NOW) == 0
