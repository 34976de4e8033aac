"""In which form a server gives JSON, found out once and remembered."""

from __future__ import annotations

import json

import msgspec
import pytest
from chat_server import ChatServer, default_answer, output_of, reply, status

from ragheal.types import ChatRequest

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "sufficient": {"type": "boolean"},
            "missing": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["sufficient", "missing"],
        "additionalProperties": False,
    }
)
JUDGE = ChatRequest(role="judge", system="Judge.", user="Enough?", schema=SCHEMA)


@pytest.mark.parametrize(
    ("takes", "output"),
    [(("schema", "object", "text"), "schema"), (("object", "text"), "object"), (("text",), "text")],
)
def test_the_best_output_mode_is_found_once(client, takes, output):
    """A server without schemas must work, and not be asked in vain before every single call."""
    with ChatServer(takes=takes, answer=lambda body: '{"sufficient": true, "missing": []}') as server:
        got = client(server).complete(JUDGE)
        assert (got.fault, got.output, json.loads(got.text)["sufficient"]) == ("", output, True)
        needed = len(server.requests)
        again = client(server).complete(JUDGE)  # another process, as it were
        assert again.output == output
        assert len(server.requests) == needed + 1
        if output != "schema":
            assert "sufficient" in server.requests[-1]["messages"][0]["content"]


def test_a_format_that_is_taken_and_ignored_is_found_out(client):
    """Some servers accept a schema and answer in prose; the next mode is tried rather than the prose trusted."""

    def answer(body):
        return "Sure! It is enough." if output_of(body) == "schema" else default_answer(body)

    with ChatServer(answer=answer) as server:
        model = client(server)
        first = model.complete(JUDGE)
        assert (first.output, first.tokens.prompt) == ("object", 20)  # both tries are paid for
        assert model.complete(JUDGE).output == "object"
        assert [output_of(body) for body in server.requests] == ["schema", "object", "object"]


@pytest.mark.parametrize("stream", [False, True])
def test_json_among_the_thoughts_is_the_reply(client, stream):
    """Servers with a reasoning parser file all of a reply under the thoughts; every judgement would be lost."""
    hidden = '{"sufficient": false, "missing": ["the year"]}'
    with ChatServer(reply(None, reasoning_content=hidden)) as server:
        got = client(server).complete(msgspec.structs.replace(JUDGE, stream=stream))
        assert (got.fault, got.output, got.text) == ("", "schema", hidden)
        assert len(server.requests) == 1


def test_a_mode_that_silences_the_model_is_left(client):
    """A thinking model that a format leaves without words would be replaced at every call, for good."""

    def thoughts(call):
        silent = output_of(call.body) != "text"
        text = "" if silent else '{"sufficient": true, "missing": []}'
        reply(text, reasoning_content="I should say yes.")(call)

    with ChatServer(*[thoughts] * 6) as server:
        model = client(server)
        assert (model.complete(JUDGE).output, model.complete(JUDGE).output) == ("text", "text")
        assert [output_of(body) for body in server.requests] == ["schema", "object", "text", "text"]


def test_a_mode_that_begins_to_silence_the_model_is_left(client):
    """After a thinking model took the place of another, the mode that was remembered gives empty replies."""
    with ChatServer() as server:
        model = client(server)
        assert model.complete(JUDGE).output == "schema"
        server.then(*[reply("", reasoning_content="Hm.")] * 2)  # what was remembered, and the first mode anew
        got = model.complete(JUDGE)
        assert (got.fault, got.output) == ("", "object")


def test_a_server_that_changes_is_asked_anew(client):
    """After a server was replaced by a lesser one, what was remembered of it must not stop the answers."""
    with ChatServer() as server:
        assert client(server).complete(JUDGE).output == "schema"
        server.takes = ("text",)
        got = client(server).complete(JUDGE)
        assert (got.fault, got.output) == ("", "text")


def test_a_forced_mode_is_kept(client):
    """Who sets model.output means it: no other mode is tried behind their back."""
    with ChatServer(takes=("text",)) as server:
        got = client(server, model__output="object").complete(JUDGE)
        assert got.fault == "rejected"
        assert client(server, model__output="text").complete(JUDGE).fault == ""
        assert [output_of(body) for body in server.requests] == ["object", "text"]


def test_too_long_a_prompt_teaches_nothing_about_modes(client):
    """A context that is too small must not be remembered as a server that takes no schema."""
    with ChatServer(status(400, "This model's maximum context length is 512 tokens")) as server:
        model = client(server)
        assert model.complete(JUDGE).fault == "rejected"
        assert len(server.requests) == 1
        assert model.complete(JUDGE).output == "schema"
