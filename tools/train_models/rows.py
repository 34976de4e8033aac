"""Question and passage pairs on disk -> rows, split by document, with nothing that a test set holds."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Sets of `pairs/`. What ends in `validation` is never trained on.
NATURAL = ("nq_qed", "nq_open_gold", "nq_paragraph", "clapnq", "tydiqa_goldp_en", "lecoqa_zh")
READING = (
    "squad2_train_sample",
    "squadshifts_new_wiki",
    "repliqa",
    "covid_qa_deepset",
    "selqa",
    "cmrc2018_zh",
    "drcd_zh",
)
WRITTEN = ("written", "written_contrast")
ONLY_NEGATIVE = ("nomiracl_nonrelevant_en", "nomiracl_nonrelevant_zh")


def read(path: Path) -> Iterator[dict[str, Any]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def pairs(folder: Path, *names: str) -> list[dict[str, Any]]:
    return [row for name in names for row in read(folder / f"{name}.jsonl.gz")]


def normal(text: str) -> str:
    """Letters and digits only, folded: what two copies of one text have in common."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def fraction(key: str) -> float:
    """0 to 1 by a hash, the same on every machine."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") / 2**32


def held_out(row: dict[str, Any], share: float = 0.07) -> bool:
    """Whether a row's document is kept for validation: the same for every question of the document."""
    return fraction("held-out:" + str(row.get("file") or normal(row["passage"])[:80])) < share


class TestSet:
    """Questions and texts of a test set, which no training row may hold."""

    def __init__(self, folders: list[Path]) -> None:
        self.questions: set[str] = set()
        texts: list[str] = []
        for folder in folders:
            self.questions |= {normal(row["question"]) for row in read(folder / "questions.jsonl")}
            texts += [
                normal(path.read_text("utf-8", "replace"))
                for path in sorted(folder.rglob("corpus/**/*"))
                if path.is_file()
            ]
        self.texts = "\n".join(texts)

    def holds(self, question: str, sentence: str) -> bool:
        found = normal(sentence)
        return normal(question) in self.questions or (len(found) >= 12 and found in self.texts)


def reading_sets(folder: Path, barred: TestSet) -> list[dict[str, Any]]:
    """SQuAD 2.0 dev and XQuAD as rows, less what the test set holds (the question, or the sentence that answers)."""
    rows: list[dict[str, Any]] = []
    for name in ("squad2_en", "xquad_en", "xquad_zh"):
        texts = {row["doc_id"]: row for row in read(folder / name / "corpus.jsonl")}
        for row in read(folder / name / "questions.jsonl"):
            wanted = row["supporting_doc_ids"] if row["answerable"] else row.get("near_miss_doc_ids") or []
            if not wanted or wanted[0] not in texts:
                continue
            text, answer = texts[wanted[0]]["text"], (row["answers"] or [""])[0] if row["answerable"] else ""
            if row["answerable"] and (not answer or answer not in text):
                continue
            at = text.find(answer) if answer else len(text) // 2
            around = re.split(r"(?<=[.!?。！？])", text[:at])[-1] + text[at : at + 60]
            if barred.holds(row["question"], around[:120]):
                continue
            rows.append({"set": name, "qid": row["qid"], "question": row["question"], "title": texts[wanted[0]]["title"],
                         "passage": text, "answerable": row["answerable"], "answer": answer, "lang": row["lang"],
                         "kind": "reading" if row["answerable"] else "near_miss"})  # fmt: skip
    return rows
