"""Overlays: numbered, unchanging files of repairs, and the one in force.

`in_force` is called for every question, so it reads two small files and imports nothing heavy. It never
fails: an overlay that is missing or damaged is passed over for the one before it, and `notes` says so.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ragheal.errors import ConfigError, IndexDamaged
from ragheal.healing import pointer
from ragheal.healing.repairs import Repair
from ragheal.storage.files import storage_errors, write_whole
from ragheal.types import Value

REPAIR_HINT = "ragheal heal rollback"


class _Head(msgspec.Struct):
    checksum: str = ""


class Entry(Value, frozen=True):
    """A repair in an overlay, and the proposal it was."""

    id: str
    repair: Repair


class Overlay(Value, frozen=True):
    """What is in force. `trial` is for the questions that `chosen` picks, `repairs` for all.

    `notes` says what is wrong with the files, for `Answer.degraded`; number 0 is no overlay.
    """

    number: int
    repairs: tuple[Entry, ...] = ()
    trial: tuple[Entry, ...] = ()
    percent: int = 0
    created: str = ""
    parent: int = 0
    notes: tuple[str, ...] = ()

    def chosen(self, question: str) -> bool:
        """Whether the trial is on for this question: by a hash, so the same question is always treated alike."""
        return bool(self.trial) and share(question, self.trial[0].id) < self.percent

    def reword(self, question: str) -> str:
        """The question in the documents' words; the question itself when no repair applies to it."""
        active = self.active(question)
        if not active:
            return question
        from ragheal.healing.wording import reword

        return reword(question, active)

    def active(self, question: str) -> tuple[Repair, ...]:
        """The repairs that count for a question."""
        entries = (*self.repairs, *self.trial) if self.chosen(question) else self.repairs
        return tuple(entry.repair for entry in entries)


def share(question: str, salt: str) -> int:
    """0–99, the same for a question in any case and spacing."""
    normal = " ".join(question.casefold().split()).rstrip(" ?？!！.。")
    digest = hashlib.sha256(f"{salt}\0{normal}".encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") % 100


def in_force(index: Path) -> Overlay | None:
    """The overlay in force in an index folder, None when there is none. Raises nothing."""
    try:
        named = pointer.read(index)
    except IndexDamaged as error:
        return Overlay(0, notes=(f"repairs off: {error.message} (fix: {REPAIR_HINT})",))
    if named is None or named.number == 0:
        return None
    notes: list[str] = []
    for number in (named.number, *named.before):
        if number == 0:
            break
        try:
            overlay = load(index, number)
        except (ConfigError, IndexDamaged) as error:
            notes.append(error.message)
            continue
        if not notes:
            return overlay
        # What was on trial then is not on trial now.
        used = f"repairs of overlay {number} in use instead (fix: {REPAIR_HINT})"
        return msgspec.structs.replace(overlay, trial=(), percent=0, notes=(*notes, used))
    return Overlay(0, notes=(*notes, f"repairs off (fix: {REPAIR_HINT})"))


def load(index: Path, number: int) -> Overlay:
    """One overlay. Raises ConfigError when there is none of that number, IndexDamaged when it cannot be read."""
    path = file_of(index, number)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        known = ", ".join(str(n) for n in numbers(index)) or "none yet"
        raise ConfigError(f"there is no overlay {number}", hint=f"there are: {known}") from None
    except OSError as error:
        raise IndexDamaged(f"cannot read overlay {number}: {error.strerror or error}", hint=REPAIR_HINT) from None
    try:
        checksum = msgspec.json.decode(data, type=_Head).checksum
        overlay = msgspec.json.decode(data, type=Overlay)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise IndexDamaged(f"overlay {number} cannot be read", hint=REPAIR_HINT) from None
    if checksum != _sum(msgspec.json.encode(overlay)):
        raise IndexDamaged(f"overlay {number} is not what was written", hint=REPAIR_HINT)
    if overlay.number != number:
        raise IndexDamaged(f"the file of overlay {number} holds overlay {overlay.number}", hint=REPAIR_HINT)
    return overlay


def write(index: Path, overlay: Overlay) -> None:
    """Keep a new overlay. Not in force yet: that is `pointer.swap`. Raises StorageError."""
    body = msgspec.json.encode(overlay)
    whole = b'{"checksum":"' + _sum(body).encode() + b'",' + body[1:]
    with storage_errors(index):
        (index / pointer.FOLDER).mkdir(exist_ok=True)
        write_whole(file_of(index, overlay.number), msgspec.json.format(whole, indent=1) + b"\n")


def next_number(index: Path) -> int:
    """A number no overlay ever had here: also not one whose file is gone, if the pointer remembers it."""
    known = [0, *numbers(index)]
    with suppress(IndexDamaged):
        named = pointer.read(index)
        known += [named.number, *named.before] if named else []
    return max(known) + 1


def numbers(index: Path) -> list[int]:
    """The overlays that are there, ascending."""
    try:
        names = os.listdir(index / pointer.FOLDER)
    except OSError:
        return []
    return sorted(
        int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isascii() and name[:-5].isdigit()
    )


def file_of(index: Path, number: int) -> Path:
    return index / pointer.FOLDER / f"{number:04}.json"


def _sum(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def trial_of(base: Overlay | None, repairs: Sequence[Entry]) -> Overlay:
    """What is in force with some repairs more, for every question; nothing is written. For trying them out."""
    held = base.repairs if base else ()
    kept = tuple(entry for entry in held if entry.id not in {new.id for new in repairs})
    return Overlay(base.number if base else 0, (*kept, *repairs))
