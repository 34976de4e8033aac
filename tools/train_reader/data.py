"""Question sets on disk -> questions and documents, without anything a test set holds, split by article.

A set is a folder with `corpus.jsonl` (doc_id, title, text) and `questions.jsonl` (qid, question, answers,
supporting_doc_ids, answerable, type, lang and per-set extras). Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SETS = (
    "squad2_en",
    "xquad_en",
    "xquad_zh",
    "cmrc2018",
    "drcd",
    "hotpotqa",
    "2wiki",
    "musique",
    "ramdocs",
    "pubmedqa",
    "tidb_faq",
    "deep_rag_gitlab",
)


@dataclass(frozen=True)
class Doc:
    """One document; `group` is the article, so that no article stands on both sides of the split."""

    id: str
    set: str
    lang: str
    title: str
    text: str
    group: str


@dataclass
class Question:
    """One question; `docs` support it, `near` only tempt. `kind` says which recipe makes its pairs."""

    id: str
    set: str
    lang: str
    text: str
    answers: list[str]
    docs: list[str]
    near: list[str]
    kind: str
    extra: dict[str, Any] = field(default_factory=dict)


def normalise(text: str) -> str:
    """Letters and digits only, folded: what two copies of one text have in common."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "", folded)


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def split_side(group: str, share: float = 0.08) -> str:
    """The side "val" for about `share` of the articles, by a hash: the same on every machine."""
    digest = hashlib.sha256(("reader-split-c:" + group).encode()).digest()
    return "val" if int.from_bytes(digest[:4], "big") / 2**32 < share else "train"


class Excluded:
    """What a test set holds: its questions, the passages that are evidence for them, and its articles.

    Left out is, in every set and language, each article that is a file of the test set, and each document that
    carries the evidence of one of its questions (for an unanswerable question: that is among the three paragraphs
    of the tempting file that share most with it).
    """

    def __init__(self, folder: Path | None) -> None:
        self.questions: set[str] = set()
        self.origins: set[str] = set()
        self.quotes: list[str] = []
        self.articles: list[str] = []
        self.titles: set[str] = set()
        if folder is None:
            return
        tempting: list[tuple[str, Path]] = []
        for row in read_jsonl(folder / "questions.jsonl"):
            self.questions.add(normalise(row["question"]))
            self.origins.add(str(row.get("origin_id", "")))
            for quote in row.get("evidence_quotes") or []:
                self.quotes.append(normalise(quote["quote"])[:60])
            for name in row.get("near_miss_doc_ids") or []:
                tempting.append((row["question"], folder / "corpus" / name))
        for question, path in tempting:
            self.quotes += _closest_paragraphs(question, path.read_text(encoding="utf-8"))
        self.quotes = sorted({q for q in self.quotes if len(q) >= 10})
        for path in sorted((folder / "corpus").glob("*/articles/*")):
            raw = path.read_text(encoding="utf-8")
            self.titles.add(normalise(path.stem))
            self.articles.append(normalise(raw))

    def has_question(self, row: dict[str, Any]) -> bool:
        return normalise(row["question"]) in self.questions or row["qid"] in self.origins

    def has_evidence(self, text: str) -> bool:
        flat = normalise(text)
        return any(quote in flat for quote in self.quotes)

    def is_article(self, title: str, text: str) -> bool:
        """By title, or because the middle of the text stands in one of the files."""
        if normalise(title) in self.titles:
            return True
        flat = normalise(text)
        middle = flat[len(flat) // 2 :][:60]
        return len(middle) >= 20 and any(middle in article for article in self.articles)


def _closest_paragraphs(question: str, text: str, count: int = 3) -> list[str]:
    wanted = set(overlap_terms(question))
    paragraphs = [p for p in re.split(r"\n\s*\n", text) if len(p) > 30]
    paragraphs.sort(key=lambda p: -len(wanted & set(overlap_terms(p))))
    return [normalise(p)[:60] for p in paragraphs[:count]]


def overlap_terms(text: str) -> list[str]:
    """Lower-case words, and single Chinese characters with their bigrams."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = re.findall(r"[a-z0-9]+", folded)
    han = re.findall(r"[\u3400-\u9fff]+", folded)
    return words + [run[i : i + 2] for run in han for i in range(max(len(run) - 1, 1))]


def strip_markdown(text: str) -> str:
    """Front matter, HTML tags and comments out; the lines and headings stay."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"</?[a-zA-Z][^>\n]{0,200}>", "", text)
    return re.sub(r"\{\{[<%].*?[%>]\}\}", "", text)


def _group(set_name: str, doc_id: str, title: str) -> str:
    if set_name in {"squad2_en", "xquad_en", "xquad_zh"}:
        return "squad/" + normalise(title)
    if set_name == "drcd":
        return "drcd/" + doc_id.split("/")[1].split("-")[0]
    return set_name + "/" + (normalise(title) or doc_id)


def load_docs(
    root: Path, set_name: str, lang: str, excluded: Excluded
) -> tuple[dict[str, Doc], set[str], set[str]]:
    """Documents of a set; ids of those that are evidence of a test question; articles that are files of it."""
    docs: dict[str, Doc] = {}
    evidence: set[str] = set()
    articles: set[str] = set()
    for row in read_jsonl(root / set_name / "corpus.jsonl"):
        text = row["text"]
        if set_name in {"tidb_faq", "deep_rag_gitlab"}:
            text = strip_markdown(text)
        doc_id, title = row["doc_id"], row.get("title") or ""
        doc = Doc(doc_id, set_name, lang, title, text, _group(set_name, doc_id, title))
        if excluded.has_evidence(text):
            evidence.add(doc_id.split("/", 1)[1] if set_name.startswith("xquad") else doc_id)
        # In every set: MuSiQue, for one, is made of paragraphs that SQuAD has too.
        if excluded.is_article(title, text):
            articles.add(doc.group)
        docs[doc_id] = doc
    return docs, evidence, articles


def _kind(set_name: str, row: dict[str, Any]) -> str:
    if not row["answerable"]:
        return "near_miss"
    if row.get("long_form"):
        return "long_form"
    if set_name == "pubmedqa":
        return "yes_no"
    return str(row["type"])


def load(root: Path, exclude: Path | None = None) -> tuple[list[Question], dict[str, Doc], dict[str, Any]]:
    """Every question that the test set leaves free, the documents, and counts of what was left out why."""
    excluded = Excluded(exclude)
    docs: dict[str, Doc] = {}
    evidence: set[str] = set()
    articles: set[str] = set()
    rows: dict[str, list[dict[str, Any]]] = {}
    for name in SETS:
        if not (root / name / "questions.jsonl").exists():
            continue
        rows[name] = list(read_jsonl(root / name / "questions.jsonl"))
        found, ids, groups = load_docs(root, name, rows[name][0]["lang"], excluded)
        docs.update(found)
        evidence |= ids
        articles |= groups

    def barred(doc_id: str) -> bool:
        doc = docs.get(doc_id)
        tail = doc_id.split("/", 1)[1] if doc_id.startswith("xquad") else doc_id
        return doc is None or tail in evidence or doc.group in articles

    questions: list[Question] = []
    report: dict[str, Any] = {}
    for name, listed in rows.items():
        kept = same = passage = 0
        for row in listed:
            near = list(row.get("near_miss_doc_ids") or [])
            if excluded.has_question(row):
                same += 1
            elif any(barred(d) for d in list(row["supporting_doc_ids"]) + near):
                passage += 1
            else:
                kept += 1
                extra = {k: v for k, v in row.items() if k not in {"question", "answers", "supporting_doc_ids"}}
                questions.append(
                    Question(row["qid"], name, row["lang"], row["question"], list(row["answers"]),
                             list(row["supporting_doc_ids"]), near, _kind(name, row), extra)
                )  # fmt: skip
        report[name] = {"kept": kept, "same_question": same, "test_passage_or_article": passage}
    docs = {key: doc for key, doc in docs.items() if not barred(key)}
    return questions, docs, report


if __name__ == "__main__":
    import sys

    found, all_docs, counts = load(Path(sys.argv[1]), Path(sys.argv[2]))
    print(len(found), "questions", len(all_docs), "documents")
    for key, value in counts.items():
        print(key, value)
