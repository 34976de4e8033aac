"""One writer at a time. The lock is the operating system's, so a process that died does not hold it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ragheal.errors import IndexBusy
from ragheal.indexing.folder import Folder, storage_errors


@contextmanager
def writing(folder: Folder) -> Iterator[None]:
    """Hold the writer's lock of an index folder, which is made when missing.

    Raises IndexBusy at once when another process has it, StorageError when the folder cannot be written.
    """
    from filelock import FileLock, Timeout

    with storage_errors(folder.path):
        folder.make()
        lock = FileLock(folder.lock)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise IndexBusy(
                f"another process{_holder(folder)} is writing the index {folder.path}",
                hint="wait for it to finish, then run the command again",
            ) from None
    try:
        with storage_errors(folder.path):
            folder.writer.write_text(f"{os.getpid()}\n", encoding="ascii")
        yield
    finally:
        with suppress(OSError):
            folder.writer.unlink()
        lock.release()


def _holder(folder: Folder) -> str:
    """The holder's process id for a message. It has a file of its own: Windows lets nobody read the lock's."""
    try:
        pid = folder.writer.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
    return f" (pid {pid})" if pid.isdigit() else ""
