"""One writer of an index at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from ragheal.indexing.folder import Folder
from ragheal.storage.files import storage_errors
from ragheal.storage.lock import exclusive


@contextmanager
def writing(folder: Folder) -> Iterator[None]:
    """Hold the writer's lock of an index folder, which is made when missing.

    Raises IndexBusy at once when another process has it, StorageError when the folder cannot be written.
    """

    def busy() -> str:
        return f"another process{_holder(folder)} is writing the index {folder.path}"

    def leave() -> None:
        with suppress(OSError):
            folder.writer.unlink()

    with ExitStack() as stack:
        with storage_errors(folder.path):
            folder.make()
            stack.enter_context(exclusive(folder.lock, busy))
            stack.callback(leave)
            folder.writer.write_text(f"{os.getpid()}\n", encoding="ascii")
        yield


def _holder(folder: Folder) -> str:
    """The holder's process id for a message. It has a file of its own: Windows lets nobody read the lock's."""
    try:
        pid = folder.writer.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
    return f" (pid {pid})" if pid.isdigit() else ""
