"""Thresholds: what can be measured, by name, and whether it holds.

A bar counts for the first way. One that nothing was measured for does not hold: a run that measures nothing
must not pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from ragheal.errors import ConfigError, nearest
from ragheal.evaluation.tally import Comparison, Share, Tally
from ragheal.types import Value

Bound = Literal["min", "max"]
#: Shares (0–1), numbers and counts of the way itself.
SHARES = ("right", "sure", "wrong", "refused_wrongly", "refused_rightly", "cites", "degraded")
NUMBERS = ("rounds", "seconds", "seconds_p95", "tokens", "calls")
COUNTS = ("judge_errors", "unstable", "graded", "not_graded")
#: Counts of questions: against the second way, and against the baseline.
COMPARED = ("better", "worse")
SINCE = ("better_than_baseline", "worse_than_baseline")
_LIMITS = {
    ("min", True): "at least", ("max", True): "at most", ("min", False): "below", ("max", False): "above",
}  # fmt: skip
NAMES = (*SHARES, *NUMBERS, *COUNTS, *COMPARED, *SINCE)


class Bar(Value, frozen=True):
    """A threshold as it was given."""

    name: str
    bound: Bound
    value: float


class Held(Value, frozen=True):
    """A threshold and what was measured. `of`: "41 of 50" of a share; "" of a number."""

    name: str
    bound: Bound
    value: float
    measured: float | None
    held: bool
    of: str = ""

    @property
    def is_share(self) -> bool:
        return self.name in SHARES


def parse(text: str, bound: Bound) -> Bar:
    """A bar from NAME=VALUE, where a share may be written as 0.9 or 90%.

    Raises ConfigError that names the nearest right name, or says what the value has to be.
    """
    written, equals, figure = text.partition("=")
    name = "_".join(written.strip().casefold().replace("-", " ").replace("_", " ").split())
    flag = f"--{bound} {text}"
    if not equals or not figure.strip():
        raise ConfigError(f"{flag}: no value", hint=f"write --{bound} NAME=VALUE, such as --min right=0.9")
    if name not in NAMES:
        near = nearest(name, NAMES)
        meant = f"did you mean `{near}`? " if near else ""
        raise ConfigError(
            f"--{bound}: unknown metric `{written.strip()}`",
            hint=f"{meant}there are: {', '.join(NAMES)}",
        )
    value = _number(figure.strip(), share=name in SHARES)
    if value is None:
        example = "a share from 0 to 1, or in % (0.9 or 90%)" if name in SHARES else "a number, 0 or more"
        raise ConfigError(f"{flag}: {figure.strip()} is no value of {name}", hint=f"it is {example}")
    return Bar(name, bound, value)


def require(bars: Sequence[Bar], *, ways: int, repeat: int, baseline: bool) -> None:
    """Raises ConfigError for a bar that nothing can be measured for: it could not be broken."""
    for bar in bars:
        needed = ""
        if bar.name in COMPARED and ways < 2:
            needed = "two ways to compare: leave out --no-plain, or name a second --strategy"
        elif bar.name in SINCE and not baseline:
            needed = "--baseline FILE, the JSON of an earlier `ragheal eval --json`"
        elif bar.name == "unstable" and repeat < 2:
            needed = "--repeat 2 or more"
        if needed:
            raise ConfigError(
                f"--{bar.bound} {bar.name}: there is nothing to hold it against", hint=f"it needs {needed}"
            )


def measured(
    bars: Sequence[Bar], first: Tally, compared: Comparison | None, since: Comparison | None
) -> tuple[Held, ...]:
    """Every bar with what was measured."""
    found = []
    for bar in bars:
        value: float | None
        of = ""
        if bar.name in COMPARED:
            value = None if compared is None else len(getattr(compared, bar.name))
        elif bar.name in SINCE:
            value = None if since is None else len(getattr(since, bar.name.removesuffix("_than_baseline")))
        else:
            figure = getattr(first, bar.name)
            value = figure
            if isinstance(figure, Share):
                value, of = figure.share, f"{figure.count} of {figure.of}" if figure.of else ""
        held = value is not None and (value >= bar.value if bar.bound == "min" else value <= bar.value)
        found.append(Held(bar.name, bar.bound, bar.value, value, held, of))
    return tuple(found)


def said(bar: Held) -> str:
    """A bar in one line: "right 82 % (41 of 50): below 90 %"."""

    def figure(value: float) -> str:
        return f"{100 * value:.4g} %" if bar.is_share else f"{value:.4g}"

    limit = f"{_LIMITS[bar.bound, bar.held or bar.measured is None]} {figure(bar.value)}"
    name = bar.name.replace("_", " ")
    if bar.measured is None:
        return f"{name}: nothing was measured, and {limit} is asked for"
    of = f" ({bar.of})" if bar.of else ""
    return f"{name} {figure(bar.measured)}{of}: {limit}"


def _number(text: str, *, share: bool) -> float | None:
    percent = share and text.endswith("%")
    try:
        # Read as one number, for 0.07 and 7% have to be the same.
        value = float(f"{text[:-1].strip()}e-2" if percent else text)
    except ValueError:
        return None
    if not math.isfinite(value) or value < 0 or (share and value > 1):
        return None
    return value
