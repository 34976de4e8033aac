"""The read side, and what happens to an index when settings or versions change."""

from __future__ import annotations

import os
import time

import pytest


def test_other_chunking_splits_anew_and_keeps_vectors_of_equal_texts(animals):
    """A changed setting would silently do nothing, or cost all embeddings."""
    animals.build()
    report = animals.build(chunk_tokens=100)
    assert report.written
    assert any("split" in note for note in report.notes)
    assert (report.unchanged, report.embedded) == (4, 0)
    assert animals.find("attic") == ["cats.md"]
    assert not animals.build(chunk_tokens=100).written


def test_another_embedder_embeds_anew(animals):
    """Queries of one model against vectors of another find noise."""
    animals.build()
    animals.embedder = type(animals.embedder)("words-2", dim=32)
    report = animals.build()
    assert report.embedded == report.chunks > 0
    assert any("embedder" in note for note in report.notes)
    with animals.open() as index:
        assert (index.manifest.dim, index.manifest.embedder_fingerprint) == (32, "words-2")
        (number, _), *_ = index.dense(animals.embedder.embed_query("dog guards the gate"), 1)
        assert index.chunks([number])[0].source == "dogs.md"


def test_another_analyzer_indexes_the_words_anew(animals, monkeypatch):
    """Terms of two analyzers never meet; vectors stay as they are."""
    from ragheal.indexing import build as module
    from ragheal.indexing import draft

    animals.build()
    monkeypatch.setattr(module, "ANALYZER", "shouting-1")
    monkeypatch.setattr(draft, "terms", lambda text: text.upper().split())
    report = animals.build()
    assert (report.written, report.embedded) == (True, 0)
    with animals.open() as index:
        assert index.frequencies(["ATTIC.", "attic"]) == {"ATTIC.": 1, "attic": 0}
        assert len(index.lexical(["ATTIC."], 5)) == 1


def test_the_word_index_moves_when_the_setting_says_so(animals):
    """Both back ends answer alike, whichever the index was written with."""
    animals.build(lexical="rank-bm25")
    small = animals.find("owl night")
    report = animals.build(lexical="tantivy")
    assert report.notes
    assert report.embedded == 0
    assert animals.find("owl night") == small


def test_is_current_tells_an_edit(animals):
    """A citation of a file that has changed since must say so."""
    animals.build()
    with animals.open() as index:
        assert index.is_current("cats.md")
        os.utime(animals.docs / "cats.md")
        assert index.is_current("cats.md")
        time.sleep(0.01)
        animals.write("cats.md", animals.texts["cats.md"].replace("sixteen", "fifteen"))
        assert not index.is_current("cats.md")
        (animals.docs / "dogs.md").unlink()
        assert not index.is_current("dogs.md")
        assert not index.is_current("unknown.md")
        assert index.path_of("unknown.md") is None


def test_old_generations_are_removed_but_one(animals):
    """The disk would fill with old copies."""
    for i in range(4):
        animals.write("cats.md", f"# Cats\n\nVersion {i}.", age=100 - i)
        animals.build()
    assert sorted(path.name for path in (animals.index / "generations").iterdir()) == ["000003", "000004"]


@pytest.mark.parametrize("backend", ["rank-bm25", "tantivy"])
def test_a_reader_keeps_its_generation(animals, backend):
    """A batch of questions that runs while `index` runs again and again must not mix two states, or fail."""
    animals.build(lexical=backend)
    with animals.open() as index:
        for i in range(4):
            animals.write("cats.md", f"# Cats\n\nThe cat moved to cellar {i}.", age=50 - i)
            animals.build(lexical=backend)
        chunks = index.chunks([number for number, _ in index.lexical(["attic"], 5)])
        assert [chunk.source for chunk in chunks] == ["cats.md"]
        assert len(index.dense(animals.embedder.embed_query("cat"), 9)) == index.chunk_count
    animals.write("cats.md", "# Cats\n\nThe cat moved out.", age=20)
    animals.build(lexical=backend)
    assert sorted(path.name for path in (animals.index / "generations").iterdir()) == ["000005", "000006"]
