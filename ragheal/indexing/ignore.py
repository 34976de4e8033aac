"""Ignore files: `.gitignore` and `.raghealignore`, nested, with negation, read with pathspec."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_FILES = (".gitignore", ".raghealignore")  # the later one decides where both do


class Rules:
    """The rules in force in one folder. Later and deeper ones win, as in git."""

    def __init__(self, layers: Sequence[tuple[str, GitIgnoreSpec]], last: GitIgnoreSpec | None) -> None:
        #: (path of the folder of the ignore file, relative to the root with "/" at its end, or the way down to the
        #: root for folders above it with ">" before; its patterns)
        self._layers = tuple(layers)
        self._last = last  # the `exclude` setting, above all ignore files

    @classmethod
    def of_root(cls, root: Path, exclude: Sequence[str]) -> Rules:
        """The rules above a root, up to the folder that holds `.git`, and those of the settings.

        Rules from above that exclude the root itself are left out: it was asked for by name.
        """
        layers = []
        real = Path(os.path.realpath(root))
        for folder in _above(real):
            down = real.relative_to(folder).as_posix() + "/"
            for name in _FILES:
                spec = _read(folder / name)
                if spec is not None and not _decides(spec, down):
                    layers.append((">" + down, spec))
        return cls(layers, _spec(exclude) if exclude else None)

    def entering(self, path: str, relative: str, names: Collection[str]) -> Rules:
        """The rules within a folder below (or the root itself, with relative "")."""
        prefix = relative + "/" if relative else ""
        found = [(prefix, spec) for name in _FILES if name in names and (spec := _read(Path(path, name)))]
        return Rules((*self._layers, *found), self._last) if found else self

    def ignored(self, relative: str, *, folder: bool) -> bool:
        """Whether a path, relative to the root, is excluded; the folders above it are taken to be not."""
        if not self._layers and self._last is None:
            return False
        path = relative + "/" if folder else relative
        if self._last is not None and (verdict := _decides(self._last, path)) is not None:
            return verdict
        for base, spec in reversed(self._layers):
            below = base[1:] + path if base.startswith(">") else path[len(base) :]
            verdict = _decides(spec, below)
            if verdict is not None:
                return verdict
        return False


def _above(root: Path) -> list[Path]:
    """The folders above a root up to the one that holds `.git`, outermost first; none outside of a repository."""
    if os.path.exists(root / ".git"):  # pathlib raises where it may not look
        return []
    above: list[Path] = []
    for folder in root.parents:
        above.append(folder)
        if os.path.exists(folder / ".git"):
            return above[::-1]
    return []


def _read(path: Path) -> GitIgnoreSpec | None:
    try:
        if not path.is_file() or path.stat().st_size > 1_000_000:
            return None
        # File names come with undecodable bytes escaped in the same way, so such patterns match them.
        lines = path.read_bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff").splitlines()
    except OSError:
        return None
    return _spec(lines)


def _spec(lines: Sequence[str]) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        # One bad pattern must not switch the others off; git passes over it, too.
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _decides(spec: GitIgnoreSpec, path: str) -> bool | None:
    """True: excluded, False: taken back in, None: nothing said."""
    return spec.check_file(path).include
