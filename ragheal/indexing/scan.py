"""What is on disk against what the index knows: which files to read, which documents are gone."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from ragheal.indexing.folder import Folder, unpack_path
from ragheal.indexing.store import DocumentRow, same_stat
from ragheal.indexing.walk import Found, Skip, source_of


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
    outside: tuple[DocumentRow, ...]  # not below the paths of this run, or in a folder that cannot be read now
    skips: tuple[Skip, ...]


def within(path: Path, tops: Collection[Path]) -> bool:
    """True when a path is one of `tops` or lies below one."""
    return path in tops or any(parent in tops for parent in path.parents)


def scan(
    items: Iterable[Found | Skip],
    rows: Sequence[DocumentRow],
    folder: Folder,
    *,
    scopes: Collection[Path],
    roots: Collection[Path],
    racy_from_ns: int,
    everything: bool = False,
) -> Scan:
    """Match the files of a walk with the known `rows`, by absolute path.

    `scopes`: what is known below these and was not walked over is gone. `roots`: the folders that sources are
    relative to, given in this run or earlier. `everything`: read all files again.
    """
    found: dict[Path, Found] = {}
    skips = []
    for item in items:
        if isinstance(item, Skip):
            skips.append(item)
        elif not item.path.is_relative_to(folder.path):
            found.setdefault(item.path, item)
    paths = {path_of(folder, row): row for row in rows}
    closed = {skip.closed for skip in skips if skip.closed is not None}
    lost = {path: row for path, row in paths.items() if path not in found}
    gone = [row for path, row in lost.items() if within(path, scopes) and not within(path, closed)]
    outside = [row for path, row in lost.items() if not within(path, scopes) or within(path, closed)]

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
    return folder.unpack_root(row.root) / unpack_path(row.path)


def root_of(path: Path, roots: Collection[Path]) -> Path:
    """The folder that a file's source is relative to: the outermost root above it, else its own folder."""
    above = [parent for parent in path.parents if parent in roots]
    return above[-1] if above else path.parent


def absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _free_source(path: Path, root: Path, taken: set[str]) -> str:
    """The path below the root; led by the root's name when another root has a file of that name."""
    plain, name = source_of(str(path.relative_to(root))), source_of(root.name)
    source, n = plain, 1
    while source in taken:
        source = f"{name}/{plain}" if n == 1 else f"{name}~{n}/{plain}"
        n += 1
    return source
