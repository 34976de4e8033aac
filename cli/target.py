"""A file that a command is to write: what can be told before the work for it is done."""

from __future__ import annotations

from pathlib import Path

from ragheal.errors import ConfigError


def check(flag: str, path: Path, example: str) -> None:
    """Raises ConfigError when `path`, given with `flag`, is a folder or lies in one that is not there."""
    if path.is_dir():
        raise ConfigError(f"{flag} {path} is a folder", hint=f"name a file in it: {flag} {path / example}")
    if not path.absolute().parent.is_dir():
        raise ConfigError(
            f"{flag} {path}: there is no folder {path.parent}", hint="make the folder first, or name another"
        )
