"""`ragheal doctor`: whether it finds what is wrong, says what to do, and repairs without loss."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing

import pytest
from chat_server import ChatServer, raw, status

LONG = "one two three four five six seven eight nine ten eleven twelve"


def lines(result):
    return {line.split()[1]: line for line in result.out.splitlines()}


def test_a_sound_installation(run, project):
    """One line a check, nothing to do, exit 0."""
    result = run("doctor")
    assert (result.code, result.err) == (0, "")
    assert list(lines(result)) == [
        "python", "packages", "models", "settings", "leftovers", "index", "databases", "folder",
    ]  # fmt: skip
    assert all(line.startswith("✓") for line in lines(result).values())
    told = run("doctor", "--json").json
    assert (told["command"], told["sound"], len(told["checks"])) == ("doctor", True, 8)


def test_before_there_is_an_index(run, place):
    """A fresh installation is sound; the next step is named."""
    result = run("doctor")
    assert result.code == 0
    assert "ragheal index PATH" in lines(result)["index"]
    assert run("doctor", "--index", "nowhere").code == 5


@pytest.mark.parametrize("what", ["vectors.faiss", "index.db", "manifest.json"])
def test_a_damaged_index(run, project, what):
    """A flipped byte that no size tells is found, and the way out is named."""
    path = next(project.glob(f".ragheal/generations/*/{what}"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    result = run("doctor")
    assert result.code == 5
    assert lines(result)["index"].startswith("✗")
    assert "--rebuild" in lines(result)["index"]


def test_another_embedder(run, project):
    """An index that this installation's embedder did not make answers nothing; doctor says so before a question."""
    manifest = next(project.glob(".ragheal/generations/*/manifest.json"))
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(told | {"embedder_fingerprint": "another"}))
    result = run("doctor")
    assert result.code == 5
    assert "ragheal index" in lines(result)["index"]
    shutil.rmtree(manifest.parent)
    assert run("doctor").code == 5


def test_leftovers_of_a_killed_build(run, project):
    """They take disk and frighten; --fix removes them and nothing else."""
    generations = project / ".ragheal" / "generations"
    whole = sorted(path.name for path in generations.iterdir())
    (generations / "000009.tmp-1").mkdir()
    (project / ".ragheal" / "writer").write_text("1\n")
    found = lines(run("doctor"))["leftovers"]
    assert found.startswith("!")
    assert "000009.tmp-1, writer" in found
    assert "--fix" in found
    repaired = run("doctor", "--fix")
    assert repaired.code == 0
    assert "removed: 000009.tmp-1, writer" in lines(repaired)["leftovers"]
    assert sorted(path.name for path in generations.iterdir()) == whole
    assert not (project / ".ragheal" / "writer").exists()
    assert "none" in lines(run("doctor"))["leftovers"]


def test_a_build_that_is_running_is_left_alone(run, project):
    """What looks like a leftover may be another process at work."""
    from ragheal.indexing.folder import Folder
    from ragheal.indexing.lock import writing

    (project / ".ragheal" / "generations" / "000009.tmp-1").mkdir()
    with writing(Folder(project / ".ragheal")):
        for arguments in (("doctor",), ("doctor", "--fix")):
            assert "another process" in lines(run(*arguments))["leftovers"]
    assert (project / ".ragheal" / "generations" / "000009.tmp-1").exists()


@pytest.mark.parametrize("name", ["cache.db", "history.db", "memory.db", "models.db", "pending.db"])
def test_a_damaged_database_is_moved_away(run, project, name):
    """Nothing is deleted, and the next question is kept again."""
    folder = project / ".ragheal"
    damaged = b"no database at all, but long enough" * 50
    (folder / name).write_bytes(damaged)
    found = run("doctor")
    assert found.code == (1 if name in ("history.db", "memory.db") else 0)
    assert f"{name}: damaged (ragheal doctor --fix" in lines(found)["databases"]
    assert (folder / name).read_bytes() == damaged
    repaired = run("doctor", "--fix")
    assert repaired.code == 0
    assert f"{name} was damaged and is now {name}.damaged-20" in lines(repaired)["databases"]
    assert not (folder / name).exists()
    (aside,) = folder.glob(f"{name}.damaged-*")
    assert aside.read_bytes() == damaged
    if name == "history.db":
        run("ask", "How many days of paid leave do employees get?")
        assert len(run("traces").out.splitlines()) == 1


def test_a_write_that_was_killed_is_no_damage(run, project):
    """The next use undoes half a transaction: the file must not be moved away for it."""
    folder = project / ".ragheal"
    work = project / "work.db"
    with closing(sqlite3.connect(work, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 1")
        db.execute("CREATE TABLE t (x)")
        db.execute("BEGIN")
        db.executemany("INSERT INTO t VALUES (?)", [("x" * 900,)] * 50)  # more than the cache: it spills
        shutil.copy(work, folder / "history.db")
        shutil.copy(f"{work}-journal", folder / "history.db-journal")
        db.execute("ROLLBACK")
    result = run("doctor", "--fix")
    assert result.code == 0
    assert "history.db" in lines(result)["databases"]
    assert not list(folder.glob("*.damaged*"))


def test_a_first_index_beside_what_was_moved_away(run, project):
    """A database set aside does not make the folder somebody else's."""
    folder = project / ".ragheal"
    (folder / "history.db").write_bytes(b"no database at all, but long enough" * 50)
    assert run("doctor", "--fix").code == 0
    shutil.rmtree(folder / "generations")
    (folder / "CURRENT").unlink()
    assert run("index", "docs", "--index", ".ragheal", "--quiet").code == 0
    assert len(list(folder.glob("history.db.damaged-*"))) == 1


def test_a_strangers_database_is_not_moved(run, project):
    """What ragheal did not make is not its own to move."""
    (project / ".ragheal" / "mine.db").write_bytes(b"no database at all, but long enough" * 50)
    for arguments in (("doctor",), ("doctor", "--fix")):
        result = run(*arguments)
        assert result.code == 1
        assert "mine.db: damaged (move mine.db away" in lines(result)["databases"]
    assert (project / ".ragheal" / "mine.db").exists()


def test_every_damaged_database_is_named(run, project):
    """Who mends one must not find the next only then."""
    for name in ("history.db", "cache.db", "memory.db"):
        (project / ".ragheal" / name).write_bytes(b"no database at all, but long enough" * 50)
    result = run("doctor")
    assert [line.split()[2] for line in result.out.splitlines() if " databases " in line] == [
        "cache.db:", "history.db:", "memory.db:",
    ]  # fmt: skip
    assert lines(run("doctor", "--fix"))["databases"].count("was damaged") == 3


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_databases_that_may_not_be_read(run, project):
    """A right that is missing is no damage: nothing is moved, all are named, in every command that reads them."""
    folder = project / ".ragheal"
    names = ("cache.db", "history.db", "memory.db")
    for name in names:
        with closing(sqlite3.connect(folder / name)) as db:
            db.execute("CREATE TABLE t (x)")
            db.commit()
        (folder / name).chmod(0)
    for arguments in (("doctor",), ("doctor", "--fix")):
        result = run(*arguments)
        assert result.code == 1
        told = [line for line in result.out.splitlines() if " databases " in line]
        for name, line in zip(names, told, strict=True):
            assert f"{name}: no permission to read it ({name} is not yours to read" in line
            assert "move" not in line
    assert {path.name for path in folder.glob("*.db*")} == set(names)
    for command, code in ((("cache", "stats"), 1), (("memory", "list"), 1), (("traces",), 2), (("failures",), 2)):
        result = run(*command)
        assert (result.code, result.out) == (code, "")
        assert "is not yours to read" in result.err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("mode", [0, 0o100, 0o600])
@pytest.mark.parametrize("given", [(), ("--index", ".ragheal"), ("--fix",)])
def test_an_index_that_may_not_be_read(run, project, mode, given):
    """Somebody else's index is one finding with a way out, not an unexpected error."""
    folder = project / ".ragheal"
    folder.chmod(mode)
    try:
        result = run("doctor", *given)
    finally:
        folder.chmod(0o700)
    assert (result.code, result.err) == (5, "")
    assert "no permission (ask its owner, or use --index FOLDER)" in lines(result)["index"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(run, project):
    """Answers still come, without traces: worth a warning and no error."""
    folder = project / ".ragheal"
    folder.chmod(0o500)
    try:
        result = run("doctor")
    finally:
        folder.chmod(0o700)
    assert result.code == 0
    assert lines(result)["folder"].startswith("!")


def test_settings_that_cannot_be_used(run, project):
    """A typo in ragheal.yaml is one finding among the others, not the end of the examination."""
    (project / "ragheal.yaml").write_text("retrieval:\n  top_kk: 3\n")
    result = run("doctor")
    assert result.code == 2
    assert "retrieval.top_k`" in lines(result)["settings"]
    assert lines(result)["index"].startswith("✓")


# --- the model server ---------------------------------------------------------------------------------------


def test_a_server_in_one_line(run, project):
    """Whether it answers, how fast, and what it can: all one needs to choose a model."""
    with ChatServer(answer=lambda body: '{"wet": true}' if "response_format" in body else LONG) as server:
        result = run("doctor", "--model", "small", "--base-url", server.base_url)
        assert (result.code, result.err, result.out.count("\n")) == (0, "", 1)
        for part in (
            "small at http://127.0.0.1",
            "first words after",
            "JSON by schema",
            "streams",
            "takes a seed",
        ):
            assert part in result.out
        told = run("doctor", "--model", "small", "--base-url", server.base_url, "--json").json["model"]
        assert (told["answers"], told["output"], told["streams"]) == (True, "schema", True)


def test_a_lesser_server_is_told_as_it_is(run, project):
    """A server without schemas, streams or seeds works, and the line says what is missing."""
    with ChatServer(takes=("text",), refuses=("seed", "stream_options"), streams=False) as server:
        result = run("doctor", "--model", "small", "--base-url", server.base_url)
        assert result.code == 0
        assert "JSON only as text, does not stream, takes no seed" in result.out


@pytest.mark.parametrize(("behaviour", "says"), [(status(401), "refused"), (raw("<html>"), "web page")])
def test_a_server_that_does_not_answer(run, project, behaviour, says):
    """Exit 6, and its own reason, also while the breaker leaves it alone."""
    with ChatServer(*[behaviour] * 20) as server:
        for _ in range(4):
            result = run("doctor", "--model", "small", "--base-url", server.base_url, "--set", "model.retries=0")
            assert result.code == 6
            assert says in result.out
        server.script.clear()
        assert run("doctor", "--model", "small", "--base-url", server.base_url).code == 0


def test_nobody_listens(run, place):
    """The commonest case of all, without an index too."""
    result = run("doctor", "--model", "small", "--base-url", "http://127.0.0.1:9", "--set", "model.retries=0")
    assert result.code == 6
    assert "connection refused" in result.out


def test_the_servers_models_are_named(run, place):
    """Who does not know the model's exact name learns it here."""
    with ChatServer(models=("qwen", "llama")) as server:
        result = run("doctor", "--model", "--base-url", server.base_url)
        assert result.code == 2
        assert "llama, qwen" in result.err
        server.then(status(404, "no such model"))
        result = run("doctor", "--model", "small", "--base-url", server.base_url)
        assert result.code == 6
        assert "it has llama, qwen" in result.out
    assert run("doctor", "small").code == 2


def test_the_whole_examination_with_the_server(run, project):
    """--fix --model does everything; a configured server is named, and asked only when told to."""
    with ChatServer() as server:
        options = ("--backend", "openai", "--base-url", server.base_url, "--set", "model.name=small")
        assert "not asked" in lines(run("doctor", *options))["server"]
        assert server.requests == []
        result = run("doctor", "--fix", "--model", *options)
        assert (result.code, lines(result)["server"][0]) == (0, "✓")
