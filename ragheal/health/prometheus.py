"""The figures for Prometheus, as a file for node_exporter's textfile collector.

Ratios and latencies are gauges of the window. Counters and the histogram of durations are of all time: they
come from sums that are never pruned, so they only rise and `rate()` holds. A figure that nothing was
measured for has no sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ragheal.errors import StorageError
from ragheal.health.alerts import NAMES, Alert
from ragheal.history.database import BUCKETS
from ragheal.history.figures import Figures, Totals
from ragheal.storage.files import export as write_file

Sample = tuple[Sequence[str], float | None]

#: Gauges of one number: the end of the name, the field of `Figures`, the help.
_GAUGES = (
    ("heal_ratio", "heal_rate", "Share of the searching runs of the window that went past round one."),
    ("heal_success_ratio", "heal_success_rate", "Share of the healed runs of the window that ended verified."),
    ("recoveries_mean", "mean_recoveries", "Rounds beyond the first of a healed run, mean of the window."),
    ("abstention_ratio", "abstention_rate", "Share of the questions of the window that were refused."),
    ("relevance_pass_ratio", "relevance_pass_rate", "Share of the judged runs that found a relevant hit."),
    ("support_pass_ratio", "support_pass_rate", "Share of the checked answers that were fully supported."),
    ("usefulness_pass_ratio", "usefulness_pass_rate", "Share of the checked answers that were useful (4 or 5)."),
    ("hops_mean", "mean_hops", "Sub-questions of a question in parts, mean of the window."),
    ("degraded_ratio", "degraded_rate", "Share of the runs of the window that gave something up."),
    ("cache_hit_ratio", "cache_hit_rate", "Share of the questions of the window that the cache answered."),
    ("memory_hit_ratio", "memory_hit_rate", "Share of the searching runs that began with a remembered plan."),
)  # fmt: skip
#: Counters: the end of the name before `_total`, the column of `hours`, the help.
_COUNTERS = (
    ("healed_questions", "healed", "Questions whose loop went past round one."),
    ("heal_successes", "heal_success", "Healed questions that ended in a verified answer."),
    ("recoveries", "recoveries", "Rounds beyond the first."),
    ("regenerations", "regenerated", "Drafts that were thrown away and written anew."),
    ("judge_errors", "judge_errors", "Replies of the judge that could not be read as a verdict."),
    ("cache_hits", "cached", "Questions that the cache answered."),
    ("memory_hits", "recalled", "Questions that began with a remembered plan."),
    ("model_calls", "calls", "Calls of a model server."),
    ("model_cost", "cost", "Cost of model calls, in the currency of the configured prices."),
)


def export(path: Path, figures: Figures, alerts: Sequence[Alert], totals: Totals, version: str) -> None:
    """Write the file in one step: a scrape sees the old one or the new one. Raises StorageError."""
    from prometheus_client import generate_latest

    if path.is_dir():
        raise StorageError(f"cannot write {path}: it is a folder", hint="name a file in it")
    write_file(path, generate_latest(registry(figures, alerts, totals, version)))


def registry(figures: Figures, alerts: Sequence[Alert], totals: Totals, version: str) -> Any:
    """A registry of prometheus_client that holds everything."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.registry import Collector

    class OfHistory(Collector):
        def collect(self) -> Iterable[Any]:
            yield from _gauges(figures, alerts, version)
            yield from _counters(totals)
            yield _durations(totals)

    made = CollectorRegistry(auto_describe=False)
    made.register(OfHistory())
    return made


def _gauges(figures: Figures, alerts: Sequence[Alert], version: str) -> Iterator[Any]:
    from datetime import datetime

    since, until = (datetime.fromisoformat(time).timestamp() for time in (figures.since, figures.until))
    yield _gauge("build_info", "Version of the program that exported.", ["version"], [([version], 1.0)])
    yield _gauge("export_timestamp_seconds", "When the figures were exported.", [], [([], until)])
    yield _gauge("window_seconds", "Length of the window of the ratios.", [], [([], round(until - since, 3))])
    yield _gauge("window_questions", "Questions asked in the window.", [], [([], float(figures.questions))])
    for name, field, text in _GAUGES:
        yield _gauge(name, text, [], [([], getattr(figures, field))])
    quality = figures.quality.items()
    yield _gauge(
        "accepted_ratio", "Share of the runs that verification accepted, by how they were answered.", ["healing"],
        [([mode], q.accepted) for mode, q in quality],
    )  # fmt: skip
    yield _gauge(
        "usefulness_mean", "Usefulness (1 to 5) of checked answers, by how they were answered.", ["healing"],
        [([mode], q.usefulness) for mode, q in quality],
    )  # fmt: skip
    yield _gauge(
        "route_ratio", "Share of the questions of the window by route.", ["route"],
        [([route], use.share) for route, use in figures.routes.items()],
    )  # fmt: skip
    for name, p in (("p50", "half"), ("p95", "95 % of")):
        yield _gauge(
            f"latency_{name}_seconds", f"Seconds within which {p} the runs of the window ended.", ["route"],
            [([route], getattr(latency, name)) for route, latency in figures.latency.items()],
        )  # fmt: skip
    yield _gauge(
        "window_signals", "Signals that users gave in the window.", ["signal"],
        [([signal], float(count)) for signal, count in figures.signals.items()],
    )  # fmt: skip
    raised = {alert.name for alert in alerts}
    yield _gauge(
        "alert_active", "1 where a figure is past its threshold.", ["alert"],
        [([name], float(name in raised)) for name in NAMES],
    )  # fmt: skip


def _counters(totals: Totals) -> Iterator[Any]:
    questions = [
        ((route, name.removeprefix("status_")), value)
        for route, tally in sorted(totals.routes.items())
        for name, value in tally.items()
        if name.startswith("status_") and value
    ]
    yield _counter("questions", "Questions asked.", ["route", "status"], questions)
    for name, tallied, text in _COUNTERS:
        yield _counter(name, text, [], [((), _sum(totals, tallied))])
    tokens = [((kind,), _sum(totals, f"{kind}_tokens")) for kind in ("prompt", "completion")]
    yield _counter("tokens", "Tokens that model servers reported.", ["kind"], tokens)
    degraded = [((kind,), float(count)) for kind, count in sorted(totals.degradations.items())]
    yield _counter("degraded_questions", "Questions that gave something up, by what.", ["kind"], degraded)


def _durations(totals: Totals) -> Any:
    from prometheus_client.core import HistogramMetricFamily

    text = "How long questions took that the cache did not answer."
    family = HistogramMetricFamily("ragheal_question_duration_seconds", text, labels=["route"])
    for route, tally in sorted(totals.routes.items()):
        count, buckets = 0.0, []
        for n, bound in enumerate([*map(str, BUCKETS), "+Inf"]):
            count += tally[f"bucket_{n}"]
            buckets.append((bound, count))
        if count:
            family.add_metric([route], buckets, sum_value=tally["seconds"])
    return family


def _gauge(name: str, text: str, labels: list[str], samples: Iterable[Sample]) -> Any:
    from prometheus_client.core import GaugeMetricFamily

    family = GaugeMetricFamily(f"ragheal_{name}", text, labels=labels)
    for values, value in samples:
        if value is not None:
            family.add_metric(list(values), value)
    return family


def _counter(name: str, text: str, labels: list[str], samples: Iterable[tuple[Sequence[str], float]]) -> Any:
    from prometheus_client.core import CounterMetricFamily

    family = CounterMetricFamily(f"ragheal_{name}", text, labels=labels)
    for values, value in samples:
        family.add_metric(list(values), value)
    return family


def _sum(totals: Totals, name: str) -> float:
    return sum(tally[name] for tally in totals.routes.values())
