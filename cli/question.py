"""A question as it is typed, piped or read from a file: what can be asked at all."""

from __future__ import annotations

import sys
import unicodedata

from ragheal.errors import ConfigError

MAX_CHARS = 2000


def from_argument(text: str) -> str:
    """The question of an argument, where `-` stands for standard input. Raises ConfigError."""
    if text != "-":
        return checked(text)
    buffer = getattr(sys.stdin, "buffer", None)
    # A little more than can be asked, in bytes, is enough to see that it is too much.
    data = buffer.read(MAX_CHARS * 8) if buffer is not None else sys.stdin.read(MAX_CHARS * 8).encode()
    try:
        return checked(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ConfigError("the question on standard input is not UTF-8") from None


def checked(text: str) -> str:
    """The question on one line without control characters. Raises ConfigError when it cannot be asked."""
    text = text.encode("utf-8", "replace").decode("utf-8")  # an argument that is no text
    # Cc: control characters, Cf: invisible marks that would keep words from being found.
    text = "".join({"Cc": " ", "Cf": ""}.get(unicodedata.category(char), char) for char in text)
    text = " ".join(text.split())
    if not text:
        raise ConfigError("the question is empty", hint='ragheal ask "how many days of leave do I have?"')
    if len(text) > MAX_CHARS:
        raise ConfigError(
            f"the question has {len(text):,} characters; the limit is {MAX_CHARS:,}",
            hint="ask for one thing at a time; documents belong in the index",
        )
    return text
