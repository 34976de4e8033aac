"""Which overlay is in force: one small file, replaced in one move. And the lock of whoever replaces it.

.ragheal/overlays/
  IN_FORCE          number of the overlay in force, and the ones to fall back on; replaced in one move
  0001.json …       overlays; never changed once they are here
  proposals.json    proposals and how far each got
  log.jsonl         every step with its measured effect
  lock              one writer; the system frees it with its process
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from ragheal.errors import IndexDamaged
from ragheal.storage.files import leftovers, storage_errors, write_whole
from ragheal.storage.lock import exclusive
from ragheal.types import Value

FOLDER, POINTER = "overlays", "IN_FORCE"


class Pointer(Value, frozen=True):
    """`number` 0: no overlay. `before`: overlays to fall back on when that one is damaged, newest first."""

    number: int
    before: tuple[int, ...] = ()


def read(index: Path) -> Pointer | None:
    """What is in force in an index folder; None when nothing ever was. Raises IndexDamaged."""
    path = index / FOLDER / POINTER
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IndexDamaged(
            f"cannot read {path}: {error.strerror or error}", hint="ragheal heal rollback"
        ) from None
    try:
        pointer = msgspec.json.decode(data, type=Pointer)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pointer = None
    if pointer is None or pointer.number < 0:
        raise IndexDamaged(f"{path} names no overlay", hint="ragheal heal rollback") from None
    return pointer


def swap(index: Path, pointer: Pointer) -> None:
    """Put another overlay in force. Killed at any moment, the old one or the new one is. Raises StorageError."""
    folder = index / FOLDER
    with storage_errors(index):
        write_whole(folder / POINTER, msgspec.json.encode(pointer) + b"\n")


@contextmanager
def writing(index: Path) -> Iterator[None]:
    """Hold the lock of the repairs of an index folder.

    Raises IndexBusy at once when another process has it, StorageError when the folder cannot be written.
    """
    folder = index / FOLDER
    with ExitStack() as stack:
        with storage_errors(index):
            folder.mkdir(exist_ok=True)
            stack.enter_context(
                exclusive(folder / "lock", lambda: f"another `ragheal heal` is running in {index}")
            )
            for path in leftovers(folder):
                path.unlink()
        yield
