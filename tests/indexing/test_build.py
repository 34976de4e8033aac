"""Building and updating an index through real files; what the user would pay for, or lose, if it went wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ragheal.indexing.report import Progress


def test_a_first_build_can_be_searched_in_both_languages(animals):
    """Nothing else matters if this fails."""
    report = animals.build()
    assert (report.generation, report.added.count, report.documents) == (1, 4, 4)
    assert report.embedded == report.chunks == len(animals.embedder.asked)
    assert animals.find("owl meadow")[0] == "birds/owl.md"
    assert animals.find("老鼠")[0] == "猫头鹰.md"
    with animals.open() as index:
        vector = animals.embedder.embed_query("dog guards the gate of the farm at night")
        (number, score), *_ = index.dense(vector, 3)
        assert index.chunks([number])[0].source == "dogs.md"
        assert 0 < score <= 1.0001
        assert index.frequencies(["owl", "nowhere"])["nowhere"] == 0
        assert index.frequencies(["owl"])["owl"] == 1
    assert (animals.index / ".gitignore").read_text() == "*\n"


def test_nothing_changed_writes_nothing(animals):
    """Every run would cost a rewrite of the whole index."""
    animals.build()
    before = sorted(animals.index.rglob("*"))
    report = animals.build()
    assert (report.written, report.unchanged, report.generation) == (False, 4, 1)
    assert not animals.embedder.asked
    assert [path for path in sorted(animals.index.rglob("*")) if path.name != "writer"] == before


def test_nothing_changed_imports_nothing_heavy(animals):
    """The second `index` would take seconds for nothing."""
    animals.build()
    script = f"""
import sys
from pathlib import Path
from ragheal.indexing.build import build
from ragheal.settings import Settings
class Unasked:
    name = "words"; fingerprint = "words-1"; dim = 64
report = build([Path({str(animals.docs)!r})], Path({str(animals.index)!r}), Settings(), Unasked)
assert not report.written, report
heavy = {{"numpy", "faiss", "tantivy", "rank_bm25", "onnxruntime", "tokenizers", "rjieba", "Stemmer"}}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[2])


def test_only_what_changed_is_embedded(animals):
    """Editing one file would cost the whole corpus."""
    animals.build()
    animals.write("cats.md", "# Cats\n\nThe cat sleeps on the piano now.\n", age=60)
    report = animals.build()
    assert report.changed.sources == ("cats.md",)
    assert report.unchanged == 3
    assert all("piano" in text for text in animals.embedder.asked)
    assert animals.find("piano") == ["cats.md"]
    assert animals.find("attic") == []


def test_unchanged_chunks_of_a_changed_file_keep_their_vectors(project):
    """A word added to a manual would cost the whole manual."""
    sections = [
        f"# Part {i}\n\n" + " ".join(f"Sentence {j} about topic number{i} and more of it." for j in range(30))
        for i in range(8)
    ]
    project.write("manual.md", "\n\n".join(sections))
    first = project.build()
    sections[5] = sections[5].replace("topic", "subject")
    project.write("manual.md", "\n\n".join(sections), age=60)
    second = project.build()
    assert 0 < second.embedded <= first.embedded / 4
    assert second.reused + second.embedded == second.chunks


def test_a_rename_embeds_nothing(animals):
    """Tidying up a folder would cost a night of embedding."""
    animals.build()
    (animals.docs / "cats.md").rename(animals.docs / "felines.md")
    (animals.docs / "birds").rename(animals.docs / "aves")
    report = animals.build()
    assert report.renamed.sources == ("aves/owl.md", "felines.md")
    assert (report.added.count, report.deleted.count, report.embedded) == (0, 0, 0)
    assert animals.find("attic") == ["felines.md"]
    with animals.open() as index:
        assert [row.source for row in index.documents() if row.chunks] == [
            "aves/owl.md", "dogs.md", "felines.md", "猫头鹰.md",
        ]  # fmt: skip


def test_a_title_taken_from_the_file_name_makes_a_rename_no_dearer(project):
    """A text without a heading is embedded under its file's name; renaming it still costs nothing."""
    project.write("one.txt", "Plain words without any heading at all.")
    project.build()
    (project.docs / "one.txt").rename(project.docs / "two.txt")
    report = project.build()
    assert (report.renamed.count, report.embedded) == (1, 0)
    project.write("three.txt", "Another text.")
    assert project.build().embedded == 1


def test_a_deleted_file_is_gone(animals):
    """Answers would cite a document that no longer exists."""
    animals.build()
    (animals.docs / "cats.md").unlink()
    report = animals.build()
    assert report.deleted.sources == ("cats.md",)
    assert (report.embedded, report.documents) == (0, 3)
    assert animals.find("cat attic") == []
    with animals.open() as index:
        assert index.frequencies(["attic"]) == {"attic": 0}
        assert len(index.dense(animals.embedder.embed_query("cat"), 50)) == index.chunk_count


def test_an_emptied_folder_leaves_an_empty_index(animals):
    """Deleting the last document must not leave it answering."""
    animals.build()
    shutil.rmtree(animals.docs)
    animals.docs.mkdir()
    report = animals.build()
    assert (report.deleted.count, report.chunks) == (4, 0)
    assert report.warnings
    assert animals.find("cat") == []
    with animals.open() as index:
        assert index.dense(animals.embedder.embed_query("cat"), 5) == []


def test_a_bad_file_is_named_and_tried_again(animals):
    """A file that failed once would be skipped for ever, or stop the run."""
    from docx import Document

    animals.write("broken.docx", b"PK\x03\x04 half an archive\x00\xff")
    report = animals.build()
    assert [source for source, _ in report.failed] == ["broken.docx"]
    assert report.documents == 4
    again = animals.build()
    assert (again.failed, again.written) == (report.failed, False)
    document = Document()
    document.add_paragraph("Turku lies on the river Aura.")
    document.save(animals.docs / "broken.docx")
    assert animals.build().added.sources == ("broken.docx",)
    assert animals.find("Turku") == ["broken.docx"]


def test_a_skipped_file_is_listed_every_time(animals):
    """An empty document must be a warning with its name, not a silent nothing on the second run."""
    animals.write("empty.md", "")
    first, second = animals.build(), animals.build()
    assert [source for source, _ in first.skipped] == ["empty.md"]
    assert second.skipped == first.skipped
    assert not second.written


def test_a_file_that_turned_bad_no_longer_answers(animals):
    """Old content of a file that now holds something else is not what the file says."""
    animals.build()
    animals.write("cats.md", b"\x00\x01\x02" * 500, age=60)
    report = animals.build()
    assert [source for source, _ in report.failed + report.skipped] == ["cats.md"]
    assert animals.find("attic") == []


def test_new_times_alone_change_nothing(animals):
    """A fresh checkout touches every file."""
    animals.build()
    for name in animals.texts:
        os.utime(animals.docs / name)
    report = animals.build()
    assert (report.written, report.unchanged) == (False, 4)


def test_an_edit_right_after_the_build_is_seen(project):
    """Same size, same time stamp: the edit would never be noticed."""
    path = project.write("a.md", "# A\n\nThe code is 1111.", age=0)
    project.build()
    stat = path.stat()
    with path.open("r+") as file:
        file.write("# A\n\nThe code is 2222.")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert project.build().changed.sources == ("a.md",)
    assert project.find("2222") == ["a.md"]


def test_an_updated_index_equals_a_fresh_one(animals, tmp_path):
    """Updates would drift away from what is on disk."""
    animals.build()
    (animals.docs / "dogs.md").rename(animals.docs / "hounds.md")
    animals.write("cats.md", "# Cats\n\nThe cat hunts at night like the owl.", age=50)
    (animals.docs / "birds" / "owl.md").unlink()
    animals.write("bats.md", "# Bats\n\nThe bat sleeps in the attic by day and hunts at night.")
    animals.build()

    def state():
        with animals.open() as index:
            rows = [(d.source, d.sha256, d.chunks, d.status) for d in index.documents()]
            words = {term: index.frequencies([term])[term] for term in ("night", "attic", "owl", "farm", "hunt")}
            found = {}
            for term in words:
                hits = index.lexical([term], 9)
                chunks = index.chunks([number for number, _ in hits])
                found[term] = sorted((c.id, round(s, 5)) for c, (_, s) in zip(chunks, hits, strict=True))
            return rows, words, found

    updated = state()
    shutil.rmtree(animals.index)
    animals.build()
    assert state() == updated


def test_ctrl_c_leaves_the_old_index_and_keeps_what_was_embedded(project, monkeypatch):
    """An interrupted build would corrupt the index, or start from zero again."""
    from ragheal.indexing import draft

    monkeypatch.setattr(draft, "EMBED_BATCH", 4)
    project.write("old.md", "# Old\n\nThe old index answers.")
    project.build()
    for i in range(20):
        project.write(f"new{i}.md", f"# New {i}\n\nDocument number{i}.")

    def interrupt(progress: Progress) -> None:
        if progress.phase == "embed" and progress.done == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.build(on_progress=interrupt)
    assert project.find("old index") == ["old.md"]
    assert [path.name for path in (project.index / "generations").iterdir()] == ["000001"]
    report = project.build()
    assert report.added.count == 20
    assert len(project.embedder.asked) == report.embedded == 12
    assert not (project.index / "pending.db").exists()
    assert project.find("number7") == ["new7.md"]


def test_copies_are_embedded_once(project):
    """Three copies of a licence would cost three times."""
    for name in ("a/licence.md", "b/licence.md", "c/licence.md"):
        project.write(name, "# Licence\n\nYou may do what you like.")
    report = project.build()
    assert (report.chunks, len(project.embedder.asked)) == (3, 1)
    with project.open() as index:
        assert len(index.dense(project.embedder.embed_query("licence"), 9)) == 3


def test_progress_tells_every_phase_to_its_end(animals):
    """A bar that stops at 90 % looks like a hang."""
    seen: list[Progress] = []
    animals.build(on_progress=seen.append)
    last = {step.phase: step for step in seen}
    assert list(last) == ["scan", "read", "embed", "write"]
    assert all(step.done == step.total for step in last.values() if step.phase != "scan")
