"""An index that is damaged or foreign is named, never searched, never overwritten unasked; a rebuild heals it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from ragheal.errors import IndexDamaged, IndexMismatch, IndexMissing
from ragheal.indexing.folder import Folder, find
from ragheal.indexing.generation import read_manifest, verify


@pytest.fixture
def built(project):
    for i in range(30):
        project.write(
            f"doc{i}.md", f"# Document {i}\n\nThe number of this document is {i * 111}. " + "Filler. " * 50
        )
    project.build()
    return project


def generation(project) -> Path:
    return project.index / "generations" / (project.index / "CURRENT").read_text().strip()


def state(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in {"lock", "writer"}
    }


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    """Change bytes in the middle; the size stays."""
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64) if any(data[middle : middle + 64]) else b"\xff" * 64
    path.write_bytes(data)


DAMAGE_AT_OPEN = {
    "vectors cut": lambda p: truncate(generation(p) / "vectors.faiss"),
    "vectors gone": lambda p: (generation(p) / "vectors.faiss").unlink(),
    "database cut": lambda p: truncate(generation(p) / "index.db"),
    "database gone": lambda p: (generation(p) / "index.db").unlink(),
    "words cut": lambda p: truncate(
        next(f for f in (generation(p) / "words").iterdir() if f.stat().st_size > 200)
    ),
    "manifest cut": lambda p: truncate(generation(p) / "manifest.json"),
    "manifest empty": lambda p: (generation(p) / "manifest.json").write_bytes(b""),
    "manifest gone": lambda p: (generation(p) / "manifest.json").unlink(),
    "manifest binary": lambda p: (generation(p) / "manifest.json").write_bytes(b"\xff\xfe\x00"),
    "pointer garbled": lambda p: (p.index / "CURRENT").write_bytes(b"\xff../..\n"),
    "pointer empty": lambda p: (p.index / "CURRENT").write_bytes(b""),
    "pointer astray": lambda p: (p.index / "CURRENT").write_text("000099\n"),
}


@pytest.mark.parametrize("damage", DAMAGE_AT_OPEN.values(), ids=DAMAGE_AT_OPEN)
def test_damage_is_found_when_opening_and_nothing_is_overwritten(built, damage):
    """A corrupt index taken for an empty one would be overwritten, or answer from a part of itself."""
    damage(built)
    before = state(built.index)
    with pytest.raises(IndexDamaged) as caught:
        built.open()
    assert "ragheal index --rebuild" in caught.value.hint
    built.write("new.md", "# New\n\nA new document.")
    with pytest.raises(IndexDamaged) as caught:
        built.build()
    assert "ragheal index --rebuild" in caught.value.hint
    assert state(built.index) == before
    report = built.build(rebuild=True)
    assert (report.added.count, report.generation > 1) == (31, True)
    assert built.find("new")[0] == "new.md"


@pytest.mark.parametrize("name", ["index.db", "vectors.faiss"])
def test_flipped_bytes_do_not_get_into_the_next_generation(built, name):
    """Damage that leaves the size would be copied on for ever."""
    flip(generation(built) / name)
    before = state(built.index)
    built.write("new.md", "# New\n\nA new document.")
    with pytest.raises(IndexDamaged):
        built.build()
    assert state(built.index) == before
    built.build(rebuild=True)
    assert built.find("new")[0] == "new.md"


def test_a_full_check_names_the_file(built):
    """`doctor` must say which file is bad."""
    folder, path = Folder(built.index), generation(built)
    manifest = read_manifest(folder, path)
    verify(path, manifest)
    flip(path / "vectors.faiss")
    with pytest.raises(IndexDamaged, match=r"vectors\.faiss"):
        verify(path, manifest)


def test_a_malformed_database_is_an_error_of_ours_whatever_is_read(built):
    """A traceback from SQLite in the middle of an answer."""
    path = generation(built) / "index.db"
    data = bytearray(path.read_bytes())
    page = 4096
    for at in range(page, len(data) - page + 1, page):
        data[at : at + page] = b"\xa5" * page
    path.write_bytes(data)
    with pytest.raises(IndexDamaged):
        built.find("number")
    before = state(built.index)
    with pytest.raises(IndexDamaged):
        built.build()
    assert state(built.index) == before


def test_an_index_of_another_format_is_told_apart_from_damage(built):
    """The user should hear of versions, not of corruption."""
    manifest = generation(built) / "manifest.json"
    values = json.loads(manifest.read_text())
    values["version"] = 99
    manifest.write_text(json.dumps(values))
    for attempt in (built.open, built.build):
        with pytest.raises(IndexMismatch) as caught:
            attempt()
        assert "99" in caught.value.message
        assert "--rebuild" in caught.value.hint
    assert built.build(rebuild=True).documents == 30


def test_another_embedder_or_analyzer_is_refused_by_name(built):
    """Wrong vectors give wrong hits with good scores."""
    with built.open() as index:
        index.require("words-1", index.manifest.analyzer)
        with pytest.raises(IndexMismatch) as caught:
            index.require("words-9", index.manifest.analyzer, "other-model")
        assert "words-1" in caught.value.message
        assert "other-model" in caught.value.message
        assert f"ragheal index {built.docs}" in caught.value.hint
        with pytest.raises(IndexMismatch, match="ragheal-terms-0"):
            index.require("words-1", "ragheal-terms-0")


def test_no_index_is_no_damage(tmp_path, project):
    """The hint must be to build, not to rebuild."""
    from ragheal.indexing.opened import OpenIndex

    for folder in (tmp_path / "nothing", project.index):
        with pytest.raises(IndexMissing) as caught:
            OpenIndex.open(folder)
        assert caught.value.hint == "ragheal index PATH"


def test_a_lost_pointer_costs_nothing(built):
    """CURRENT deleted, or a first build killed just before its switch: the generation is whole."""
    (built.index / "CURRENT").unlink()
    assert built.find("333") == ["doc3.md"]
    assert not built.build().written


def test_the_index_is_found_upwards(built, tmp_path):
    """As git does: from any folder of the project."""
    deep = built.docs / "a" / "b"
    deep.mkdir(parents=True)
    assert find(deep) == built.index
    assert find(built.folder) == built.index
    assert find(tmp_path) is None


def test_a_damaged_pending_file_is_thrown_away(built):
    """Leftovers of a killed build must not stop the next one."""
    (built.index / "pending.db").write_bytes(b"no database" * 1000)
    built.write("new.md", "# New\n\nA new document.")
    assert built.build().embedded == 1
    assert not (built.index / "pending.db").exists()
