"""Runs that ended in an answer, and the shipped embedder for the vectors of their questions."""

import msgspec
import pytest

from ragheal.models import load_embedder
from ragheal.text.script import lang
from ragheal.types import (
    Answer,
    Check,
    Citation,
    Plan,
    PlanStep,
    Query,
    SearchStep,
)


@pytest.fixture(scope="session")
def embedder():
    return load_embedder("e5-small-en-zh")


@pytest.fixture(scope="session")
def embed(embedder):
    return embedder.embed_query


@pytest.fixture
def solved(samples):
    """`solved(question, {query: [chunk, …]}, cited)`: a run whose queries brought these chunks of `api.md`."""
    count = iter(range(1000))

    def make(question, searches, cited=None, *, rounds=2, source="api.md", shape="single", **changes):
        searches = searches if isinstance(searches, dict) else {query: ["a"] for query in searches}
        cited = cited or sorted({name for names in searches.values() for name in names})
        chunks = {name: samples.chunk(source, f"text {name}", n + 1) for n, name in enumerate("abcdefgh")}
        steps = [PlanStep(Plan((Query(question),), shape))]
        for round_, (query, names) in enumerate(searches.items(), 1):
            hits = tuple(samples.hit(chunks[name], 0.5, 1) for name in names)
            steps.append(SearchStep(round_, Query(query, "question" if query == question else "rewrite"), hits, 1))
        citations = tuple(
            Citation(n, chunks[name].id, source, "", 1, 1, f"text {name}") for n, name in enumerate(cited, 1)
        )
        answer = Answer(
            question, "answered", "text [1]", lang(question), "standard", (), citations,
            check=Check("accept", "supported", True, 5), rounds=rounds,
        )  # fmt: skip
        trace = samples.trace(question, tuple(steps), answer, f"t{next(count):010}")
        return msgspec.structs.replace(trace, **changes)

    return make
