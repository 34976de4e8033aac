"""The back end without a model server: no key, no network, deterministic, extractive.

    windows.py    hits -> sentence windows worth reading
    features.py   window -> what it shows of being an answer
    reading.py    windows -> candidates with probabilities (fitted weights: judge.json)
    plan.py       question -> queries;  decompose.py takes nested questions apart
    judge.py      candidates -> verdict;  compare.py and conflict.py see two sides
    rewrite.py    verdict -> next queries
    generate.py   candidates -> quoted sentences;  verify.py checks them

The roles share one `EvidenceReader`, so a window is read once for a question however often it is judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.embedded import generate as _generate
from ragheal.answering.embedded import judge as _judge
from ragheal.answering.embedded import plan as _plan
from ragheal.answering.embedded import rewrite as _rewrite
from ragheal.answering.embedded import verify as _verify
from ragheal.answering.embedded.reading import EvidenceReader
from ragheal.answering.roles import Rewrite, Severity
from ragheal.retrieval.base import Doors
from ragheal.settings import Settings
from ragheal.text.questions import analyze
from ragheal.types import Check, Draft, Hit, Hop, Plan, Query, Route, Routing, Tokens, Verdict


class EmbeddedRoles:
    """All five roles for one question. Has the shape of `Roles`."""

    name = "embedded"
    explicit_hops = False

    def __init__(self, doors: Doors, settings: Settings) -> None:
        self._doors = doors
        self._settings = settings
        self._reader = EvidenceReader(doors, settings.embedded.windows, reader=settings.embedded.reader)
        self._found: dict[tuple[str, str, tuple[str, ...]], _judge.Finding] = {}

    @property
    def usage(self) -> tuple[int, Tokens]:
        return 0, Tokens()

    def classify(self, question: str) -> Routing | None:
        return None  # the rules are all it knows of routes

    def plan(self, question: str, route: Route) -> Plan:
        return _plan.plan(analyze(question), route)

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        finding = self._find(question, plan, pool)
        return _judge.verdict(analyze(question), plan, pool, finding, strict=strict)

    def rewrite(
        self, question: str, plan: Plan, verdicts: Sequence[Verdict], tried: Sequence[Query], severity: Severity
    ) -> Rewrite | None:
        asked = analyze(question)
        weights = self._reader.weights(asked)
        return _rewrite.rewrite(
            asked, plan, verdicts, tried, severity, weights, self._known, self._settings.loop.deep_k
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
        finding = self._find(question, plan, pool)
        return _generate.generate(analyze(question), finding, verdict.conflict, self._settings.answer)

    def verify(
        self, question: str, plan: Plan, draft: Draft, pool: Sequence[Hit], verdict: Verdict, *, strict: bool
    ) -> Check:
        finding = self._find(question, plan, pool)
        # Read once more what will be shown, without the sentences around it.
        said = {n: claim.text for claim in reversed(draft.claims) for n in claim.cites}
        shown = [(citation.heading, said.get(citation.n, citation.quote)) for citation in draft.citations]
        whole = analyze(question)
        asked = finding.outer.question if finding.outer and finding.bridge else whole
        again = None if finding.sides else self._reader.reread(asked, shown)
        return _verify.verify(draft, pool, finding, self._settings.answer, again, strict=strict)

    def _find(self, question: str, plan: Plan, pool: Sequence[Hit]) -> _judge.Finding:
        key = (question, plan.shape, tuple(hit.chunk.id for hit in pool))
        if key not in self._found:
            self._found[key] = _judge.find(analyze(question), plan, pool, self._reader)
        return self._found[key]

    def _known(self, terms: Sequence[str]) -> frozenset[str]:
        found = self._doors.frequencies(terms)
        return frozenset(term for term in terms if found.get(term, 0) > 0)
