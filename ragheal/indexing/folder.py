"""Where an index lives: the folder `.ragheal`, found upwards as git finds its own, and the paths inside it.

.ragheal/
  .gitignore             "*": an index is never committed
  CURRENT                the generation that readers use, such as 000007; replaced in one move
  generations/000007/    index.db, vectors.faiss, words/, manifest.json: never changed once it is here
  history.db, cache.db   traces and what belongs to them; kept answers (docs/storage.md names everything)
  pending.db             embeddings of a build that was interrupted
  lock, writer           the writer's lock and its process id
"""

from __future__ import annotations

import os
from pathlib import Path

from ragheal.errors import ConfigError, IndexDamaged

NAME = ".ragheal"
REBUILD = "ragheal index --rebuild PATH"
#: What may be in an index folder before there is an index: traces, and what is of the system.
_LEFT = frozenset(
    ".gitignore lock writer history.db history.db-journal cache.db cache.db-journal models.db models.db-journal"
    " memory.db memory.db-journal overlays .DS_Store lost+found".split()
)


class Folder:
    """The paths of one index folder; nothing is read or made."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.abspath(path))
        self.base = self.path.parent  # roots below it are kept relative, so that a project can be moved
        self.current = self.path / "CURRENT"
        self.generations = self.path / "generations"
        self.lock = self.path / "lock"
        self.writer = self.path / "writer"

    def make(self) -> None:
        """Create the folder with its .gitignore. Raises OSError; ConfigError when it holds something else."""
        if self._foreign():
            raise ConfigError(
                f"{self.path} holds other files and no index",
                hint="an index needs a folder of its own: name a new or an empty one",
            )
        self.generations.mkdir(parents=True, exist_ok=True)
        ignore = self.path / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")

    def _foreign(self) -> bool:
        """Whether the folder is somebody's documents: an index in it, and its `.gitignore`, would do harm."""
        try:
            names = set(os.listdir(self.path))
        except OSError:
            return False
        # A damaged database was set aside as history.db.damaged-…
        left = {name for name in names if name.partition(".damaged")[0] in _LEFT}
        return bool(names - left) and "generations" not in names

    def pack_root(self, root: Path) -> str:
        """A root as it is recorded: relative with "/" when it lies beside or below the index, else absolute."""
        if root.is_relative_to(self.base):
            return pack_path(root.relative_to(self.base))
        return pack_path(root)

    def unpack_root(self, root: str) -> Path:
        """The absolute path of a recorded root."""
        return Path(os.path.normpath(self.base / unpack_path(root)))


def pack_path(path: Path) -> str:
    """A path as text that can be stored: the same in every locale, and even where a name is no valid Unicode."""
    name = os.fsencode(path.as_posix())
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return "\0" + name.decode("latin-1")


def unpack_path(text: str) -> str:
    """What `pack_path` packed."""
    return os.fsdecode(text[1:].encode("latin-1") if text.startswith("\0") else text.encode("utf-8"))


def find(start: Path) -> Path | None:
    """The nearest `.ragheal` in `start` or above that holds an index; None when there is none."""
    start = Path(os.path.abspath(start))
    for folder in (start, *start.parents):
        candidate = folder / NAME
        # A folder that may not be looked into is the one meant, too: saying so is better than passing it by.
        if os.path.lexists(candidate / "CURRENT") or numbers(candidate / "generations") or _closed(candidate):
            return candidate
    return None


def _closed(folder: Path) -> bool:
    try:
        os.stat(folder / "CURRENT")
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def numbers(generations: Path) -> list[int]:
    """The generations that are there, ascending."""
    try:
        return sorted(int(name) for name in os.listdir(generations) if name.isascii() and name.isdigit())
    except OSError:
        return []


def unreadable(path: Path, error: OSError) -> IndexDamaged:
    """What it means that a file of the index cannot be read: damage, unless it is merely somebody else's."""
    if isinstance(error, PermissionError):
        return IndexDamaged(f"cannot read {path}: no permission", hint="ask its owner, or use --index FOLDER")
    return IndexDamaged(f"cannot read {path}: {error.strerror}", hint=REBUILD)
