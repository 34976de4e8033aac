"""A server that keeps failing is left alone, and found again."""

from __future__ import annotations

import sqlite3
import threading
import time

from chat_server import ChatServer, hang, reply, status

from ragheal.types import ChatRequest

ASK = ChatRequest(role="generator", system="", user="Why?")
JUDGE = ChatRequest(role="judge", system="", user="Enough?")
SICK = status(500)
QUICK = {"model__retries": 0, "model__breaker_failures": 2, "model__breaker_seconds": 0.6}


def test_first_only_the_answer_is_asked_for_then_nothing(client):
    """A question over a dead server must end in an embedded answer at once, not after a timeout for each step."""
    with ChatServer(*[SICK] * 9) as server:
        model = client(server, **QUICK | {"model__breaker_seconds": 60})
        faults = [model.complete(request).fault for request in (JUDGE, JUDGE, JUDGE, ASK, ASK, JUDGE)]
        assert faults == ["unavailable", "unavailable", "breaker", "unavailable", "breaker", "breaker"]
        assert len(server.requests) == 3
        refused = model.complete(JUDGE)
        assert "3 calls in a row failed" in refused.detail
        assert "(500)" in refused.detail
        assert any("not asked" in note for note in model.notes)


def test_standard_rag_is_enough_to_recover(client):
    """Where the one call that is still made succeeds, the server is whole again for every role."""
    with ChatServer(SICK, SICK) as server:
        model = client(server, **QUICK | {"model__breaker_seconds": 60})
        model.complete(JUDGE)
        model.complete(JUDGE)
        assert model.complete(JUDGE).fault == "breaker"
        assert model.complete(ASK).fault == ""
        assert model.complete(JUDGE).fault == ""


def test_other_processes_know(client):
    """`ask` is a process of its own each time: none of them may wait for what the last one found out."""
    with ChatServer(SICK, SICK) as server:
        client(server, **QUICK).complete(JUDGE)
        client(server, **QUICK).complete(JUDGE)
        assert client(server, **QUICK).complete(JUDGE).fault == "breaker"
        time.sleep(0.7)
        assert client(server, **QUICK).complete(JUDGE).fault == ""
        assert client(server, **QUICK).complete(JUDGE).fault == ""


def test_one_call_at_a_time_tries_a_resting_server(client):
    """A batch must not fall all at once upon a server that is just coming up."""
    with ChatServer(SICK, SICK, hang(1.0), reply("ok")) as server:
        first = client(server, **QUICK)
        first.complete(JUDGE)
        first.complete(JUDGE)
        time.sleep(0.7)
        trial = threading.Thread(target=client(server, **QUICK).complete, args=(JUDGE,))
        trial.start()
        while len(server.requests) < 3:
            time.sleep(0.01)
        other = client(server, **QUICK).complete(JUDGE)
        assert (other.fault, len(server.requests)) == ("breaker", 3)
        assert "another call" in other.detail
        trial.join()
        assert client(server, **QUICK).complete(JUDGE).fault == "breaker"  # the trial failed: a new rest
        time.sleep(0.7)
        assert client(server, **QUICK).complete(JUDGE).fault == ""


def test_a_server_that_says_no_is_not_a_sick_one(client):
    """A wrong key or model name is told each time in its own words, not hidden behind the breaker."""
    with ChatServer(*[status(401), status(404)] * 3) as server:
        model = client(server, **QUICK)
        assert {model.complete(JUDGE).fault for _ in range(6)} == {"auth", "rejected"}


def test_failures_count_in_a_row(client):
    """Now and then a hiccup is no reason to do without the model."""
    with ChatServer(SICK, reply("ok"), SICK, reply("ok"), SICK, reply("ok")) as server:
        model = client(server, **QUICK)
        assert [model.complete(JUDGE).fault for _ in range(6)] == ["unavailable", ""] * 3


def test_a_server_that_hangs_is_noticed_although_the_budget_ends_the_wait(client, monkeypatch):
    """With a budget shorter than model.timeout a hanging server would otherwise cost every question its budget."""
    monkeypatch.setattr("ragheal.models.chat.client._TELLING_SECONDS", 0.1)
    with ChatServer(*[hang()] * 9) as server:
        model = client(server, budget__seconds=0.5, **QUICK)
        for _ in range(2):
            model.start_question()
            assert model.complete(JUDGE).fault == "budget"
        model.start_question()
        assert model.complete(JUDGE).fault == "breaker"


def test_an_interrupted_trial_can_be_made_again(client, tmp_path):
    """A claim that nobody gives back would keep a healthy server out of reach."""
    with ChatServer(SICK, SICK) as server:
        model = client(server, **QUICK)
        model.complete(JUDGE)
        model.complete(JUDGE)
        time.sleep(0.7)

        def interrupt(text):
            raise KeyboardInterrupt

        model.on_text = interrupt
        try:
            model.complete(ChatRequest(role="judge", system="", user="Enough?", stream=True))
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("the interrupt was lost")
        model.on_text = None
        assert model.complete(JUDGE).fault == ""


def test_a_clock_that_was_set_back_locks_nobody_out(client, tmp_path):
    """The rest ends although the clock says it is years away."""
    with ChatServer(SICK, SICK) as server:
        model = client(server, **QUICK)
        model.complete(JUDGE)
        model.complete(JUDGE)
        with sqlite3.connect(tmp_path / "models.db") as db:
            db.execute("UPDATE breakers SET until = until + 1e8, probing = until + 1e8")
        assert model.complete(JUDGE).fault == ""


def test_without_a_usable_ledger_everything_still_works(client, tmp_path):
    """A damaged or read-only models.db costs memory between runs, never an answer."""
    (tmp_path / "models.db").write_bytes(b"this is no database" * 100)
    with ChatServer(SICK, SICK) as server:
        model = client(server, **QUICK)
        assert [model.complete(JUDGE).fault for _ in range(3)] == ["unavailable", "unavailable", "breaker"]
        assert any("models.db cannot be used" in note for note in model.notes)
        assert client(server, folder=tmp_path / "absent").complete(ASK).fault == ""
        assert client(server, folder=None).notes == ()
