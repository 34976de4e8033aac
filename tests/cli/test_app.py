"""Errors in words, exit codes, help: what every command shares."""

import json

import pytest

from ragheal.errors import IndexDamaged, ModelError, StorageError

COMMANDS = ("index", "ask", "search", "replay", "traces", "eval", "status", "config")


def test_help_and_version(run):
    """Help lists every command, on standard output, and exits 0."""
    result = run("--help")
    assert (result.code, result.err) == (0, "")
    assert all(f"  {command}" in result.out for command in COMMANDS)
    assert run().out == result.out
    assert run("--version").out == "ragheal 0.1.0\n"
    for command in COMMANDS:
        assert "--json" in run(command, "--help").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ask", "q", "--strategi", "x"), ("unknown option `--strategi`", "did you mean `--strategy`?")),
        (("ask", "q", "--explain"), ("unknown option `--explain`", "belongs to `ragheal search`")),
        (("--index", "d", "status"), ("unknown option `--index`", "goes after the command")),
        (("serach", "q"), ("unknown command `serach`", "did you mean `ragheal search`?")),
        (("zzz",), ("unknown command `zzz`", "`ragheal --help`")),
        (("ask", "q", "--set", "retrieval.topk=3"), ("unknown setting `retrieval.topk`", "`retrieval.top_k`")),
        (("ask", "q", "--set", "retrieval.top_k=many"), ("`retrieval.top_k` = 'many' (flag)",)),
        (("ask", "q", "--set", "top_k"), ("has no value", "section.key=value")),
        (("ask", "q", "--top-k", "many"), ("'--top-k'", "`ragheal ask --help`")),
        (("ask", "q", "--strategy", "clever"), ("`loop.strategy` = 'clever' (flag)",)),
        (("ask", "q", "--preset", "slow"), ("no preset named `slow`", "fast")),
        (("search",), ("QUERY", "`ragheal search --help`")),
        (("replay", "last", "--check", "--rerun"), ("cannot be combined",)),
        (("index", "docz"), ("docz does not exist",)),
    ],
)
def test_usage_errors(run, engine, arguments, words):
    """Every usage error exits 2 with one line that says what, and one that says what instead."""
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert all(word in result.err for word in words), result.err
    assert len(result.err.splitlines()) <= 2


def test_path_that_does_not_exist_names_the_nearest(run, engine, place):
    """A misspelt folder is the commonest mistake of all."""
    (place / "documents").mkdir()
    assert "did you mean documents?" in run("index", "document").err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (IndexDamaged("vectors.faiss is cut off", hint="ragheal index --rebuild PATH"), 5),
        (ModelError("the server is gone"), 6),
        (StorageError("the disk is full"), 1),
        (KeyError("x"), 1),
        (KeyboardInterrupt(), 130),
        (RecursionError(), 1),
    ],
)
def test_errors_of_a_command(run, engine, error, code):
    """Message, hint and exit code; a traceback only for those who ask."""
    engine.script["q"] = error
    result = run("ask", "q")
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith("ragheal: ")
    assert engine.made[-1].closed


def test_debug_shows_the_traceback(engine, capsys, monkeypatch):
    """A bug report needs it."""
    from ragheal_cli.app import main

    monkeypatch.setenv("RAGHEAL_DEBUG", "1")
    engine.script["q"] = KeyError("x")
    assert main(["ask", "q"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_errors_as_json(run, engine, place):
    """A script that asked for JSON gets JSON, whatever went wrong."""
    engine.script["q"] = IndexDamaged("cut off", hint="rebuild")
    for arguments, code in (
        (("ask", "q"), 5),
        (("ask", "q", "--nope"), 2),
        (("ask", ""), 2),
        (("replay", "zz"), 2),
    ):
        result = run(*arguments, "--json")
        envelope = json.loads(result.out)
        assert (result.code, result.err) == (code, "")
        assert envelope["schema_version"] == 1
        assert envelope["command"] == arguments[0]
        assert envelope["error"]["exit_code"] == code
        assert envelope["error"]["message"]


def test_escapes_in_messages(run, engine):
    """A file name may hold what a terminal obeys."""
    engine.script["q"] = ModelError("model \x1b[2J\x07 gone")
    assert "\x1b" not in run("ask", "q").err
