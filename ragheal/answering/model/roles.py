"""`ModelRoles`: the six roles played by a chat model, each backed by the embedded one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ragheal.answering.model import generating, planning, prompts, rewriting, verifying
from ragheal.answering.model.ask import Asker
from ragheal.answering.model.judging import ModelJudge
from ragheal.answering.roles import Rewrite, Roles, Severity
from ragheal.retrieval.base import Doors
from ragheal.settings import Settings
from ragheal.text.questions import analyze
from ragheal.types import Check, Draft, FaultStep, Hit, Hop, Plan, Query, Route, Routing, Step, Tokens, Verdict

_PARTED = frozenset({"multi_hop", "combined"})


class ModelRoles:
    """Has the shape of `Roles`. Everything it learns comes through the doors, so a recorded run replays.

    Raises ConfigError when a prompt of `model.prompts` cannot be used.
    """

    name = "openai"
    explicit_hops = True

    def __init__(self, doors: Doors, settings: Settings, embedded: Roles, emit: Callable[[Step], None]) -> None:
        prompts.check(settings.model.prompts)
        self._doors, self._settings, self._embedded, self._emit = doors, settings, embedded, emit
        self._asker = Asker(doors, settings, emit)
        self._judge = ModelJudge(self._asker, settings.model)
        self._verdicts: dict[tuple[object, ...], Verdict] = {}
        self._drafts: dict[tuple[object, ...], int] = {}
        #: Drafts that the embedded generator wrote, and whether in place of one that was not grounded.
        self._quoted: dict[int, bool] = {}
        self._route: Route = "standard"

    @property
    def usage(self) -> tuple[int, Tokens]:
        """Calls that were sent, and the tokens the server reported."""
        return self._asker.calls, self._asker.tokens

    @property
    def judge_errors(self) -> int:
        """Askings of the judge that gave no verdict even the second time."""
        return self._asker.judge_errors

    def classify(self, question: str) -> Routing | None:
        return planning.classify(self._asker, analyze(question))

    def plan(self, question: str, route: Route) -> Plan:
        self._route = route
        if route == "direct":
            return self._embedded.plan(question, route)
        asked = analyze(question)
        if route in _PARTED:
            made = planning.plan(self._asker, asked, self._settings.loop.max_hops)
            return made or self._embedded.plan(question, route)
        reason = "one fact" if route != "generative" else "passages to write from"
        return Plan((Query(asked.text, origin="question", wants=asked.kind),), reason=reason)

    def judge(self, question: str, plan: Plan, pool: Sequence[Hit], *, strict: bool) -> Verdict:
        key = (question, strict, tuple(hit.chunk.id for hit in pool))
        if key not in self._verdicts:
            self._verdicts[key] = self._judged(question, plan, pool, strict)
        return self._verdicts[key]

    def _judged(self, question: str, plan: Plan, pool: Sequence[Hit], strict: bool) -> Verdict:
        # One shot has nobody who could search again: it costs one call, as ordinary RAG does.
        asked = bool(pool) and self._settings.loop.heal
        final = self._route == "generative"
        given = self._judge.verdict(analyze(question), pool, strict=strict, final=final) if asked else None
        if given is None:
            return self._embedded.judge(question, self._plain(question, plan), pool, strict=strict)
        if not given.sufficient and not given.missing:
            # It says that something is missing and not what: the embedded judge names it.
            named = self._embedded.judge(question, self._plain(question, plan), pool, strict=True).missing
            given = msgspec.structs.replace(given, missing=named)
        return given

    def rewrite(
        self, question: str, plan: Plan, verdicts: Sequence[Verdict], tried: Sequence[Query], severity: Severity
    ) -> Rewrite | None:
        made = rewriting.rewrite(
            self._asker,
            analyze(question),
            verdicts,
            tried,
            severity,
            self._known,
            self._settings.loop.deep_k,
        )
        return made or self._embedded.rewrite(question, self._plain(question, plan), verdicts, tried, severity)

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
        if plan.shape == "direct":
            return generating.undocumented(self._asker, analyze(question))
        compose = self._route == "generative"
        hits = generating.relevant(pool, verdict, hops)
        if compose or not self._settings.loop.heal:
            hits = list(pool)  # one shot answers from what it found; writing takes what there is
        if not hits and verdict.judged_by == "embedded":
            # Its grades are on a scale of their own; the embedded generator knows what to make of them.
            return self._quote(question, plan, pool, verdict, strict, hops)
        if not hits:
            return None
        key = (question, tuple(hit.chunk.id for hit in pool))
        self._drafts[key] = self._drafts.get(key, 0) + 1
        # What is streamed is shown as it comes: only a text that nothing will be put around or taken from.
        stream = verdict.sufficient and verdict.conflict is None and self._drafts[key] == 1
        made = generating.generate(
            self._asker, analyze(question), hits, verdict, self._settings,
            strict=strict, stream=stream, hops=hops, compose=compose,
        )  # fmt: skip
        if compose and made.draft is not None:
            made = generating.Drafted(verifying.without_orders(made.draft, hits, analyze(question)))
        if made.draft is not None and self._drafts[key] > 1 and not compose:
            problem = self._baseless(made.draft, pool, question)
            if problem:
                # Written twice, and nothing of it stands in the hits: what they say themselves, as far as it goes.
                self._emit(FaultStep("generator", "ungrounded", problem))
                return self._quote(question, plan, pool, verdict, strict, hops, doubted=True)
        if made.draft is not None or made.not_found:
            return made.draft
        return self._quote(question, plan, pool, verdict, strict, hops)

    def _quote(
        self,
        question: str,
        plan: Plan,
        pool: Sequence[Hit],
        verdict: Verdict,
        strict: bool,
        hops: Sequence[Hop],
        *,
        doubted: bool = False,
    ) -> Draft | None:
        quoted = self._embedded.generate(
            question, self._plain(question, plan), pool, verdict, strict=strict, hops=hops
        )
        if quoted is not None:
            self._quoted[hash(quoted)] = doubted
        return quoted

    def _baseless(self, draft: Draft, pool: Sequence[Hit], question: str) -> str:
        """The first thing that code finds wrong, if it finds something in every claim."""
        found = verifying.problems(draft, pool, analyze(question))
        return found[0] if found and verifying.from_problems(found, draft).grounded == "unsupported" else ""

    def verify(
        self, question: str, plan: Plan, draft: Draft, pool: Sequence[Hit], verdict: Verdict, *, strict: bool
    ) -> Check:
        if hash(draft) in self._quoted:
            check = self._stand_in(question, plan, draft, pool, verdict, strict)
            doubted = self._quoted[hash(draft)] and check.outcome == "accept"
            return msgspec.structs.replace(check, outcome="disclaim") if doubted else check
        asked = analyze(question)
        found = verifying.problems(draft, pool, asked)
        if found:
            return verifying.from_problems(found, draft)
        if verdict.sufficient and verifying.settled(draft, asked):
            return verifying.from_code(verdict)
        if not self._settings.loop.heal:
            return Check("accept", "partially supported", True, 3, ("one shot: checked by code alone",))
        word = verifying.ask(self._asker, asked, draft, pool, self._settings.model.context_chars, strict=strict)
        if word is None:
            return self._stand_in(question, plan, draft, pool, verdict, strict)
        key = (question, tuple(hit.chunk.id for hit in pool))
        beside = not verifying.speaks_of_it(draft.claims, verifying.cited_texts(draft), asked)
        last = self._drafts.get(key, 1) > 1
        return verifying.from_model(word, verdict, strict=strict, last=last, beside=beside)

    def _stand_in(
        self, question: str, plan: Plan, draft: Draft, pool: Sequence[Hit], verdict: Verdict, strict: bool
    ) -> Check:
        return self._embedded.verify(question, self._plain(question, plan), draft, pool, verdict, strict=strict)

    def _plain(self, question: str, plan: Plan) -> Plan:
        """The plan the embedded roles would have made: they read a plan's queries by their places."""
        if plan.shape == "single" and not plan.parts:
            return plan
        return self._embedded.plan(question, "multi_hop" if plan.shape != "direct" else "direct")

    def _known(self, terms: Sequence[str]) -> frozenset[str]:
        found = self._doors.frequencies(terms)
        return frozenset(term for term in terms if found.get(term, 0) > 0)
