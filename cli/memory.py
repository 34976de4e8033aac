"""`ragheal memory`: the plans that are remembered of verified answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragheal.errors import ConfigError

from . import console, options, session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragheal.memory import PlanMemory, Remembered

Plan = Annotated[str, typer.Argument(metavar="ID", help="The id of a plan, or the beginning of one.")]


def build() -> typer.Typer:
    """`memory` with its commands."""
    group = typer.Typer(name="memory", help="Plans that worked: list, show, forget, rebuild.")
    group.command("list")(list_)
    group.command("show")(show)
    group.command("forget")(forget)
    group.command("rebuild")(rebuild)
    return group


def list_(
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="How many, last used first.")] = 20,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """List the remembered plans, last used first."""
    if limit < 1:
        raise ConfigError(f"--limit {limit}: at least 1")
    memory = _memory(index)
    plans = memory.list(limit)
    if json:
        from .envelope import envelope, whole

        console.write(console.dump(envelope("memory list", count=memory.count(), plans=whole(plans))))
        return 0
    if not plans and not quiet:
        console.note("nothing is remembered yet\n")
    console.write(_listed(plans))
    return 0


def show(plan: Plan, index: options.Index = None, json: options.Json = False) -> int:
    """Show a remembered plan: its queries, its documents, and how it has done."""
    entry = _memory(index).show(plan)
    if json:
        from .envelope import envelope, whole

        console.write(console.dump(envelope("memory show", plan=whole(entry))))
        return 0
    from .story import labelled

    columns = console.width() if console.is_terminal(sys.stdout) else 1000
    items = [labelled(label, body, cells=11) for label, body in _rows(entry)]
    console.write(console.render(*items, columns=columns, colour=console.colourful(sys.stdout)))
    return 0


def forget(
    plan: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The id of a plan, or the beginning of one.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Forget every plan.")] = False,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Forget one remembered plan, or with --all every one."""
    from .text import plural

    if (plan is None) != everything:
        raise ConfigError("name a plan or give --all, one of them", hint="`ragheal memory list` shows the plans")
    count = _memory(index).forget(plan)
    if json:
        from .envelope import envelope

        console.write(console.dump(envelope("memory forget", forgotten=count)))
    elif not quiet:
        console.note(f"forgot {plural(count, 'plan')}\n")
    return 0


def rebuild(
    index: options.Index = None,
    preset: options.Preset = None,
    assignments: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Learn again from the saved traces, after the memory was damaged or the embedder changed."""
    from ragheal.history.relearn import relearn
    from ragheal.indexing.opened import OpenIndex
    from ragheal.models import load_embedder

    from .text import plural

    folder = session.existing_index(index)
    settings = session.settings(folder, preset, assignments).settings
    chosen = settings.embedding
    embedder = load_embedder(chosen.model, chosen.query_prefix, chosen.passage_prefix, threads=chosen.threads)
    with OpenIndex.open(folder) as opened:
        memory = relearn(folder, settings.memory, embedder.embed_query, embedder.fingerprint, opened.documents())
    for text in memory.notes:
        console.note(f"{text}\n")
    if json:
        from .envelope import envelope

        console.write(console.dump(envelope("memory rebuild", count=memory.count(), notes=list(memory.notes))))
    elif not quiet:
        console.note(f"{plural(memory.count(), 'plan')} remembered\n")
    return 0


def _memory(index: Path | None) -> PlanMemory:
    from ragheal.memory import PlanMemory

    return PlanMemory(session.existing_index(index))


def _listed(plans: tuple[Remembered, ...]) -> str:
    from rich.text import Text

    from .text import fit, one_line, pad

    if not console.is_terminal(sys.stdout):
        fields = (
            (p.id, p.last_used or p.created, p.route, f"{p.strength:.2f}", str(p.uses), one_line(p.question))
            for p in plans
        )
        return "".join("\t".join(row) + "\n" for row in fields)
    columns = console.width()
    items = []
    for entry in plans:
        line = Text(f"{entry.id}  ", no_wrap=True)
        if columns >= 60:
            line.append(f"{(entry.last_used or entry.created)[:16].replace('T', ' ')}  ", "dim")
        line.append(pad(f"{entry.strength:.2f}", 6), "green" if entry.strength >= 1 else "magenta")
        line.append(fit(one_line(entry.question), columns - line.cell_len))
        items.append(line)
    return console.render(*items, columns=columns, colour=console.colourful(sys.stdout))


def _rows(entry: Remembered) -> Iterator[tuple[str, str]]:
    from .text import one_line

    yield "plan", entry.id
    yield "question", one_line(entry.question)
    yield "route", f"{entry.route} ({entry.plan.shape})"
    for n, query in enumerate(entry.plan.queries):
        yield ("" if n else "queries"), one_line(query.text)
    for n, source in enumerate(entry.documents):
        yield ("" if n else "documents"), one_line(source)
    yield "strength", f"{entry.strength:.2f}"
    done = f"{entry.successes:,} answered, {entry.failures:,} failed"
    yield "used", f"{entry.uses:,} times · {done}"
    yield "learned", entry.created[:16].replace("T", " ") + f" UTC from trace {entry.trace_id}"
    if entry.last_used:
        yield "last used", entry.last_used[:16].replace("T", " ") + " UTC"
