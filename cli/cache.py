"""`ragheal cache`: what is kept of answers and decisions, how often it helped, and forgetting it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from . import console, options, session

if TYPE_CHECKING:
    from ragheal.caching.figures import KindFigures


def build() -> typer.Typer:
    """`cache` with its commands."""
    group = typer.Typer(name="cache", help="Kept answers: how often they helped, and forgetting them.")
    group.command("stats")(stats)
    group.command("clear")(clear)
    return group


def stats(index: options.Index = None, json: options.Json = False) -> int:
    """Show what is kept, and how often it was what somebody asked for."""
    from ragheal.caching.answers import ANSWERS
    from ragheal.caching.database import CACHE
    from ragheal.caching.decisions import DECISIONS
    from ragheal.caching.figures import KindFigures, cache_figures

    folder = session.existing_index(index)
    found = cache_figures(folder)
    figures = {kind: found.get(kind, KindFigures()) for kind in (ANSWERS, DECISIONS)}
    if json:
        from .envelope import envelope

        path = folder / CACHE.name
        kinds = {kind: _fields(entry) for kind, entry in figures.items()}
        size = path.stat().st_size if path.is_file() else 0
        console.write(console.dump(envelope("cache stats", file=str(path), bytes=size, **kinds)))
    else:
        columns = console.width() if console.is_terminal(sys.stdout) else 1000
        console.write(_text(figures, columns))
    return 0


def clear(index: options.Index = None, json: options.Json = False) -> int:
    """Forget every kept answer and decision, and the counts of their use."""
    from ragheal.caching.figures import clear

    from .text import plural

    removed = clear(session.existing_index(index))
    if json:
        from .envelope import envelope

        console.write(console.dump(envelope("cache clear", removed=removed)))
    else:
        parts = [plural(count, kind.removesuffix("s")) for kind, count in removed.items()]
        console.write(f"removed {' and '.join(parts)}\n" if parts else "nothing was kept\n")
    return 0


def _fields(figures: KindFigures) -> dict[str, Any]:
    from .envelope import whole

    fields: dict[str, Any] = whole(figures)
    return fields | {"hit_rate": figures.hit_rate}


def _text(figures: dict[str, KindFigures], columns: int) -> str:
    from .story import labelled

    rows = [(kind, _line(entry)) for kind, entry in figures.items()]
    items = [labelled(label, body, cells=11) for label, body in rows]
    return console.render(*items, columns=columns, colour=console.colourful(sys.stdout))


def _line(figures: KindFigures) -> str:
    from .text import plural, size

    rate = figures.hit_rate
    asked = figures.hits + figures.misses
    parts = [f"{figures.entries:,} kept"]
    if figures.entries:
        routes = ", ".join(f"{count:,} {route}" for route, count in figures.routes.items())
        parts = [f"{figures.entries:,} kept ({routes})" if routes else parts[0], size(figures.bytes)]
        parts.append(f"oldest {_age(figures.oldest or 0.0)}")
    if rate is not None:
        parts.append(f"{figures.hits:,} of {plural(asked, 'lookup')} served ({rate:.0%})")
    return " · ".join(parts)


def _age(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
