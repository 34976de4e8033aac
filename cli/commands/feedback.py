"""`ragheal feedback`: say of an answer that it was right or wrong."""

from __future__ import annotations

import os
from typing import Annotated

from ragheal.errors import ConfigError

from ..console import whole
from ..options import argument, option
from ..output import Output
from ..session import Place


def feedback(
    place: Place,
    trace: Annotated[str, argument("TRACE", "A trace id (or its first characters), or `last`.")],
    signal: Annotated[
        str,
        argument(
            "SIGNAL", "One of thumbs_up, thumbs_down, follow_up_correction, no_engagement or rephrased_query."
        ),
    ],
    text: Annotated[str, option("--note TEXT", "What was right or wrong.")] = "",
) -> Output:
    """Mark an answer as right or wrong. A question marked wrong is searched harder next time."""
    from ragheal.history import signals

    if len(text) > 2000:
        raise ConfigError("--note is too long", hint="2,000 characters at most")
    signals.known(signal)  # a misspelt signal is told before a missing trace
    noted = signals.note(place.existing(), trace, signal, text, session=os.environ.get("RAGHEAL_SESSION", ""))
    already = " was there already" if noted.existed else ""
    instead = f", in place of {noted.replaced}" if noted.replaced else ""
    said = f"{noted.signal}{already}{instead}: trace {noted.trace_id}, {noted.question}"
    return Output("feedback", whole(noted), note=said)
