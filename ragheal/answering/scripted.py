"""The scripted back end: roles answer from a file, for tests and demonstrations.

    {"judge": [{"sufficient": false, "confidence": 0.2, "missing": [{"kind": "entity", "label": "dates"}]},
               {"sufficient": true, "confidence": 0.9}]}

Each role's replies are used up in order, each of the shape of the role's value in `types.py`. A role that
the script does not name is played by the embedded back end; one whose replies run out is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ragheal.answering.roles import Rewrite, Roles, Severity
from ragheal.errors import ConfigError
from ragheal.types import Check, Draft, Hit, Hop, Plan, Query, Route, Routing, Verdict

T = TypeVar("T")
ROLES = ("classify", "plan", "judge", "rewrite", "generate", "verify")


class ScriptedRoles:
    """Has the shape of `Roles`; `asked` keeps the names of the roles in the order they were called."""

    name = "scripted"
    explicit_hops = False

    def __init__(self, script: dict[str, list[Any]], fallback: Roles) -> None:
        unknown = sorted(set(script) - set(ROLES))
        if unknown:
            raise ConfigError(
                f"the script names an unknown role `{unknown[0]}`", hint=f"roles: {', '.join(ROLES)}"
            )
        self._left = {role: list(replies) for role, replies in script.items()}
        self._fallback = fallback
        self.asked: list[str] = []

    @classmethod
    def load(cls, path: Path, fallback: Roles) -> ScriptedRoles:
        """Read a script. Raises ConfigError when it is missing or no JSON object of lists."""
        try:
            script = msgspec.json.decode(path.read_bytes(), type=dict[str, list[Any]])
        except OSError as error:
            raise ConfigError(f"cannot read the script {path}: {error.strerror or error}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"the script {path} is not usable: {error}") from None
        return cls(script, fallback)

    def classify(self, question: str) -> Routing | None:
        return self._reply("classify", Routing) or self._fallback.classify(question)

    def plan(self, question: str, route: Route) -> Plan:
        return self._reply("plan", Plan) or self._fallback.plan(question, route)

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        return self._reply("judge", Verdict) or self._fallback.judge(question, plan, pool, strict=strict)

    def rewrite(
        self, question: str, plan: Plan, verdicts: Sequence[Verdict], tried: Sequence[Query], severity: Severity
    ) -> Rewrite | None:
        return self._reply("rewrite", Rewrite) or self._fallback.rewrite(question, plan, verdicts, tried, severity)

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
        return self._reply("generate", Draft) or self._fallback.generate(
            question, plan, pool, verdict, strict=strict, hops=hops
        )

    def verify(
        self, question: str, plan: Plan, draft: Draft, pool: Sequence[Hit], verdict: Verdict, *, strict: bool
    ) -> Check:
        return self._reply("verify", Check) or self._fallback.verify(
            question, plan, draft, pool, verdict, strict=strict
        )

    def _reply(self, role: str, kind: type[T]) -> T | None:
        self.asked.append(role)
        if role not in self._left:
            return None
        if not self._left[role]:
            times = self.asked.count(role)
            raise ConfigError(f"the script has no reply left for `{role}` (asked {times} times)")
        try:
            return msgspec.convert(self._left[role].pop(0), kind)
        except msgspec.ValidationError as error:
            raise ConfigError(f"the script's reply for `{role}` does not fit: {error}") from None
