"""One writer at a time, and files in use that nobody removes. The locks are the system's: the dead hold none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ragheal.errors import IndexBusy


@contextmanager
def exclusive(path: Path, busy: Callable[[], str]) -> Iterator[None]:
    """Hold a lock file. Raises IndexBusy, with what `busy` says, at once when another process has it; OSError."""
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise IndexBusy(busy(), hint="wait for it to finish, then run the command again") from None
    try:
        yield
    finally:
        lock.release()


def is_held(path: Path) -> bool:
    """Whether a process holds the lock file now. Raises OSError."""
    try:
        with exclusive(path, str):
            return False
    except IndexBusy:
        return True


def pin(path: Path, *, exclusive: bool = False) -> IO[bytes]:
    """A file, opened, and locked as long as it is open: shared by its readers, or for its remover alone.

    A read-only folder takes such a lock. Windows needs none: it removes no open file. Raises FileNotFoundError,
    and BlockingIOError when it is locked the other way.
    """
    file = path.open("rb")
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise
        except OSError:  # a file system without locks: then it is as good as two generations kept make it
            pass
    return file
