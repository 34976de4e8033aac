"""Files that are whole or not there: a kill or a power cut leaves the old content or the new one.

What these functions write is on the disk when they return.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ragheal.errors import StorageError

_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space; the index is as it was before"),
    getattr(errno, "EDQUOT", -1): ("the disk quota is used up", "free some space; the index is as it was before"),
    errno.EFBIG: ("a file grew too large for this disk", "keep the index elsewhere with --index FOLDER"),
    errno.EROFS: ("the folder is read-only", "keep the index elsewhere with --index FOLDER"),
    errno.EACCES: ("no permission to write", "keep the index elsewhere with --index FOLDER"),
    errno.EPERM: ("no permission to write", "keep the index elsewhere with --index FOLDER"),
    errno.ENOTDIR: ("a file is where the folder should be", "keep the index elsewhere with --index FOLDER"),
    errno.EEXIST: ("a file is where the folder should be", "keep the index elsewhere with --index FOLDER"),
}


@contextmanager
def storage_errors(what: Path) -> Iterator[None]:
    """Turn what the operating system says about a full or read-only disk into StorageError."""
    try:
        yield
    except OSError as error:
        reason, hint = _REASONS.get(error.errno or 0, (error.strerror or str(error), ""))
        raise StorageError(f"cannot write the index {what}: {reason}", hint=hint) from error


def export(path: Path, data: bytes, named: str = "") -> None:
    """Write a file that the user named. Raises StorageError; then what was there before still is."""
    try:
        write_whole(path, data)
    except OSError as error:
        hint = "make room on the disk, or write to another folder"
        raise StorageError(f"cannot write {named or path}: {error.strerror or error}", hint=hint) from None


def write_whole(path: Path, data: bytes, *, private: bool = False) -> None:
    """Replace a file in one move. `private`: nobody else may read it; else it keeps its rights. Raises OSError."""
    path = Path(os.path.realpath(path))  # a link stays one
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a pipe or a device takes no other's place
        return
    new = path.with_name(f".{secrets.token_hex(4)}.new")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(new, flags, 0o600 if private else 0o666), "wb") as file:
            file.write(data)
        if not private and path.exists():
            shutil.copymode(path, new)
        sync(new)
        _move(new, path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    sync(path.parent)


def leftovers(folder: Path) -> list[Path]:
    """What killed processes left of files that they were writing there. Only for who holds the folder's lock."""
    return sorted(folder.glob(".*.new"))


def append(path: Path, line: bytes) -> None:
    """Add a line to a file; one that a kill cut off before stays by itself. Raises OSError."""
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Flush a file or, where the system can, a folder to disk. Raises OSError."""
    folder = path.is_dir()
    if folder and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY if folder else os.O_RDWR)  # Windows flushes only what is open to write
    try:
        os.fsync(descriptor)
    except OSError as error:
        if not folder or error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some file systems sync no folders
            raise
    finally:
        os.close(descriptor)


def _move(new: Path, path: Path) -> None:
    for attempt in range(20):
        try:
            os.replace(new, path)
            return
        except PermissionError:  # Windows, while a reader has it open
            if os.name != "nt" or attempt == 19:
                raise
            time.sleep(0.05)
