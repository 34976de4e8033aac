"""`ragheal ask`: one question, or many of a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from ragheal.errors import ConfigError, RaghealError

from .. import arguments, options, render
from ..options import argument, option
from ..output import Output, Screen
from ..session import Project, Server
from . import batch as batches

#: Exit code of each status.
CODES = {"answered": 0, "direct": 0, "abstained": 3, "partial": 4, "disclaimed": 4, "conflict": 4}


def ask(
    project: Project,
    server: Server,
    screen: Screen,
    question: Annotated[str | None, argument("QUESTION", "`-` reads standard input.")] = None,
    batch: Annotated[
        str | None,
        option("--batch FILE", "Ask many: JSON Lines, each with a `question`; `-` reads standard input."),
    ] = None,
    trace: Annotated[Path | None, option("--trace FILE", "Also write the trace to this file.")] = None,
    strategy: Annotated[str | None, option("--strategy NAME", f"Force a route: {options.STRATEGIES}.")] = None,
    top_k: options.TopK = None,
    max_rounds: Annotated[int | None, option("--max-rounds N", "Maximum rounds of retrieval.")] = None,
    no_heal: Annotated[bool, option("--no-heal", "Retrieve once, then answer: no healing.")] = False,
    show_context: Annotated[bool, option("--show-context", "Show the passages the answer is based on.")] = False,
    no_cache: Annotated[bool, option("--no-cache", "Do not read or write the answer cache.")] = False,
    no_memory: Annotated[bool, option("--no-memory", "Do not use or store remembered plans.")] = False,
    no_store: Annotated[bool, option("--no-store", "Store nothing: no trace, cache, memory or log.")] = False,
) -> Output | int:
    """Ask a question, or many with --batch.

    The answer goes to standard output, the story of how it was found to standard error. Exits with
    0 for a verified answer, 3 for none, 4 for one that is partial, uncertain or contradictory.
    """
    if (question is None) == (batch is None):
        raise ConfigError("give a QUESTION or --batch FILE", hint=arguments.EXAMPLE)
    if batch is not None and trace is not None:
        raise ConfigError("--trace is for one question", hint="the traces of a batch: ragheal traces")
    asked = arguments.question(question) if question is not None else ""
    if str(trace) == "-":
        raise ConfigError("--trace needs a file", hint="--json prints the rounds and the evidence of the answer")
    arguments.output_file("--trace", trace, "trace.json")
    off = {"cache.enabled": no_cache or no_store, "memory.enabled": no_memory or no_store, "trace.save": no_store}
    flags: dict[str, object] = {
        "loop.strategy": strategy, "retrieval.top_k": top_k, "loop.max_rounds": max_rounds,
        "loop.heal": False if no_heal else None, **server.flags, **{key: False for key, no in off.items() if no},
    }  # fmt: skip
    with project.engine(flags) as engine:
        if batch is not None:
            return batches.run(engine, batch, screen)
        found = engine.ask(asked, on_step=screen.story(), on_text=_streamer(screen))
    failure = None
    if trace is not None:
        from ragheal.tracing.files import write

        try:
            write(found, trace)
        except RaghealError as error:
            failure = error  # the answer is shown all the same
    fields = render.fields.answer(found)
    if show_context:
        fields["context"] = [render.fields.hit(h) | {"text": h.chunk.text} for h in render.answer.pool(found)]
    screen.gap()
    return Output(
        "ask",
        fields,
        lambda page: render.answer.text(
            page, found, index=engine.index_dir, alone=not screen.watched, context=show_context
        ),
        CODES[found.answer.status],
        note=(lambda page: render.answer.footer(page, found)) if screen.watched else "",
        failure=failure,
    )


def _streamer(screen: Screen) -> Callable[[str], None] | None:
    """Prints a model's words to standard error as they come: not verified yet, so they are not the answer."""
    if not screen.watched:
        return None
    return lambda delta: screen.note(lambda page: render.answer.draft(page, delta))
