"""What a strategy is handed: the doors, the roles, the settings, and where to tell its steps."""

from __future__ import annotations

from collections.abc import Callable

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
