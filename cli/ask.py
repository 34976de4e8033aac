"""`ragheal ask`: one question, or many of a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragheal.errors import ConfigError

from . import console, options, session, target

if TYPE_CHECKING:
    from ragheal.engine import Engine
    from ragheal.types import Step, Trace

#: Exit code of each status.
CODES = {"answered": 0, "direct": 0, "abstained": 3, "partial": 4, "disclaimed": 4, "conflict": 4}
STRATEGIES = "adaptive, direct, standard, multi_hop, self_rag, combined or generative"


def ask(
    question: Annotated[str | None, typer.Argument(metavar="QUESTION", help="`-` reads standard input.")] = None,
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch", metavar="FILE", help="Many questions: JSON Lines with `question`; `-` reads standard input."
        ),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE", help="Write the trace to this file as well.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option("--strategy", metavar="NAME", help=f"Force a route: {STRATEGIES}.")
    ] = None,
    top_k: options.TopK = None,
    max_rounds: Annotated[
        int | None, typer.Option("--max-rounds", metavar="N", help="Rounds of retrieval at most.")
    ] = None,
    no_heal: Annotated[bool, typer.Option("--no-heal", help="One shot: retrieve once, then answer.")] = False,
    show_context: Annotated[
        bool, typer.Option("--show-context", help="Show the passages the answer was made from.")
    ] = False,
    backend: options.Backend = None,
    base_url: options.BaseUrl = None,
    model: options.Model = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither take nor keep a cached answer.")] = False,
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Try no remembered plan, keep none.")] = False,
    no_store: Annotated[
        bool, typer.Option("--no-store", help="Leave nothing behind: no trace, cache, memory or log.")
    ] = False,
    preset: options.Preset = None,
    set_: options.Set = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """Ask a question, or many with --batch.

    The answer goes to standard output, the story of how it was found to standard error. Exits with
    0 for a verified answer, 3 for none, 4 for a partial, disclaimed or contradictory one.
    """
    from . import question as questions

    if (question is None) == (batch is None):
        raise ConfigError(
            "give a QUESTION or --batch FILE", hint='ragheal ask "how many days of leave do I have?"'
        )
    if batch is not None and trace is not None:
        raise ConfigError("--trace is for one question", hint="the traces of a batch: ragheal traces")
    asked = questions.from_argument(question) if question is not None else ""
    if trace is not None:
        _check_file(trace)
    folder = session.existing_index(index)
    flags: dict[str, object] = {
        "loop.strategy": strategy, "retrieval.top_k": top_k, "loop.max_rounds": max_rounds,
        "loop.heal": False if no_heal else None, **session.server_flags(backend, base_url, model),
    }  # fmt: skip
    if no_cache or no_store:
        flags["cache.enabled"] = False
    if no_memory or no_store:
        flags["memory.enabled"] = False
    if no_store:
        flags["trace.save"] = False
    loaded = session.settings(folder, preset, set_, flags)
    with session.engine(loaded, folder) as engine:
        if batch is not None:
            from .batch import run

            return run(engine, batch, quiet=quiet)
        return _one(engine, asked, trace, show_context, json=json, quiet=quiet, exit_zero=exit_zero)


def _one(
    engine: Engine,
    question: str,
    file: Path | None,
    show_context: bool,
    *,
    json: bool,
    quiet: bool,
    exit_zero: bool,
) -> int:
    telling = not quiet and not json and console.is_terminal(sys.stderr)
    trace = engine.ask(question, on_step=teller() if telling else None, on_text=streamer() if telling else None)
    if json:
        from .envelope import answer_fields, envelope

        fields = answer_fields(trace) | ({"context": context(trace)} if show_context else {})
        console.write(console.dump(envelope("ask", **fields)))
    else:
        tell_end(trace, telling=telling, show_context=show_context)
    if file is not None:
        from ragheal.tracing.files import write

        write(trace, file)
    return 0 if exit_zero else CODES[trace.answer.status]


def _check_file(path: Path) -> None:
    """Raises ConfigError for a file that cannot be written, before a question is answered for it."""
    if str(path) == "-":
        raise ConfigError("--trace needs a file", hint="--json prints the rounds and the evidence of the answer")
    target.check("--trace", path, "trace.json")


def teller(columns: int | None = None) -> Callable[[Step], None]:
    """Prints each step to standard error as it comes."""
    from .story import Story

    columns = columns or console.width()
    story = Story(columns)
    colour = console.colourful(sys.stderr)

    def on_step(step: Step) -> None:
        console.note(console.render(*story.lines(step), columns=columns, colour=colour))

    return on_step


def streamer() -> Callable[[str], None]:
    """Prints a model's words to standard error as they come: not verified yet, so they are not the answer."""
    colour = console.colourful(sys.stderr)

    def on_text(delta: str) -> None:
        from .text import clean

        words = clean(delta)
        console.note(f"\x1b[2m{words}\x1b[0m" if colour else words)

    return on_text


def tell_end(trace: Trace, *, telling: bool, show_context: bool = False) -> None:
    """The answer on standard output, the footer on standard error."""
    from .answer import answer_text, context_text, degraded_text, footer

    columns = console.width()
    terminal = console.is_terminal(sys.stdout)
    if telling:
        console.note("\n")
    text = answer_text(trace, columns=columns, terminal=terminal, colour=console.colourful(sys.stdout))
    if show_context:
        passages = context_text(trace, columns=columns, terminal=terminal, colour=console.colourful(sys.stdout))
        text += passages and f"\n{passages}"
    if not telling:
        # Nobody reads a footer here, and an answer that was made with less must say so.
        text += degraded_text(trace)
    console.write(text)
    if telling:
        console.note("\n" + footer(trace, columns=columns, colour=console.colourful(sys.stderr)))


def context(trace: Trace) -> list[dict[str, object]]:
    """The passages of the final pool, best first."""
    from .answer import pool
    from .envelope import hit_fields

    return [hit_fields(hit) | {"text": hit.chunk.text} for hit in pool(trace)]
