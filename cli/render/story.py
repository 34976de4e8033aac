"""The story of a run: each step as a few lines, the same live and on replay.

A label stands in a column of its own and the words hang next to it. Only bold, dim and base colours that
read on a light and on a dark background are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ragheal.types import (
    CheckStep,
    DraftStep,
    FaultStep,
    Hit,
    HopStep,
    JudgeStep,
    PlanStep,
    RewriteStep,
    RouteStep,
    SearchStep,
    Step,
    StopStep,
    Trace,
    Verdict,
)

from ..console import Page
from .layout import BELOW, REST, Cell, Row, lines
from .text import fit_end, moment, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

LABEL = 9  # cells of the label column
SHOWN = 5  # hits listed per round
_GOOD, _DOUBT = "green", "magenta"
#: The letter of each channel of a hit, and what its rank is by.
_CHANNELS = {
    "dense": ("d", "by meaning"), "lexical": ("w", "by words"), "reader": ("r", "by the reader"),
    "nearness": ("n", "by nearness"),
}  # fmt: skip


class Story:
    """Turns steps into renderables. Knows what it has said, so that the marks are explained once."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self._explained = False
        self._why = ""  # the last reason for a rewrite

    def lines(self, step: Step) -> list[RenderableType]:
        """What to print for one step."""
        return list(self._lines(step))

    def _lines(self, step: Step) -> Iterator[RenderableType]:
        match step:
            case RouteStep():
                yield from self._route(step)
            case PlanStep():
                yield from self._plan(step)
            case SearchStep():
                self._why = ""
                yield from self._search(step)
            case JudgeStep():
                yield from self._judge(step.verdict)
            case RewriteStep():
                why = f"{one_line(step.why)} ({step.severity})"
                # Several queries of one rewrite share its reason.
                yield self._row("" if why == self._why else "Rewrite", one_line(step.query.text), style="bold")
                if why != self._why:
                    yield self._row("", why, style="dim")
                self._why = why
            case StopStep():
                yield self._row("Stop", one_line(step.why), style=_DOUBT)
            case DraftStep():
                draft = step.draft
                sources = len({citation.source for citation in draft.citations})
                again = f" (attempt {step.attempt})" if step.attempt > 1 else ""
                said = f"{plural(len(draft.claims), 'sentence')} from {plural(sources, 'document')}{again}"
                yield from ("", self._row("Draft", said))
            case CheckStep():
                yield from self._check(step)
            case HopStep():
                hop = step.hop
                yield from ("", self._row(f"Hop {hop.n}", one_line(hop.question), style="bold"))
                said = one_line(hop.answer) if hop.answer else "not found"
                yield self._row("", f"→ {said}", style="" if hop.answer else _DOUBT)
            case FaultStep():
                detail = f": {one_line(step.detail)}" if step.detail else ""
                name = "judge_error" if (step.role, step.kind) == ("judge", "malformed") else step.kind
                yield self._row("Fault", f"{step.role} · {name}{detail} → {step.instead}", style=_DOUBT)

    def _route(self, step: RouteStep) -> Iterator[RenderableType]:
        routing = step.routing
        token = "No Retrieve" if routing.route == "direct" else "Retrieve"
        yield self._row("Route", f"{routing.route} · {token}")
        by = routing.decided_by if not routing.rule else f"{routing.decided_by} {routing.rule}"
        yield self._row("", f"{one_line(routing.reason)} ({one_line(by)})", style="dim")

    def _plan(self, step: PlanStep) -> Iterator[RenderableType]:
        queries = step.plan.queries
        if len(queries) <= 1:
            return  # the question itself: the first round shows it
        shape = "in order" if step.plan.shape == "chain" else "side by side"
        yield self._row("Plan", f"{plural(len(queries), 'query').replace('querys', 'queries')}, {shape}")
        for n, query in enumerate(queries, start=1):
            wants = f" ({one_line(query.wants)})" if query.wants else ""
            yield self._row("", f"{n}. {one_line(query.text)}{wants}")

    def _search(self, step: SearchStep) -> Iterator[RenderableType]:
        yield from ("", self._row(f"Round {step.round}", one_line(step.query.text), style="bold"))
        if not step.hits:
            yield self._row("", "no hits", style=_DOUBT)
            return
        yield from hit_lines(step.hits[:SHOWN], self.columns)
        more = len(step.hits) - SHOWN
        parts = [f"{more} more"] if more > 0 else []
        parts.append(f"{step.new} new of {plural(len(step.hits), 'hit')}")
        if not self._explained:
            used = {"dense", "lexical"}.union(channel.name for hit in step.hits for channel in hit.channels)
            told = {letter: how for name, (letter, how) in _CHANNELS.items() if name in used}
            parts.append(f"{', '.join(told)}: rank {', '.join(told.values())}")
            self._explained = True
        yield self._row("", " · ".join(parts), style="dim")

    def _judge(self, verdict: Verdict) -> Iterator[RenderableType]:
        words = Text()
        words.append(
            "sufficient" if verdict.sufficient else "not sufficient", _GOOD if verdict.sufficient else _DOUBT
        )
        words.append(f" · confidence {verdict.confidence:.2f}")
        if verdict.grades:
            kept = sum(grade.relevance >= 50 for grade in verdict.grades)
            words.append(f" · Relevant {kept}, Irrelevant {len(verdict.grades) - kept}")
        yield self._row("Verdict", words)
        if verdict.missing:
            yield self._row("", "missing: " + "; ".join(one_line(m.label) for m in verdict.missing))
        if verdict.conflict is not None:
            values = " / ".join(one_line(value) for value in verdict.conflict.values)
            reason = f" ({one_line(verdict.conflict.reason)})" if verdict.conflict.reason else ""
            yield self._row("", f"conflict: {values}{reason}", style=_DOUBT)
        if verdict.bridge:
            yield self._row("", f"found on the way: {one_line(verdict.bridge)}")

    def _check(self, step: CheckStep) -> Iterator[RenderableType]:
        check = step.check
        whole = "complete" if check.complete else "not complete"
        words = Text(f"{check.grounded.capitalize()} · {whole} · Useful {check.useful} → ")
        words.append(check.outcome, _GOOD if check.outcome == "accept" else _DOUBT)
        yield self._row("Check", words)
        for problem in check.problems:
            yield self._row("", one_line(problem), style="dim")

    def _row(self, label: str, body: object, *, style: str = "") -> RenderableType:
        return Row(label, body, style=style, cells=LABEL)


def head(page: Page, trace: Trace) -> str:
    """What was asked, and when: for a run that is shown again."""
    when = f"{moment(trace.created)} UTC · index generation {trace.index_generation}"
    return page.render(Text(one_line(trace.question), "bold"), Text(f"asked {when}", "dim"), "")


def hit_lines(hits: Sequence[Hit], columns: int) -> Iterator[Text]:
    """Hits on a terminal: rank, score, ranks in the channels, place, and how the passage begins."""
    for record in hit_records(hits, columns):
        yield from lines(columns, record)


def hit_records(hits: Sequence[Hit], columns: int) -> Iterator[list[Cell]]:
    """The same as records. On a narrow terminal the beginning goes on a line of its own."""
    places = [place(hit.chunk.source, hit.chunk.start_line) for hit in hits]
    beside = max([8, *(2 + len(marks(hit)) for hit in hits)])
    narrow = columns < 70
    room = columns - 13 - beside if narrow else min(max(map(len, places), default=0), columns * 2 // 5)
    for rank, (hit, where) in enumerate(zip(hits, places, strict=True), start=1):
        yield [
            Cell(None, 6, shown=f"{rank:>4}"),
            Cell(None, 7, "dim", f"{hit.score:.3f}"),
            Cell(None, beside, "dim", marks(hit)),
            Cell(where, REST if narrow else room + 2, shown=fit_end(where, room)),
            Cell(f"{hit.score:.4f}"),
            Cell(preview(hit), BELOW if narrow else REST, "dim"),
        ]


def place(source: str, line: int, page: int = 0) -> str:
    """`path:line`, and the page where the format has pages."""
    return f"{one_line(source)}:{line}" + (f" (p. {page})" if page else "")


def marks(hit: Hit) -> str:
    """The hit's rank in each channel: d2 by meaning (dense), w1 by words, r1 by the reader, n3 by nearness."""
    return " ".join(f"{_CHANNELS[channel.name][0]}{channel.rank}" for channel in hit.channels)


def preview(hit: Hit) -> str:
    return one_line(hit.chunk.text[:400])
