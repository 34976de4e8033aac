"""Is the chunk with the answer among the first hits? By each channel, fused, and reranked by the reader.

    python bench/retrieval.py BENCH INDEX [--type para …]

BENCH holds `questions.jsonl` (question, type, answerable, answer, file). A chunk counts when it is of the file and
holds the answer's words, markup, case and punctuation aside. Prints the share among the first 1, 3, 10 and 50.
"""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from ragheal.engine import Engine
from ragheal.settings import load
from ragheal.types import Hit, Query

FIRST = (1, 3, 10, 50)


def folded(text: str) -> str:
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).lower())


def place(hits: Sequence[Hit], row: dict[str, str]) -> int:
    """Rank from 0 of the first hit that holds the answer; a large number when none does."""
    wanted = folded(row["answer"])
    for rank, hit in enumerate(hits):
        if hit.chunk.source.endswith(row["file"]) and wanted in folded(hit.chunk.text):
            return rank
    return 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--type", nargs="*", default=["para", "plain"])
    args = parser.parse_args()
    base = {"retrieval.top_k": 50, "cache.enabled": False, "trace.save": False}
    ways = {
        "meaning alone": {"retrieval.rerank": "none", "retrieval.fusion": "rrf", "retrieval.lexical_weight": 0.0},
        "words alone": {"retrieval.rerank": "none", "retrieval.fusion": "rrf", "retrieval.dense_weight": 0.0},
        "fused": {"retrieval.rerank": "none"},
        "reranked": {},
    }
    rows = [json.loads(line) for line in (args.bench / "questions.jsonl").read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["answerable"] and row["type"] in args.type]
    for way, flags in ways.items():
        engine = Engine(load(flags={**base, **flags}, env={}).settings, args.index)
        found: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            found[row["type"]].append(place(engine.doors().search(Query(row["question"])), row))
        for kind, places in sorted(found.items()):
            shares = "  ".join(f"@{k} {sum(p < k for p in places) / len(places):.2f}" for k in FIRST)
            print(f"{way:14} {kind:6} n={len(places):3}  {shares}", flush=True)
        engine.close()


if __name__ == "__main__":
    main()
