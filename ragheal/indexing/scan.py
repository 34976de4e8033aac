"""What is on disk against what the index knows: which files to read, which documents are gone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ragheal.indexing.folder import Folder
from ragheal.indexing.store import DocumentRow, same_stat
from ragheal.indexing.walk import Found, Skip


class Candidate(msgspec.Struct, frozen=True):
    """A file to read. `row` is what the index knows of this file, if anything."""

    found: Found
    root: Path
    source: str
    row: DocumentRow | None


class Scan(msgspec.Struct, frozen=True):
    """The outcome: every document is in exactly one of `same`, `read` (as its row), `gone` or `outside`."""

    same: tuple[DocumentRow, ...]
    read: tuple[Candidate, ...]
    gone: tuple[DocumentRow, ...]
    outside: tuple[DocumentRow, ...]  # not below the paths of this run
    skips: tuple[tuple[str, str], ...]


def outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths that lie in no other of them, sorted."""
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def scan(
    items: Iterable[Found | Skip],
    rows: Sequence[DocumentRow],
    folder: Folder,
    *,
    scopes: Sequence[Path],
    roots: Sequence[Path],
    racy_from_ns: int,
    everything: bool = False,
) -> Scan:
    """Match the files of a walk over `scopes` with the known `rows`, by absolute path.

    `roots` are the paths given in this run or earlier. `everything`: read all files again.
    """
    found: dict[Path, Found] = {}
    skips = []
    for item in items:
        if isinstance(item, Skip):
            skips.append((item.source, item.reason))
        elif not item.path.is_relative_to(folder.path):
            found.setdefault(item.path, item)
    paths = {path_of(folder, row): row for row in rows}
    gone = [row for path, row in paths.items() if path not in found and _within(path, scopes)]
    outside = [row for path, row in paths.items() if path not in found and not _within(path, scopes)]

    same: list[DocumentRow] = []
    moved: list[tuple[Found, Path, DocumentRow | None]] = []
    read: list[Candidate] = []
    taken = {row.source for row in outside}
    for path in sorted(found):
        item, row, root = found[path], paths.get(path), root_of(path, roots)
        if row is None or row.root != folder.pack_root(root):
            moved.append((item, root, row))
            continue
        taken.add(row.source)
        fresh = same_stat(row, item.size, item.mtime_ns, item.ctime_ns, item.inode)
        if fresh and item.mtime_ns < racy_from_ns and row.status != "failed" and not everything:
            same.append(row)
        else:
            read.append(Candidate(item, root, row.source, row))
    for item, root, row in moved:
        source = _free_source(item.path, root, taken)
        taken.add(source)
        read.append(Candidate(item, root, source, row))
    read.sort(key=lambda candidate: candidate.source)
    return Scan(tuple(same), tuple(read), tuple(gone), tuple(outside), tuple(skips))


def path_of(folder: Folder, row: DocumentRow) -> Path:
    """Where the file of a document is, or was."""
    return folder.unpack_root(row.root) / row.path


def root_of(path: Path, roots: Sequence[Path]) -> Path:
    """The folder that a file's source is relative to: the outermost root above it, else its own folder."""
    for root in roots:
        if path != root and path.is_relative_to(root):
            return root
    return path.parent


def absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _within(path: Path, scopes: Sequence[Path]) -> bool:
    return any(path.is_relative_to(scope) for scope in scopes)


def _free_source(path: Path, root: Path, taken: set[str]) -> str:
    """The path below the root; led by the root's name when another root has a file of that name."""
    plain = path.relative_to(root).as_posix()
    source, n = plain, 1
    while source in taken:
        source = f"{root.name}/{plain}" if n == 1 else f"{root.name}~{n}/{plain}"
        n += 1
    return source
