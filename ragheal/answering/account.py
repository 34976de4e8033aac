"""What a run cost and what it gave up, put into its answer."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ragheal.answering.roles import Roles
from ragheal.types import Answer, FaultStep, Step


def accounted(answer: Answer, roles: Roles, steps: Iterable[Step]) -> Answer:
    """The answer with the calls and tokens of the roles, and a line for each kind of fault on the way."""
    calls, tokens = roles.usage
    degraded = tuple(dict.fromkeys((*answer.degraded, *given_up(steps))))
    return msgspec.structs.replace(answer, calls=calls, tokens=tokens, degraded=degraded)


def given_up(steps: Iterable[Step]) -> tuple[str, ...]:
    """ "judge: embedded stood in (timeout, 2 times)", one line for each role and kind of fault."""
    counts: dict[tuple[str, str, str], int] = {}
    for step in steps:
        if isinstance(step, FaultStep):
            key = (step.role, step.instead, step.kind)
            counts[key] = counts.get(key, 0) + 1
    return tuple(
        f"{role}: {f'{instead} stood in' if instead else 'nobody stood in'} "
        f"({kind}{f', {count} times' if count > 1 else ''})"
        for (role, instead, kind), count in counts.items()
    )
