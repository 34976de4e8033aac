"""A real model server over real HTTP: llama.cpp with a small model, killed and restarted on the way."""

from __future__ import annotations

import json
import time

import pytest
from llama_server import MODEL, LlamaServer, missing

from ragheal.models.chat.probe import probe
from ragheal.settings import load
from ragheal.types import ChatRequest

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"sufficient": {"type": "boolean"}, "why": {"type": "string", "enum": ["given", "absent"]}},
        "required": ["sufficient", "why"],
        "additionalProperties": False,
    }
)
COUNT = ChatRequest(role="generator", system="", user="Count from one to fifty.", max_tokens=400, stream=True)


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """The server, started once; a test that kills it starts it again."""
    with LlamaServer(tmp_path_factory.mktemp("llama") / "log") as server:
        yield server


@pytest.fixture
def model(llama, client):
    return lambda **changes: client(llama, **{"model__name": MODEL, "model__timeout": 120} | changes)


def test_json_by_schema(model):
    """The judge's reply of the weakest model is whole JSON of the right shape, since the server enforces it."""
    opened = model()
    got = opened.complete(
        ChatRequest(role="judge", system="You judge.", user="Is water wet?", schema=SCHEMA, max_tokens=60)
    )
    assert (got.fault, got.output) == ("", "schema")
    assert set(json.loads(got.text)) == {"sufficient", "why"}
    assert got.tokens.prompt > 5
    assert got.tokens.completion > 3
    again = model().complete(
        ChatRequest(role="judge", system="You judge.", user="Is water wet?", schema=SCHEMA, max_tokens=60)
    )
    assert again.text == got.text  # temperature 0 and a seed: the same each time


def test_streaming(model):
    """The words come one by one, and their sum is the reply."""
    opened, shown = model(), list[str]()
    opened.on_text = shown.append
    got = opened.complete(
        ChatRequest(role="generator", system="", user="Name three colours.", max_tokens=16, stream=True)
    )
    assert "".join(shown) == got.text
    assert len(shown) > 3
    assert got.tokens.completion == 16
    assert got.fault == "cut_off"  # it had more to say, and the reply admits it


def test_a_timeout_keeps_what_came(model):
    """A slow model costs model.timeout and no more."""
    started = time.monotonic()
    got = model(model__timeout=0.5).complete(COUNT)
    assert got.fault in {"timeout", "cut_off"}
    assert "model.timeout" in got.detail
    assert time.monotonic() - started < 5


def test_killed_in_the_middle_and_restarted(llama, model):
    """A server that dies costs half an answer, marked as such; the next question after its return is whole."""
    settings = {"model__retries": 0, "model__breaker_failures": 1, "model__breaker_seconds": 0.2}
    opened, came = model(**settings), list[str]()

    def kill_soon(text):
        came.append(text)
        if len(came) == 3:
            llama.kill()

    opened.on_text = kill_soon
    cut = opened.complete(COUNT)
    assert cut.fault == "cut_off"
    assert cut.text.startswith("".join(came[:3]))
    short = ChatRequest(role="judge", system="", user="Say yes.", max_tokens=8)
    assert opened.complete(short).fault == "unavailable"
    assert opened.complete(short).fault == "breaker"
    llama.start()
    time.sleep(0.3)
    assert opened.complete(short).fault in {"", "cut_off"}
    assert opened.complete(short).text


def test_the_probe_measures_it(llama):
    """`ragheal doctor --model` on a real server."""
    flags = {
        "model.backend": "openai",
        "model.base_url": llama.base_url,
        "model.name": MODEL,
        "model.timeout": 120,
    }
    found = probe(load(env={}, flags=flags).settings, None)
    assert (found.answers, found.output, found.streams, found.takes_seed) == (True, "schema", True, True)
    assert found.tokens_per_second > 0
