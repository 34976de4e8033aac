"""What one check found."""

from __future__ import annotations

from typing import Literal

from ragheal.errors import RaghealError
from ragheal.types import Value


class Finding(Value, frozen=True):
    """`code` is the exit code that it stands for; `do` says what to do about it."""

    name: str
    state: Literal["ok", "warning", "bad"]
    text: str
    do: str = ""
    code: int = 0


def bad(name: str, error: RaghealError) -> Finding:
    return Finding(name, "bad", error.message, error.hint, error.exit_code)
