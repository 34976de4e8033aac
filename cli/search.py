"""`ragheal search`: retrieval alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from . import console, options, session

if TYPE_CHECKING:
    from ragheal.types import Hit


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="`-` reads standard input.")],
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the analysed words and each channel's rank and score.")
    ] = False,
    top_k: options.TopK = None,
    preset: options.Preset = None,
    set_: options.Set = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """Search the index without answering. Exits with 3 when nothing was found."""
    from .question import from_argument

    asked = from_argument(query, "query", 'ragheal search "paid leave"')
    folder = session.existing_index(index)
    loaded = session.settings(folder, preset, set_, {"retrieval.top_k": top_k})
    with session.engine(loaded, folder, asks=False) as engine:
        hits = engine.search(asked)
    words: list[str] | None = None
    if explain:
        from ragheal.text.analyze import terms

        words = list(terms(asked))
    if json:
        from .envelope import envelope, hit_fields

        fields = [hit_fields(hit) | {"text": hit.chunk.text} for hit in hits]
        extra = {"terms": words} if explain else {}
        console.write(console.dump(envelope("search", query=asked, **extra, hits=fields)))
    else:
        console.write(_explained(hits, words) if words is not None else _listed(hits))
        if not hits and not quiet:
            console.note("no hits\n")
    return 0 if hits or exit_zero else 3


def _listed(hits: tuple[Hit, ...]) -> str:
    """A table on a terminal; else a hit a line: place, score and text between tabs."""
    from .story import hit_lines, place, preview

    if not hits:
        return ""
    if not console.is_terminal(sys.stdout):
        rows = ((place(h.chunk.source, h.chunk.start_line), f"{h.score:.4f}", preview(h)) for h in hits)
        return "".join("\t".join(row) + "\n" for row in rows)
    columns = console.width()
    return console.render(*hit_lines(hits, columns), columns=columns, colour=console.colourful(sys.stdout))


def _explained(hits: tuple[Hit, ...], words: list[str]) -> str:
    from rich.text import Text

    from .story import labelled, place, preview
    from .text import fit, one_line, plural

    columns = console.width()
    items = [labelled("words", one_line(" ".join(words)) or "none: every word is too common", cells=7), ""]
    for rank, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        where = Text(place(chunk.source, chunk.start_line, chunk.page), "bold")
        if chunk.heading:
            where.append(f"  {one_line(chunk.heading)}", "not bold dim")
        channels = [f"{channel.name} {channel.score:.3f} (rank {channel.rank})" for channel in hit.channels]
        items.append(labelled(f"{rank:>3}", where, cells=5))
        items.append(labelled("", f"score {hit.score:.4f} from {' and '.join(channels) or 'no channel'}", cells=5))
        items.append(labelled("", Text(fit(preview(hit), (columns - 5) * 2), "dim"), cells=5))
    items.append(Text(plural(len(hits), "hit"), "dim"))
    return console.render(*items, columns=columns, colour=console.colourful(sys.stdout))
