"""Health figures for people: a line a figure, its threshold, and its course over the window."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ..console import Page
from .layout import Row
from .text import duration, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ragheal.health.alerts import Alert
    from ragheal.history.figures import Figures
    from ragheal.settings.sections import HealthSettings

_LABEL = 14
_BARS = "▁▂▃▄▅▆▇█"
_NONE = "·"
_MODES = {"one_round": "one round", "healed": "healed", "off": "healing off"}


def text(page: Page, figures: Figures, alerts: Sequence[Alert], settings: HealthSettings) -> str:
    """The figures, what is wrong first."""
    window = f"in the last {_days(settings.days)}" if settings.days else "in all"
    if not figures.questions:
        return page.render(Text(f"no questions {window}"))
    items: list[RenderableType] = [Text(f"{plural(figures.questions, 'question')} {window}", "bold")]
    for alert in alerts:
        body = Text(alert.message, "bold magenta")
        if alert.hint:
            body.append(f"\n{alert.hint}", "not bold dim")
        items.append(Row("✗ alert", body, cells=_LABEL))
    if not alerts and figures.questions < settings.min_questions:
        items.append(Row("no alerts", f"fewer than {settings.min_questions} questions", cells=_LABEL))
    elif not alerts:
        items.append(Row("✓ no alerts", "", cells=_LABEL))
    items += [Row(label, body, cells=_LABEL) for label, body in _rows(figures, settings) if body]
    return page.render(*items)


def _rows(figures: Figures, settings: HealthSettings) -> Iterator[tuple[str, str]]:
    course = figures.course
    yield "asked", sparkline([block.questions for block in course])
    if figures.retrieved:
        share, above = _share(figures.heal_rate), f"(alert above {settings.max_heal_rate:.0%})"
        text = f"{share} of {plural(figures.retrieved, 'question')} that searched {above}"
        yield "healed", _beside(text, sparkline([block.heal_rate for block in course], 1.0))
    if figures.healed:
        share, below = _share(figures.heal_success_rate), f"(alert below {settings.min_heal_success:.0%})"
        text = f"{share} of {figures.healed:,} {below}"
        yield "with success", _beside(text, sparkline([block.heal_success_rate for block in course], 1.0))
        above = f"(alert above {settings.max_recoveries:g})"
        yield "more rounds", f"{figures.mean_recoveries:.1f} a healed question {above}"
    yield (
        "refused",
        _beside(_share(figures.abstention_rate), sparkline([block.abstention_rate for block in course], 1.0)),
    )
    for n, (mode, quality) in enumerate(figures.quality.items()):
        parts = [f"{_share(quality.accepted)} accepted"] if quality.accepted is not None else []
        parts += [f"usefulness {quality.usefulness:.1f} of 5"] if quality.usefulness is not None else []
        yield "quality" if not n else "", f"{_MODES[mode]}: {', '.join(parts)} ({plural(quality.runs, 'run')})"
    passes = (
        ("relevance", figures.relevance_pass_rate),
        ("support", figures.support_pass_rate),
        ("usefulness", figures.usefulness_pass_rate),
    )
    yield "passed", ", ".join(f"{name} {_share(rate)}" for name, rate in passes if rate is not None)
    yield "routes", ", ".join(f"{route} {_share(use.share)}" for route, use in figures.routes.items())
    yield "hops", f"{figures.mean_hops:.1f} a question in parts" if figures.mean_hops is not None else ""
    for n, (route, latency) in enumerate(figures.latency.items()):
        text = f"{route}: half within {duration(latency.p50)}, 95 % within {duration(latency.p95)}"
        yield "latency" if not n else "", _beside(text, "" if n else sparkline([b.seconds for b in course]))
    hits = [f"cache {_share(figures.cache_hit_rate)}"] if figures.cache_hit_rate is not None else []
    hits += [f"memory {_share(figures.memory_hit_rate)}"] if figures.memory_hit_rate is not None else []
    yield "hits", ", ".join(hits)
    yield "regenerated", plural(figures.regenerated, "draft") if figures.regenerated else ""
    if figures.degraded:
        kinds = ", ".join(f"{one_line(kind)} ({count:,})" for kind, count in figures.degradations.items())
        yield "degraded", f"{_share(figures.degraded_rate)}: {kinds}"
    yield "judge errors", f"{figures.judge_errors:,}" if figures.judge_errors else ""
    if figures.calls:
        tokens = f"{figures.prompt_tokens:,} read, {figures.completion_tokens:,} written"
        cost = f", cost {figures.cost:.2f}" if figures.cost else ""
        yield "tokens", f"{tokens} in {plural(figures.calls, 'call')}{cost}"
    yield "signals", ", ".join(f"{one_line(name)} {count:,}" for name, count in figures.signals.items())


def sparkline(values: Iterable[float | None], most: float | None = None) -> str:
    """A bar for each value, of eight heights up to `most` (None: the largest); · where there is none.

    Empty for a single value, which has no course, and where standard output cannot write the bars.
    """
    known = list(values)
    if len(known) < 2 or not _writable():
        return ""
    top = most if most is not None else max((v for v in known if v is not None), default=0.0)
    return "".join(
        _NONE if v is None else _BARS[min(len(_BARS) - 1, int(v / top * len(_BARS)))] if top else _BARS[0]
        for v in known
    )


def _writable() -> bool:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        _BARS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _beside(text: str, line: str) -> str:
    return f"{text}  {line}".strip() if text or line else ""


def _share(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.0%}"


def _days(days: float) -> str:
    hours = round(days * 24)
    return plural(hours, "hour") if hours < 48 and hours % 24 else plural(round(days), "day")
