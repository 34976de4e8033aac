"""Finds the documents below folders: in a fixed order, by the ignore files, never outside, never blocking."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragheal.errors import ConfigError
from ragheal.indexing.ignore import Rules
from ragheal.indexing.load.kinds import extension, kind_of, refused
from ragheal.settings import IndexSettings
from ragheal.types import Value

_NEVER = frozenset({".git", ".ragheal", "node_modules", "__pycache__"})


class Found(Value, frozen=True):
    """A file to read. Times are nanoseconds; the source is valid Unicode even where the file's name is not."""

    path: Path  # absolute
    source: str
    root: Path  # absolute; the folder that was given, or the one of a file that was given
    size: int  # bytes
    mtime_ns: int
    ctime_ns: int
    inode: int


class Skip(Value, frozen=True):
    """A file or folder that is not read, and why. What ignore files exclude is not mentioned at all.

    `closed` is the folder, absolute, when one could not be looked into: what is below it is not known to be gone.
    `fault`: it is a document, or may hold some, that could not be taken in; not so a picture or a link.
    """

    source: str
    reason: str
    closed: Path | None = None
    fault: bool = True


def walk(paths: Sequence[Path], settings: IndexSettings) -> Iterator[Found | Skip]:
    """Every document below the given folders and every given file, each once, sorted within its folder.

    A file or folder that is given is read even where an ignore file or a leading dot would exclude it.
    Where the same source would come from two folders, both get the folder's name before theirs.
    Raises ConfigError, before anything is walked, for a path that does not exist.
    """
    given = [Path(os.path.abspath(path)) for path in paths]
    for path, shown in zip(given, paths, strict=True):
        try:
            path.stat()
        except FileNotFoundError:
            raise ConfigError(f"no such file or folder: {shown}", hint="check the path") from None
        except OSError as error:
            raise ConfigError(f"cannot read {shown}: {error.strerror}") from None
    given = list(dict.fromkeys(given))
    if len(given) == 1:
        return _root(given[0], settings)
    return _several(given, settings)


def _root(path: Path, settings: IndexSettings) -> Iterator[Found | Skip]:
    if path.is_dir():
        yield from _Walk(path, settings).folder()
    else:
        yield _file(str(path), source_of(path.name), path.parent, path.stat(), settings)


def _several(given: Sequence[Path], settings: IndexSettings) -> Iterator[Found | Skip]:
    results = [list(_root(path, settings)) for path in given]
    seen: set[Path] = set()
    for number, found in enumerate(results):  # overlapping roots: the first that reaches a file has it
        kept = [one for one in found if not (isinstance(one, Found) and one.path in seen)]
        seen.update(one.path for one in kept if isinstance(one, Found))
        results[number] = kept
    owners: dict[str, set[int]] = {}
    for number, found in enumerate(results):
        for one in found:
            owners.setdefault(one.source, set()).add(number)
    colliding = {number for numbers in owners.values() if len(numbers) > 1 for number in numbers}
    names = _names([path if path.is_dir() else path.parent for path in given], colliding)
    for number, found in enumerate(results):
        for one in found:
            if number not in colliding:
                yield one
            elif isinstance(one, Skip):
                yield Skip(f"{names[number]}/{one.source}", one.reason, one.closed, one.fault)
            else:
                yield Found(
                    one.path,
                    f"{names[number]}/{one.source}",
                    one.root,
                    one.size,
                    one.mtime_ns,
                    one.ctime_ns,
                    one.inode,
                )


def _names(roots: Sequence[Path], colliding: set[int]) -> dict[int, str]:
    """The shortest ends of the roots' paths that tell them apart."""
    for length in range(1, max(len(root.parts) for root in roots) + 1):
        names = {number: "/".join(roots[number].parts[-length:]).strip("/") for number in colliding}
        if len({(names[number]) for number in colliding}) == len({roots[number] for number in colliding}):
            break
    return {number: source_of(name) for number, name in names.items()}


def source_of(relative: str) -> str:
    """A relative path as a source: "/" between parts; bytes that are no UTF-8 become `\\xNN`, so that it can be
    stored and printed."""
    if os.sep != "/":
        relative = relative.replace(os.sep, "/")
    return os.fsencode(relative).decode("utf-8", "backslashreplace")


def _file(path: str, source: str, root: Path, status: os.stat_result, settings: IndexSettings) -> Found | Skip:
    name = os.path.basename(path)
    if not stat.S_ISREG(status.st_mode):
        return Skip(source, f"not a regular file ({_sort(status.st_mode)})", fault=False)
    if reason := refused(name):
        return Skip(source, reason, fault=False)
    if kind_of(name) is None:
        return Skip(source, f"unsupported type .{extension(name)}", fault=False)
    if status.st_size > settings.max_file_mb * 1_000_000:
        return Skip(source, f"larger than {settings.max_file_mb:g} MB")
    return Found(Path(path), source, root, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _sort(mode: int) -> str:
    for test, name in ((stat.S_ISFIFO, "pipe"), (stat.S_ISSOCK, "socket"), (stat.S_ISLNK, "link")):
        if test(mode):
            return name
    return "device"


class _Walk:
    """One root."""

    def __init__(self, root: Path, settings: IndexSettings) -> None:
        self.root = root
        self.settings = settings
        self.real = os.path.realpath(root)

    def folder(self) -> Iterator[Found | Skip]:
        # A stack of its own: folders may be nested deeper than Python recurses.
        rules = Rules.of_root(self.root, self.settings.exclude)
        top = self._entries(str(self.root), "", rules)
        if isinstance(top, Skip):
            yield top
            return
        stack = [top]
        while stack:
            try:
                entry, relative, rules = next(stack[-1])
            except StopIteration:
                stack.pop()
                continue
            result = self._entry(entry, relative, rules)
            if isinstance(result, Found | Skip):
                yield result
            elif result is not None:
                stack.append(result)

    def _entries(
        self, path: str, relative: str, rules: Rules
    ) -> Iterator[tuple[os.DirEntry[str], str, Rules]] | Skip:
        """The entries of a folder in order; a Skip when it cannot be read; nothing in a virtual environment."""
        try:
            with os.scandir(path) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            reason = f"cannot read the folder: {(error.strerror or '').lower()}"
            return Skip(source_of(relative or ".") + "/", reason, closed=Path(path))
        names = {entry.name for entry in entries}
        if relative and "pyvenv.cfg" in names:
            return iter(())
        inner = rules.entering(path, relative, names)
        prefix = relative + "/" if relative else ""
        return ((entry, prefix + entry.name, inner) for entry in entries)

    def _entry(
        self, entry: os.DirEntry[str], relative: str, rules: Rules
    ) -> Found | Skip | Iterator[tuple[os.DirEntry[str], str, Rules]] | None:
        name = entry.name
        if name in _NEVER:
            return None
        source = source_of(relative)
        hidden = name.startswith(".") and not self.settings.hidden
        if hidden and not refused(name):
            return None
        try:
            if hidden:
                # Nobody's documents; but who keeps keys here wants to hear that they are not read.
                named = entry.is_file(follow_symlinks=False) and not rules.ignored(relative, folder=False)
                return Skip(source, refused(name), fault=False) if named else None
            link = entry.is_symlink()
            folder = not link and entry.is_dir(follow_symlinks=False)
            if rules.ignored(relative, folder=folder):
                return None
            if link:
                return Skip(source, self._link(entry.path), fault=False)
            if folder:
                return self._entries(entry.path, relative, rules)
            return _file(entry.path, source, self.root, entry.stat(follow_symlinks=False), self.settings)
        except OSError as error:
            return Skip(source, (error.strerror or "cannot be read").lower())

    def _link(self, path: str) -> str:
        """Why a link is not followed: what it leads to is read where it is, or not at all."""
        try:
            os.stat(path)
        except OSError as error:
            return "broken link" if isinstance(error, FileNotFoundError) else "link that leads nowhere"
        target = os.path.realpath(path)
        inside = target == self.real or target.startswith(self.real.rstrip(os.sep) + os.sep)
        if not inside:
            return "link to outside of the folder"
        return f"link to {source_of(os.path.relpath(target, self.real))}"
