"""Runs made to measure, for the tests of the failure log and of the health figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from ragheal.history import log, runs
from ragheal.history.database import writing
from ragheal.storage.clock import new_id, stamp
from ragheal.types import (
    TRACE_VERSION,
    Answer,
    Check,
    CheckStep,
    Chunk,
    Citation,
    Evidence,
    Grade,
    Hit,
    JudgeStep,
    Missing,
    Query,
    Route,
    RouteStep,
    Routing,
    SearchStep,
    Status,
    Step,
    Tokens,
    Trace,
    Verdict,
)

NOW = datetime(2026, 6, 15, 12, 30, tzinfo=UTC)
_number = count()


def keep(folder: Path, *traces: Trace) -> None:
    """As the program keeps them: counted, and logged where they failed or healed."""
    with writing(folder) as db:
        for trace in traces:
            runs.write(db, trace)
            log.write(db, trace)


def made(
    question: str = "Who wrote the manual?",
    status: Status = "answered",
    *,
    route: Route = "standard",
    rounds: int = 1,
    missing: Sequence[str] = (),
    queries: Sequence[str] = (),
    sources: Sequence[str] = ("manual.md",),
    cited: Sequence[str] | None = None,
    created: datetime = NOW,
    attempts: int = 1,
    relevance: int = 90,
    useful: int = 5,
    seconds: float = 0.5,
    **more: object,
) -> Trace:
    """A run; `more` are fields of the trace. It cites what it finds when it answers, unless told otherwise."""
    answered = status not in {"abstained", "direct"}
    if route == "direct":
        rounds = 0
    steps: list[Step] = [RouteStep(Routing(route, "made"))]
    asked = [*queries, question, *(f"{question} {n}" for n in range(2, rounds + 1))][: max(rounds, len(queries))]
    for n, text in enumerate(asked[:rounds], 1):
        last = n == rounds
        hits = tuple(Hit(_chunk(source), 0.5) for source in sources)
        wanted = tuple(Missing("entity", label, (label,)) for label in missing)
        enough = last and status == "answered"
        steps.append(SearchStep(n, Query(text), hits, len(hits)))
        grades = (Grade("c", relevance),)
        steps.append(JudgeStep(n, Verdict(enough, 0.9 if enough else 0.2, grades, () if enough else wanted)))
    check = None
    if answered and rounds:
        accepted = status in {"answered", "conflict"}
        support = "supported" if accepted else "partially supported"
        check = Check("accept" if accepted else "disclaim", support, status != "partial", useful)
        steps += [CheckStep(check, attempt) for attempt in range(1, attempts + 1)]
    used = (sources[:1] if answered and rounds else ()) if cited is None else cited
    answer = Answer(
        question, status, "…", "en", route,
        citations=tuple(Citation(n, "c", source, "", 1, 1, "") for n, source in enumerate(used, 1)),
        evidence=tuple(Evidence(source, "c", 0.5) for source in sources) if rounds else (),
        missing=() if status == "answered" else tuple(missing),
        check=check, rounds=rounds, degraded=more.pop("degraded", ()), calls=more.pop("calls", 0),
        tokens=more.pop("tokens", Tokens()), hops=more.pop("hops", ()),
    )  # fmt: skip
    return Trace(
        version=TRACE_VERSION,
        id=f"{new_id()[:7]}{next(_number):04d}",
        created=stamp(created),
        ragheal="0.1.0",
        question=question,
        index_generation=1,
        settings=more.pop("settings", {}),
        models={},
        steps=(*steps, *more.pop("steps", ())),
        exchanges=(),
        answer=answer,
        seconds=seconds,
        **more,
    )


def _chunk(source: str) -> Chunk:
    return Chunk("c", source, 0, "…", (), "paragraph", 1, 1, 0, 1)
