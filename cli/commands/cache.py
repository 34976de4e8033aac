"""`ragheal cache`: what is kept of answers and decisions, how often it helped, and forgetting it."""

from __future__ import annotations

from .. import render
from ..console import whole
from ..output import Output
from ..session import Place


def stats(place: Place) -> Output:
    """Show what is cached, and how often it was used."""
    from ragheal.caching.answers import ANSWERS
    from ragheal.caching.database import CACHE
    from ragheal.caching.decisions import DECISIONS
    from ragheal.caching.figures import KindFigures, cache_figures

    folder = place.existing()
    found = cache_figures(folder)
    figures = {kind: found.get(kind, KindFigures()) for kind in (ANSWERS, DECISIONS)}
    path = folder / CACHE.name
    return Output(
        "cache stats",
        {
            "file": str(path),
            "bytes": path.stat().st_size if path.is_file() else 0,
            **{kind: whole(entry) | {"hit_rate": entry.hit_rate} for kind, entry in figures.items()},
        },
        lambda page: render.stores.kept(page, figures),
    )


def clear(place: Place) -> Output:
    """Delete all cached answers and decisions, and their counts."""
    from ragheal.caching.figures import clear

    removed = clear(place.existing())
    return Output("cache clear", {"removed": removed}, lambda page: render.stores.cleared(page, removed))
