"""`loop.parallel`: independent parts at once, told in one order whatever the threads do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ragheal.answering.roles import Roles
from ragheal.retrieval.base import Doors
from ragheal.types import (
    ChatReply,
    ChatRequest,
    Check,
    Citation,
    Claim,
    Draft,
    FaultStep,
    Grade,
    Hit,
    Hop,
    HopStep,
    Part,
    Plan,
    Query,
    Route,
    Routing,
    SearchStep,
    Step,
    Tokens,
    Verdict,
)

QUESTION = "Who leads the Firmware team and who leads the Quality team?"
SIDES = ("Who leads the Firmware team?", "Who leads the Quality team?")


class Model:
    """Has the shape of `Roles`: a model that is asked through the door and quotes the first hit."""

    name = "model"
    explicit_hops = True

    def __init__(self, doors: Doors, emit: Callable[[Step], None]) -> None:
        self._doors, self._emit = doors, emit

    @property
    def usage(self) -> tuple[int, Tokens]:
        return 0, Tokens()

    def classify(self, question: str) -> Routing | None:
        return None

    def plan(self, question: str, route: Route) -> Plan:
        return Plan((Query(question),), "comparison", parts=tuple(Part(side) for side in SIDES))

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        self._doors.chat(ChatRequest("judge", "", question))
        self._emit(FaultStep("judge", "malformed", question))
        self._doors.chat(ChatRequest("judge", "", question, attempt=2))
        return Verdict(True, 0.9, tuple(Grade(hit.chunk.id, 90) for hit in pool[:1]))

    def rewrite(self, *_: object) -> None:
        return None

    def generate(
        self,
        question: str,
        plan: Plan,
        pool: Sequence[Hit],
        verdict: Verdict,
        *,
        strict: bool,
        hops: Sequence[Hop] = (),
    ) -> Draft | None:
        chunks = [hit.chunk for hit in pool]
        citations = [Citation(n, c.id, c.source, c.heading, 1, 1, c.text) for n, c in enumerate(chunks, 1)]
        return Draft(tuple(Claim(c.quote, (c.n,)) for c in citations), tuple(citations))

    def verify(self, *_: object, **__: object) -> Check:
        return Check("accept", "supported", True, 5)


class Slow:
    """Doors whose chat answers about the second part first: it waits until both are asked."""

    def __init__(self, world: Any, both: bool) -> None:
        self._world = world
        self._second = threading.Event()
        self._both = both
        self.threads: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def chat(self, request: ChatRequest) -> ChatReply:
        self.threads.add(threading.current_thread().name)
        if self._both and request.user == SIDES[0]:
            assert self._second.wait(10), "the second part was never asked beside the first"
        if request.user == SIDES[1] and request.attempt == 2:
            self._second.set()
        return ChatReply(text=request.user)


def model(doors: Doors, embedded: Roles, emit: Callable[[Step], None]) -> Roles:
    return Model(doors, emit)


@pytest.mark.parametrize("parallel", [True, False])
def test_one_story_whatever_the_threads_do(play: Any, documents: Any, parallel: bool) -> None:
    """Steps, calls and rounds stand in the order of the parts, so that the run replays and reads the same."""
    world = Slow(documents, both=parallel)
    played = play(QUESTION, roles=model, world=world, loop__strategy="multi_hop", loop__parallel=parallel)
    assert len(world.threads) == (2 if parallel else 1)
    assert [step.hop.question for step in played.steps(HopStep)] == list(SIDES)
    assert [step.round for step in played.steps(SearchStep)] == [1, 2, 3]
    assert [step.detail for step in played.steps(FaultStep)] == list(SIDES)
    chats = [exchange.reply for exchange in played.trace.exchanges if exchange.door == "chat"]
    assert [SIDES[0].encode() in bytes(reply) for reply in chats] == [True, True, False, False]
    assert {entry.round for entry in played.answer.evidence} <= {1, 2, 3}
    assert played.answer.degraded == ("judge: embedded stood in (malformed, 2 times)",)


def test_both_ways_give_one_trace(play: Any, documents: Any) -> None:
    """Side by side is faster and nothing else."""
    traces = [
        play(
            QUESTION, roles=model, world=Slow(documents, both=way), loop__strategy="multi_hop", loop__parallel=way
        ).trace
        for way in (True, False)
    ]
    from ragheal.tracing.replay import compare

    assert compare(*traces) is None


def test_a_failure_in_a_thread_is_a_failure(play: Any, documents: Any) -> None:
    """An error of the program must not vanish with its thread."""

    class Broken(Slow):
        def chat(self, request: ChatRequest) -> ChatReply:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        play(
            QUESTION,
            roles=model,
            world=Broken(documents, both=False),
            loop__strategy="multi_hop",
            loop__parallel=True,
        )


def test_embedded_searches_both_sides_at_once(play: Any) -> None:
    """Without a model the sides of a comparison share the first round."""
    question = "Which stores more readings, the Fulmar or the Puffin?"
    run = play(question, loop__strategy="multi_hop")
    assert len([step for step in run.steps(SearchStep) if step.round == 1]) == 3
