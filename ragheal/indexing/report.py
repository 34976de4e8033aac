"""What a build says while it runs and when it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ragheal.types import Value

#: At most so many names are listed per group; the counts are exact.
LISTED = 200


class Progress(Value, frozen=True):
    """One step of a build. `total` is 0 while it is not known; `detail` is a source where there is one."""

    phase: Literal["scan", "read", "embed", "write"]
    done: int
    total: int = 0
    detail: str = ""


OnProgress = Callable[[Progress], None]


class Group(Value, frozen=True):
    """Documents to which the same happened: how many, and the first names in order."""

    count: int = 0
    sources: tuple[str, ...] = ()


class Report(Value, frozen=True):
    """The outcome of a build. `seconds` is wall time; `chunks` counts the whole index afterwards."""

    generation: int
    written: bool  # False: nothing had changed, the generation is the old one
    added: Group = Group()
    changed: Group = Group()
    renamed: Group = Group()
    deleted: Group = Group()
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()  # (source, reason): nothing to read there by its nature
    failed: tuple[tuple[str, str], ...] = ()  # (source, reason): tried again by the next build
    faults: int = 0  # of those skipped and failed: documents, not pictures, links and the like
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what was done anew because a setting or a version changed
    documents: int = 0
    chunks: int = 0
    embedded: int = 0  # texts that went through the embedder
    reused: int = 0  # chunks of read documents whose vector was known already
    seconds: float = 0.0


def group(sources: list[str]) -> Group:
    return Group(len(sources), tuple(sorted(sources)[:LISTED]))
