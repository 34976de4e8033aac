"""An index that is damaged, foreign, busy or in the wrong place: exit 5, what to do, and nothing overwritten."""

import json
import shutil

import pytest

from ragheal.indexing.folder import Folder
from ragheal.indexing.lock import writing

READING = (("search", "leave"), ("ask", "How many days of leave?"), ("status",))


def files(folder):
    return {
        path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "lock"
    }


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def scramble(path):
    data = path.read_bytes()
    path.write_bytes(data[:8192] + b"x" * 20_000 + data[28_192:])


def edit(path, **fields):
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


DAMAGE = {
    "vectors cut off": (lambda g: cut(g / "vectors.faiss"), "vectors.faiss has"),
    "vectors gone": (lambda g: (g / "vectors.faiss").unlink(), "vectors.faiss is missing"),
    "database scrambled": (lambda g: scramble(g / "index.db"), "index.db cannot be read"),
    "no database": (lambda g: (g / "index.db").write_bytes(b"x" * (g / "index.db").stat().st_size), "index.db"),
    "words gone": (lambda g: shutil.rmtree(g / "words"), "is missing"),
    "manifest cut off": (lambda g: cut(g / "manifest.json"), "manifest.json is not readable"),
    "another version": (lambda g: edit(g / "manifest.json", version=99), "format 99, this ragheal reads format 2"),
    "generation gone": (lambda g: shutil.rmtree(g), "CURRENT names"),
    "pointer scrambled": (lambda g: (g.parent.parent / "CURRENT").write_bytes(b"\xff\0"), "CURRENT names no"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_says_how_to_rebuild_and_changes_nothing(run, project, name):
    """Damage that is answered from is wrong answers; damage that is overwritten cannot be looked into."""
    damage, words = DAMAGE[name]
    damage(project / ".ragheal/generations/000001")
    before = files(project / ".ragheal")
    for arguments in (*READING, ("index", "docs"), ("index",)):
        result = run(*arguments)
        assert (result.code, result.out) == (5, ""), arguments
        assert words in result.err
        assert "hint: ragheal index --rebuild PATH" in result.err
    assert files(project / ".ragheal") == before
    if name in {"vectors cut off", "another version"}:
        assert run("index", "--rebuild", "docs").code == 0
        assert run("search", "paid leave").code == 0


@pytest.mark.parametrize("field", ["embedder_fingerprint", "analyzer"])
def test_another_embedder_or_analyzer(run, project, field):
    """Vectors of two models have nothing to say to each other; the hint is the command that fixes it."""
    edit(project / ".ragheal/generations/000001/manifest.json", **{field: "another"})
    for arguments in READING[:2]:
        result = run(*arguments)
        assert result.code == 5
        assert f"hint: ragheal index {project / 'docs'}" in result.err


def test_damaged_traces_withhold_no_answer(run, project):
    """The history is a convenience; losing it must cost nothing else."""
    (project / ".ragheal/history.db").write_bytes(b"no database" * 500)
    asked = run("ask", "How many days of paid leave do employees get?", "--json")
    assert asked.code == 0
    assert "trace not saved" in asked.json["degraded"][0]
    piped = run("ask", "How many days of paid leave do employees get?", "--no-cache")
    assert piped.err == ""
    assert "\nDegraded: trace not saved" in piped.out  # a script that reads no JSON must be told as well
    result = run("traces")
    assert (result.code, result.out) == (2, "")
    assert "hint: move history.db away" in result.err
    (project / ".ragheal/history.db").write_bytes(b"")  # what a save to a full disk leaves
    assert run("traces").code == 0
    assert "no traces are kept" in run("replay", "last").err


def test_rebuild_without_a_path_takes_those_of_last_time(run, project):
    """The way out of a mismatch would itself fail, or silently drop half of what was indexed."""
    (project / "more").mkdir()
    (project / "more/roof.md").write_text("The roof is green.\n")
    assert run("index", "more").code == 0
    assert "5 added — 5 documents" in run("index", "--rebuild").out
    result = run("index", "--rebuild", "more")
    assert "1 added — 1 document" in result.out
    assert f"warning: {project / 'docs'} is not in the index any more" in result.out


def test_a_folder_of_documents_is_not_taken_for_an_index(run, project):
    """`--index docs` would put a .gitignore of `*` among the documents, and index nothing from then on."""
    before = files(project / "docs")
    result = run("index", "docs", "--index", "docs")
    assert (result.code, result.out) == (2, "")
    assert "holds other files and no index" in result.err
    assert "hint:" in result.err
    assert files(project / "docs") == before
    result = run("index", "docs", "--index", "docs/leave.md")
    assert result.code == 1
    assert "a file is where the folder should be" in result.err
    (project / "empty").mkdir()
    assert run("index", "docs", "--index", "empty").code == 0


def test_a_second_index_command_gives_way(run, project):
    """Two writers would destroy the index; reading goes on."""
    (project / "docs/new.md").write_text("The roof is green.\n")
    with writing(Folder(project / ".ragheal")):
        result = run("index")
        assert (result.code, result.out) == (5, "")
        assert "another process (pid " in result.err
        assert "hint: wait for it to finish" in result.err
        assert run("search", "paid leave").code == 0
    assert "1 added" in run("index").out


def test_a_folder_that_cannot_be_looked_into_keeps_its_documents(run, project, monkeypatch):
    """A share without permission for a moment must not read as "everything was deleted"."""
    import os

    scan = os.scandir

    def refusing(path):
        if str(path).endswith("休假"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    (project / "docs/new.md").write_text("The roof is green.\n")
    result = run("index")
    assert result.code == 0
    assert "1 added · 3 unchanged · 1 skipped — 5 documents" in result.out
    assert "skipped 休假/: cannot read the folder: permission denied" in result.out
    assert run("search", "年假").out.startswith("休假/假期 规定.txt:1\t")
