"""`ragheal health`: figures and alerts over a window; for people, as JSON, and for Prometheus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ragheal.errors import CheckFailed, ConfigError

from .. import arguments, render
from ..console import whole
from ..options import option
from ..output import Output
from ..session import Project


def health(
    project: Project,
    days: Annotated[
        float | None, option("--days N", "Days to look back, 0 for all [default: health.days].")
    ] = None,
    fail: Annotated[bool, option("--fail", "Exit with 7 if there is an alert.")] = False,
    prometheus: Annotated[Path | None, option("--prometheus FILE", "Write the figures for Prometheus.")] = None,
    dashboard: Annotated[Path | None, option("--dashboard FILE", "Write a Grafana dashboard.")] = None,
) -> Output:
    """Show how often healing happens, and how well it works.

    Figures and alerts over a window of days: routes, latency, refusals, memory, caches.
    """
    from datetime import UTC, datetime

    import ragheal
    from ragheal.health.alerts import alerts
    from ragheal.history.figures import figures, totals

    folder = project.existing()
    arguments.output_file("--prometheus", prometheus, "ragheal.prom")
    arguments.output_file("--dashboard", dashboard, "ragheal.json")
    settings = project.settings(folder, {"health.days": days}).settings.health
    if not settings.days <= arguments.MOST_DAYS:
        raise ConfigError(f"--days {settings.days:g}: at most {arguments.MOST_DAYS:g}", hint="0 is everything")
    found = figures(folder, days=settings.days, now=datetime.now(UTC))
    raised = alerts(found, settings)
    if prometheus is not None:
        from ragheal.health.prometheus import export

        export(prometheus, found, raised, totals(folder), ragheal.__version__)
    if dashboard is not None:
        _write_dashboard(dashboard)
    return Output(
        "health",
        {**whole(found), "days": settings.days, "alerts": whole(raised)},
        lambda page: render.health.text(page, found, raised, settings),
        CheckFailed.exit_code if raised and fail else 0,
        note="\n".join(f"written to {path}" for path in (prometheus, dashboard) if path is not None),
    )


def _write_dashboard(path: Path) -> None:
    """Raises StorageError when the file cannot be written."""
    from importlib.resources import files

    from ragheal.storage.files import export

    export(path, files("ragheal_configs").joinpath("grafana", "ragheal.json").read_bytes())
