"""The scripted back end: roles answer from a file, for tests and demonstrations.

    {"judge": [{"sufficient": false, "confidence": 0.2, "missing": [{"kind": "entity", "label": "dates"}]},
               {"sufficient": true, "confidence": 0.9}]}

Each role's replies are used up in order, each of the shape of the role's value in `types.py`; null is None.
A role that the script does not name is played by the embedded back end; one whose replies run out is an
error. A draft may be prose: "It pauses dispatch. [1]" cites the first hit that is shown, and
"[notes/plan.md]" or "[notes/plan.md:12]" the first one of that file, or with that line.
`"explicit_hops": true` asks the parts of a plan one after the other, as with a model server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ragheal.answering.roles import Rewrite, Roles, Severity
from ragheal.answering.verification import split_claims
from ragheal.errors import ConfigError
from ragheal.text.script import lang
from ragheal.types import Check, Citation, Draft, Hit, Hop, Lang, Plan, Query, Route, Routing, Tokens, Verdict

T = TypeVar("T")
_PLACE = re.compile(r"\[(?P<source>[^\[\]\n]*[^\[\]\d\s,:][^\[\]\n:]*)(?::(?P<line>\d+))?\]")
_STRONG = 90
_HOPS = "explicit_hops"
ROLES = ("classify", "plan", "judge", "rewrite", "generate", "verify")


class ScriptedRoles:
    """Has the shape of `Roles`; `asked` keeps the names of the roles in the order they were called."""

    name = "scripted"

    def __init__(self, script: dict[str, Any], fallback: Roles) -> None:
        unknown = sorted(set(script) - {*ROLES, _HOPS})
        if unknown:
            raise ConfigError(
                f"the script names an unknown role `{unknown[0]}`", hint=f"roles: {', '.join(ROLES)}"
            )
        wrong = next((role for role in ROLES if not isinstance(script.get(role, []), list)), "")
        if wrong or not isinstance(script.get(_HOPS, False), bool):
            raise ConfigError(f"the script's `{wrong or _HOPS}` must be {'a list' if wrong else 'true or false'}")
        self.explicit_hops: bool = script.get(_HOPS, False)
        self._left = {role: list(script[role]) for role in ROLES if role in script}
        self._fallback = fallback
        self.asked: list[str] = []

    @classmethod
    def load(cls, path: Path, fallback: Roles) -> ScriptedRoles:
        """Read a script. Raises ConfigError when it is missing or is not as told above."""
        if path == Path():
            raise ConfigError("`model.script` names no file", hint="--set model.script=script.json")
        try:
            script = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except OSError as error:
            raise ConfigError(
                f"cannot read the script {path}: {error.strerror or error}", hint="`model.script` names the file"
            ) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"the script {path} is not usable: {error}", hint='it looks like {"judge": [{"sufficient": true}]}'
            ) from None
        return cls(script, fallback)

    @property
    def usage(self) -> tuple[int, Tokens]:
        return 0, Tokens()

    def classify(self, question: str) -> Routing | None:
        return self._reply("classify", Routing, lambda: self._fallback.classify(question))

    def plan(self, question: str, route: Route) -> Plan:
        found = self._reply("plan", Plan, lambda: self._fallback.plan(question, route))
        return found or self._fallback.plan(question, route)

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        found = self._reply("judge", Verdict, lambda: None)
        if found is None:
            return self._fallback.judge(question, plan, pool, strict=strict)
        if not found.grades and pool:
            # A script says what it decides; which hits bear on the question the embedded judge can tell. Of a
            # pool that is called sufficient the best hits are strong.
            grades = self._fallback.judge(question, plan, pool, strict=strict).grades
            best = max((grade.relevance for grade in grades), default=0)
            if found.sufficient and 0 < best < _STRONG:
                grades = tuple(
                    msgspec.structs.replace(grade, relevance=grade.relevance * _STRONG // best) for grade in grades
                )
            return msgspec.structs.replace(found, grades=grades, judged_by=self.name)
        return msgspec.structs.replace(found, judged_by=self.name)

    def rewrite(
        self, question: str, plan: Plan, verdicts: Sequence[Verdict], tried: Sequence[Query], severity: Severity
    ) -> Rewrite | None:
        found = self._reply(
            "rewrite", Rewrite, lambda: self._fallback.rewrite(question, plan, verdicts, tried, severity)
        )
        return None if found is None else msgspec.structs.replace(found, severity=severity)

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
        left = self._left.get("generate")
        if left and isinstance(left[0], str):
            self.asked.append("generate")
            return _drafted(left.pop(0), pool, lang(question))
        return self._reply(
            "generate",
            Draft,
            lambda: self._fallback.generate(question, plan, pool, verdict, strict=strict, hops=hops),
        )

    def verify(
        self, question: str, plan: Plan, draft: Draft, pool: Sequence[Hit], verdict: Verdict, *, strict: bool
    ) -> Check:
        found = self._reply("verify", Check, lambda: None)
        return found or self._fallback.verify(question, plan, draft, pool, verdict, strict=strict)

    def _reply(self, role: str, kind: type[T], otherwise: Callable[[], T | None]) -> T | None:
        self.asked.append(role)
        if role not in self._left:
            return otherwise()
        if not self._left[role]:
            times = self.asked.count(role)
            raise ConfigError(f"the script has no reply left for `{role}` (asked {times} times)")
        reply = self._left[role].pop(0)
        if reply is None:
            return None
        try:
            return msgspec.convert(reply, kind)
        except msgspec.ValidationError as error:
            raise ConfigError(f"the script's reply for `{role}` does not fit: {error}") from None


def _drafted(text: str, pool: Sequence[Hit], language: Lang) -> Draft:
    """Prose with [n] or [source:line] marks as a draft; n counts the hits of the pool from 1."""

    def numbered(match: re.Match[str]) -> str:
        source, line = match["source"], int(match["line"] or 0)
        for n, hit in enumerate(pool, 1):
            if hit.chunk.source == source and (not line or hit.chunk.start_line <= line <= hit.chunk.end_line):
                return f"[{n}]"
        return f"[{len(pool) + 1}]"  # a source that is not there is cited as one that does not exist

    claims = split_claims(_PLACE.sub(numbered, text), language)
    cited = sorted({n for claim in claims for n in claim.cites if 0 < n <= len(pool)})
    chunks = {n: pool[n - 1].chunk for n in cited}
    citations = tuple(
        Citation(n, c.id, c.source, c.heading, c.start_line, c.end_line, c.text, c.page) for n, c in chunks.items()
    )
    return Draft(claims, citations, lang=language)
