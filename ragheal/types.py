"""Every value that one stage hands to the next, in the order the stages run.

Pure values: frozen, without behaviour beyond what their fields imply, without identity beyond their
content. Where they are stored is told in `indexing/store.py` and `tracing/store.py`.
Character offsets count Unicode code points; lines count from 1; scores are floats, higher is better.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Lang = Literal["en", "zh"]
Route = Literal["direct", "standard", "multi_hop", "self_rag", "combined", "generative"]
Status = Literal["answered", "partial", "disclaimed", "conflict", "abstained", "direct"]
ROUTES: tuple[Route, ...] = ("direct", "standard", "multi_hop", "self_rag", "combined", "generative")


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of all values: frozen, comparable, cheap to write as JSON."""


# --- index ---------------------------------------------------------------------------------------------


class Block(Value, frozen=True):
    """A structural unit of a document: one paragraph, list, table, code block …

    `start` and `end` are offsets into `Document.text`; blocks are in order and do not overlap.
    `headings` is the path of headings above it, outermost first.
    """

    kind: Literal["paragraph", "list", "table", "code", "heading", "record"]
    start: int
    end: int
    headings: tuple[str, ...] = ()


class Document(Value, frozen=True):
    """A file as it was read. `text` is the decoded file itself where the file is text, else what was extracted.

    `lines[i]` is the line of the *file* on which line i (from 0) of `text` stands; empty when they are equal.
    `pages[i]` is the page of line i for paged formats, else empty.
    """

    source: str  # path relative to the indexed folder, with "/"
    kind: str  # "markdown", "text", "html", "pdf", "docx", "csv", "json", "jsonl", "code", "notebook", "rst"
    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    encoding: str = "utf-8"
    lines: tuple[int, ...] = ()
    pages: tuple[int, ...] = ()
    metadata: dict[str, str] = {}  # e.g. {"date": "2026-03-01"} from front matter


class Chunk(Value, frozen=True):
    """A piece of a document that is indexed, retrieved and cited. `text == document.text[start_char:end_char]`."""

    id: str  # first 16 hex digits of sha256(source, NUL, ordinal, NUL, text)
    source: str
    ordinal: int  # position within its document, from 0
    text: str
    headings: tuple[str, ...]  # document title first, then the heading path; no repeats
    kind: str  # kind of its blocks: paragraph, list, table, code, record
    start_line: int  # lines of the file, inclusive
    end_line: int
    start_char: int  # offsets into Document.text
    end_char: int
    page: int = 0  # 0: the format has no pages
    date: str = ""  # of the document, ISO, where its metadata tells

    @property
    def heading(self) -> str:
        return " > ".join(self.headings)


# --- question and retrieval ----------------------------------------------------------------------------


class Query(Value, frozen=True):
    """What is searched for. `origin` says who wrote it; `wants` the kind of evidence it is after."""

    text: str
    origin: Literal["question", "plan", "rewrite", "bridge", "deepen", "decompose"] = "question"
    wants: str = ""  # "definition", "relation", "value", "procedure", "comparison", …
    depth: int = 0  # hits to take from each channel; 0: as configured
    paths: tuple[str, ...] = ()  # glob filters on the source


class Channel(Value, frozen=True):
    """A hit's place in one channel. `rank` counts from 1."""

    name: Literal["dense", "lexical"]
    rank: int
    score: float


class Hit(Value, frozen=True):
    """A chunk that was found, best first. `score` is the fused score."""

    chunk: Chunk
    score: float
    channels: tuple[Channel, ...] = ()


class Plan(Value, frozen=True):
    """At most three queries. Only the first is searched first; the others wait for a verdict."""

    queries: tuple[Query, ...]
    shape: Literal["single", "comparison", "chain", "direct"] = "single"
    reason: str = ""


class Routing(Value, frozen=True):
    """Which strategy answers, why, and who decided."""

    route: Route
    reason: str
    decided_by: Literal["rule", "flag", "model", "default"] = "rule"
    rule: str = ""


# --- reading -------------------------------------------------------------------------------------------


class Reading(Value, frozen=True):
    """What a reader model makes of one passage for one question.

    `answers` is the calibrated probability that the passage answers it, `near_miss` that it only looks so;
    `start` and `end` are character offsets of the best span within the passage's text, -1 when there is none.
    """

    answers: float
    near_miss: float = 0.0
    start: int = -1
    end: int = -1
    span_score: float = 0.0


# --- judging -------------------------------------------------------------------------------------------


class Grade(Value, frozen=True):
    """One hit's worth for the question: relevance 0–100 (≥80 strong, 50–79 partial, <50 dropped)."""

    chunk_id: str
    relevance: int
    key: str = ""  # the sentence that matters
    gap: str = ""  # what it lacks


class Missing(Value, frozen=True):
    """Something the evidence lacks. `terms` are the words to search for; a relation names both its ends."""

    kind: Literal["entity", "relation", "value", "part"]
    label: str  # for people: "founding year of Acme"
    terms: tuple[str, ...] = ()


class Conflict(Value, frozen=True):
    """Two or more sources that state different values for the same thing."""

    values: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    preferred: int = -1  # index into values when recency or authority decides, else -1
    reason: str = ""


class Verdict(Value, frozen=True):
    """Whether the pool suffices to answer. `confidence` is the calibrated probability that it does."""

    sufficient: bool
    confidence: float
    grades: tuple[Grade, ...] = ()
    missing: tuple[Missing, ...] = ()
    conflict: Conflict | None = None
    suggestion: str = ""
    bridge: str = ""  # entity found on the way that the next hop starts from
    judged_by: str = "embedded"


# --- answering -----------------------------------------------------------------------------------------


class Citation(Value, frozen=True):
    """A place the answer rests on. `quote` occurs verbatim in the chunk's text; offsets count in the document."""

    n: int
    chunk_id: str
    source: str
    heading: str
    start_line: int
    end_line: int
    quote: str
    page: int = 0
    changed: bool = False  # the file is no longer what was indexed


class Claim(Value, frozen=True):
    """One sentence of an answer with the citations that carry it. `span` marks the answer proper in `text`."""

    text: str
    cites: tuple[int, ...] = ()
    span: tuple[int, int] | None = None


class Draft(Value, frozen=True):
    """An answer before it is verified. `lead` is a short computed head such as "Yes" or the winner's name."""

    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    lead: str = ""
    lang: Lang = "en"


class Check(Value, frozen=True):
    """What verification found."""

    outcome: Literal["accept", "disclaim", "regenerate", "abstain"]
    grounded: Literal["supported", "partially supported", "unsupported"]
    complete: bool
    useful: int  # 1–5
    problems: tuple[str, ...] = ()


class Evidence(Value, frozen=True):
    """One entry of the final pool, best first."""

    source: str
    chunk_id: str
    score: float
    round: int = 1


class Tokens(Value, frozen=True):
    """Tokens a model server reported. The embedded back end uses none."""

    prompt: int = 0
    completion: int = 0


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


Step = RouteStep | PlanStep | SearchStep | JudgeStep | RewriteStep | StopStep | DraftStep | CheckStep


class Answer(Value, frozen=True):
    """What a question came to. `text` is ready to print, with [n] markers; `citations` carries their places."""

    question: str
    status: Status
    text: str
    lang: Lang
    route: Route
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 0.0
    missing: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()  # abstained: the closest sources, as path:line
    check: Check | None = None
    conflict: Conflict | None = None
    rounds: int = 0
    degraded: tuple[str, ...] = ()
    tokens: Tokens = Tokens()


# --- traces --------------------------------------------------------------------------------------------


class Exchange(Value, frozen=True):
    """One call through a door to the outside (retriever, model, corpus statistics): asked and answered.

    `request` identifies the call on replay; `reply` is JSON of a shape that the door knows.
    """

    door: str  # "search", "similarity", "reader", "vocabulary", "chat"
    request: str
    reply: msgspec.Raw
    seconds: float = 0.0


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


TRACE_VERSION = 1
