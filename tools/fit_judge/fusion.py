"""Choose the fusion weights: full evidence among the first 5 and 10 sources, per question set.

    python -m tools.fit_judge.fusion DATA WORK [--per-set 150]

Uses the index that `collect` made. Prints plain reciprocal rank fusion, each channel alone, and a grid of
lexical weights at no and at full coverage of the question's terms.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragheal.engine import Engine
from ragheal.indexing.opened import OpenIndex
from ragheal.retrieval import fuse
from ragheal.retrieval.weights import K1, Weights
from ragheal.settings import RetrievalSettings, load
from ragheal.text.analyze import terms
from tools.fit_judge.collect import SETS, sample, write_documents

Lists = tuple[list[tuple[int, float]], list[tuple[int, float]], float, list[set[str]]]
GRID = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)


def gather(data: Path, work: Path, count: int) -> tuple[dict[str, list[Lists]], dict[int, str]]:
    """For each question: both ranked lists, the ceiling of BM25, and the groups of sources that are needed."""
    sources, _ = write_documents(data, work / "documents")
    engine = Engine(load(env={}).settings, work / ".ragheal")
    embedder = engine._embedder()
    found: dict[str, list[Lists]] = {name: [] for name in SETS}
    names: dict[int, str] = {}
    with OpenIndex.open(work / ".ragheal") as index:
        for name, record, withheld in sample(data, count, 7):
            needed = {sources[d] for d in record["supporting_doc_ids"] if d in sources}
            if withheld or not needed or not record.get("answerable", True):
                continue
            groups = [{source} for source in needed] if record.get("type") == "multi_hop" else [needed]
            own = list(dict.fromkeys(terms(record["question"])))
            dense = index.dense(embedder.embed_query(record["question"]), 50)
            lexical = index.lexical(own, 50)
            weights = Weights(index.frequencies(own) | {"": index.chunk_count})
            numbers = [number for number, _ in [*dense, *lexical] if number not in names]
            names.update(zip(numbers, (chunk.source for chunk in index.chunks(numbers)), strict=True))
            found[name].append((dense, lexical, (K1 + 1) * weights.total(own), groups))
    return found, names


def measure(found: dict[str, list[Lists]], names: dict[int, str], rank: Callable[[Lists], list[int]]) -> str:
    cells = []
    for questions in found.values():
        marks = []
        for lists in questions:
            top = list(dict.fromkeys(names[number] for number in rank(lists)[:30]))
            marks.append([all(group & set(top[:k]) for group in lists[3]) for k in (5, 10)])
        if marks:
            cells.append("/".join(f"{100 * sum(m[i] for m in marks) / len(marks):.0f}" for i in (0, 1)).rjust(8))
    return " ".join(cells)


def fused(settings: RetrievalSettings) -> Callable[[Lists], list[int]]:
    return lambda lists: [item.number for item in fuse.fuse(lists[0], lists[1], lists[2], settings)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--per-set", type=int, default=150)
    arguments = parser.parse_args()
    found, names = gather(arguments.data, arguments.work, arguments.per_set)
    print("evidence@5/@10".ljust(16), " ".join(name[:8].rjust(8) for name, q in found.items() if q))
    ways: list[tuple[str, Any]] = [
        ("dense", lambda lists: [n for n, _ in lists[0]]),
        ("lexical", lambda lists: [n for n, _ in lists[1]]),
        ("rrf", fused(RetrievalSettings(fusion="rrf"))),
    ]
    for name, rank in ways:
        print(name.ljust(16), measure(found, names, rank))
    for low, high in itertools.product(GRID, GRID):
        if high >= low:
            fuse._LOW, fuse._HIGH = low, high
            print(f"{low:.1f} … {high:.1f}".ljust(16), measure(found, names, fused(RetrievalSettings())))


if __name__ == "__main__":
    main()
