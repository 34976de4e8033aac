"""Run a trace again offline and name the first step that differs.

`Player` answers the doors from a trace, in order; `check` runs the same code on it and compares each
step as it comes, so that the first difference is named and not its consequences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from ragheal.errors import CheckFailed, TraceError, nearest
from ragheal.retrieval.base import Doors
from ragheal.tracing import requests
from ragheal.tracing.record import CHAT, READER, SEARCH, SIMILARITY, VOCABULARY
from ragheal.types import Answer, ChatReply, ChatRequest, Exchange, Hit, Query, Reading, Step, Trace

#: Begins the entry of `Answer.degraded` for a trace that could not be kept. It tells of the disk, not of the run.
NOT_SAVED = "trace not saved"
#: Begin the entries that tell what was given up for the state of the machine, and what surrounds a run.
_OF_THE_DAY = (
    NOT_SAVED,
    "not logged",
    "reader off",
    "memory",
    "cache",
    "signals",
    "repairs",
    "overlay",
    "the file of",
)

T = TypeVar("T")
_IGNORED = frozenset({"seconds"})
_EDITED = (
    "something it is shown (a hit, an earlier reply, the question) was edited in the trace, "
    "or this ragheal words the request otherwise"
)


class Player:
    """Has the shape of `Doors`; every reply comes from the trace. Raises CheckFailed on any other call."""

    def __init__(self, trace: Trace) -> None:
        self._exchanges = trace.exchanges
        self._models = trace.models
        self._next = 0
        #: Number of the step that is being made, counted from 1; kept by `check` for the messages.
        self.step = 1

    @property
    def fingerprints(self) -> Mapping[str, str]:
        return self._models

    def search(self, query: Query) -> tuple[Hit, ...]:
        return self._answer(SEARCH, requests.search(query), tuple[Hit, ...])

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        return self._answer(VOCABULARY, requests.vocabulary(terms), dict[str, int])

    def similarity(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        return self._answer(SIMILARITY, requests.similarity(query, texts), tuple[float, ...])

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> tuple[Reading, ...]:
        # A type alias of a union is no `type[T]` to the type checker.
        kind: Any = tuple[Reading, ...]
        reply: tuple[Reading, ...] = self._answer(READER, requests.reader(question, passages), kind)
        return reply

    def chat(self, request: ChatRequest) -> ChatReply:
        return self._answer(CHAT, requests.chat(request), ChatReply)

    def finish(self) -> None:
        """Raises CheckFailed when recorded calls were never made: then it was another run."""
        left = self._exchanges[self._next :]
        if left:
            raise CheckFailed(
                f"step {self.step}: {len(left)} recorded lookup{'s were' if len(left) > 1 else ' was'} not made "
                f"again, first {_named(left[0])}"
            )

    def _answer(self, door: str, request: str, kind: type[T]) -> T:
        number = self._next + 1
        if self._next >= len(self._exchanges):
            raise CheckFailed(
                f"step {self.step}: asked {_call(door, request)}, "
                f"but the trace ends after {len(self._exchanges)} lookups",
                hint=self._nearest(door, request),
            )
        recorded = self._exchanges[self._next]
        if (recorded.door, recorded.request) != (door, request):
            if door == recorded.door == CHAT:
                raise CheckFailed(
                    f"step {self.step}: lookup {number} is another chat than in the trace: "
                    f"{_chat_difference(recorded.request, request)}",
                    hint=self._known(door, request) or _EDITED,
                )
            raise CheckFailed(
                f"step {self.step}: asked {_call(door, request)}, "
                f"but lookup {number} of the trace is {_named(recorded)}",
                hint=self._nearest(door, request),
            )
        self._next = number
        try:
            return msgspec.json.decode(bytes(recorded.reply), type=kind)
        except msgspec.DecodeError as error:
            raise TraceError(f"the reply of lookup {number} ({door}) cannot be read: {error}") from None

    def _known(self, door: str, request: str) -> str:
        for number, exchange in enumerate(self._exchanges, start=1):
            if (exchange.door, exchange.request) == (door, request):
                return f"the trace has this very call as lookup {number}"
        return ""

    def _nearest(self, door: str, request: str) -> str:
        if known := self._known(door, request):
            return known
        same_door = {exchange.request: exchange for exchange in self._exchanges if exchange.door == door}
        close = nearest(request, same_door, 0.0)
        return f"nearest in the trace: {_named(same_door[close])}" if close else f"the trace has no {door} at all"


def check(trace: Trace, run: Callable[[Doors, Callable[[Step], None]], Trace]) -> None:
    """Run a trace again with `run(doors, on_step)` and compare.

    Raises CheckFailed naming the first step that differs, the first call that does, or the part of the
    answer that does.
    """
    player = Player(trace)

    def on_step(step: Step) -> None:
        number = player.step
        recorded = trace.steps[number - 1] if number <= len(trace.steps) else None
        difference = _step_difference(number, recorded, step)
        if difference:
            raise CheckFailed(difference)
        player.step = number + 1

    again = run(player, on_step)
    difference = compare(trace, again)
    if difference:
        raise CheckFailed(difference)
    player.finish()


def compare(old: Trace, new: Trace) -> str | None:
    """The first step (else part of the answer) in which two runs differ, in words; None when they are alike.

    Times, ids and versions are left out, and so is what tells of the disk of today: whether a cited file
    has changed, whether the trace could be kept.
    """
    for number in range(1, max(len(old.steps), len(new.steps)) + 1):
        before = old.steps[number - 1] if number <= len(old.steps) else None
        after = new.steps[number - 1] if number <= len(new.steps) else None
        difference = _step_difference(number, before, after)
        if difference:
            return difference
    difference = _first_difference(_answer_fields(old.answer), _answer_fields(new.answer), "")
    return f"the answer differs: {difference}" if difference else None


def _step_difference(number: int, old: Step | None, new: Step | None) -> str | None:
    if old is None and new is not None:
        return f"step {number} ({_kind(new)}) is not in the trace, which ends after {number - 1} steps"
    if new is None and old is not None:
        return f"step {number} ({_kind(old)}) is in the trace, but the run ended after {number - 1} steps"
    assert old is not None
    assert new is not None
    if _kind(old) != _kind(new):
        return f"step {number}: was {_kind(old)}, is now {_kind(new)}"
    difference = _first_difference(msgspec.to_builtins(old), msgspec.to_builtins(new), "")
    return f"step {number} ({_kind(old)}): {difference}" if difference else None


def _kind(step: Step) -> str:
    return str(step.__struct_config__.tag)


def _answer_fields(answer: Answer) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(answer)
    for citation in fields.get("citations", ()):
        citation.pop("changed", None)
    degraded = [entry for entry in fields.pop("degraded", ()) if not entry.startswith(_OF_THE_DAY)]
    return {**fields, "degraded": degraded}


def _first_difference(old: Any, new: Any, path: str) -> str | None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            if key in _IGNORED:
                continue
            below = f"{path}.{key}" if path else str(key)
            difference = _first_difference(old.get(key), new.get(key), below)
            if difference:
                return difference
        return None
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        for i, (a, b) in enumerate(zip(old, new, strict=False)):
            difference = _first_difference(a, b, f"{path}[{i}]")
            if difference:
                return difference
        return None if len(old) == len(new) else f"{path} had {len(old)} entries, has {len(new)}"
    return None if old == new else f"{path} was {_short(old)}, is now {_short(new)}"


def _named(exchange: Exchange) -> str:
    return _call(exchange.door, exchange.request)


def _call(door: str, request: str) -> str:
    if door == SEARCH:
        try:
            return f"search {_short(msgspec.json.decode(request, type=Query).text)}"
        except msgspec.DecodeError:
            pass
    if door == CHAT and (parts := requests.chat_parts(request)):
        role, prompt, attempt = parts
        return f"chat of the {role} ({prompt or 'no prompt'}, attempt {attempt})"
    return f"{door} {_short(request)}"


def _chat_difference(old: str, new: str) -> str:
    """How two chats differ, in words; a trace keeps only a digest of the texts."""
    before, after = requests.chat_parts(old), requests.chat_parts(new)
    if before is None or after is None:
        return f"was {_short(old)}, is now {_short(new)}"
    for name, a, b in zip(("role", "prompt", "attempt"), before, after, strict=True):
        if a != b:
            return f"the {name} was {a or 'none'}, is now {b or 'none'}"
    return f"the texts the {after[0]} was shown differ"


def _short(value: Any, limit: int = 90) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = " ".join(text.split())
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"“{text}”" if isinstance(value, str) else text
