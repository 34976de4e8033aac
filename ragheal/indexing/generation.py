"""Generations: whole, unchanging states of an index, and the atomic switch from one to the next.

A new one is written in `generations/000008.tmp-<pid>/`, flushed to disk, renamed, and named in `CURRENT` by
one replaced file. Whatever kills a build leaves either the old state or the new one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal

import msgspec

from ragheal.errors import IndexDamaged, IndexMismatch, IndexMissing
from ragheal.indexing.folder import REBUILD, Folder, numbers, unreadable
from ragheal.storage.files import leftovers, sync, write_whole
from ragheal.storage.lock import pin
from ragheal.types import Value

#: Version of the layout of a generation: its files, the tables of index.db, the manifest.
FORMAT = 2
DATABASE, VECTORS, WORDS, MANIFEST = "index.db", "vectors.faiss", "words", "manifest.json"


class FileSum(Value, frozen=True):
    """What a file of the generation must be. `size` in bytes; `sha256` in hex."""

    size: int
    sha256: str


class Manifest(Value, frozen=True):
    """What a generation is and was made with. `roots` are absolute once `read_manifest` returns it."""

    version: int
    generation: int
    created: str  # ISO 8601, UTC
    started_ns: int  # when the build began: files changed about then are hashed next time
    roots: tuple[str, ...]
    embedder: str  # name
    embedder_fingerprint: str
    dim: int
    chunker: str
    chunking: str  # the settings that shape chunks
    analyzer: str
    lexical: Literal["rank-bm25", "tantivy"]
    documents: int  # those with chunks
    chunks: int
    files: dict[str, FileSum] = msgspec.field(default_factory=dict)


class _Version(msgspec.Struct):
    version: int


def current(folder: Folder) -> Path:
    """The generation in force. Raises IndexMissing, or IndexDamaged when CURRENT names none."""
    try:
        name = folder.current.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        # Only what was whole has been renamed, so the newest is safe to use: a first build was killed
        # before its switch, or CURRENT got lost.
        found = numbers(folder.generations)
        if not found:
            raise IndexMissing(f"there is no index in {folder.path}", hint="ragheal index PATH") from None
        return folder.generations / _name(found[-1])
    except OSError as error:
        raise unreadable(folder.current, error) from None
    if not (name.isascii() and name.isdigit()):
        raise IndexDamaged(f"{folder.current} names no generation", hint=REBUILD)
    return folder.generations / name


def read_manifest(folder: Folder, path: Path) -> Manifest:
    """The manifest of the generation at `path`, whose files are all there with their sizes.

    Raises FileNotFoundError when the generation is gone as a whole, IndexMismatch for another version,
    IndexDamaged for anything that is not as it was written.
    """
    try:
        data = (path / MANIFEST).read_bytes()
    except FileNotFoundError:
        if not os.path.exists(path):
            raise
        raise IndexDamaged(f"{path / MANIFEST} is missing", hint=REBUILD) from None
    except OSError as error:
        raise unreadable(path / MANIFEST, error) from None
    try:
        version = msgspec.json.decode(data, type=_Version).version
        if version != FORMAT:
            raise IndexMismatch(
                f"the index in {folder.path} has format {version}, this ragheal reads format {FORMAT}",
                hint=REBUILD,
            )
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise IndexDamaged(f"{path / MANIFEST} is not readable", hint=REBUILD) from None
    for name, expected in manifest.files.items():
        try:
            size = (path / name).stat().st_size
        except OSError:
            if not os.path.exists(path):
                raise FileNotFoundError(path) from None
            raise IndexDamaged(f"{path / name} is missing", hint=REBUILD) from None
        if size != expected.size:
            raise IndexDamaged(f"{path / name} has {size} bytes instead of {expected.size}", hint=REBUILD)
    roots = tuple(str(folder.unpack_root(root)) for root in manifest.roots)
    return msgspec.structs.replace(manifest, roots=roots)


def verify(path: Path, manifest: Manifest, names: tuple[str, ...] = ()) -> None:
    """Read the files (all, or those named) and compare their hashes. Raises IndexDamaged."""
    for name, expected in manifest.files.items():
        if names and name not in names:
            continue
        try:
            with (path / name).open("rb") as file:
                actual = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise unreadable(path / name, error) from None
        if actual != expected.sha256:
            raise IndexDamaged(f"{path / name} is not what was written", hint=REBUILD)


class NewGeneration:
    """A generation that is being written at `path`; `commit` makes it the current one."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.number = max([0, *numbers(folder.generations), _pointer(folder)]) + 1
        self.path = folder.generations / f"{_name(self.number)}.tmp-{os.getpid()}"
        self.path.mkdir()

    def commit(self, manifest: Manifest) -> None:
        """Write the manifest with the sums of all files, flush, rename, switch. Raises OSError."""
        files = {}
        for file in sorted(p for p in self.path.rglob("*") if p.is_file()):
            with file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            files[file.relative_to(self.path).as_posix()] = FileSum(file.stat().st_size, digest)
        roots = tuple(self._folder.pack_root(Path(root)) for root in manifest.roots)
        written = msgspec.structs.replace(manifest, files=files, roots=roots)
        data = msgspec.json.format(msgspec.json.encode(written), indent=1)
        (self.path / MANIFEST).write_bytes(data)
        for path in self.path.rglob("*"):
            sync(path)
        sync(self.path)
        final = self._folder.generations / _name(self.number)
        os.rename(self.path, final)
        sync(self._folder.generations)
        previous = _pointer(self._folder)
        write_whole(self._folder.current, f"{_name(self.number)}\n".encode("ascii"))
        sweep(self._folder, keep={self.number, previous})

    def abandon(self) -> None:
        """Remove what was written; after `commit` there is nothing left to remove."""
        shutil.rmtree(self.path, ignore_errors=True)


def sweep(folder: Folder, keep: set[int] | None = None) -> None:
    """Remove the leftovers of dead builds and, when `keep` is given, all other generations nobody reads.

    Only for the holder of the writer's lock. What is in use waits for a later sweep.
    """
    for path in leftovers(folder.path):
        path.unlink(missing_ok=True)
    for path in folder.generations.glob("*"):
        name = path.name
        if ".tmp-" in name:
            shutil.rmtree(path, ignore_errors=True)
        elif keep is not None and name.isdigit() and int(name) not in keep:
            doomed = path.with_name(f"{name}.tmp-old")
            with suppress(OSError):
                if os.path.exists(path / MANIFEST):
                    pin(path / MANIFEST, exclusive=True).close()
                os.rename(path, doomed)  # Windows refuses while a file in it is open
            shutil.rmtree(doomed, ignore_errors=True)


def hold(path: Path) -> IO[bytes]:
    """Keep the generation at `path` from being swept away until the returned file is closed.

    Raises FileNotFoundError when it is gone or going, IndexDamaged when it may not be read.
    """
    try:
        held = pin(path / MANIFEST)
    except BlockingIOError:
        raise FileNotFoundError(path) from None
    except PermissionError as error:
        raise unreadable(path / MANIFEST, error) from None
    if not os.path.exists(path / MANIFEST):
        held.close()
        raise FileNotFoundError(path)
    return held


def _name(number: int) -> str:
    return f"{number:06}"


def _pointer(folder: Folder) -> int:
    """The number in CURRENT, 0 when it holds none."""
    try:
        text = folder.current.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return 0
    return int(text) if text.isascii() and text.isdigit() else 0
