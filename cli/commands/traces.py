"""`ragheal traces`: list saved traces, or write one to a file; `ragheal traces prune` lets go of the oldest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

from ragheal.errors import ConfigError, IndexMissing

from .. import arguments, render
from ..console import whole
from ..options import argument, option
from ..output import Output
from ..session import Place, Project


def traces(
    place: Place,
    trace: Annotated[str | None, argument("TRACE", "With --export: a trace id, or `last`.")] = None,
    export: Annotated[Path | None, option("--export FILE", "Write the trace to this file.")] = None,
    limit: Annotated[int, option("--limit -n N", "How many to list, newest first.")] = 20,
    status: Annotated[str | None, option("--status STATUS", "Only these: answered, abstained, partial …")] = None,
    route: Annotated[str | None, option("--route ROUTE", "Only this route.")] = None,
    contains: Annotated[str | None, option("--contains TEXT", "Only questions that contain this text.")] = None,
    since: Annotated[str | None, option("--since DAY", "Only from this day on, such as 2026-03-01 (UTC).")] = None,
    until: Annotated[str | None, option("--until DAY", "Only before this day, such as 2026-04-01 (UTC).")] = None,
) -> Output:
    """List the saved traces, newest first. `ragheal replay ID` shows one."""
    from ragheal.history.traces import TraceStore
    from ragheal.types import ROUTES, Status

    if (trace is None) != (export is None):
        raise ConfigError("TRACE and --export go together", hint="to show a trace: ragheal replay TRACE")
    folder = _folder(place)
    arguments.at_least("--limit", limit, 1, "without --limit there are 20")
    arguments.one_of("--status", status, get_args(Status))
    arguments.one_of("--route", route, ROUTES)
    arguments.output_file("--export", export, "trace.json")
    store = TraceStore(folder)
    if trace is not None and export is not None:
        from ragheal.tracing.files import write

        found = store.load(trace)
        write(found, export)
        fields = {"trace_id": found.id, "file": str(export)}
        return Output("traces", fields, note=f"trace {found.id} written to {export}")
    rows = store.list(
        limit=limit, status=status, route=route, contains=contains,
        since=arguments.day("--since", since), until=arguments.day("--until", until),
    )  # fmt: skip
    return Output(
        "traces",
        {"traces": whole(rows)},
        lambda page: render.stores.traces(page, rows),
        note="" if rows else "no traces",
    )


def prune(
    place: Place,
    keep_days: Annotated[int | None, option("--keep-days N", "Delete older traces; 0 keeps any age.")] = None,
    keep_mb: Annotated[
        int | None, option("--keep-mb N", "Then the oldest above this size; 0 sets no limit.")
    ] = None,
    dry_run: Annotated[bool, option("--dry-run", "Show what would be deleted, and delete nothing.")] = False,
) -> Output:
    """Delete the oldest traces, with their failures and signals."""
    from datetime import UTC, datetime

    from ragheal.history.retention import prune

    folder = _folder(place)
    for flag, value in (("--keep-days", keep_days), ("--keep-mb", keep_mb)):
        arguments.at_least(flag, value, 0, f"{flag} 0 sets no limit")
    flags = {"history.keep_days": keep_days, "history.keep_mb": keep_mb}
    limits = Project(place.index).settings(folder, flags).settings.history
    done = prune(folder, limits, now=datetime.now(UTC), dry_run=dry_run)
    return Output(
        "traces prune",
        {"dry_run": dry_run, "keep_days": limits.keep_days, "keep_mb": limits.keep_mb, **whole(done)},
        lambda page: render.stores.pruned(page, done, limits, dry_run=dry_run),
    )


def _folder(place: Place) -> Path:
    """The index folder, which may be damaged: its traces can be shown all the same."""
    folder = place.found()
    if folder is None:
        raise IndexMissing("there is no index here", hint="ragheal index PATH, or name one with --index DIR")
    return folder
