"""Times and ids of records. Times are text that sorts by age: ISO 8601, UTC, milliseconds."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_EPOCH = 1_735_689_600  # 2025-01-01, so that seven digits last until 2059


def now() -> str:
    return stamp(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(stamp: str) -> datetime:
    """The time that a stamp tells; one that names no zone is UTC."""
    found = datetime.fromisoformat(stamp)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def new_id() -> str:
    """A fresh id: 7 digits of time (1/32 s), so that ids sort by age, and 4 of chance; base 32."""
    ticks = int((time.time() - _EPOCH) * 32)
    return _digits(ticks, 7) + _digits(secrets.randbits(20), 4)


def _digits(value: int, count: int) -> str:
    return "".join(_ALPHABET[(value >> (5 * i)) & 31] for i in reversed(range(count)))
