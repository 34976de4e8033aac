"""What a trace says of its run, in the terms of the failure log and the health figures."""

from __future__ import annotations

import re
from typing import Literal

from ragheal.text.questions import analyze
from ragheal.text.script import simplified
from ragheal.types import CheckStep, FaultStep, JudgeStep, Missing, SearchStep, Trace, Value

Outcome = Literal["abstained", "partial", "disclaimed", "regenerated", "healed"]
OUTCOMES: tuple[Outcome, ...] = ("abstained", "partial", "disclaimed", "regenerated", "healed")
#: The outcomes that left the user without what was asked for, or nearly so.
FAILED: tuple[Outcome, ...] = ("abstained", "partial", "disclaimed", "regenerated")

#: Relevance (0–100) from which on a hit counts as relevant, and usefulness (1–5) that passes.
RELEVANT, USEFUL = 50, 4

_ZH_OPENING = re.compile(
    r"^(?:请问|请|那么)?(为什么|什么时候|什么|怎么|怎样|如何|多少|多久|多大|哪[一]?[\w]|是否|谁|几[\w]|有没有)"
)
_OPENING_WORDS = 2


class Involved(Value, frozen=True):
    """A document of the final evidence. `cited`: the answer rests on it."""

    source: str
    cited: bool = False


def recoveries(trace: Trace) -> int:
    """Rounds beyond the first; of a question in parts, beyond the first of each part. Cached: none."""
    answer = trace.answer
    if trace.cache is not None:
        return 0
    if answer.hops:
        return sum(max(0, hop.rounds - 1) for hop in answer.hops)
    return max(0, answer.rounds - 1)


def retrieved(trace: Trace) -> bool:
    """Whether the run searched at all: not a greeting, a sum or an answer of the cache."""
    return trace.cache is None and trace.answer.rounds > 0


def regenerated(trace: Trace) -> bool:
    """Whether a draft was thrown away and written anew from the hits alone."""
    return any(isinstance(step, CheckStep) and step.attempt > 1 for step in trace.steps)


def succeeded(trace: Trace) -> bool:
    """Whether the run ended in a verified answer; sources that disagree, stated and verified, are one too."""
    answer = trace.answer
    if answer.status == "conflict":
        return answer.check is None or answer.check.outcome == "accept"
    return answer.status == "answered"


def outcome(trace: Trace) -> Outcome | None:
    """How the run ended as the failure log names it; None for one that is no business of the log.

    What was written freely is disclaimed by its nature, and a question that looks nothing up misses nothing.
    """
    answer = trace.answer
    if answer.route == "direct":
        return None
    match answer.status:
        case "abstained" | "direct":  # said without documents, for want of any
            return "abstained"
        case "partial":
            return "partial"
        case "disclaimed" if answer.route != "generative":
            return "disclaimed"
    if trace.cache is not None or not succeeded(trace):
        return None
    if regenerated(trace):
        return "regenerated"
    return "healed" if recoveries(trace) else None


def failed(trace: Trace) -> bool:
    return outcome(trace) in FAILED


def involved(trace: Trace) -> tuple[Involved, ...]:
    """The documents of the final evidence, best first, each once."""
    cited = {citation.source for citation in trace.answer.citations}
    sources = dict.fromkeys([*(entry.source for entry in trace.answer.evidence), *sorted(cited)])
    return tuple(Involved(source, source in cited) for source in sources)


def queries(trace: Trace) -> tuple[str, ...]:
    """Every query in the order in which it was searched, each once."""
    return tuple(dict.fromkeys(step.query.text for step in trace.steps if isinstance(step, SearchStep)))


def missing(trace: Trace) -> tuple[Missing, ...]:
    """What the last verdict that missed anything missed: of a healed run, what had to be found."""
    for step in reversed(trace.steps):
        if isinstance(step, JudgeStep) and not step.verdict.sufficient and step.verdict.missing:
            return step.verdict.missing
    return tuple(Missing("part", label) for label in trace.answer.missing)


def relevant(trace: Trace) -> bool | None:
    """Whether any hit was graded relevant; None when nothing was graded."""
    grades = [grade.relevance for s in trace.steps if isinstance(s, JudgeStep) for grade in s.verdict.grades]
    judged = any(isinstance(step, JudgeStep) for step in trace.steps)
    return max(grades, default=0) >= RELEVANT if judged else None


def judge_errors(trace: Trace) -> int:
    """Replies of the judge that could not be read as a verdict."""
    return sum(isinstance(s, FaultStep) and s.role == "judge" and s.kind == "malformed" for s in trace.steps)


def degradations(trace: Trace) -> tuple[str, ...]:
    """What the run gave up, by kind: the entry up to its detail, so that kinds can be counted."""
    kinds = (re.split(r"[:：(（]", entry, maxsplit=1)[0] for entry in trace.answer.degraded)
    return tuple(dict.fromkeys(" ".join(re.sub(r"\d+", "N", kind).split())[:60] for kind in kinds))


def opening(question: str) -> str:
    """How a question begins: two words of English, the question word (else the first term) of Chinese."""
    asked = analyze(question)
    if asked.lang == "zh":
        match = _ZH_OPENING.search(simplified(question).strip())
        return match[1] if match else next(iter(asked.terms), "")
    return " ".join(re.findall(r"[\w'’-]+", question.lower())[:_OPENING_WORDS])
