"""Proposals and the log, as files beside the overlays. Only the holder of the lock writes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ragheal.errors import ConfigError, IndexDamaged
from ragheal.healing import pointer
from ragheal.healing.repairs import Measured, Proposal
from ragheal.storage.files import append, storage_errors, write_whole
from ragheal.types import Value

PROPOSALS, LOG = "proposals.json", "log.jsonl"


class Entry(Value, frozen=True):
    """One step: what was done to which proposal, what is in force since, and what was measured."""

    at: str  # ISO 8601, UTC
    step: str  # propose, verify, refuse, canary, promote, rollback, recover
    overlay: int  # in force after it
    ids: tuple[str, ...] = ()
    said: str = ""  # in words
    measured: Measured | None = None


def proposals(index: Path) -> tuple[Proposal, ...]:
    """Every proposal, oldest first. Raises IndexDamaged."""
    path = index / pointer.FOLDER / PROPOSALS
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Proposal, ...])
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise IndexDamaged(f"cannot read {path}: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        message = str(error).replace("`", "")
        raise IndexDamaged(
            f"{path} cannot be read: {message}", hint="move it away; `ragheal heal propose` makes a new one"
        ) from None


def find(index: Path, ids: Iterable[str]) -> tuple[Proposal, ...]:
    """The proposals with these ids. Raises ConfigError for one that is not there."""
    known = {proposal.id: proposal for proposal in proposals(index)}
    found = []
    for wanted in ids:
        name = wanted.lower()
        if name not in known:
            near = ", ".join(list(known)[-8:])
            hint = f"there are: {near}" if known else "make some: ragheal heal propose"
            raise ConfigError(f"there is no proposal `{wanted}`", hint=hint)
        found.append(known[name])
    return tuple(dict.fromkeys(found))


def keep(index: Path, changed: Iterable[Proposal]) -> None:
    """Replace proposals of the same id, add the others. Raises StorageError."""
    table = {proposal.id: proposal for proposal in proposals(index)}
    table.update((proposal.id, proposal) for proposal in changed)
    data = msgspec.json.format(msgspec.json.encode(list(table.values())), indent=1)
    with storage_errors(index):
        write_whole(index / pointer.FOLDER / PROPOSALS, data + b"\n")


def next_id(index: Path) -> int:
    """The number of the next proposal."""
    numbers = [int(proposal.id[1:]) for proposal in proposals(index) if proposal.id[1:].isdigit()]
    return max([0, *numbers]) + 1


def note(index: Path, entry: Entry) -> None:
    """Append to the log. Raises StorageError."""
    path = index / pointer.FOLDER / LOG
    with storage_errors(index):
        append(path, msgspec.json.encode(entry))


def log(index: Path) -> tuple[Entry, ...]:
    """Every step, oldest first. A line that a kill cut off is passed over."""
    path = index / pointer.FOLDER / LOG
    try:
        lines = path.read_bytes().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise IndexDamaged(f"cannot read {path}: {error.strerror or error}") from None
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Entry))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    return tuple(found)
