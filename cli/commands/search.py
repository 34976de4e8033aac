"""`ragheal search`: retrieval alone."""

from __future__ import annotations

from typing import Annotated

from .. import arguments, options, render
from ..options import argument, option
from ..output import Output
from ..session import Project

NOTHING_FOUND = 3


def search(
    project: Project,
    query: Annotated[str, argument("QUERY", "`-` reads standard input.")],
    explain: Annotated[bool, option("--explain", "Show the terms, and each channel's rank and score.")] = False,
    top_k: options.TopK = None,
) -> Output:
    """Search the index without answering. Exits with 3 if nothing was found."""
    asked = arguments.question(query, "query", 'ragheal search "paid leave"')
    with project.engine({"retrieval.top_k": top_k}, asks=False) as engine:
        hits = engine.search(asked)
    words: list[str] = []
    if explain:
        from ragheal.text.analyze import terms

        words = list(terms(asked))
    return Output(
        "search",
        {
            "query": asked,
            **({"terms": words} if explain else {}),
            "hits": [render.fields.hit(hit) | {"text": hit.chunk.text} for hit in hits],
        },
        lambda page: render.search.explained(page, hits, words) if explain else render.search.listed(page, hits),
        code=0 if hits else NOTHING_FOUND,
        note="" if hits else "no hits",
    )
