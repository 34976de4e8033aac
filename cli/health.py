"""`ragheal health`: figures and alerts over a window; for people, as JSON, and for Prometheus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragheal.errors import ConfigError

from . import console, options, session, target

FAILED = 7
_MOST_DAYS = 36_500.0


def health(
    days: Annotated[
        float | None,
        typer.Option(
            "--days", metavar="N", help="The window, to the hour; 0: everything [default: health.days, 7]."
        ),
    ] = None,
    fail: Annotated[bool, typer.Option("--fail", help="Exit 7 when there is an alert.")] = False,
    prometheus: Annotated[
        Path | None,
        typer.Option("--prometheus", metavar="FILE", help="Write the figures for Prometheus' textfile collector."),
    ] = None,
    dashboard: Annotated[
        Path | None,
        typer.Option("--dashboard", metavar="FILE", help="Write a Grafana dashboard for them."),
    ] = None,
    index: options.Index = None,
    preset: options.Preset = None,
    assignments: options.Set = None,
    json: options.Json = False,
    exit_zero: options.ExitZero = False,
    quiet: options.Quiet = False,
) -> int:
    """Show how often the loop heals, and how well.

    Figures over a window, with what stands out: routes, latency, refusals, memory, caches.
    """
    from datetime import UTC, datetime

    import ragheal
    from ragheal.health.alerts import alerts
    from ragheal.history.figures import figures, totals

    folder = session.existing_index(index)
    for flag, path, example in (
        ("--prometheus", prometheus, "ragheal.prom"), ("--dashboard", dashboard, "ragheal.json")
    ):  # fmt: skip
        if path is not None:
            target.check(flag, path, example)
    settings = session.settings(folder, preset, assignments, {"health.days": days}).settings.health
    if not settings.days <= _MOST_DAYS:
        raise ConfigError(f"--days {settings.days:g}: at most {_MOST_DAYS:g}", hint="0 is everything")
    found = figures(folder, days=settings.days, now=datetime.now(UTC))
    raised = alerts(found, settings)
    if prometheus is not None:
        from ragheal.health.prometheus import export

        export(prometheus, found, raised, totals(folder), ragheal.__version__)
    if dashboard is not None:
        _write_dashboard(dashboard)
    if json:
        from .envelope import envelope, whole

        fields = {**whole(found), "days": settings.days, "alerts": whole(raised)}
        console.write(console.dump(envelope("health", **fields)))
    else:
        from .figures import health_text

        columns = console.width() if console.is_terminal(sys.stdout) else 1000
        text = health_text(found, raised, settings, columns=columns, colour=console.colourful(sys.stdout))
        console.write(text)
        for path in (prometheus, dashboard):
            if path is not None and not quiet:
                console.note(f"written to {path}\n")
    return FAILED if raised and fail and not exit_zero else 0


def _write_dashboard(path: Path) -> None:
    """Raises StorageError when the file cannot be written."""
    from importlib.resources import files

    from ragheal.storage.files import export

    export(path, files("ragheal_configs").joinpath("grafana", "ragheal.json").read_bytes())
