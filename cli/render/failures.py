"""The failure log: as a list, and what failures have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ..console import Page
from .layout import BELOW, REST, Cell, Row, listing
from .text import moment, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ragheal.history.clusters import Cluster
    from ragheal.history.log import Failure
    from ragheal.history.patterns import Pattern, Patterns

_LABEL = 13
_SHOWN = 10  # clusters, and entries of each other kind; --json has all


def listed(page: Page, failures: Sequence[Failure]) -> str:
    """A failure a line, newest first, with what was missing."""
    return listing(page, (_record(failure) for failure in failures))


def _record(failure: Failure) -> list[Cell]:
    missing = one_line("; ".join(missing.label for missing in failure.missing))
    return [
        Cell(failure.trace_id, len(failure.trace_id) + 2),
        Cell(failure.created, 18, "dim", moment(failure.created), roomy=True),
        Cell(failure.outcome, 13, "green" if failure.outcome == "healed" else "magenta"),
        Cell(str(failure.rounds)),
        Cell(failure.question, REST),
        Cell(missing, BELOW, "dim", missing and f"missing: {missing}"),
    ]


def clustered(page: Page, clusters: Sequence[Cluster], patterns: Patterns) -> str:
    """The clusters of more than one failure, the largest first, then documents and questions that stand out."""
    items: list[RenderableType] = []
    shared = [cluster for cluster in clusters if cluster.size > 1]
    for cluster in shared[:_SHOWN]:
        items += _cluster(cluster)
    alone = len(clusters) - len(shared)
    if len(shared) > _SHOWN:
        items.append(Text(f"… and {plural(len(shared) - _SHOWN, 'smaller cluster')}", "dim"))
    if alone:
        items.append(Text(f"{plural(alone, 'failure')} like no other", "dim"))
    if not clusters:
        items.append(Text("no failures"))
    items += _standing_out(patterns)
    return page.render(*items)


def _cluster(cluster: Cluster) -> Iterator[RenderableType]:
    healed = cluster.size - cluster.failed
    head = Text(one_line(cluster.label), "bold")
    counts = [f"{cluster.failed:,} failed"] * bool(cluster.failed) + [f"{healed:,} healed"] * bool(healed)
    head.append(f"  {', '.join(counts)}", "not bold magenta")
    head.append(f"  last {cluster.last[:10]}", "not bold dim")
    yield head
    for n, question in enumerate(cluster.questions):
        yield Row("  asked" if not n else "", one_line(question), cells=_LABEL)
    rows = (("  missing", cluster.missing), ("  documents", cluster.documents))
    for label, counted in rows:
        if counted:
            text = "; ".join(one_line(name) + (f" ({count})" if count > 1 else "") for name, count in counted[:3])
            yield Row(label, text, cells=_LABEL)
    yield Text("")


def _standing_out(patterns: Patterns) -> Iterator[RenderableType]:
    groups = (
        ("documents in runs that fail", patterns.documents),
        ("kinds of question that fail", patterns.questions),
    )
    for title, found in groups:
        if found:
            yield Text(title, "bold")
            for pattern in found[:_SHOWN]:
                yield Row("", _pattern(pattern), cells=2)
    if patterns.idle:
        yield Text("documents often found and never cited", "bold")
        for idle in patterns.idle[:_SHOWN]:
            yield Row("", f"{one_line(idle.source)}  in {plural(idle.runs, 'answered question')}", cells=2)


def _pattern(pattern: Pattern) -> str:
    what = "" if pattern.what == "document" else f"{pattern.what} "
    share = (
        f"{pattern.failed:,} of {pattern.runs:,} failed ({pattern.rate:.0%}, {pattern.lift:.1f} times the usual)"
    )
    return f"{what}{one_line(pattern.name)}  {share}"
