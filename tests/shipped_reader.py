"""The reader that users have, loaded once for all tests."""

from __future__ import annotations

from functools import lru_cache

from ragheal.models.reader import OnnxReader


@lru_cache(maxsize=1)
def shipped_reader() -> OnnxReader:
    return OnnxReader(threads=1)
