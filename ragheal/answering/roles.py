"""The roles of a run and who may play them.

A back end plays all five. Each role is a function from values to a value: what it needs of the outside
it gets through the doors it was made with, so that a run can be recorded and replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from ragheal.types import Check, Draft, Hit, Hop, Plan, Query, Route, Routing, Tokens, Value, Verdict

Severity = Literal["mild", "moderate", "critical"]


class Rewrite(Value, frozen=True):
    """The next queries, searched in one round, and why these."""

    queries: tuple[Query, ...]
    why: str
    severity: Severity = "mild"


class Roles(Protocol):
    """Classifier, planner, judge, rewriter, generator and verifier of one question."""

    name: str
    #: True: `multi_hop` asks the plan's parts one after the other. False: the judge follows a chain in one pool.
    explicit_hops: bool

    @property
    def usage(self) -> tuple[int, Tokens]:
        """Calls of a model server so far, and the tokens it reported."""

    def classify(self, question: str) -> Routing | None:
        """The route of a question that no rule decides; None: no opinion."""

    def plan(self, question: str, route: Route) -> Plan:
        """Split a question into at most three queries."""

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        """Grade the pooled hits and say whether they suffice; if not, what is missing."""

    def rewrite(
        self, question: str, plan: Plan, verdicts: Sequence[Verdict], tried: Sequence[Query], severity: Severity
    ) -> Rewrite | None:
        """Queries for exactly what is missing, none tried before; None when there is nothing new to try."""

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
        """Answer from the pooled hits alone; None when nothing in them bears on the question.

        `hops` are the answers of the plan's parts, for a synthesis that says what each gave. A plan whose first
        query has origin "plan" asks for the answer of one part, which nobody is shown as it comes. A plan of
        shape "direct" has no hits: what can be said without documents, with no citations.
        """

    def verify(
        self, question: str, plan: Plan, draft: Draft, pool: Sequence[Hit], verdict: Verdict, *, strict: bool
    ) -> Check:
        """Check a draft against the passages it cites."""
