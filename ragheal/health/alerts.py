"""Figures against the thresholds of `health` in the settings."""

from __future__ import annotations

from collections.abc import Iterator

from ragheal.history.figures import Figures
from ragheal.settings.sections import HealthSettings
from ragheal.types import Value

#: Healed runs it takes before their success and their length say anything.
_MIN_HEALED = 5
NAMES = ("heal_rate", "heal_success_rate", "mean_recoveries", "degraded_rate", "p95_seconds")


class Alert(Value, frozen=True):
    """A figure past its threshold. `setting` is the one that holds the threshold."""

    name: str
    value: float
    threshold: float
    setting: str
    message: str
    hint: str = ""


def alerts(figures: Figures, settings: HealthSettings) -> tuple[Alert, ...]:
    """What is past its threshold; fewer than `min_questions` questions raise nothing."""
    return tuple(_alerts(figures, settings)) if figures.questions >= max(1, settings.min_questions) else ()


def _alerts(figures: Figures, settings: HealthSettings) -> Iterator[Alert]:
    many = figures.healed >= min(_MIN_HEALED, max(1, settings.min_questions))
    rate, success, again = figures.heal_rate, figures.heal_success_rate, figures.mean_recoveries
    if rate is not None and figures.retrieved >= settings.min_questions and rate > settings.max_heal_rate:
        yield Alert(
            "heal_rate", rate, settings.max_heal_rate, "health.max_heal_rate",
            f"{rate:.0%} of the questions needed more than one round (alert above {settings.max_heal_rate:.0%})",
            "`ragheal failures --cluster` shows what the first search misses",
        )  # fmt: skip
    if success is not None and many and success < settings.min_heal_success:
        yield Alert(
            "heal_success_rate", success, settings.min_heal_success, "health.min_heal_success",
            f"{success:.0%} of the healed questions ended in a verified answer "
            f"(alert below {settings.min_heal_success:.0%})",
            "`ragheal failures --cluster` shows what stays missing",
        )  # fmt: skip
    if again is not None and many and again > settings.max_recoveries:
        yield Alert(
            "mean_recoveries", again, settings.max_recoveries, "health.max_recoveries",
            f"a healed question took {again:.1f} more rounds (alert above {settings.max_recoveries:g})",
            "`ragheal heal propose` looks for repairs that make the first round do",
        )  # fmt: skip
    if figures.degraded_rate is not None and figures.degraded_rate > settings.max_degraded_rate:
        worst = next(iter(figures.degradations), "")
        yield Alert(
            "degraded_rate", figures.degraded_rate, settings.max_degraded_rate, "health.max_degraded_rate",
            f"{figures.degraded_rate:.0%} of the runs were degraded (alert above {settings.max_degraded_rate:.0%})"
            + (f", mostly: {worst}" if worst else ""),
            "`ragheal doctor` checks models, server and disk",
        )  # fmt: skip
    for route, latency in figures.latency.items():
        limit = settings.max_p95_seconds
        if limit and latency.runs >= settings.min_questions and latency.p95 > limit:
            yield Alert(
                "p95_seconds", latency.p95, limit, "health.max_p95_seconds",
                f"one in twenty {route} questions took longer than {latency.p95:.1f} s (alert above {limit:g} s)",
            )  # fmt: skip
