"""What goes into the failure log, and what comes out of it."""

import sqlite3

import pytest
from made_runs import NOW, keep, made

from ragheal.errors import StorageError, TraceError
from ragheal.history import log
from ragheal.history.database import HISTORY, reading
from ragheal.history.retention import prune
from ragheal.history.traces import TraceStore
from ragheal.types import Cached, Hop

FAILING = made(
    "What is the rate limit?",
    "abstained",
    rounds=3,
    missing=("rate limit of the API",),
    queries=("rate limit", "QPS quota", "frequency control"),
    sources=("gateway.md", "quota.md"),
)


def test_a_failure_is_told_whole(tmp_path):
    """Without first query, gap, rewrites and documents there is nothing to learn from."""
    keep(tmp_path, FAILING)
    (kept,) = log.list(tmp_path)
    assert (kept.trace_id, kept.question, kept.outcome) == (FAILING.id, "What is the rate limit?", "abstained")
    assert kept.query == "rate limit"
    assert kept.rewrites == ("QPS quota", "frequency control")
    assert [missing.label for missing in kept.missing] == ["rate limit of the API"]
    assert [(document.source, document.cited) for document in kept.documents] == [
        ("gateway.md", False),
        ("quota.md", False),
    ]
    assert kept.failed


def test_what_had_to_heal_says_what_was_missing(tmp_path):
    """The last verdict of a healed run misses nothing; what had to be found stands in the one before."""
    keep(tmp_path, made(rounds=2, missing=("the author",), sources=("a.md", "b.md"), cited=("b.md",)))
    (kept,) = log.list(tmp_path)
    assert kept.outcome == "healed"
    assert not kept.failed
    assert [missing.label for missing in kept.missing] == ["the author"]
    assert [document.source for document in kept.documents if document.cited] == ["b.md"]


@pytest.mark.parametrize(
    ("trace", "outcome"),
    [
        (made(), None),
        (made("hello", "direct", route="direct"), None),
        (made("What?", "abstained", route="direct"), None),  # looked nothing up
        (made("Write me a poem", "disclaimed", route="generative"), None),  # disclaimed by its nature
        (made(status="conflict"), None),
        (made(status="partial"), "partial"),
        (made(status="disclaimed"), "disclaimed"),
        (made(attempts=2), "regenerated"),
        (made(status="conflict", rounds=2), "healed"),
        (made(rounds=2, cache=Cached("x", 60.0)), None),  # nothing healed this time
        (made(status="abstained", cache=Cached("x", 60.0)), "abstained"),
        # Two parts found at once are no healing, a part that took a second round is.
        (made(route="multi_hop", rounds=2, hops=(Hop(1, "a", "b"), Hop(2, "c", "d"))), None),
        (made(route="multi_hop", rounds=3, hops=(Hop(1, "a", "b"), Hop(2, "c", "d", rounds=2))), "healed"),
    ],
)
def test_only_what_failed_or_healed(tmp_path, trace, outcome):
    """A log full of greetings and poems hides the failures."""
    keep(tmp_path, trace)
    assert [kept.outcome for kept in log.list(tmp_path)] == [outcome] * (outcome is not None)


def test_filters(tmp_path):
    """By outcome, age and text, newest first; Chinese too."""
    old = made("公共接口的限流策略是什么？", "abstained", missing=("限流策略",), created=NOW.replace(month=1))
    for trace in (old, made(rounds=2), FAILING):
        keep(tmp_path, trace)
    assert [kept.outcome for kept in log.list(tmp_path, limit=2)] == ["abstained", "healed"]
    assert [kept.trace_id for kept in log.list(tmp_path, contains="限流")] == [old.id]
    assert [kept.trace_id for kept in log.list(tmp_path, contains="LIMIT OF")] == [FAILING.id]
    assert {kept.trace_id for kept in log.list(tmp_path, outcome="failed")} == {old.id, FAILING.id}
    assert {kept.outcome for kept in log.list(tmp_path, outcome="healed")} == {"healed"}
    assert len(log.list(tmp_path, since="2026-06")) == 2


def test_nothing_yet(tmp_path):
    """Before the first question, and in a history of before the log, there is simply nothing."""
    assert log.list(tmp_path) == ()
    TraceStore(tmp_path).save(made())
    assert log.list(tmp_path) == ()


def test_damaged(tmp_path):
    """A damaged history must not look like one without failures."""
    (tmp_path / HISTORY.name).write_bytes(b"no database" * 500)
    with pytest.raises(TraceError, match="cannot read"):
        log.list(tmp_path)
    with pytest.raises(StorageError, match="cannot write") as error:
        keep(tmp_path, FAILING)
    assert "doctor --fix" in error.value.hint


def test_a_damaged_row_is_named(tmp_path):
    """One row that was edited by hand is named, not a traceback."""
    keep(tmp_path, FAILING)
    with sqlite3.connect(tmp_path / HISTORY.name) as db:
        db.execute("UPDATE failures SET missing = '[1'")
    with pytest.raises(TraceError, match=FAILING.id):
        log.list(tmp_path)


def test_a_question_that_is_no_text(tmp_path):
    """An argument that is not UTF-8 must not lose the record."""
    keep(tmp_path, made("what \udcff is it", "abstained", missing=("\udcff",)))
    assert len(log.list(tmp_path)) == 1


def test_retention_takes_failures_and_runs_along(tmp_path):
    """What a user has the history forget must not live on in the log."""
    from ragheal.settings.sections import HistorySettings

    TraceStore(tmp_path).save(FAILING)
    keep(tmp_path, FAILING)
    removed = prune(tmp_path, HistorySettings(keep_days=1), now=NOW.replace(month=7))
    assert removed.traces == 1
    assert log.list(tmp_path) == ()
    with reading(tmp_path) as db:
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (0,)


def test_noted_twice_is_kept_once(tmp_path):
    """A run that is noted again must not count as two."""
    for _ in range(2):
        keep(tmp_path, FAILING)
    assert len(log.list(tmp_path)) == 1
    with reading(tmp_path) as db:
        assert db.execute("SELECT sum(runs) FROM hours").fetchone() == (1,)
