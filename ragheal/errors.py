"""Every error a user can meet, each with its exit code and a hint.

    RaghealError                 1   something we did not foresee
    ├── ConfigError              2   a setting, flag or question that cannot be used
    ├── IndexUnusable            5   (base of the index errors)
    │   ├── IndexMissing         5   no index here
    │   ├── IndexDamaged         5   a file of the index is missing, truncated or not what it says
    │   ├── IndexMismatch        5   made by another version, embedder or analyzer
    │   └── IndexBusy            5   another process is writing
    ├── ModelError               6   a model file or server cannot be used
    ├── StorageError             1   the disk is full or not writable
    ├── LoadError                -   one document cannot be read; the run goes on without it
    ├── TraceError               2   a trace that cannot be found or read
    └── CheckFailed              7   replay drift, an evaluation below its bar

Not finding an answer is no error: it is an `Answer` with the status `abstained`.
"""

from __future__ import annotations

from collections.abc import Iterable


class RaghealError(Exception):
    """Base of all errors shown to a user: one line that says what is wrong, one that says what to do."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(RaghealError):
    """A flag, setting or argument that cannot be used."""

    exit_code = 2


class IndexUnusable(RaghealError):
    """Base of everything that is wrong with an index."""

    exit_code = 5


class IndexMissing(IndexUnusable):
    """There is no index where one was looked for."""


class IndexDamaged(IndexUnusable):
    """A file of the index is missing, truncated or not what its name says."""


class IndexMismatch(IndexUnusable):
    """The index was made by another version, embedder or analyzer than is asked of it now."""


class IndexBusy(IndexUnusable):
    """Another process holds the writer's lock."""


class ModelError(RaghealError):
    """A model file or a model server cannot be used."""

    exit_code = 6


class StorageError(RaghealError):
    """The disk is full, or the folder cannot be written."""


class LoadError(RaghealError):
    """One document cannot be read. `reason` is a short phrase for the summary, such as "scanned PDF"."""

    def __init__(self, reason: str, *, skipped: bool = False, hint: str = "") -> None:
        super().__init__(reason, hint=hint)
        self.reason = reason
        #: True: nothing to read here by its nature (binary, empty); False: try it again next time.
        self.skipped = skipped


class TraceError(RaghealError):
    """A trace that cannot be found, read or understood."""

    exit_code = 2


class CheckFailed(RaghealError):
    """A check the user asked for came out negative."""

    exit_code = 7


def nearest(word: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """What may have been meant by a misspelt word, for a hint; "" when nothing is near."""
    import difflib

    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=cutoff)), "")
