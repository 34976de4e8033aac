"""`ragheal traces`: list saved traces, or write one to a file; `ragheal traces prune` lets go of the oldest."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
import typer.core

from ragheal.errors import ConfigError, IndexMissing

from . import console, options, session, target

if TYPE_CHECKING:
    from ragheal.history.retention import Pruned
    from ragheal.history.traces import TraceRow
    from ragheal.settings.sections import HistorySettings

LIST, PRUNE = "list", "prune"


class _ListFirst(typer.core.TyperGroup):
    """A group whose options and arguments are those of `list`, unless another of its commands is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = args[:1] and args[0] in self.commands
        return super().parse_args(ctx, args if named else [LIST, *args])


def build() -> typer.Typer:
    """`traces`, which lists, with `prune` below it."""
    group = typer.Typer(name="traces", cls=_ListFirst, help=traces.__doc__, no_args_is_help=False)
    group.command(LIST, epilog=f"`ragheal traces {PRUNE}` removes the oldest; it has a --help of its own.")(traces)
    group.command(PRUNE)(prune)
    return group


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
    since: Annotated[
        str | None, typer.Option("--since", metavar="DAY", help="Only from this day on: 2026-03-01 (UTC).")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DAY", help="Only before this day: 2026-04-01 (UTC).")
    ] = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """List the saved traces, newest first. `ragheal replay ID` shows one."""
    from ragheal.history.traces import TraceStore
    from ragheal.types import ROUTES, Status

    if (trace is None) != (export is None):
        raise ConfigError("TRACE and --export go together", hint="to show a trace: ragheal replay TRACE")
    folder = _folder(index)
    if limit < 1:
        raise ConfigError(f"--limit {limit}: at least 1", hint="without --limit there are 20")
    for flag, value, known in (("--status", status, get_args(Status)), ("--route", route, ROUTES)):
        if value is not None and value not in known:
            raise ConfigError(f"{flag} {value}: no such {flag[2:]}", hint=f"one of: {', '.join(known)}")
    if export is not None:
        target.check("--export", export, "trace.json")
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
    rows = store.list(
        limit=limit, status=status, route=route, contains=contains,
        since=_moment("--since", since), until=_moment("--until", until),
    )  # fmt: skip
    if json:
        from .envelope import envelope, whole

        console.write(console.dump(envelope("traces", traces=whole(rows))))
        return 0
    if not rows and not quiet:
        console.note("no traces\n")
    console.write(_listed(rows))
    return 0


def prune(
    keep_days: Annotated[
        int | None, typer.Option("--keep-days", metavar="N", help="Remove what is older; 0: nothing for its age.")
    ] = None,
    keep_mb: Annotated[
        int | None, typer.Option("--keep-mb", metavar="N", help="Then the oldest beyond this size; 0: no limit.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and remove nothing.")] = False,
    index: options.Index = None,
    json: options.Json = False,
) -> int:
    """Remove the oldest traces, with the failures and signals that belong to them."""
    from datetime import UTC, datetime

    from ragheal.history.retention import prune

    folder = _folder(index)
    for flag, value in (("--keep-days", keep_days), ("--keep-mb", keep_mb)):
        if value is not None and value < 0:
            raise ConfigError(f"{flag} {value}: at least 0", hint=f"{flag} 0 sets no limit")
    flags = {"history.keep_days": keep_days, "history.keep_mb": keep_mb}
    history = session.settings(folder, flags=flags).settings.history
    pruned = prune(folder, history, now=datetime.now(UTC), dry_run=dry_run)
    if json:
        from .envelope import envelope, whole

        limits = {"keep_days": history.keep_days, "keep_mb": history.keep_mb}
        console.write(console.dump(envelope("traces prune", dry_run=dry_run, **limits, **whole(pruned))))
    else:
        console.write(_told(pruned, history, dry_run) + "\n")
    return 0


def _told(pruned: Pruned, history: HistorySettings, dry_run: bool) -> str:
    from .text import plural, size

    kept = plural(pruned.kept, "trace")
    if not pruned.traces and not any(pruned.rows.values()):
        limits = [f"{history.keep_days:g} days"] if history.keep_days else []
        limits += [f"{history.keep_mb:g} MB"] if history.keep_mb else []
        within = f", within {' and '.join(limits)}" if limits else ", and no limit is set"
        return f"nothing to remove: {kept} ({size(pruned.before)}){within}"
    parts = [plural(pruned.traces, "trace")]
    parts += [plural(count, name.removesuffix("s")) for name, count in pruned.rows.items() if count]
    done = "would remove" if dry_run else "removed"
    since = f" since {pruned.oldest[:10]}" if pruned.oldest else ""
    return f"{done} {', '.join(parts)}; {kept} kept{since} ({size(pruned.before)} -> {size(pruned.after)})"


def _folder(index: Path | None) -> Path:
    folder = index or session.found_upwards()
    if folder is None:
        raise IndexMissing("there is no index here", hint="ragheal index PATH, or name one with --index DIR")
    return folder


def _moment(flag: str, text: str | None) -> str | None:
    """A day, or a time of one, as traces write theirs."""
    from datetime import UTC, datetime

    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{flag} {text}: not a day", hint="write it as 2026-03-01") from None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
