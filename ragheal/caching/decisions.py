"""What a model decided about the route of a question, kept for an hour.

It stands in front of the chat model and has its shape, so a decision that comes from here goes through the
recorder like any other reply, and a replay needs no cache.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from ragheal.caching.database import Entries
from ragheal.caching.key import decision_key
from ragheal.retrieval.live import ChatModel
from ragheal.settings import Settings
from ragheal.types import ChatReply, ChatRequest, Tokens

DECISIONS = "decisions"


class DecisionCache:
    """Replies of the classifier by the key of `key.decision_key`. Nothing is raised."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._settings = settings.cache
        self._entries = Entries(folder, DECISIONS, settings.cache.entries)

    @property
    def notes(self) -> tuple[str, ...]:
        return self._entries.notes

    @property
    def enabled(self) -> bool:
        return self._settings.enabled and self._settings.entries > 0 and self._settings.decisions > 0

    def get(self, key: str) -> ChatReply | None:
        """The reply, which costs no tokens and no time now; None when it is not kept or too old."""
        found = self._entries.get(key, lambda _: self._settings.decisions) if self.enabled else None
        try:
            return None if found is None else msgspec.json.decode(found[0], type=ChatReply)
        except msgspec.DecodeError:
            self.remove(key)
            return None

    def put(self, key: str, reply: ChatReply) -> bool:
        """Keep a reply. A call that failed decided nothing and is not kept."""
        if not self.enabled or reply.fault:
            return False
        free = msgspec.structs.replace(reply, tokens=Tokens(), seconds=0.0)
        return self._entries.put(key, "", msgspec.json.encode(free))

    def remove(self, key: str) -> None:
        self._entries.remove(key)


class CachedDecisions:
    """A `ChatModel` that asks another one, and the classifier's questions only once."""

    def __init__(self, model: ChatModel, cache: DecisionCache, version: str) -> None:
        self._model = model
        self._cache = cache
        self._version = version

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    def complete(self, request: ChatRequest) -> ChatReply:
        if request.role != "classifier" or not self._cache.enabled:
            return self._model.complete(request)
        asked = msgspec.json.encode(msgspec.structs.replace(request, attempt=1)).decode()
        key = decision_key(asked, self._model.fingerprint, self._version)
        if request.attempt > 1:  # the reply before was no decision
            self._cache.remove(key)
            return self._model.complete(request)
        known = self._cache.get(key)
        if known is not None:
            return known
        reply = self._model.complete(request)
        self._cache.put(key, reply)
        return reply
