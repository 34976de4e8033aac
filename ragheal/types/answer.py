"""From a draft to the answer, and the calls of model servers."""

from __future__ import annotations

from typing import Literal

from ragheal.types.base import Lang, Route, Status, Value
from ragheal.types.evidence import Conflict

# --- answering -----------------------------------------------------------------------------------------


class Citation(Value, frozen=True):
    """A place the answer rests on. `quote` is `Chunk.quote` of what is cited: verbatim what stands in the file."""

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


class Hop(Value, frozen=True):
    """What one sub-question gave. `answer` is empty when it was not found."""

    n: int
    question: str
    answer: str
    cites: tuple[str, ...] = ()  # chunk ids it rests on
    rounds: int = 1


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
    calls: int = 0  # of a model server
    hops: tuple[Hop, ...] = ()


# --- model servers -----------------------------------------------------------------------------------------

ModelRole = Literal["planner", "judge", "rewriter", "generator", "verifier", "classifier"]
Fault = Literal["", "unavailable", "timeout", "rate_limited", "auth", "rejected", "breaker", "budget", "cut_off"]


class ChatRequest(Value, frozen=True):
    """One call of a chat model. `schema` is the JSON schema that the reply must fit, "" for prose."""

    role: ModelRole
    system: str
    user: str
    schema: str = ""
    max_tokens: int = 0  # 0: as configured
    prompt: str = ""  # name, version and hash of the prompt
    attempt: int = 1  # tells a second asking of the same from the first
    stream: bool = False


class ChatReply(Value, frozen=True):
    """What came back. A call that failed has `fault` and says why in `detail`; its text is no answer."""

    text: str = ""
    fault: Fault = ""
    detail: str = ""
    tokens: Tokens = Tokens()
    model: str = ""
    output: Literal["schema", "object", "text"] = "text"  # how JSON was asked for
    seconds: float = 0.0
