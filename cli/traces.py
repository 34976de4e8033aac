"""`ragheal traces`: list saved traces, or write one to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragheal.errors import ConfigError, IndexMissing

from . import console, options, session

if TYPE_CHECKING:
    from ragheal.tracing.store import TraceRow


def traces(
    trace: Annotated[
        str | None, typer.Argument(metavar="TRACE", help="With --export: an id, the beginning of one, or `last`.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="FILE", help="Write the trace to this file.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="How many, newest first.")] = 20,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="Only these: answered, abstained, partial …")
    ] = None,
    route: Annotated[str | None, typer.Option("--route", metavar="ROUTE", help="Only this route.")] = None,
    contains: Annotated[
        str | None, typer.Option("--contains", metavar="TEXT", help="Only questions that hold this text.")
    ] = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """List the saved traces, newest first. `ragheal replay ID` shows one."""
    from ragheal.tracing.store import TraceStore

    if (trace is None) != (export is None):
        raise ConfigError("TRACE and --export go together", hint="to show a trace: ragheal replay TRACE")
    folder = index or session.found_upwards()
    if folder is None:
        raise IndexMissing("there is no index here", hint="ragheal index PATH, or name one with --index DIR")
    if limit < 1:
        raise ConfigError(f"--limit {limit}: at least 1")
    store = TraceStore(folder)
    if trace is not None and export is not None:
        from ragheal.tracing.files import write

        found = store.load(trace)
        write(found, export)
        if json:
            from .envelope import envelope

            console.write(console.dump(envelope("traces", trace_id=found.id, file=str(export))))
        elif not quiet:
            console.note(f"trace {found.id} written to {export}\n")
        return 0
    rows = store.list(limit=limit, status=status, route=route, contains=contains)
    if json:
        from .envelope import envelope, whole

        console.write(console.dump(envelope("traces", traces=whole(rows))))
        return 0
    if not rows and not quiet:
        console.note("no traces\n")
    console.write(_listed(rows))
    return 0


def _listed(rows: tuple[TraceRow, ...]) -> str:
    from rich.text import Text

    from .text import fit, one_line, pad

    if not console.is_terminal(sys.stdout):
        fields = ((r.id, r.created, r.status, r.route, str(r.rounds), one_line(r.question)) for r in rows)
        return "".join("\t".join(row) + "\n" for row in fields)
    columns = console.width()
    items = []
    for row in rows:
        line = Text(f"{row.id}  ", no_wrap=True)
        if columns >= 60:
            line.append(f"{row.created[:16].replace('T', ' ')}  ", "dim")
        line.append(pad(row.status, 11), "green" if row.status in {"answered", "direct"} else "magenta")
        line.append(fit(one_line(row.question), columns - line.cell_len))
        items.append(line)
    return console.render(*items, columns=columns, colour=console.colourful(sys.stdout))
