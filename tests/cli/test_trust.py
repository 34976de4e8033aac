"""A folder that somebody else made: its `ragheal.yaml` may not send questions, passages and a key elsewhere unasked."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import msgspec
import pytest
import ragheal_cli
from chat_server import ChatServer

from ragheal.tracing import files

HOST = "models.example.test"
KEY = "sk-never-shown-anywhere"
QUESTION = "How many days of paid leave do employees get?"


@pytest.fixture
def elsewhere(monkeypatch):
    """Names that were looked up; HOST, a server elsewhere for all that the program knows, is found on loopback."""
    asked = []
    real = socket.getaddrinfo

    def lookup(host, *rest, **options):
        name = host.decode() if isinstance(host, bytes) else host
        asked.append(name)
        return real("127.0.0.1" if name == HOST else host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("SOME_SECRET", KEY)
    return asked


@pytest.fixture
def server():
    with ChatServer() as made:
        yield made


def address(server):
    return server.base_url.replace("127.0.0.1", HOST)


@pytest.fixture
def cloned(project, server, elsewhere):
    """The indexed project with a settings file that names a server elsewhere and one of the user's secrets."""
    settings = {"backend": "openai", "base_url": address(server), "name": "small", "key_env": "SOME_SECRET"}
    write(project, settings)
    return project


def write(folder, settings):
    text = "".join(f"  {name}: {value}\n" for name, value in settings.items())
    (folder / "ragheal.yaml").write_text(f"model:\n{text}", encoding="utf-8")


def untouched(server, elsewhere):
    return server.requests == [] and HOST not in elsewhere


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", QUESTION),
        ("ask", QUESTION, "--json"),
        ("ask", QUESTION, "--model", "other"),
        ("ask", QUESTION, "--preset", "fast"),
        ("ask", "--batch", "questions.jsonl"),
        ("eval", "questions.jsonl"),
        ("heal", "propose"),
        ("heal", "verify", "--questions", "questions.jsonl"),
        ("heal", "auto", "--questions", "questions.jsonl"),
        ("doctor",),
        ("doctor", "--model"),
        ("doctor", "--model", "small", "--json"),
        ("doctor", "--fix", "--model"),
    ],
    ids=" ".join,
)
def test_nothing_is_sent_unasked(run, cloned, server, elsewhere, arguments):
    """The first command in a cloned folder would hand a key and the documents to a stranger."""
    (cloned / "questions.jsonl").write_text(json.dumps({"question": QUESTION}) + "\n", encoding="utf-8")
    result = run(*arguments)
    assert result.code == 2
    for part in ("ragheal.yaml is not trusted", address(server), "SOME_SECRET", "ragheal config --trust"):
        assert part in result.out + result.err
    assert KEY not in result.out + result.err
    assert untouched(server, elsewhere)


def test_what_is_wrong_and_what_to_do(run, cloned, server):
    """One line for each, with everything that one has to know to decide."""
    said, do = run("ask", QUESTION).err.splitlines()
    assert said == (
        f"ragheal: {cloned.resolve()}/ragheal.yaml is not trusted to send questions, passages and the key in SOME_SECRET "
        f"to {address(server)}"
    )
    assert do == (
        "  hint: look at it, then `ragheal config --trust`; or give both yourself: "
        "RAGHEAL_MODEL__BASE_URL and RAGHEAL_MODEL__KEY_ENV"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("config",),
        ("status",),
        ("search", "paid leave"),
        ("index",),
        ("traces",),
        ("failures",),
        ("heal", "list"),
        ("memory", "list"),
        ("cache", "stats"),
        ("health",),
        ("ask", QUESTION, "--backend", "embedded"),
    ],
    ids=" ".join,
)
def test_what_asks_no_server_works_as_ever(run, cloned, server, elsewhere, arguments):
    """A folder from somebody else can be searched and looked at before anything is decided."""
    result = run(*arguments)
    assert result.code == 0
    assert "hint" not in result.err
    assert untouched(server, elsewhere)


def test_trusted_it_works(run, cloned, server, elsewhere):
    """After a look the file does what it is for, and the look is not asked for again."""
    result = run("config", "--trust")
    assert (result.code, result.out) == (0, "")
    for part in (
        f"trusted: {cloned.resolve()}/ragheal.yaml",
        address(server),
        "the value of SOME_SECRET",
        "small",
    ):
        assert part in result.err
    assert KEY not in result.err
    assert untouched(server, elsewhere)  # to trust is not to ask
    assert run("ask", QUESTION).code in (0, 3, 4)
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    assert HOST in elsewhere
    assert run("doctor", "--model").code == 0
    assert "not asked" in run("doctor").out
    write(cloned, {"backend": "openai", "base_url": address(server), "name": "large", "key_env": "SOME_SECRET"})
    assert run("doctor", "--model").code == 0


def test_another_address_is_another_question(run, cloned, server, elsewhere):
    """Who trusted a server would, after the next pull, ask another one."""
    run("config", "--trust")
    write(cloned, {"backend": "openai", "base_url": "https://other.example.test/v1", "name": "small"})
    result = run("ask", QUESTION)
    assert result.code == 2
    assert "to https://other.example.test/v1" in result.err
    assert "other.example.test" not in elsewhere


def test_taken_back(run, cloned, server, elsewhere):
    """A yes that was a mistake must not last."""
    run("config", "--trust")
    assert "is no longer trusted" in run("config", "--untrust").err
    assert "was not trusted" in run("config", "--untrust").err
    assert run("ask", QUESTION).code == 2
    assert untouched(server, elsewhere)


def test_ones_own_address_and_key(run, cloned, server, elsewhere, monkeypatch):
    """Whoever names the server himself is not sent to look at a file; with half of it he is."""
    own = ("--base-url", address(server))
    result = run("ask", QUESTION, *own)
    assert result.code == 2
    assert "RAGHEAL_MODEL__KEY_ENV" in result.err
    assert untouched(server, elsewhere)
    assert run("ask", QUESTION, *own, "--set", "model.key_env=").code in (0, 3, 4)
    assert KEY not in str(server.headers)
    assert server.requests
    monkeypatch.setenv("RAGHEAL_MODEL__BASE_URL", address(server))
    monkeypatch.setenv("RAGHEAL_MODEL__KEY_ENV", "SOME_SECRET")
    assert run("doctor", "--model").code == 0


def test_a_server_on_this_machine_needs_no_trust(run, project, server):
    """With Ollama at home nothing changes."""
    write(project, {"backend": "openai", "base_url": server.base_url, "name": "small"})
    result = run("ask", QUESTION)
    assert result.code in (0, 3, 4)
    assert server.requests
    assert run("config").err == ""


def test_ci_trusts_by_a_variable(run, cloned, server, monkeypatch):
    """A container has no home that lasts, and nobody to ask."""
    monkeypatch.setenv("RAGHEAL_TRUST", "1")
    assert run("doctor", "--model").code == 0
    assert "(RAGHEAL_TRUST=1)" in run("config").err
    assert "RAGHEAL_TRUST=1 trusts" in run("config", "--untrust").err


def test_config_says_how_it_stands(run, cloned, server):
    """One sees before the first question whether it will be sent."""
    shown = run("config")
    assert "ragheal.yaml is not trusted with" in shown.err
    assert "ragheal config --trust" in shown.err
    assert f"model.base_url\t{address(server)}\tragheal.yaml\n" in shown.out
    assert run("config", "--quiet").err == ""
    expected = {
        "file": f"{cloned.resolve()}/ragheal.yaml", "server": address(server), "key_env": "SOME_SECRET",
        "needed": True, "trusted": False, "by": None, "trouble": None,
    }  # fmt: skip
    assert run("config", "--json").json["trust"] == expected
    assert run("config", "--trust", "--json").json["trust"] == {**expected, "trusted": True, "by": "user"}
    assert "ragheal.yaml is trusted with" in run("config").err
    (cloned / "ragheal.yaml").write_text("retrieval:\n  top_k: 5\n", encoding="utf-8")
    assert run("config", "--json").json["trust"] is None
    assert run("config").err == ""


def test_a_damaged_file_is_said(run, cloned, tmp_path_factory, monkeypatch):
    """Why a project that was trusted yesterday is not today."""
    home = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    run("config", "--trust")
    (home / "ragheal/trusted.json").write_text("{", encoding="utf-8")
    for arguments in (("ask", QUESTION), ("config",), ("config", "--trust")):
        assert "trusted.json is damaged and counts as empty" in run(*arguments).err
    assert "counts as empty" not in run("config").err


def test_a_home_that_cannot_be_written(run, cloned, place, monkeypatch):
    """A message with a way out, where a service has no home of its own."""
    (place / "taken").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "taken"))
    result = run("config", "--trust")
    assert result.code == 1
    assert "cannot write" in result.err
    assert "RAGHEAL_TRUST=1" in result.err


def test_nothing_to_trust(run, place):
    """A yes to nothing is no yes, and says so."""
    assert run("config", "--trust").code == 2
    assert run("config", "--untrust").code == 2
    (place / "ragheal.yaml").write_text("retrieval:\n  top_k: 5\n", encoding="utf-8")
    assert "nothing to trust" in run("config", "--trust").err
    result = run("config", "--trust", "--untrust")
    assert (result.code, "cannot be combined" in result.err) == (2, True)


def test_a_trace_from_somebody_else(run, project, server, elsewhere, monkeypatch):
    """A trace names a server too, and `--rerun` would ask it with the user's key."""
    run("ask", QUESTION, "--trace", "t.json")
    trace = files.read(project / "t.json").trace
    model = {
        **trace.settings["model"],
        "backend": "openai",
        "base_url": address(server),
        "name": "small",
        "key_env": "SOME_SECRET",
    }
    files.write(
        msgspec.structs.replace(trace, settings={**trace.settings, "model": model}), project / "foreign.json"
    )
    result = run("replay", "foreign.json", "--rerun")
    assert result.code == 2
    assert f"RAGHEAL_MODEL__BASE_URL={address(server)} and RAGHEAL_MODEL__KEY_ENV=SOME_SECRET" in result.err
    assert KEY not in result.out + result.err
    assert run("replay", "foreign.json").code == 0
    assert untouched(server, elsewhere)
    write(project, {"base_url": address(server), "key_env": "SOME_SECRET"})  # a file beside it makes it no better
    assert "is not trusted" in run("replay", "foreign.json", "--rerun").err
    assert run("replay", "t.json", "--rerun").code == 0  # one that asks nobody
    assert untouched(server, elsewhere)
    monkeypatch.setenv("RAGHEAL_MODEL__BASE_URL", address(server))
    monkeypatch.setenv("RAGHEAL_MODEL__KEY_ENV", "SOME_SECRET")
    assert run("replay", "foreign.json", "--rerun").code == 0
    assert server.requests


def test_every_engine_comes_from_the_place_that_asks():
    """A new command that made its own engine would go round the question of trust."""
    found = set()
    for path in Path(ragheal_cli.__path__[0]).rglob("*.py"):
        if re.search(r"\b(Engine|open_chat|probe|ChatClient|endpoint)\(", path.read_text(encoding="utf-8")):
            found.add(path.name)
    assert found <= {"session.py", "replay.py"}  # `replay --check` plays from the record
