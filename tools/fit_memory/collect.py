"""Questions of real sets and their rewordings, embedded once: `questions.json` and `vectors.npy` in WORK.

    python -m tools.fit_memory.collect DATA WORK [--per-set 1200]

DATA has a folder for each question set with `questions.jsonl` (qid, question, answers, supporting_doc_ids,
answerable, lang). Every question gets rewordings by rule (rewordings.py).
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from ragheal.models import load_embedder
from tools.fit_memory.rewordings import rewordings

SETS = ("squad2_en", "xquad_en", "xquad_zh", "cmrc2018", "drcd", "tidb_faq", "deep_rag_gitlab", "hotpotqa",
        "musique", "2wiki")  # fmt: skip


def questions(data: Path, count: int, seed: int = 7) -> list[dict[str, Any]]:
    """Questions with whole documents together: the hard cases are the other questions on the same text."""
    draw = random.Random(seed)
    found = []
    for name in SETS:
        lines = (data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        for record in map(json.loads, lines[:count]):
            found.append(
                {
                    "set": name, "lang": record["lang"], "text": record["question"],
                    "answers": record["answers"], "documents": record["supporting_doc_ids"],
                    "answerable": record.get("answerable", True),
                    "reworded": rewordings(record["question"], record["lang"], draw),
                }
            )  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--per-set", type=int, default=1200)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    found = questions(arguments.data, arguments.per_set)
    embedder = load_embedder("e5-small-en-zh")
    texts = [text for question in found for text in (question["text"], *question["reworded"])]
    vectors = np.stack([embedder.embed_query(text) for text in texts])
    (arguments.work / "questions.json").write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    np.save(arguments.work / "vectors.npy", vectors)
    print(f"{len(found)} questions, {len(texts)} texts")


if __name__ == "__main__":
    main()
