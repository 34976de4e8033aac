"""What a strategy is handed: the doors, the roles, the settings, and where to tell its steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from ragheal.answering.roles import Roles
from ragheal.retrieval.base import Doors
from ragheal.settings import Settings
from ragheal.types import Plan, Step


class Kit(msgspec.Struct, frozen=True):
    """The parts of one run. `emit` receives every step as it happens."""

    doors: Doors
    roles: Roles
    settings: Settings
    emit: Callable[[Step], None]
    remembered: Plan | None = None  # a plan that answered a question like this one; tried in place of a new one
    raised: int = 0  # steps up the severity ladder to start from


class Story:
    """An `emit` for runs with threads: the steps of a thread can be held back and told in their order later."""

    def __init__(self, emit: Callable[[Step], None]) -> None:
        self._emit = emit
        self._held = threading.local()

    def __call__(self, step: Step) -> None:
        held: list[Step] | None = getattr(self._held, "steps", None)
        (self._emit if held is None else held.append)(step)

    @contextmanager
    def apart(self) -> Iterator[list[Step]]:
        """The steps of this thread go into the list, until the block ends."""
        steps: list[Step] = []
        self._held.steps = steps
        try:
            yield steps
        finally:
            self._held.steps = None
