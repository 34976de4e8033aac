"""`ragheal failures`: the failure log, and what failures have in common."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragheal.errors import ConfigError

from . import console, options, session

if TYPE_CHECKING:
    from ragheal.history.log import Failure
    from ragheal.settings import Settings

_MOST_DAYS = 36_500.0


def failures(
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Group them by what was missing; show what fails out of proportion.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="How many, newest first [default: 20].")
    ] = None,
    since: Annotated[
        float | None, typer.Option("--since", metavar="DAYS", help="Only those of the last DAYS days.")
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            "--outcome", metavar="OUTCOME", help="failed, healed, abstained, partial, disclaimed, regenerated."
        ),
    ] = None,
    contains: Annotated[
        str | None, typer.Option("--contains", metavar="TEXT", help="Only where question or gap holds this text.")
    ] = None,
    index: options.Index = None,
    preset: options.Preset = None,
    assignments: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """List the questions that failed or had to heal, newest first. With --cluster: what they have in common."""
    from datetime import UTC, datetime, timedelta

    from ragheal.history import log
    from ragheal.storage.clock import stamp

    folder = session.existing_index(index)
    loaded = session.settings(folder, preset, assignments)
    known = (*log.OUTCOMES, "failed")
    if outcome is not None and outcome not in known:
        raise ConfigError(f"--outcome {outcome}: no such outcome", hint=f"one of: {', '.join(known)}")
    if limit is not None and limit < 1:
        raise ConfigError(f"--limit {limit}: at least 1", hint="without --limit there are 20")
    if since is not None and not 0 < since <= _MOST_DAYS:
        raise ConfigError(
            f"--since {since:g}: a number of days, more than 0 and at most {_MOST_DAYS:g}",
            hint="--since 7 shows the last week; without --since they are of all time",
        )
    start = datetime.now(UTC) - timedelta(days=since) if since is not None else None
    if cluster:
        return _clustered(folder, loaded.settings, start, limit, outcome, contains, json=json)
    rows = log.list(
        folder, limit=limit or 20, since=stamp(start) if start else None, outcome=outcome, contains=contains
    )
    if json:
        from .envelope import envelope, whole

        console.write(console.dump(envelope("failures", failures=whole(rows))))
        return 0
    if not rows and not quiet:
        console.note("no failures\n")
    console.write(_listed(rows))
    return 0


def _clustered(
    folder: Path,
    settings: Settings,
    start: Any,
    limit: int | None,
    outcome: str | None,
    contains: str | None,
    *,
    json: bool,
) -> int:
    from ragheal.history import clusters, log, patterns
    from ragheal.history.vectors import questions_of
    from ragheal.models import load_embedder
    from ragheal.storage.clock import stamp

    chosen = settings.embedding
    model = load_embedder(chosen.model, chosen.query_prefix, chosen.passage_prefix, threads=chosen.threads)
    rows = log.list(
        folder,
        limit=limit or clusters.MOST,
        since=stamp(start) if start else None,
        outcome=outcome,
        contains=contains,
    )
    embedder = model.fingerprint if rows else ""
    found = clusters.cluster(rows, questions_of(model), folder=folder, embedder=embedder)
    standing = patterns.find(folder, since=start)
    if json:
        from .envelope import envelope, whole

        fields = {"failures": len(rows), "clusters": whole(found), "patterns": whole(standing)}
        console.write(console.dump(envelope("failures", **fields)))
        return 0
    from .clusters import clusters_text

    columns = console.width() if console.is_terminal(sys.stdout) else 1000
    console.write(clusters_text(found, standing, columns=columns, colour=console.colourful(sys.stdout)))
    return 0


def _listed(rows: tuple[Failure, ...]) -> str:
    from rich.text import Text

    from .text import fit, one_line, pad

    if not console.is_terminal(sys.stdout):
        fields = ((r.trace_id, r.created, r.outcome, str(r.rounds), one_line(r.question), _gap(r)) for r in rows)
        return "".join("\t".join(row) + "\n" for row in fields)
    columns = console.width()
    items = []
    for row in rows:
        line = Text(f"{row.trace_id}  ", no_wrap=True)
        if columns >= 60:
            line.append(f"{row.created[:16].replace('T', ' ')}  ", "dim")
        line.append(pad(row.outcome, 13), "green" if row.outcome == "healed" else "magenta")
        line.append(fit(one_line(row.question), columns - line.cell_len))
        items.append(line)
        if gap := _gap(row):
            items.append(Text(fit(f"    missing: {gap}", columns), "dim", no_wrap=True))
    return console.render(*items, columns=columns, colour=console.colourful(sys.stdout))


def _gap(row: Failure) -> str:
    from .text import one_line

    return one_line("; ".join(missing.label for missing in row.missing))
