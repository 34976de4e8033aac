"""A server that fails again and again is left alone for a while, by every process that uses the index.

closed ──failures in a row──▶ level 1: only the final answer is asked for
                                 │ that fails as well, or the trial below does
                                 ▼
                              level 2: nothing is asked
after `breaker_seconds` one call is let through as a trial; any call that succeeds closes the breaker.
"""

from __future__ import annotations

import time

from ragheal.models.chat.ledger import Ledger
from ragheal.settings import ModelSettings
from ragheal.types import Fault, ModelRole

#: Faults that speak of the server's health. A refused key or request comes from a server that works.
SICK: frozenset[Fault] = frozenset({"unavailable", "timeout", "rate_limited"})


class Breaker:
    """The breaker of one server; its state is in the ledger."""

    def __init__(self, ledger: Ledger, base_url: str, settings: ModelSettings) -> None:
        self._ledger = ledger
        self._base_url = base_url
        self._limit = settings.breaker_failures
        self._rest = settings.breaker_seconds
        self._trial = settings.timeout + 1.0

    def refusal(self, role: ModelRole) -> str:
        """Why a call may not be made now; empty when it may. Whoever may must tell how the call ended."""
        row = self._ledger.breaker(self._base_url)
        if row.level == 0 or (row.level == 1 and role == "generator"):
            return ""
        now = time.time()
        left = row.until - now
        if 0 < left <= self._rest:  # more than that: the clock was set back
            only = "only the final answer is asked for" if row.level == 1 else "nothing is asked"
            return f"{row.failures} calls in a row failed (the last: {row.reason}); {only} for {left:.0f} s more"
        if self._ledger.claim(self._base_url, now, now + self._trial):
            return ""
        return (
            f"{row.failures} calls in a row failed (the last: {row.reason}); another call is trying the server now"
        )

    def succeeded(self) -> None:
        if self._ledger.breaker(self._base_url).failures:
            self._ledger.recover(self._base_url)

    def failed(self, reason: str) -> None:
        self._ledger.fail(self._base_url, self._limit, time.time() + self._rest, reason)

    def undecided(self) -> None:
        """The call was let through but told nothing of the server."""
        if self._ledger.breaker(self._base_url).probing:
            self._ledger.release(self._base_url)
