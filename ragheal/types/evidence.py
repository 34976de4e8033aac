"""From documents to hits to a verdict on them."""

from __future__ import annotations

from typing import Literal

import msgspec

from ragheal.types.base import Route, Value
from ragheal.types.places import Place, Runs, unpack, widened

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
    """A file as it was read. `text` is its reading text: what a reader sees, without the marks of its format.

    `raw` is the decoded file where the file is text, else ""; `runs` lead from the one back to the other.
    """

    source: str  # path relative to the indexed folder, with "/"
    kind: str  # "markdown", "text", "html", "pdf", "docx", "csv", "json", "jsonl", "code", "notebook", "rst", …
    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    encoding: str = "utf-8"
    raw: str = ""
    runs: Runs = msgspec.field(default_factory=Runs.empty)
    metadata: dict[str, str] = {}  # noqa: RUF012 - e.g. {"date": "2026-03-01"} of front matter


class Chunk(Value, frozen=True):
    """A piece of a document that is indexed, retrieved and cited. `text == document.text[start_char:end_char]`.

    It has two faces: `text` is what is embedded, searched, read and shown; `raw` what stands in the file for it,
    "" where that is the same or no text. `places` leads from the one to the other (see `types/places.py`).
    """

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
    raw: str = ""
    places: bytes = b""

    @property
    def heading(self) -> str:
        return " > ".join(self.headings)

    def place(self, start: int, end: int) -> Place:
        """Where text[start:end] stands in the file; what the loader put there has the place of what follows."""
        if self.places and (found := unpack(self.places, len(self.text)).place(start, end)):
            return found
        # Of a trace that is older than the map: as it was counted then, so that it replays.
        first = min(self.start_line + self.text.count("\n", 0, start), self.end_line)
        last = max(first, min(first + self.text.count("\n", start, end), self.end_line))
        return Place(first, last, self.page)

    def quote(self, start: int, end: int) -> str:
        """The characters of the source that text[start:end] stands for; the text itself where the file is none."""
        if self.raw and (span := unpack(self.places, len(self.text)).span(start, end, len(self.text))):
            low, high = widened(self.raw, *span)
            return self.raw[low:high]
        return self.text[start:end]

    def read(self, quote: str) -> str:
        """What is read of a quotation from here, with what the loader put before it: "10^6" of `10<sup>6</sup>`.

        The quotation itself where the file is read as it stands, or where it is no part of it.
        """
        low = self.raw.find(quote) if self.raw and quote else -1
        if low < 0:
            return quote
        runs, high = unpack(self.places, len(self.text)), low + len(quote)
        stops = [*runs.starts[1:], len(self.text)]
        parts, own = [], False
        for index in range(len(stops) - 1, -1, -1):  # from the end: what was put there belongs to what follows
            start, stop, raw = runs.starts[index], stops[index], runs.raws[index]
            if raw >= 0:
                exact = runs.sizes[index] == stop - start
                own = raw < high and (raw + runs.sizes[index] > low if exact else raw >= low)
                if own and exact:
                    start, stop = start + max(0, low - raw), min(stop, start + high - raw)
            if own:
                parts.append(self.text[start:stop])
        return "".join(reversed(parts))


# --- question and retrieval ----------------------------------------------------------------------------


class Query(Value, frozen=True):
    """What is searched for. `origin` says who wrote it; `wants` the kind of evidence it is after."""

    text: str
    origin: Literal["question", "plan", "rewrite", "bridge", "deepen", "decompose"] = "question"
    wants: str = ""  # "definition", "relation", "value", "procedure", "comparison", … "parts": several passages
    depth: int = 0  # hits to take from each channel; 0: as configured
    asked: str = ""  # the question that the hits are read for; empty: `text` itself
    after: str = ""  # a sentence found before, which the hits are read together with
    paths: tuple[str, ...] = ()  # glob filters on the source


class Channel(Value, frozen=True):
    """A hit's place in one channel. `rank` counts from 1.

    `score`: a cosine ("dense"), BM25 ("lexical"), the probability that it answers ("reader"), or what its place
    among all that is near the question is worth beside that, in logits ("nearness").
    """

    name: Literal["dense", "lexical", "reader", "nearness"]
    rank: int
    score: float


class Hit(Value, frozen=True):
    """A chunk that was found, best first. `score`, 0 to 1: of the channels fused, or of the reader on them."""

    chunk: Chunk
    score: float
    channels: tuple[Channel, ...] = ()

    @property
    def nearness(self) -> float:
        """What the search knows of it beside the reader, in logits; 0 where it was not reranked."""
        return next((channel.score for channel in self.channels if channel.name == "nearness"), 0.0)


class Part(Value, frozen=True):
    """A sub-question of a multi-hop question. `needs` numbers (from 1) the parts whose answers it starts from.

    `{1}` in `question` stands for the answer of part 1.
    """

    question: str
    needs: tuple[int, ...] = ()


class Plan(Value, frozen=True):
    """At most three queries. Only the first is searched first; the others wait for a verdict.

    `together`: all queries are searched in the first round, as a remembered plan's are.
    `parts` are sub-questions to be answered one after the other; empty when one pool answers the whole.
    """

    queries: tuple[Query, ...]
    shape: Literal["single", "comparison", "chain", "direct"] = "single"
    reason: str = ""
    parts: tuple[Part, ...] = ()
    together: bool = False


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
    `named`: the question names the passage by its number, and code found it to bear that number.
    """

    answers: float
    near_miss: float = 0.0
    start: int = -1
    end: int = -1
    span_score: float = 0.0
    named: bool = False


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
