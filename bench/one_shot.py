"""The yardstick: a plain one-shot script of the kind people write first.

    python bench/one_shot.py build INDEX RAGHEAL_INDEX MODEL     saves vectors (FAISS) and texts of the same chunks
    python bench/one_shot.py ask INDEX MODEL "question"          loads them and prints the top hits

`build` takes a number of chunks as a last argument: encoding all takes minutes, and asking fewer is only
faster. sentence-transformers + FAISS + rank-bm25, nothing clever, nothing lazy; it only searches.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import faiss
import numpy as np
from rank_bm25 import BM25Okapi
from sentence_transformers import SentenceTransformer


def build(index: Path, ragheal: Path, model: str, count: int) -> None:
    database = max(ragheal.glob("generations/*/index.db"))
    texts = [text for (text,) in sqlite3.connect(database).execute("SELECT text FROM chunks ORDER BY number")]
    texts = texts[:count]
    encoder = SentenceTransformer(model, device="cpu")
    vectors = encoder.encode([f"passage: {text}" for text in texts], normalize_embeddings=True)
    store = faiss.IndexFlatIP(vectors.shape[1])
    store.add(np.asarray(vectors, dtype=np.float32))
    index.mkdir(parents=True, exist_ok=True)
    faiss.write_index(store, str(index / "vectors.faiss"))
    (index / "texts.json").write_text(json.dumps(texts), encoding="utf-8")


def ask(index: Path, model: str, question: str) -> None:
    texts = json.loads((index / "texts.json").read_text(encoding="utf-8"))
    store = faiss.read_index(str(index / "vectors.faiss"))
    words = BM25Okapi([text.lower().split() for text in texts])
    encoder = SentenceTransformer(model, device="cpu")
    vector = encoder.encode([f"query: {question}"], normalize_embeddings=True)
    _, dense = store.search(np.asarray(vector, dtype=np.float32), 20)
    lexical = np.argsort(-words.get_scores(question.lower().split()))[:20]
    scores: dict[int, float] = {}
    for ranked, weight in ((dense[0], 0.6), (lexical, 0.4)):
        for rank, number in enumerate(ranked):
            scores[int(number)] = scores.get(int(number), 0.0) + weight / (60 + rank)
    for number in sorted(scores, key=lambda n: -scores[n])[:5]:
        print(f"{scores[number]:.4f}  {texts[number][:100]!r}")


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], int(sys.argv[5]) if len(sys.argv) > 5 else 10**9)
    else:
        ask(Path(sys.argv[2]), sys.argv[3], sys.argv[4])
