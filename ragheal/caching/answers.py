"""Answers kept by route: a plain fact for a day, what was put together of many parts for an hour."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ragheal.caching.database import NOTE, Entries
from ragheal.errors import TraceError
from ragheal.settings import Settings
from ragheal.settings.sections import CacheSettings
from ragheal.tracing.files import decode, encode
from ragheal.types import FaultStep, Trace

ANSWERS = "answers"


class AnswerCache:
    """Runs by the key of `key.answer_key`. Whatever is wrong with the file, nothing is raised.

    `notes` says what was given up; it goes into `Answer.degraded` and is no part of what is kept.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._settings = settings.cache
        self._entries = Entries(folder, ANSWERS, settings.cache.entries)

    @property
    def notes(self) -> tuple[str, ...]:
        return self._entries.notes

    @property
    def enabled(self) -> bool:
        return self._settings.enabled and self._settings.entries > 0

    def get(self, key: str) -> tuple[Trace, float] | None:
        """The run that answered this before, and how many seconds ago; None when it is not kept or too old.

        Its files may have changed since, and its question may be written otherwise than today's.
        """
        if not self.enabled:
            return None
        found = self._entries.get(key, lambda route: seconds_kept(self._settings, route))
        if found is None:
            return None
        body, age = found
        try:
            return decode(body, f"the answer kept as {key[:8]}"), age
        except TraceError:  # of another version
            self._entries.remove(key)
            return None

    def put(self, key: str, trace: Trace) -> bool:
        """Keep a run, unless the next one may do better: then False, as when it cannot be written."""
        if not self.enabled or not lasting(trace) or not seconds_kept(self._settings, trace.answer.route):
            return False
        # What is said of the disk of that day is not true of another.
        answer = msgspec.structs.replace(trace.answer, degraded=())
        kept = msgspec.structs.replace(trace, answer=answer)
        return self._entries.put(key, trace.answer.route, encode(kept))


def seconds_kept(settings: CacheSettings, route: str) -> float:
    """How long an answer of a route is kept; 0: never, as with answers that rest on no document."""
    kept = {
        "standard": settings.standard,
        "multi_hop": settings.multi_hop,
        "self_rag": settings.self_rag,
        "combined": settings.combined,
    }
    return kept.get(route, 0.0)


def lasting(trace: Trace) -> bool:
    """Whether a run would come out alike the next time: nothing was given up in it, and it was one itself.

    A refusal lasts as well: the documents are the same, for the index's generation is part of the key.
    Scripted replies are used up in order, so they are never kept.
    """
    from ragheal.tracing.replay import NOT_SAVED

    return (
        trace.cache is None
        and trace.answer.status != "direct"
        and all(entry.startswith((NOT_SAVED, NOTE)) for entry in trace.answer.degraded)
        and not any(isinstance(step, FaultStep) for step in trace.steps)
        and _backend(trace) != "scripted"
    )


def _backend(trace: Trace) -> object:
    model = trace.settings.get("model")
    return model.get("backend") if isinstance(model, dict) else None
