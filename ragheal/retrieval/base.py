"""The doors of a run: everything an answer learns from outside its own code goes through here.

A recorder wraps the doors and a replay answers them from a trace, so no step of the loop knows about
traces. Whatever stands behind a door must be deterministic; floats are rounded to six decimals at the
door, so that a replay sees the very numbers the run saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from ragheal.types import ChatReply, ChatRequest, Exchange, Hit, Query, Reading


class Doors(Protocol):
    """What answering may ask of the outside."""

    @property
    def fingerprints(self) -> Mapping[str, str]:
        """Door name -> what stands behind it (model hash, index generation)."""

    def search(self, query: Query) -> tuple[Hit, ...]:
        """The reranked hits of a query, best first; chunks with no score in any channel are not hits."""

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """For each analysed term, in how many chunks it occurs; the key "" holds the number of chunks."""

    def similarity(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Cosine of the query's embedding to each text's."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> tuple[Reading, ...]:
        """The reader's view of each (context, text): does it answer, where, or does it only look so."""

    def chat(self, request: ChatRequest) -> ChatReply:
        """Ask the configured model server. Never raises for the server: a failed call is a reply with a fault.

        Whatever depends on the clock or on the day (time and token budgets, the circuit breaker, retries) is
        decided behind this door, so that a replay takes the same turns.
        """


@runtime_checkable
class SideBySide(Protocol):
    """Doors that several threads may use at once, and that still tell one order of calls."""

    def apart(self) -> AbstractContextManager[list[Exchange]]:
        """What this thread calls goes into the list and not yet into the record, until the block ends."""

    def join(self, exchanges: Sequence[Exchange]) -> None:
        """Take the calls of a thread into the record."""
