"""What `ragheal search` found."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ragheal.types import Hit

from ..console import Page
from .layout import Row, listing
from .story import hit_records, place, preview
from .text import fit, one_line, plural


def listed(page: Page, hits: Sequence[Hit]) -> str:
    return listing(page, hit_records(hits, page.columns))


def explained(page: Page, hits: Sequence[Hit], words: Sequence[str]) -> str:
    """The words that were searched, and for each hit what each channel said of it."""
    items: list[RenderableType] = [
        Row("words", one_line(" ".join(words)) or "none: every word is too common", cells=7),
        "",
    ]
    for rank, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        where = Text(place(chunk.source, chunk.start_line, chunk.page), "bold")
        if chunk.heading:
            where.append(f"  {one_line(chunk.heading)}", "not bold dim")
        channels = [f"{channel.name} {channel.score:.3f} (rank {channel.rank})" for channel in hit.channels]
        items.append(Row(f"{rank:>3}", where, cells=5))
        items.append(Row("", f"score {hit.score:.4f} from {' and '.join(channels) or 'no channel'}", cells=5))
        items.append(Row("", Text(fit(preview(hit), (page.columns - 5) * 2), "dim"), cells=5))
    return page.render(*items, Text(plural(len(hits), "hit"), "dim"))
