"""The story of a run, and the record of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from ragheal.types.answer import Answer, Check, Draft, Hop, ModelRole
from ragheal.types.base import Value
from ragheal.types.evidence import Hit, Plan, Query, Routing, Verdict

# --- the story of a run: the steps that are rendered live, kept in the trace, and replayed ----------------


class RouteStep(Value, frozen=True, tag="route"):
    routing: Routing


class PlanStep(Value, frozen=True, tag="plan"):
    plan: Plan


class SearchStep(Value, frozen=True, tag="search"):
    round: int
    query: Query
    hits: tuple[Hit, ...]
    new: int  # hits the pool did not have
    seconds: float = 0.0


class JudgeStep(Value, frozen=True, tag="judge"):
    round: int
    verdict: Verdict
    seconds: float = 0.0


class RewriteStep(Value, frozen=True, tag="rewrite"):
    round: int
    query: Query
    why: str
    severity: Literal["mild", "moderate", "critical"] = "mild"


class StopStep(Value, frozen=True, tag="stop"):
    """The loop ended without sufficient evidence."""

    round: int
    why: str


class DraftStep(Value, frozen=True, tag="draft"):
    draft: Draft
    attempt: int = 1


class CheckStep(Value, frozen=True, tag="check"):
    check: Check
    attempt: int = 1


class HopStep(Value, frozen=True, tag="hop"):
    """A sub-question of a multi-hop question has its answer, or has none."""

    hop: Hop


class FaultStep(Value, frozen=True, tag="fault"):
    """A model did not do its part; `instead` says who or what did."""

    role: ModelRole
    kind: str  # a `Fault`, or "malformed": then it is a judge_error when the role is the judge
    detail: str
    instead: str = "embedded"


Step = (
    RouteStep
    | PlanStep
    | SearchStep
    | JudgeStep
    | RewriteStep
    | StopStep
    | DraftStep
    | CheckStep
    | HopStep
    | FaultStep
)


# --- traces --------------------------------------------------------------------------------------------


class Exchange(Value, frozen=True):
    """One call through a door to the outside (retriever, model, corpus statistics): asked and answered.

    `request` identifies the call on replay; `reply` is JSON of a shape that the door knows.
    """

    door: str  # "search", "similarity", "reader", "vocabulary", "chat"
    request: str
    reply: msgspec.Raw
    seconds: float = 0.0


class Recalled(Value, frozen=True):
    """The remembered plan that a run started from."""

    id: str
    similarity: float
    question: str
    plan: Plan


class Cached(Value, frozen=True):
    """The answer came from the cache: of which trace, and how old it is in seconds."""

    trace_id: str
    age: float


class Trace(Value, frozen=True):
    """Everything one run did, enough to show it again and to run it again offline."""

    version: int
    id: str
    created: str  # ISO 8601, UTC
    ragheal: str  # version of the program
    question: str
    index_generation: int
    settings: dict[str, object]  # the settings that shape an answer; never a key
    models: dict[str, str]  # door -> fingerprint of what answered it
    steps: tuple[Step, ...]
    exchanges: tuple[Exchange, ...]
    answer: Answer
    seconds: float = 0.0
    healed: bool = True  # False: --no-heal
    asked: str = ""  # the question as a repair reworded it; empty: as it was put
    overlay: int = 0  # number of the overlay of repairs in force; 0: none
    canary: bool = False  # the overlay was on trial for this question
    memory: Recalled | None = None
    cache: Cached | None = None
    raised: int = 0  # steps up the severity ladder from the start: a question like it was thumbed down


TRACE_VERSION = 1
