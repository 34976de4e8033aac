from __future__ import annotations

import inspect
import os
import socket
import sys
from pathlib import Path

import pytest

from ragheal.errors import ConfigError
from ragheal.indexing.walk import Found, Skip, source_of, walk
from ragheal.settings import IndexSettings


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def found(*paths: Path, **settings: object) -> list[str]:
    return [
        one.source
        for one in walk(paths, IndexSettings(**settings))
        if isinstance(one, Found)  # type: ignore[arg-type]
    ]


def skipped(*paths: Path, **settings: object) -> dict[str, str]:
    results = walk(paths, IndexSettings(**settings))  # type: ignore[arg-type]
    return {one.source: one.reason for one in results if isinstance(one, Skip)}


def test_order_is_fixed_and_sources_are_relative(tmp_path: Path) -> None:
    """Two builds of one folder would differ for no reason."""
    tree(tmp_path, {"b.md": "b", "a/z.txt": "z", "a/b/c.md": "c", "README": "r", "Makefile": "m"})
    assert found(tmp_path) == ["Makefile", "README", "a/b/c.md", "a/z.txt", "b.md"]
    one = next(iter(walk([tmp_path], IndexSettings())))
    assert isinstance(one, Found)
    assert one.path == tmp_path / "Makefile"
    assert (one.size, one.root) == (1, tmp_path)
    assert one.mtime_ns > 0
    assert one.inode == (tmp_path / "Makefile").stat().st_ino


def test_ignore_files_nest_and_take_back(tmp_path: Path) -> None:
    """Build output and drafts would be cited, or a document taken back in would be missing."""
    tree(
        tmp_path,
        {
            ".gitignore": "*.log\n/build/\n!keep.log\n[\n# comment\n",
            "a.log": "x", "keep.log": "x", "build/x.md": "x", "src/build/y.md": "x",
            "src/.gitignore": "*.md\n!y.md\n", "src/z.md": "x", "src/deep/y.md": "x",
            ".raghealignore": "private/\n!a.log\n", "private/p.md": "x",
        },
    )  # fmt: skip
    assert found(tmp_path) == ["a.log", "keep.log", "src/build/y.md", "src/deep/y.md"]


def test_ignore_files_above_count_up_to_the_repository(tmp_path: Path) -> None:
    """Indexing a subfolder would read what the repository ignores; a folder asked for by name would be empty."""
    tree(tmp_path, {".gitignore": "*", "repo/.gitignore": "*.tmp.md\nout/\n/docs/old/\n", "repo/.git/HEAD": ""})
    tree(tmp_path / "repo", {"docs/a.md": "x", "docs/b.tmp.md": "x", "docs/old/c.md": "x", "out/d.md": "x"})
    assert found(tmp_path / "repo" / "docs") == ["a.md"]
    assert found(tmp_path / "repo" / "out") == ["d.md"]


def test_hidden_vendored_and_excluded(tmp_path: Path) -> None:
    """Thousands of files of dependencies would drown the documents."""
    tree(
        tmp_path,
        {
            ".tips": "x", ".notes/a.md": "x", "node_modules/m/readme.md": "x", "env/pyvenv.cfg": "",
            "env/a.txt": "x", "__pycache__/a.txt": "x", ".ragheal/a.txt": "x", ".git/a.txt": "x",
            "doc.md": "x", "tmp/x.md": "x",
        },
    )  # fmt: skip
    assert found(tmp_path, exclude=("tmp/",)) == ["doc.md"]
    assert found(tmp_path, exclude=("tmp/",), hidden=True) == [".notes/a.md", ".tips", "doc.md"]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A missing document would go unnoticed."""
    tree(tmp_path, {"a.png": "x", "v1.2": "text", "big.txt": "x" * 2000, "ok.md": "x", "UPPER.MD": "x"})
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s.txt"))
        assert skipped(tmp_path, max_file_mb=0.001) == {
            "a.png": "unsupported type .png",
            "big.txt": "larger than 0.001 MB",
            "pipe.txt": "not a regular file (pipe)",
            "s.txt": "not a regular file (socket)",
        }
    assert "v1.2" in found(tmp_path)
    assert "UPPER.MD" in found(tmp_path)


def test_links_neither_loop_nor_lead_outside(tmp_path: Path) -> None:
    """A link could make the run endless or bring in files that were never meant to be indexed."""
    root = tree(tmp_path / "docs", {"a.md": "x", "sub/b.md": "x"})
    tree(tmp_path, {"secret.md": "x"})
    (root / "copy.md").symlink_to(root / "a.md")
    (root / "loop").symlink_to(root)
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "up").symlink_to(tmp_path)
    (root / "gone.md").symlink_to(root / "nothing.md")
    (root / "self.md").symlink_to(root / "self.md")
    assert found(root) == ["a.md", "sub/b.md"]
    assert skipped(root) == {
        "copy.md": "link to a.md",
        "gone.md": "broken link",
        "loop": "link to .",
        "out.md": "link to outside of the folder",
        "self.md": "link that leads nowhere",
        "up": "link to outside of the folder",
    }
    (tmp_path / "alias").symlink_to(root)
    assert found(tmp_path / "alias") == ["a.md", "sub/b.md"]


def test_unreadable_folder_is_a_skip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One folder without permission would end the whole run."""
    tree(tmp_path, {"a.md": "x", "locked/b.md": "x", "z.md": "x"})
    scan = os.scandir

    def refusing(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert found(tmp_path) == ["a.md", "z.md"]
    assert skipped(tmp_path) == {"locked/": "cannot read the folder: permission denied"}


def test_deep_folders_do_not_exhaust_the_stack(tmp_path: Path) -> None:
    """A generated tree would crash the walk."""
    here, depth, limit = os.getcwd(), 0, sys.getrecursionlimit()
    try:
        os.chdir(tmp_path)
        sys.setrecursionlimit(len(inspect.stack(0)) + 150)  # a lower limit does for a smaller tree
        while depth < 300:
            os.mkdir("d")
            os.chdir("d")
            depth += 1
        Path("a.md").write_text("x")
        assert found(tmp_path) == ["d/" * 300 + "a.md"]
        os.remove("a.md")
    finally:
        sys.setrecursionlimit(limit)
        for _ in range(depth):  # shutil.rmtree, which tidies up after pytest, recurses
            os.chdir("..")
            os.rmdir("d")
        os.chdir(here)


def test_odd_names(tmp_path: Path) -> None:
    """A file named in another encoding or with a line break would break the index."""
    for name in ("中文 文档.md".encode(), b"caf\xe9.txt", b"two\nlines.md", "Cafe\u0301.md".encode()):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"x")
    names = found(tmp_path)
    assert sorted(names) == sorted(["中文 文档.md", "caf\\xe9.txt", "two\nlines.md", "Cafe\u0301.md"])
    assert all(name.encode("utf-8") for name in names)
    for one in walk([tmp_path], IndexSettings()):
        assert isinstance(one, Found)
        assert one.path.read_bytes() == b"x"
    assert source_of("a/b") == "a/b"


def test_several_roots(tmp_path: Path) -> None:
    """Two folders with a README each would overwrite one another in the index."""
    tree(tmp_path, {"x/docs/a.md": "1", "y/docs/a.md": "2", "z/b.md": "3", "x/docs/sub/c.md": "4"})
    both = found(tmp_path / "x/docs", tmp_path / "y/docs", tmp_path / "z")
    assert both == ["x/docs/a.md", "x/docs/sub/c.md", "y/docs/a.md", "b.md"]
    assert found(tmp_path / "x", tmp_path / "y") == ["x/docs/a.md", "x/docs/sub/c.md", "y/docs/a.md"]
    # Overlapping roots: each file once.
    assert found(tmp_path / "x/docs", tmp_path / "x/docs/sub") == ["a.md", "sub/c.md"]
    assert found(tmp_path / "z", tmp_path / "z") == ["b.md"]


def test_given_files_are_read_whatever_ignore_files_say(tmp_path: Path) -> None:
    """A file asked for by name would silently be left out."""
    tree(tmp_path, {".gitignore": "*.md", ".hidden.md": "x", "a.md": "x", "b.png": "x"})
    assert found(tmp_path / "a.md", tmp_path / ".hidden.md") == ["a.md", ".hidden.md"]
    assert skipped(tmp_path / "b.png") == {"b.png": "unsupported type .png"}


def test_missing_path_is_an_error_at_once(tmp_path: Path) -> None:
    """A mistyped folder would look like an empty one, and the index would lose every document."""
    with pytest.raises(ConfigError, match="no such file or folder"):
        walk([tmp_path, tmp_path / "nothing"], IndexSettings())


def test_keys_are_named_and_not_read(tmp_path: Path) -> None:
    """A secret would stand in the index and in answers; or nobody would learn that a file was passed over."""
    tree(
        tmp_path,
        {".env": "A=1", "id_rsa": "k", "tls/server.key": "k", "yarn.lock": "a", "a.md": "a", ".env.example": "A="},
    )
    assert found(tmp_path) == ["a.md"]
    secret = "may hold keys or passwords: not read"
    assert skipped(tmp_path) == {
        ".env": secret, "id_rsa": secret, "tls/server.key": secret, "yarn.lock": "generated: a lock file",
    }  # fmt: skip


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system has one form of names")
def test_names_that_differ_by_unicode_form_are_two_files(tmp_path: Path) -> None:
    """One of two documents would be missing."""
    names = {"caf\u00e9.md", "cafe\u0301.md"}
    tree(tmp_path, dict.fromkeys(names, "x"))
    assert set(found(tmp_path)) == names
