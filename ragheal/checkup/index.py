"""Whether an index is whole, and the repairs that lose nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from ragheal.checkup.finding import Finding, bad
from ragheal.errors import RaghealError

if TYPE_CHECKING:
    from ragheal.indexing.folder import Folder
    from ragheal.settings import Settings

#: Databases that hold nothing which is not made again by use.
DISPOSABLE = ("cache.db", "models.db", "pending.db")
#: Databases that hold what a user may want to save from the damaged file, and are made empty without it.
MOVABLE = ("history.db", "memory.db")
DAMAGED = "damaged"
_LITTLE_SPACE = 200 << 20


def findings(folder: Path, settings: Settings, *, fix: bool) -> Iterator[Finding]:
    """The index, what killed processes left in its folder, its databases, and whether it can be written."""
    from ragheal.indexing.folder import Folder, unreadable

    place = Folder(folder)
    try:
        os.listdir(folder)
        os.stat(os.path.join(folder, os.curdir))  # a folder may be listed and still not be entered
    except OSError as error:
        yield bad("index", unreadable(folder, error))
        return
    yield _leftovers(place, fix=fix)
    yield _index(place, settings)
    yield from _databases(folder, fix=fix)
    yield _writable(folder)


def _index(place: Folder, settings: Settings) -> Finding:
    from ragheal.engine import Engine
    from ragheal.indexing.generation import current, read_manifest, verify
    from ragheal.settings import ModelSettings

    engine = Engine(msgspec.structs.replace(settings, model=ModelSettings()), place.path)
    try:
        path = current(place)
        manifest = read_manifest(place, path)
        verify(path, manifest)
        engine.search("index")  # embeds, and reads vectors, words and chunks
    except FileNotFoundError:
        return Finding("index", "bad", f"{place.current} names a generation that is gone", _rebuild(), 5)
    except RaghealError as error:
        return bad("index", error)
    finally:
        engine.close()
    return Finding(
        "index", "ok",
        f"{place.path}: generation {manifest.generation}, {manifest.documents:,} documents, "
        f"{manifest.chunks:,} chunks, every file as written",
    )  # fmt: skip


def _rebuild() -> str:
    from ragheal.indexing.folder import REBUILD

    return REBUILD


def _leftovers(place: Folder, *, fix: bool) -> Finding:
    """What a killed build left behind. The system has freed its lock; only the holder of it may tidy."""
    from ragheal.errors import IndexBusy
    from ragheal.indexing.generation import sweep
    from ragheal.indexing.lock import writing
    from ragheal.storage.files import leftovers
    from ragheal.storage.lock import is_held

    left = sorted(path.name for path in place.generations.glob("*.tmp-*"))
    left += [path.name for path in (place.writer, *leftovers(place.path)) if path.exists()]
    if not left:
        return Finding("leftovers", "ok", "none")
    named = ", ".join(left)
    try:
        if not fix:
            if is_held(place.lock):
                return Finding("leftovers", "ok", "another process is writing the index now")
            return Finding("leftovers", "warning", f"of a build that was ended: {named}", "ragheal doctor --fix")
        with writing(place):
            sweep(place)
    except IndexBusy:
        return Finding("leftovers", "ok", "another process is writing the index now")
    except RaghealError as error:
        return bad("leftovers", error)
    except OSError as error:
        return Finding("leftovers", "warning", f"{named}: {error.strerror or error}")
    return Finding("leftovers", "ok", f"removed: {named}")


def _databases(folder: Path, *, fix: bool) -> Iterator[Finding]:
    """One finding for each database that something is wrong with; else, or for what was mended, one for all."""
    from ragheal.storage.sqlite import access, move_aside

    sound, done, troubled = [], [], False
    for path in sorted(folder.glob("*.db")):
        trouble = _trouble(path)
        weight: tuple[Literal["warning", "bad"], int] = ("warning", 0) if path.name in DISPOSABLE else ("bad", 1)
        if not trouble:
            sound.append(path.name)
        elif trouble != DAMAGED:
            troubled = True
            yield Finding("databases", weight[0], f"{path.name}: {trouble}", access(path), weight[1])
        elif not fix or path.name not in (*DISPOSABLE, *MOVABLE):
            troubled = True
            fixes = path.name in (*DISPOSABLE, *MOVABLE)
            do = "ragheal doctor --fix moves it away" if fixes else f"move {path.name} away"
            if path.name not in DISPOSABLE:
                do += "; a new one is created, without what this one holds"
            yield Finding("databases", weight[0], f"{path.name}: {trouble}", do, weight[1])
        else:
            try:
                aside = move_aside(path)
            except OSError as error:
                troubled = True
                text = f"{path.name} cannot be moved: {error.strerror or error}"
                yield Finding("databases", "bad", text, access(path), 1)
                continue
            done.append(f"{path.name} was damaged and is now {aside.name}; a new one is created when needed")
    if done or not troubled:
        yield Finding("databases", "ok", "; ".join(done) or ", ".join(sound) or "none yet")


def _trouble(path: Path) -> str:
    """What is wrong with a database, DAMAGED or in words; empty: nothing, or it is in use."""
    from ragheal.storage.sqlite import connect

    try:
        if path.stat().st_size == 0:
            return ""
        with closing(connect(path, "ro", 5.0)) as db:
            said = [row[0] for row in db.execute("PRAGMA quick_check(3)")]
        return "" if said == ["ok"] else DAMAGED
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            return ""
        if "CORRUPT" in name or "NOTADB" in name:
            return DAMAGED
        return str(error) if os.access(path, os.R_OK) else "no permission to read it"
    except OSError as error:
        return error.strerror or str(error)


def _writable(folder: Path) -> Finding:
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="doctor-"):
            pass
        free = shutil.disk_usage(folder).free
    except OSError as error:
        text = f"{folder}: {error.strerror or error}; answers come without traces, memory and cache"
        return Finding("folder", "warning", text, "make it yours to write, or use --index FOLDER")
    if free < _LITTLE_SPACE:
        return Finding("folder", "warning", f"writable, but only {free >> 20} MB are free", "free some space")
    return Finding("folder", "ok", "writable")
