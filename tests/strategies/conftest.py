"""Strategies on a small corpus behind real recorder and player, with a script in place of a model."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ragheal.answering.account import accounted
from ragheal.answering.embedded import EmbeddedRoles
from ragheal.answering.kit import Kit, Story
from ragheal.answering.roles import Roles
from ragheal.answering.scripted import ScriptedRoles
from ragheal.retrieval.base import Doors
from ragheal.settings import load
from ragheal.strategies import STRATEGIES
from ragheal.strategies.adaptive import decide
from ragheal.tracing.record import Recorder
from ragheal.tracing.replay import check
from ragheal.types import TRACE_VERSION, Answer, Plan, RouteStep, Step, Trace

DOCUMENTS = {
    "teams.md": "Teams\nThe Firmware team is led by Hedda Korrin.\n\nThe Quality team is led by Oddny Vale.",
    "people.md": "People\nHedda Korrin last shipped the Fulmar tag.\n\nOddny Vale was once a refrigeration mechanic.",
    "fulmar.md": "Fulmar tag\nThe Fulmar tag has a battery that lasts nine years.\n\nThe Fulmar stores 64,000 readings.",
    "puffin.md": "Puffin tag\nThe Puffin tag stores 32,000 readings.",
    "调度器.md": "青雁调度器\n青雁调度器由派单组维护。\n\n网关电量低于12%时，青雁暂停派单30分钟。",
    "团队.md": "团队\n派单组的负责人是沈知远，组里共有五名成员。",
}


def words() -> Any:
    path = Path(__file__).parent.parent / "answering" / "conftest.py"
    spec = importlib.util.spec_from_file_location("word_doors", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WordDoors


class Played:
    """A question asked once; `trace` as the program would keep it."""

    def __init__(
        self,
        question: str,
        world: Any,
        make: Callable[[Doors, Callable[[Step], None]], Roles],
        settings: Any,
        remembered: Plan | None,
        raised: int,
    ) -> None:
        def ask(doors: Doors, on_step: Callable[[Step], None]) -> Trace:
            steps: list[Step] = []

            def tell(step: Step) -> None:
                steps.append(step)
                on_step(step)

            story = Story(tell)
            roles = make(doors, story)
            self.roles = roles
            routing = decide(question, settings, roles)
            story(RouteStep(routing))
            kit = Kit(doors, roles, settings, story, remembered, raised)
            answer = accounted(STRATEGIES[routing.route](question, routing, kit), roles, steps)
            return Trace(TRACE_VERSION, "t", "", "", question, 1, {}, {}, tuple(steps), (), answer)

        recorder = Recorder(world)
        run = ask(recorder, lambda step: None)
        self.first_roles = self.roles
        trace = msgspec.structs.replace(run, exchanges=recorder.exchanges)
        self.trace = msgspec.json.decode(msgspec.json.encode(trace), type=Trace)
        assert self.trace == trace
        # Whatever a test asks, its run must replay.
        check(self.trace, ask)

    @property
    def answer(self) -> Answer:
        return self.trace.answer

    def steps(self, kind: type[Any]) -> list[Any]:
        return [step for step in self.trace.steps if isinstance(step, kind)]

    @property
    def asked(self) -> list[str]:
        assert isinstance(self.first_roles, ScriptedRoles)
        return self.first_roles.asked


@pytest.fixture
def documents() -> Any:
    """The corpus behind plain doors."""
    return words()(DOCUMENTS)


Play = Callable[..., Played]


@pytest.fixture
def play() -> Play:
    def played(
        question: str,
        script: Mapping[str, Any] | None = None,
        *,
        roles: Callable[[Doors, Roles, Callable[[Step], None]], Roles] | None = None,
        documents: Mapping[str, str] = DOCUMENTS,
        top_k: int = 10,
        remembered: Plan | None = None,
        raised: int = 0,
        world: Any = None,
        **flags: Any,
    ) -> Played:
        settings = load(env={}, flags={key.replace("__", "."): value for key, value in flags.items()}).settings

        def make(doors: Doors, emit: Callable[[Step], None]) -> Roles:
            embedded = EmbeddedRoles(doors, settings)
            if roles is not None:
                return roles(doors, embedded, emit)
            return embedded if script is None else ScriptedRoles({"explicit_hops": True, **script}, embedded)

        return Played(question, world or words()(documents, top_k), make, settings, remembered, raised)

    return played
