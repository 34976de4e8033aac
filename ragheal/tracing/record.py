"""`Recorder`: doors that note every call and its reply on the way through."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter

import msgspec

from ragheal.retrieval.base import Doors
from ragheal.tracing import requests
from ragheal.types import ChatReply, ChatRequest, Exchange, Hit, Query, Reading

# The names of the doors in a trace.
SEARCH, VOCABULARY, SIMILARITY, READER, CHAT = "search", "vocabulary", "similarity", "reader", "chat"


class Recorder:
    """Has the shape of `Doors`; `exchanges` holds what went through, in order."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors
        self._exchanges: list[Exchange] = []
        self._own = threading.local()  # a thread's list, while it works apart
        self._one = threading.RLock()  # the index and the models of this machine are used by one thread at a time

    @contextmanager
    def apart(self) -> Iterator[list[Exchange]]:
        """What this thread calls is noted in the list, until the block ends; `join` takes it into the record."""
        exchanges: list[Exchange] = []
        self._own.exchanges = exchanges
        try:
            yield exchanges
        finally:
            self._own.exchanges = None

    def join(self, exchanges: Sequence[Exchange]) -> None:
        self._exchanges += exchanges

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(self._exchanges)

    @property
    def fingerprints(self) -> Mapping[str, str]:
        return self._doors.fingerprints

    def search(self, query: Query) -> tuple[Hit, ...]:
        start = perf_counter()
        with self._one:
            hits = self._doors.search(query)
        self._note(SEARCH, requests.search(query), hits, start)
        return hits

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        start = perf_counter()
        with self._one:
            counts = self._doors.frequencies(terms)
        self._note(VOCABULARY, requests.vocabulary(terms), counts, start)
        return counts

    def similarity(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        start = perf_counter()
        # A float of numpy is no JSON; a plain one keeps its value through JSON to the last bit.
        with self._one:
            cosines = tuple(float(value) for value in self._doors.similarity(query, texts))
        self._note(SIMILARITY, requests.similarity(query, texts), cosines, start)
        return cosines

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> tuple[Reading, ...]:
        start = perf_counter()
        with self._one:
            readings = self._doors.read(question, passages)
        self._note(READER, requests.reader(question, passages), readings, start)
        return readings

    def chat(self, request: ChatRequest) -> ChatReply:
        start = perf_counter()
        reply = self._doors.chat(request)
        self._note(CHAT, requests.chat(request), reply, start)
        return reply

    def _note(self, door: str, request: str, reply: object, start: float) -> None:
        seconds = round(perf_counter() - start, 6)
        raw = msgspec.Raw(msgspec.json.encode(reply))
        own: list[Exchange] | None = getattr(self._own, "exchanges", None)
        noted = self._exchanges if own is None else own
        noted.append(Exchange(door=door, request=request, reply=raw, seconds=seconds))
