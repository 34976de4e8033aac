"""A question as it is typed, piped or read from a file: what can be asked at all."""

from __future__ import annotations

import contextlib
import sys
import unicodedata
from typing import BinaryIO

from ragheal.errors import ConfigError

MAX_CHARS = 2000


EXAMPLE = 'ragheal ask "how many days of leave do I have?"'


def from_argument(text: str, what: str = "question", example: str = EXAMPLE) -> str:
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
        raise ConfigError("`-` reads standard input, and there is none", hint="give it as an argument")
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
