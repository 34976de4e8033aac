"""The back end without a model server: no key, no network, deterministic, extractive. It reads.

    plan.py       question -> queries
    reading.py    hits -> windows -> candidates: does it answer, and where (the shipped reader)
    chain.py      the sentence that leads on, and the windows read after it;  compare.py reads both sides
    judge.py      candidates -> calibrated confidence -> verdict;  conflict.py, lacking.py: what stands against it
    rewrite.py    what is missing -> the next queries, in the documents' own words
    generate.py   candidates -> quoted sentences;  verify.py reads them once more by themselves

The roles share one `EvidenceReader`, and what was found in a pool is found once.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.embedded import generate as _generate
from ragheal.answering.embedded import judge as _judge
from ragheal.answering.embedded import plan as _plan
from ragheal.answering.embedded import rewrite as _rewrite
from ragheal.answering.embedded import verify as _verify
from ragheal.answering.embedded.reading import EvidenceReader, Panel
from ragheal.answering.roles import Rewrite, Severity
from ragheal.retrieval.base import Doors
from ragheal.settings import Settings
from ragheal.text.questions import analyze, asked_parts
from ragheal.text.windows import joined
from ragheal.types import Check, Draft, Hit, Hop, Plan, Query, Route, Routing, Tokens, Verdict


class EmbeddedRoles:
    """All five roles for one question. Has the shape of `Roles`."""

    name = "embedded"
    explicit_hops = False

    def __init__(self, doors: Doors, settings: Settings) -> None:
        self._doors = doors
        self._settings = settings
        self._reader = EvidenceReader(doors)
        self._found: dict[tuple[str, str, tuple[str, ...]], tuple[Panel, _judge.Finding]] = {}
        self._last: tuple[Panel, _judge.Finding] | None = None

    @property
    def usage(self) -> tuple[int, Tokens]:
        return 0, Tokens()

    def classify(self, question: str) -> Routing | None:
        return None  # the rules are all it knows of routes

    def plan(self, question: str, route: Route) -> Plan:
        return _plan.plan(analyze(question), route)

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        whole, finding = self._last = self._find(question, plan, pool)
        return _judge.verdict(plan, pool, whole, finding, self._reader, strict=strict)

    def rewrite(
        self, question: str, plan: Plan, verdicts: Sequence[Verdict], tried: Sequence[Query], severity: Severity
    ) -> Rewrite | None:
        deep = self._settings.loop.deep_k
        return _rewrite.rewrite(
            analyze(question), plan, verdicts[-1], self._last, tried, severity, self._doors.frequencies, deep
        )

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
        _, finding = self._find(question, plan, pool)
        return _generate.generate(finding, verdict.conflict, self._settings.answer)

    def verify(
        self, question: str, plan: Plan, draft: Draft, pool: Sequence[Hit], verdict: Verdict, *, strict: bool
    ) -> Check:
        _, finding = self._find(question, plan, pool)
        again = None
        best = finding.panel.best
        named = best is not None and best.reading.named  # by a number that the answer need not repeat
        if finding.sides is None and verdict.conflict is None and draft.citations and not named:
            # Read once more what will be shown, without the sentences around it.
            said = " ".join(claim.text for claim in draft.claims)
            context = joined("", finding.panel.after, draft.citations[0].heading)
            # A question that asks two things is answered when each of them is.
            asked = [analyze(part) for part in asked_parts(question)] if plan.shape != "chain" else []
            whole = finding.panel.question
            again = min(self._reader.reread(one, context, said) for one in (asked if len(asked) > 1 else [whole]))
        return _verify.verify(draft, pool, finding, self._settings.answer, again, strict=strict)

    def _find(self, question: str, plan: Plan, pool: Sequence[Hit]) -> tuple[Panel, _judge.Finding]:
        key = (question, plan.shape, tuple(hit.chunk.id for hit in pool))
        if key not in self._found:
            whole = self._reader.read(analyze(question), pool)
            self._found[key] = whole, _judge.find(whole, plan, pool, self._reader)
        return self._found[key]
