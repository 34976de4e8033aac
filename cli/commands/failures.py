"""`ragheal failures`: the failure log, and what failures have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from ragheal.errors import ConfigError

from .. import arguments, render
from ..console import whole
from ..options import option
from ..output import Output
from ..session import Project

if TYPE_CHECKING:
    from pathlib import Path

    from ragheal.settings.sections import EmbeddingSettings


def failures(
    project: Project,
    cluster: Annotated[bool, option("--cluster", "Group by what was missing; show what stands out.")] = False,
    limit: Annotated[int | None, option("--limit -n N", "How many to list, newest first [default: 20].")] = None,
    since: Annotated[float | None, option("--since DAYS", "Only the last DAYS days.")] = None,
    outcome: Annotated[
        str | None,
        option("--outcome OUTCOME", "Only this one: failed, healed, abstained, partial, disclaimed, regenerated."),
    ] = None,
    contains: Annotated[
        str | None, option("--contains TEXT", "Only if this text is in the question or gap.")
    ] = None,
) -> Output:
    """List the questions that failed or needed healing, newest first. --cluster shows what they have in common."""
    from datetime import UTC, datetime, timedelta

    from ragheal.history import clusters, log
    from ragheal.storage.clock import stamp

    folder = project.existing()
    settings = project.settings(folder).settings
    arguments.one_of("--outcome", outcome, (*log.OUTCOMES, "failed"))
    arguments.at_least("--limit", limit, 1, "without --limit there are 20")
    if since is not None and not 0 < since <= arguments.MOST_DAYS:
        raise ConfigError(
            f"--since {since:g}: a number of days, more than 0 and at most {arguments.MOST_DAYS:g}",
            hint="--since 7 shows the last week; without --since they are of all time",
        )
    start = datetime.now(UTC) - timedelta(days=since) if since is not None else None
    rows = log.list(
        folder, limit=limit or (clusters.MOST if cluster else 20), since=stamp(start) if start else None,
        outcome=outcome, contains=contains,
    )  # fmt: skip
    if cluster:
        return _clustered(folder, settings.embedding, rows, start)
    return Output(
        "failures",
        {"failures": whole(rows)},
        lambda page: render.failures.listed(page, rows),
        note="" if rows else "no failures",
    )


def _clustered(folder: Path, embedding: EmbeddingSettings, rows: Any, start: Any) -> Output:
    from ragheal.history import clusters, patterns
    from ragheal.history.vectors import questions_of
    from ragheal.models import load_embedder

    model = load_embedder(
        embedding.model, embedding.query_prefix, embedding.passage_prefix, threads=embedding.threads
    )
    found = clusters.cluster(rows, questions_of(model), folder=folder, embedder=model.fingerprint if rows else "")
    standing = patterns.find(folder, since=start)
    return Output(
        "failures",
        {"failures": len(rows), "clusters": whole(found), "patterns": whole(standing)},
        lambda page: render.failures.clustered(page, found, standing),
    )
