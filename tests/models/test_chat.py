"""What a user's model server does well or badly, and what an answer sees of it."""

from __future__ import annotations

import json
import threading
import time

import pytest
from chat_server import (
    ChatServer,
    cut_stream,
    drip,
    half_json,
    hang,
    html,
    huge,
    output_of,
    raw,
    reply,
    reset,
    short_body,
    status,
)  # fmt: skip

from ragheal.errors import ConfigError
from ragheal.types import ChatRequest, Tokens

ASK = ChatRequest(role="generator", system="Answer.", user="Why?")


def test_a_question_and_its_answer(client):
    """The whole way: model of the role, settings and texts go out; text, tokens and model come back."""
    with ChatServer(answer=lambda body: "因为如此。") as server:
        model = client(server, model__generator="large", model__seed=3, model__max_tokens=50)
        got = model.complete(ASK)
        assert (got.text, got.fault, got.model, got.output) == ("因为如此。", "", "large", "text")
        assert got.tokens == Tokens(10, 1)
        assert got.seconds > 0
        sent = server.requests[0]
        assert sent["messages"] == [{"role": "system", "content": "Answer."}, {"role": "user", "content": "Why?"}]
        assert (sent["model"], sent["seed"], sent["max_tokens"], sent["temperature"]) == ("large", 3, 50, 0.0)
        model.complete(ChatRequest(role="judge", system="", user="Enough?"))
        assert server.requests[-1]["model"] == "small"
        assert model.usage.calls == 2
        assert model.usage.tokens.prompt == 20


def test_refused_parameters_are_left_out_for_good(client):
    """Models that take no seed, no temperature or no `max_tokens` are used all the same."""
    with ChatServer(refuses=("seed", "temperature", "max_tokens")) as server:
        assert client(server).complete(ASK).fault == ""
        needed = len(server.requests)
        assert client(server).complete(ASK).fault == ""
        assert len(server.requests) == needed + 1
        sent = server.requests[-1]
        assert "max_completion_tokens" in sent
        assert not {"seed", "temperature", "max_tokens"} & set(sent)


@pytest.mark.parametrize(
    ("behaviour", "fault", "says"),
    [
        (status(500, "CUDA out of memory"), "unavailable", "CUDA out of memory"),
        (status(429, "slow down"), "rate_limited", "slow down"),
        (status(401, "who are you"), "auth", "OPENAI_API_KEY"),
        (status(403), "auth", "403"),
        (status(404, "model small not found"), "rejected", "model small not found"),
        (status(400, "bad request"), "rejected", "bad request"),
        (html(), "unavailable", "model.base_url"),
        (html(502), "unavailable", "Bad gateway"),
        (half_json(), "unavailable", "not whole JSON"),
        (short_body(), "unavailable", ""),
        (raw(""), "unavailable", "empty"),
        (raw("[1, 2]"), "unavailable", "JSON"),
        (raw("nonsense", kind="text/plain"), "unavailable", "JSON"),
        (raw(b"\xff\xfe\x00", kind="application/octet-stream"), "unavailable", "JSON"),
        (raw('{"error": {"message": "no GPU left"}}'), "unavailable", "no GPU left"),
        (raw('{"choices": []}'), "unavailable", "no choices"),
        (raw('{"choices": [null]}'), "unavailable", "no choices"),
        (raw('{"choices": {"a": 1}, "usage": "many"}'), "unavailable", "no choices"),
        (raw('{"choices": [{"message": "hello"}]}'), "rejected", "empty"),
        (reply(None), "rejected", "empty"),
        (reply("   "), "rejected", "empty"),
        (reply(None, refusal="I will not."), "rejected", "I will not."),
        (reply(None, reasoning_content="Let me think."), "rejected", "reasoning"),
        (reply("", finish="length", reasoning_content="Let me"), "cut_off", "model.max_tokens"),
        (reply("", finish="content_filter"), "rejected", "content filter"),
        (reply("Half an answ", finish="length"), "cut_off", "model.max_tokens"),
        (huge(), "unavailable", "larger than"),
        (reset(), "unavailable", "connection"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_whatever_the_server_does_is_a_fault_in_words(client, behaviour, fault, says, stream):
    """No misbehaviour of a server may end a question with a traceback; the reason must be readable."""
    with ChatServer(behaviour) as server:
        request = ChatRequest(role="generator", system="", user="Why?", stream=stream)
        got = client(server, model__retries=0).complete(request)
        assert got.fault == fault
        assert says in got.detail
        assert "\n" not in got.detail


def test_right_json_under_a_wrong_type_counts(client):
    """Proxies mislabel; what is a reply is taken as one."""
    good = json.dumps({"choices": [{"message": {"content": [{"type": "text", "text": "yes"}]}}]})
    with ChatServer(raw(good, kind="text/html")) as server:
        assert client(server).complete(ASK).text == "yes"


def test_nobody_there(client):
    """A server that is not started, or an address that does not exist, is told apart."""
    refused = client("http://127.0.0.1:9/v1", model__retries=1).complete(ASK)
    assert (refused.fault, "connection refused" in refused.detail) == ("unavailable", True)


def test_reasoning_between_tags_is_no_answer(client):
    """The thoughts of a reasoning model would be cited, and its JSON not found."""
    thought = "<think>\nMaybe {no}.\n</think>\n\n"
    with ChatServer(reply(thought + "Yes."), reply("Hm.</think>Yes."), reply("<think>never ends")) as server:
        model = client(server)
        assert model.complete(ASK).text == "Yes."
        assert model.complete(ASK).text == "Yes."
        assert model.complete(ASK).fault == "rejected"
        server.then(reply(thought + "Yes, <b>it is</b>."), reply("<thin ice> is a risk"))
        for expected in ("Yes, <b>it is</b>.", "<thin ice> is a risk"):
            shown: list[str] = []
            model.on_text = shown.append
            got = model.complete(ChatRequest(role="generator", system="", user="Why?", stream=True))
            assert (got.text, "".join(shown)) == (expected, expected)


# --- time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("behaviour", [hang(), drip()])
@pytest.mark.parametrize("stream", [False, True])
def test_no_call_outlives_its_timeout(client, behaviour, stream):
    """Silence ends a call, and so does a server that sends just enough to be never silent."""
    with ChatServer(behaviour) as server:
        started = time.monotonic()
        request = ChatRequest(role="generator", system="", user="Why?", stream=stream)
        got = client(server, model__timeout=0.6).complete(request)
        assert got.fault == "timeout"
        assert "model.timeout" in got.detail
        assert time.monotonic() - started < 5
        assert len(server.requests) == 1  # the user waited once, not once more for each retry


def test_retries_wait_as_long_as_they_are_told(client):
    """A passing overload costs a moment, not the answer; Retry-After is obeyed."""
    with ChatServer(status(503), status(429, retry_after=0.4), reply("yes")) as server:
        assert client(server).complete(ASK).text == "yes"
        assert server.times[2] - server.times[1] >= 0.4


def test_a_wait_that_does_not_fit_is_not_begun(client):
    """A server that asks for an hour is not waited for."""
    with ChatServer(status(429, retry_after=3600)) as server:
        started = time.monotonic()
        got = client(server).complete(ASK)
        assert (got.fault, len(server.requests)) == ("rate_limited", 1)
        assert "3600 s" in got.detail
        assert time.monotonic() - started < 5


def test_a_server_that_loads_its_model_is_waited_for(client):
    """The first question after a start must not fail because the weights are still being read."""
    with ChatServer(*[status(503, "Loading model")] * 2) as server:
        assert client(server, model__retries=0).complete(ASK).text == "ok"


def test_a_cold_start_never_outlives_the_question(client):
    """A model that is never ready costs the user budget.seconds and no more."""
    with ChatServer(*[status(503, "Loading model")] * 100) as server:
        started = time.monotonic()
        assert client(server, budget__seconds=1.5).complete(ASK).fault == "unavailable"
        assert time.monotonic() - started < 5


def test_ctrl_c_is_met_at_once(client):
    """A user who interrupts a hanging call is not held until its timeout."""
    import _thread

    with ChatServer(hang()) as server:
        timer = threading.Timer(0.5, _thread.interrupt_main)
        timer.start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            client(server).complete(ASK)
        assert time.monotonic() - started < 4


# --- streams ---------------------------------------------------------------------------------------------


def test_a_stream_is_heard_as_it_comes(client):
    """A user reads the answer while it is written, and its tokens are counted all the same."""
    with ChatServer(answer=lambda body: "It pauses the dispatch.") as server:
        model, shown = client(server), list[str]()
        model.on_text = shown.append
        got = model.complete(ChatRequest(role="generator", system="", user="Why?", stream=True))
        assert got.text == "".join(shown) == "It pauses the dispatch."
        assert len(shown) > 3
        assert got.tokens == Tokens(10, 4)
        model.complete(ASK)
        assert "".join(shown) == "It pauses the dispatch."  # no stream was asked for


@pytest.mark.parametrize("how", ["reset", "close", "garbage", "error", "hang"])
def test_a_stream_cut_in_the_middle(client, how):
    """What came is handed on and marked: half an answer is never taken for a whole one."""
    with ChatServer(cut_stream("The limit is", how=how)) as server:
        request = ChatRequest(role="generator", system="", user="Why?", stream=True)
        got = client(server, model__timeout=1.0).complete(request)
        assert got.fault == "cut_off"
        assert got.text.startswith("The limit")
        assert got.detail
        assert len(server.requests) == 1


def test_servers_that_do_not_stream(client):
    """A whole reply where a stream was asked for is shown as one piece; refused options are left out."""
    with ChatServer(streams=False, refuses=("stream_options",)) as server:
        model, shown = client(server), list[str]()
        model.on_text = shown.append
        got = model.complete(ChatRequest(role="generator", system="", user="Why?", stream=True))
        assert (got.text, shown) == ("ok", ["ok"])


def test_the_listeners_own_error_is_not_hidden(client):
    """When nobody reads the output any more, that is not the model server's fault."""

    def broken(text):
        raise BrokenPipeError

    with ChatServer() as server:
        model = client(server)
        model.on_text = broken
        with pytest.raises(BrokenPipeError):
            model.complete(ChatRequest(role="generator", system="", user="Why?", stream=True))


def test_no_words_are_shown_twice(client):
    """While the output mode is being found out, a reply that is asked for again must not appear before its successor."""
    request = ChatRequest(role="generator", system="", user="Why?", schema='{"type": "object"}', stream=True)
    with ChatServer(answer=lambda body: "no JSON at all" if output_of(body) == "schema" else "{}") as server:
        model, shown = client(server), list[str]()
        model.on_text = shown.append
        assert model.complete(request).text == "{}"
        assert shown == []
        assert model.complete(request).text == "{}" == "".join(shown)


def test_a_proxy_is_not_asked_for_a_server_on_this_machine(client, monkeypatch):
    """Behind a company's proxy a local Ollama would be unreachable."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ChatServer() as server:
        assert client(server).complete(ASK).text == "ok"


# --- keys and addresses ------------------------------------------------------------------------------------


def test_the_key_is_sent_and_seen_nowhere_else(client, monkeypatch, tmp_path):
    """A key in a trace, a log or a database is a leak."""
    key = "sk-Zq81.secret-key-of-mine"
    with ChatServer(key=key) as server:
        assert client(server).complete(ASK).fault == "auth"
        monkeypatch.setenv("MY_KEY", key)
        model = client(server, model__key_env="MY_KEY")
        assert model.complete(ASK).fault == ""
        assert server.headers[-1]["authorization"] == f"Bearer {key}"
        server.key = "another"
        refused = model.complete(ASK)  # the server repeats the key in its error
        server.then(status(500, f"upstream said: Bearer {key} is bad"), reply("x"))
        model.complete(ASK)
        server.then(raw(f"<html><title>{key}</title>", code=502), raw(f'{{"error": "{key}"}}'), status(400, key))
        model.complete(ASK)
        seen = [refused.detail, model.fingerprint, repr(vars(model)), repr(model.notes)]
        seen += [path.read_bytes().decode("latin-1") for path in tmp_path.iterdir()]
        assert refused.fault == "auth"
        assert "MY_KEY" in refused.detail
        assert not any("secret-key" in text for text in seen)


@pytest.mark.parametrize(
    "address",
    ["localhost:11434", "ftp://host/v1", "http://", "http://a b/", "http://u:pass@host/v1", "http://host/v1?key=1",
     "http://host:99999/v1", ""],
)  # fmt: skip
def test_an_address_that_is_none(client, address):
    """A mistyped address is a message about the setting, and a password in it is not repeated."""
    with pytest.raises(ConfigError) as caught:
        client(address)
    assert "pass@" not in caught.value.message
    assert "base_url" in caught.value.message


def test_addresses_are_forgiving(client):
    """The server's root and the full path of its chat endpoint mean the same server."""
    with ChatServer() as server:
        for address in (server.base_url[:-3], server.base_url + "/", server.base_url + "/chat/completions"):
            assert client(address).complete(ASK).text == "ok"


def test_no_model_is_named(client):
    """Without a name every server would answer differently; the message says where to put it."""
    with pytest.raises(ConfigError, match="no model is named"):
        client("http://127.0.0.1:1/v1", model__name=" ")


def test_a_key_that_cannot_be_sent(client, monkeypatch):
    """A key copied with a stray character is told before the first question, without showing it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abc\u201dsecret")
    with pytest.raises(ConfigError) as caught:
        client("http://127.0.0.1:1/v1")
    assert "secret" not in caught.value.message


def test_the_fingerprint_tells_models_apart(client):
    """Caches and traces hold answers of one model; another model or seed is another fingerprint."""
    base = "http://127.0.0.1:1/v1"
    prints = {
        client(base).fingerprint,
        client(base, model__judge="other").fingerprint,
        client(base, model__seed=8).fingerprint,
        client(base, model__name="large").fingerprint,
    }
    assert len(prints) == 4
    assert client(base).fingerprint in prints
