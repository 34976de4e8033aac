"""The paths an index is made of: several, nested, moved, vanished, oddly named."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from ragheal.errors import ConfigError


@pytest.fixture
def animals(project):
    project.write("cats.md", "# Cats\n\nThe cat sleeps sixteen hours a day in the attic.\n")
    project.write("dogs.md", "# Dogs\n\nThe dog guards the gate of the farm at night.\n")
    return project


def test_other_roots_keep_their_documents(project):
    """`index A` after `index A B` would throw B away."""
    project.write("a/one.md", "# One\n\nApples are red.")
    project.write("b/two.md", "# Two\n\nBananas are yellow.")
    a, b = project.docs / "a", project.docs / "b"
    project.build(a, b)
    (a / "one.md").unlink()
    (b / "two.md").unlink()
    assert project.build(a).deleted.sources == ("one.md",)
    assert project.find("bananas") == ["two.md"]
    with project.open() as index:
        assert index.manifest.roots == (str(a), str(b))


def test_files_of_one_name_in_two_roots_do_not_evict_each_other(project):
    """The README of one folder would answer for the other's."""
    project.write("a/readme.md", "# A\n\nApples are red.")
    project.write("b/readme.md", "# B\n\nBananas are yellow.")
    a, b = project.docs / "a", project.docs / "b"
    project.build(a, b)
    assert project.find("apples") == ["readme.md"]
    assert project.find("bananas") == ["b/readme.md"]
    assert not project.build(a, b).written
    assert not project.build(b).written
    with project.open() as index:
        assert index.path_of("b/readme.md") == b / "readme.md"


def test_a_wider_root_takes_the_narrower_one_in(project):
    """Indexing the parent later must not index anything twice or embed it again."""
    project.write("a/one.md", "# One\n\nApples are red.")
    project.write("two.md", "# Two\n\nBananas are yellow.")
    project.build(project.docs / "a")
    report = project.build(project.docs)
    assert (report.renamed.sources, report.added.sources, report.embedded) == (("a/one.md",), ("two.md",), 1)
    assert project.find("apples") == ["a/one.md"]
    assert not project.build(project.docs / "a").written


def test_without_paths_the_recorded_ones_are_updated(animals):
    """`ragheal index` alone brings everything up to date."""
    from ragheal.indexing.build import build
    from ragheal.settings import Settings

    with pytest.raises(ConfigError):
        build([], animals.index, Settings(), lambda: animals.embedder)
    animals.build()
    animals.write("new.md", "# New\n\nA zebra.")
    report = build([], animals.index, Settings(), lambda: animals.embedder)
    assert report.added.sources == ("new.md",)


def test_a_path_that_is_not_there_changes_nothing(animals):
    """A mistyped path must not read as "everything was deleted"."""
    animals.build()
    with pytest.raises(ConfigError, match="does not exist"):
        animals.build(animals.docs / "typo")
    assert animals.find("attic") == ["cats.md"]


def test_a_moved_project_is_unchanged(animals, tmp_path):
    """Renaming the folder above everything must not make all files new."""
    animals.build()
    moved = tmp_path / "elsewhere"
    animals.folder.rename(moved)
    animals.docs, animals.index = moved / "docs", moved / ".ragheal"
    report = animals.build()
    assert (report.unchanged, report.embedded, report.written) == (2, 0, False)
    with animals.open() as index:
        assert index.path_of("cats.md") == moved / "docs" / "cats.md"


def test_a_deleted_root_is_gone(project):
    """Documents of a folder that was deleted would answer for ever."""
    project.write("a/one.md", "# One\n\nApples are red.")
    project.write("b/two.md", "# Two\n\nBananas are yellow.")
    a, b = project.docs / "a", project.docs / "b"
    project.build(a, b)
    shutil.rmtree(b)
    assert project.build(a).deleted.sources == ("two.md",)
    assert project.find("bananas") == []
    with project.open() as index:
        assert index.manifest.roots == (str(a),)


def test_a_disk_that_is_not_mounted_loses_nothing(project):
    """Unplugging a drive must not read as deleting it."""
    project.write("a/one.md", "# One\n\nApples are red.")
    project.write("drive/b/two.md", "# Two\n\nBananas are yellow.")
    a, b = project.docs / "a", project.docs / "drive" / "b"
    project.build(a, b)
    b.parent.rename(project.docs / "unplugged")
    project.write("a/one.md", "# One\n\nApples are green.", age=60)
    assert project.build(a).deleted.count == 0
    assert project.find("bananas") == ["two.md"]


def test_a_file_given_by_name_stays_although_it_is_ignored(project):
    """What was asked for by name would vanish at the next run."""
    project.write(".gitignore", "secret.md\n")
    secret = project.write("secret.md", "# Secret\n\nThe recipe needs saffron.")
    project.write("open.md", "# Open\n\nNothing to hide.")
    project.build(project.docs, secret)
    assert project.find("saffron") == ["secret.md"]
    assert not project.build(project.docs).written
    secret.unlink()
    assert project.build(project.docs).deleted.sources == ("secret.md",)


def test_an_index_inside_its_documents_does_not_index_itself(project):
    """With --index in a plain folder of the project, the manifest would become a document."""
    project.write("a.md", "# A\n\nApples.")
    project.index = project.docs / "my index"
    assert project.build().documents == 1
    assert not project.build().written


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_unicode_is_indexed(project):
    """One file from an old archive would end the run."""
    project.write("plain.md", "# Plain\n\nApples.")
    name = os.path.join(os.fsencode(project.docs), "r\u00e9sum\u00e9.md".encode("latin-1"))
    with open(name, "wb") as file:
        file.write(b"# CV\n\nTen years of beekeeping.")
    os.utime(name, (1, 1))
    assert project.build().documents == 2
    (source,) = project.find("beekeeping")
    with project.open() as index:
        assert index.is_current(source)
        assert os.fsencode(index.path_of(source)) == name
    assert not project.build().written


def test_text_that_is_no_unicode_is_no_reason_to_stop(project):
    """Half an emoji in a JSON file must not end the run."""
    project.write("half.json", '{"note": "half an emoji \\ud83d here", "fruit": "quince"}')
    project.write("plain.md", "# Plain\n\nApples.")
    report = project.build()
    assert report.documents + len(report.failed) == 2
    assert project.find("apples") == ["plain.md"]
