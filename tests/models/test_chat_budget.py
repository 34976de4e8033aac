"""What a question and a day may cost, and that the final answer comes first."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from chat_server import ChatServer, hang, status

from ragheal.types import ChatRequest

ASK = ChatRequest(role="generator", system="", user="Why?")
VERIFY = ChatRequest(role="verifier", system="", user="True?")
JUDGE = ChatRequest(role="judge", system="", user="Enough?")


def test_seconds_of_a_question_end_with_the_answer(client):
    """Slow judging must not use up the time in which the answer is to be written."""
    with ChatServer(hang()) as server:
        model = client(server, budget__seconds=2.0, budget__reserve=0.5)
        started = time.monotonic()
        slow = model.complete(JUDGE)
        assert (slow.fault, time.monotonic() - started < 1.8) == ("budget", True)
        assert "budget.seconds" in slow.detail
        refused = model.complete(JUDGE)
        assert (refused.fault, len(server.requests)) == ("budget", 1)
        assert model.complete(ASK).fault == ""
        time.sleep(max(0.0, 2.0 - (time.monotonic() - started)))
        assert model.complete(VERIFY).fault == "budget"
        assert [note.split(":")[0] for note in model.notes] == ["judge failed", *["model server not asked"] * 2]
        model.start_question()
        assert (model.complete(JUDGE).fault, model.notes) == ("", ())


def test_retries_stay_within_the_question(client):
    """A failing server is not retried into the time of the answer."""
    with ChatServer(*[status(503, retry_after=5)] * 5) as server:
        started = time.monotonic()
        got = client(server, budget__seconds=3.0).complete(JUDGE)
        assert (got.fault, len(server.requests)) == ("unavailable", 1)
        assert time.monotonic() - started < 3


def test_tokens_of_a_question(client):
    """Each call of this server takes some 11 tokens; the last room is kept for the answer."""
    with ChatServer() as server:
        model = client(server, budget__tokens=100, budget__reserve=0.4)
        faults = []
        for _ in range(4):
            faults.append(model.complete(JUDGE).fault)
        assert faults == ["", "", "", "budget"]
        assert "budget.tokens" in model.complete(JUDGE).detail
        assert server.requests[0]["max_tokens"] == 60 - 18  # no reply can be longer than what is left
        assert model.complete(ASK).fault == ""
        assert model.usage.tokens.prompt + model.usage.tokens.completion <= 100
        model.start_question()
        assert model.complete(JUDGE).fault == ""


def test_tokens_are_estimated_where_a_server_does_not_tell(client):
    """A budget that counts nothing would be no budget."""
    with ChatServer(usage=False, answer=lambda body: "限流策略" * 10) as server:
        got = client(server).complete(ASK)
        assert got.tokens.completion == 40
        assert got.tokens.prompt >= 2


@pytest.mark.parametrize("limit", ["budget__tokens_per_day", "budget__cost_per_day"])
def test_a_day_is_counted_over_all_processes(client, limit):
    """A loop of questions must stop at the day's limit, whichever process asks."""
    prices = {"budget__price_prompt": 1e6, "budget__price_completion": 1e6}
    with ChatServer() as server:
        faults = [
            client(server, **prices, **{limit: 60, "budget__reserve": 0.0}).complete(ASK).fault for _ in "1234"
        ]
        assert faults == ["", "", "", "budget"]
        other = client(server, **prices, **{limit: 60}).complete(ASK)
        assert limit.split("__")[1] in other.detail


def test_cost_of_a_question(client):
    """Prices are of a million tokens; a question ends before it costs more than allowed."""
    with ChatServer(answer=lambda body: "word " * 100) as server:
        model = client(
            server,
            budget__cost=0.05,
            budget__price_prompt=10.0,
            budget__price_completion=200.0,
            budget__reserve=0.5,
        )
        assert model.complete(JUDGE).fault == ""
        assert model.usage.cost == pytest.approx(10 * 10e-6 + 100 * 200e-6)
        assert server.requests[0]["max_tokens"] <= 125
        refused = [model.complete(JUDGE).fault for _ in range(2)][-1]
        assert refused == "budget"
        assert model.complete(ASK).fault == ""


def test_no_limit_means_none(client):
    """0 switches a limit off; a long reply may then be as long as configured."""
    with ChatServer() as server:
        assert client(server, budget__seconds=0).complete(JUDGE).fault == ""
        assert server.requests[0]["max_tokens"] == 700
        client(server).complete(ChatRequest(role="judge", system="", user="Enough?", max_tokens=30))
        assert server.requests[1]["max_tokens"] == 30


def test_calls_side_by_side_are_all_counted(client, tmp_path):
    """With loop.parallel, and with several processes on one index, no call may be lost or fail for the counting."""
    with ChatServer() as server:
        clients = [client(server) for _ in range(3)]
        with ThreadPoolExecutor(9) as pool:
            replies = list(pool.map(lambda n: clients[n % 3].complete(ASK), range(36)))
        assert {reply.fault for reply in replies} == {""}
        assert sum(model.usage.calls for model in clients) == 36
        with sqlite3.connect(tmp_path / "models.db") as db:
            assert db.execute("SELECT sum(calls), sum(prompt) FROM spending").fetchone() == (36, 360)
        assert [model.notes for model in clients] == [()] * 3
