"""What a question, and a day, may take of a model server: seconds, tokens, cost.

The final answer and its verification come last and matter most, so the other roles may use only what
`budget.reserve` leaves. Nothing is asked that would not fit: the prompt is estimated, the length of the
reply is cut to what is left.
"""

from __future__ import annotations

import math
import threading
import time
from datetime import datetime

import msgspec

from ragheal.models.chat.ledger import Ledger
from ragheal.settings import BudgetSettings
from ragheal.types import ModelRole, Tokens

_FINAL: frozenset[ModelRole] = frozenset({"generator", "verifier"})
#: A reply shorter than this is of no use to anybody.
LEAST_TOKENS = 16
LEAST_SECONDS = 0.05
_MILLION = 1_000_000


class Usage(msgspec.Struct, frozen=True):
    """What the calls of one question took. `cost` is in the currency of the prices, `seconds` are of waiting."""

    calls: int = 0
    tokens: Tokens = Tokens()
    seconds: float = 0.0
    cost: float = 0.0


class Grant(msgspec.Struct, frozen=True):
    """Leave to make a call: at most this long a reply, until this moment of time.monotonic (inf: no limit)."""

    max_tokens: int
    deadline: float


class Budget:
    """The budgets of one question; the day's spending is in the ledger. May be used by several threads."""

    def __init__(self, settings: BudgetSettings, ledger: Ledger, base_url: str) -> None:
        self._settings = settings
        self._ledger = ledger
        self._base_url = base_url
        self._lock = threading.Lock()
        self.start()

    def start(self) -> None:
        """A new question: nothing used, the clock at zero."""
        self._started = time.monotonic()
        self.usage = Usage()

    def grant(self, role: ModelRole, prompt_tokens: int, max_tokens: int) -> Grant | str:
        """Leave for one call, or why there is none."""
        limits = self._settings
        share = 1.0 if role in _FINAL else 1.0 - limits.reserve
        kept = "" if role in _FINAL else " that the final answer does not need"
        deadline = self._started + limits.seconds * share if limits.seconds else math.inf
        if deadline - time.monotonic() < LEAST_SECONDS:
            return f"the question's {limits.seconds:g} seconds{kept} are used up (budget.seconds)"
        used = self.usage.tokens.prompt + self.usage.tokens.completion
        day = self._ledger.spent(today()) if limits.tokens_per_day or limits.cost_per_day else None
        tokens = [("budget.tokens", "question", limits.tokens, used)]
        costs = [("budget.cost", "question", limits.cost, self.usage.cost)]
        if day is not None:
            tokens.append(("budget.tokens_per_day", "day", limits.tokens_per_day, day.tokens))
            costs.append(("budget.cost_per_day", "day", limits.cost_per_day, day.cost))
        for key, what, limit, spent in tokens:
            if limit:
                max_tokens = min(max_tokens, int(limit * share - spent - prompt_tokens))
                if max_tokens < LEAST_TOKENS:
                    return f"the {what}'s {limit} tokens{kept} do not allow another call ({key})"
        prompt_cost = self.cost(Tokens(prompt_tokens, 0))
        for key, what, money, paid in costs:
            if money and limits.price_completion:
                left = money * share - paid - prompt_cost
                max_tokens = min(max_tokens, int(left / limits.price_completion * _MILLION))
            if money and (max_tokens < LEAST_TOKENS or paid + prompt_cost > money * share):
                return f"the {what}'s cost of {money:g}{kept} does not allow another call ({key})"
        return Grant(max_tokens, deadline)

    def cost(self, tokens: Tokens) -> float:
        prices = self._settings
        return (tokens.prompt * prices.price_prompt + tokens.completion * prices.price_completion) / _MILLION

    def spend(self, model: str, tokens: Tokens) -> None:
        """Note what a reply took."""
        cost = self.cost(tokens)
        with self._lock:
            used = self.usage.tokens
            total = Tokens(used.prompt + tokens.prompt, used.completion + tokens.completion)
            self.usage = msgspec.structs.replace(self.usage, tokens=total, cost=self.usage.cost + cost)
        self._ledger.spend(today(), self._base_url, model, tokens.prompt, tokens.completion, cost)

    def count(self, seconds: float) -> None:
        """Note that a call was made and how long it took."""
        with self._lock:
            self.usage = msgspec.structs.replace(
                self.usage, calls=self.usage.calls + 1, seconds=self.usage.seconds + seconds
            )


def estimate(*texts: str) -> int:
    """About how many tokens texts make: a Chinese character is one, four other characters are one."""
    count = 0.0
    for text in texts:
        wide = sum(char > "\u2e7f" for char in text)
        count += wide + (len(text) - wide) / 4
    return math.ceil(count)


def today() -> str:
    """The day by the clock on the wall."""
    return datetime.now().astimezone().date().isoformat()
