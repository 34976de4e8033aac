"""What both word indexes, and the weights of a question's terms, hold to."""

from __future__ import annotations

K1 = 1.2
B = 0.75
#: Tantivy drops longer terms (65,530 bytes); both back ends cut terms here, so that they agree.
MAX_TERM = 255


def clip(term: str) -> str:
    """A term as both back ends store and look it up: bounded, without the blanks that join terms."""
    short = term[:MAX_TERM]
    return short if short.isalnum() else "_".join(short.split())
