"""What the stores of an index hold: traces, remembered plans, kept answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..console import Page
from .layout import REST, Cell, listing, plain, rows
from .text import age, moment, plural, size

if TYPE_CHECKING:
    from ragheal.caching.figures import KindFigures
    from ragheal.history.retention import Pruned
    from ragheal.history.traces import TraceRow
    from ragheal.memory import Remembered
    from ragheal.settings.sections import HistorySettings


def traces(page: Page, found: Sequence[TraceRow]) -> str:
    """A trace a line, newest first."""
    return listing(page, (_trace(row) for row in found))


def _trace(row: TraceRow) -> list[Cell]:
    return [
        Cell(row.id, len(row.id) + 2),
        Cell(row.created, 18, "dim", moment(row.created), roomy=True),
        Cell(row.status, 11, "green" if row.status in {"answered", "direct"} else "magenta"),
        Cell(row.route),
        Cell(str(row.rounds)),
        Cell(row.question, REST),
    ]


def pruned(page: Page, done: Pruned, limits: HistorySettings, *, dry_run: bool) -> str:
    """What was removed, or would be."""
    kept = plural(done.kept, "trace")
    if not done.traces and not any(done.rows.values()):
        set_ = [f"{limits.keep_days:g} days"] if limits.keep_days else []
        set_ += [f"{limits.keep_mb:g} MB"] if limits.keep_mb else []
        within = f", within {' and '.join(set_)}" if set_ else ", and no limit is set"
        return plain(page, f"nothing to remove: {kept} ({size(done.before)}){within}")
    parts = [plural(done.traces, "trace")]
    parts += [plural(count, name.removesuffix("s")) for name, count in done.rows.items() if count]
    since = f" since {done.oldest[:10]}" if done.oldest else ""
    verb = "would remove" if dry_run else "removed"
    sizes = f"{size(done.before)} -> {size(done.after)}"
    return plain(page, f"{verb} {', '.join(parts)}; {kept} kept{since} ({sizes})")


def plans(page: Page, found: Sequence[Remembered]) -> str:
    """A remembered plan a line, last used first."""
    return listing(page, (_plan(entry) for entry in found))


def _plan(entry: Remembered) -> list[Cell]:
    used = entry.last_used or entry.created
    return [
        Cell(entry.id, len(entry.id) + 2),
        Cell(used, 18, "dim", moment(used), roomy=True),
        Cell(entry.route),
        Cell(f"{entry.strength:.2f}", 6, "green" if entry.strength >= 1 else "magenta"),
        Cell(str(entry.uses)),
        Cell(entry.question, REST),
    ]


def plan(page: Page, entry: Remembered) -> str:
    return rows(page, _about(entry), cells=11)


def _about(entry: Remembered) -> Iterator[tuple[str, str]]:
    yield "plan", entry.id
    yield "question", entry.question
    yield "route", f"{entry.route} ({entry.plan.shape})"
    for n, query in enumerate(entry.plan.queries):
        yield ("" if n else "queries"), query.text
    for n, source in enumerate(entry.documents):
        yield ("" if n else "documents"), source
    yield "strength", f"{entry.strength:.2f}"
    done = f"{entry.successes:,} answered, {entry.failures:,} failed"
    yield "used", f"{entry.uses:,} times · {done}"
    yield "learned", f"{moment(entry.created)} UTC from trace {entry.trace_id}"
    if entry.last_used:
        yield "last used", f"{moment(entry.last_used)} UTC"


def kept(page: Page, figures: Mapping[str, KindFigures]) -> str:
    """What the cache holds of each kind, and how often it helped."""
    return rows(page, ((kind, _kept(entry)) for kind, entry in figures.items()), cells=11)


def _kept(figures: KindFigures) -> str:
    asked = figures.hits + figures.misses
    parts = [f"{figures.entries:,} kept"]
    if figures.entries:
        routes = ", ".join(f"{count:,} {route}" for route, count in figures.routes.items())
        parts = [f"{figures.entries:,} kept ({routes})" if routes else parts[0], size(figures.bytes)]
        parts.append(f"oldest {age(figures.oldest or 0.0)}")
    if figures.hit_rate is not None:
        parts.append(f"{figures.hits:,} of {plural(asked, 'lookup')} served ({figures.hit_rate:.0%})")
    return " · ".join(parts)


def cleared(page: Page, removed: Mapping[str, int]) -> str:
    parts = [plural(count, kind.removesuffix("s")) for kind, count in removed.items()]
    return plain(page, f"removed {' and '.join(parts)}" if parts else "the cache was empty")
