"""`ragheal feedback`: say of an answer that it was right or wrong."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ragheal.errors import ConfigError

from . import console, options, session


def feedback(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="An id, the beginning of one, or `last`.")],
    signal: Annotated[
        str,
        typer.Argument(
            metavar="SIGNAL",
            help="thumbs_up, thumbs_down, follow_up_correction, no_engagement or rephrased_query.",
        ),
    ],
    text: Annotated[str, typer.Option("--note", metavar="TEXT", help="What was wrong, or right.")] = "",
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Mark an answer. A question that ill was said of is searched harder the next time."""
    from ragheal.history import signals

    if len(text) > 2000:
        raise ConfigError("--note is too long", hint="2,000 characters at most")
    signals.known(signal)  # a misspelt signal is told before a missing trace
    folder = session.existing_index(index)
    noted = signals.note(folder, trace, signal, text, session=os.environ.get("RAGHEAL_SESSION", ""))
    if json:
        from .envelope import envelope, whole

        console.write(console.dump(envelope("feedback", **whole(noted))))
    elif not quiet:
        from .text import one_line

        already = " was there already" if noted.existed else ""
        instead = f", in place of {noted.replaced}" if noted.replaced else ""
        console.note(f"{noted.signal}{already}{instead}: trace {noted.trace_id}, {one_line(noted.question)}\n")
    return 0
