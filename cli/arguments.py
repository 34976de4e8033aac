"""Arguments as they are typed, piped or read from a file: what can be used, told before any work."""

from __future__ import annotations

import contextlib
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from ragheal.errors import ConfigError

MAX_CHARS = 2000
EXAMPLE = 'ragheal ask "how many days of leave do I have?"'
MOST_DAYS = 36_500.0


def question(text: str, what: str = "question", example: str = EXAMPLE) -> str:
    """The question (or query) of an argument, where `-` stands for standard input. Raises ConfigError."""
    if text != "-":
        # Where Python took the shell's UTF-8 for ASCII, the bytes of other characters are kept in surrogates.
        with contextlib.suppress(UnicodeError):
            text = text.encode("utf-8", "surrogateescape").decode("utf-8")
        return checked(text, what, example)
    # A little more than can be asked, in bytes, is enough to see that it is too much.
    data = piped().read(MAX_CHARS * 8)
    try:
        return checked(data.decode("utf-8-sig"), what, example)
    except UnicodeDecodeError:
        raise ConfigError(f"the {what} on standard input is not UTF-8", hint="save it as UTF-8 first") from None


def piped() -> BinaryIO:
    """Standard input as bytes. Raises ConfigError when there is none, as under some services."""
    if sys.stdin is None:
        raise ConfigError("`-` reads standard input, but there is none", hint="give it as an argument")
    return sys.stdin.buffer


def checked(text: str, what: str = "question", example: str = EXAMPLE) -> str:
    """The question on one line without control characters. Raises ConfigError when it cannot be asked."""
    text = text.encode("utf-8", "replace").decode("utf-8")  # an argument that is no text
    # Cc: control characters, Cf: invisible marks that would keep words from being found.
    text = "".join({"Cc": " ", "Cf": ""}.get(unicodedata.category(char), char) for char in text)
    text = " ".join(text.split())
    if not text:
        raise ConfigError(f"the {what} is empty", hint=example)
    if len(text) > MAX_CHARS:
        count = f"{len(text):,}"
        raise ConfigError(
            f"the {what} has {count} characters; the limit is {MAX_CHARS:,}",
            hint="ask for one thing at a time; documents belong in the index",
        )
    return text


def output_file(flag: str, path: Path | None, example: str) -> None:
    """Raises ConfigError when `path`, given with `flag`, is a folder or lies in one that is not there."""
    if path is None:
        return
    if path.is_dir():
        raise ConfigError(f"{flag} {path} is a folder", hint=f"name a file in it: {flag} {path / example}")
    if not path.absolute().parent.is_dir():
        raise ConfigError(
            f"{flag} {path}: there is no folder {path.parent}", hint="make the folder first, or name another"
        )


def at_least(flag: str, value: float | None, least: int, hint: str) -> None:
    """Raises ConfigError for a number that is too small."""
    if value is not None and value < least:
        raise ConfigError(f"{flag} {value}: at least {least}", hint=hint)


def one_of(flag: str, value: str | None, known: Sequence[str]) -> None:
    """Raises ConfigError for a word that is none of those known."""
    if value is not None and value not in known:
        raise ConfigError(f"{flag} {value}: no such {flag[2:]}", hint=f"one of: {', '.join(known)}")


def day(flag: str, text: str | None) -> str | None:
    """A day, or a time of one, as traces write theirs. Raises ConfigError."""
    from datetime import UTC, datetime

    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{flag} {text}: not a day", hint="write it as 2026-03-01") from None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
