"""The sample corpus keeps its promises: what questions.jsonl expects really stands in the documents it names."""

from __future__ import annotations

import importlib.util
import json
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "sample_corpus"
CLASSES = {
    "topical", "sense", "multi_hop", "vocabulary", "linking",
    "absent", "direct", "conflict", "injection", "plain",
}  # fmt: skip
STATUSES = {"answered", "abstained", "conflict", "direct", "partial"}
FIELDS = {"qid", "question", "lang", "failure", "status", "answers", "sources"}
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (CORPUS / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


def text_of(source: str) -> str:
    """The text of a corpus file with runs of white space made one space; a PDF needs pypdfium2."""
    path = CORPUS / source
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as archive:
            raw = re.sub(r"<[^>]+>", " ", archive.read("word/document.xml").decode("utf-8"))
    elif path.suffix == ".pdf":
        pdfium = pytest.importorskip("pypdfium2")
        document = pdfium.PdfDocument(path)
        raw = "\n".join(page.get_textpage().get_text_range() for page in document)
        document.close()
    else:
        data = path.read_bytes()
        try:
            raw = data.decode("utf-8")
        except UnicodeDecodeError:
            raw = data.decode("gb18030")
    return re.sub(r"\s+", " ", raw)


@pytest.mark.parametrize("question", QUESTIONS, ids=[q["qid"] for q in QUESTIONS])
def test_question_can_be_answered_from_its_sources(question: dict[str, Any]) -> None:
    """Lost otherwise: an evaluation that marks a right answer wrong, because the corpus moved on without it."""
    assert set(question) - {"forbidden"} == FIELDS
    assert question["failure"] in CLASSES
    assert question["status"] in STATUSES
    assert question["lang"] in {"en", "zh"}
    assert bool(question["sources"]) == (question["status"] not in {"abstained", "direct"})
    texts = {source: text_of(source) for source in question["sources"]}
    for answer in question["answers"] if texts else []:
        assert any(answer in text for text in texts.values()), f"{answer!r} is in none of {sorted(texts)}"
    if question["status"] == "answered":
        for wrong in question.get("forbidden", []):
            assert not any(wrong in answer for answer in question["answers"])


def test_conflicts_have_one_side_in_each_source() -> None:
    """Lost otherwise: a conflict question whose sources agree, so a tool that states one side looks right."""
    for question in (q for q in QUESTIONS if q["status"] == "conflict"):
        assert len(question["answers"]) == len(question["sources"]) == 2
        for source, answer in zip(question["sources"], question["answers"], strict=True):
            assert answer in text_of(source)


def test_every_class_and_language_is_covered() -> None:
    """Lost otherwise: a way to fail that no sample question would ever show."""
    assert len({q["qid"] for q in QUESTIONS}) == len({q["question"] for q in QUESTIONS}) == len(QUESTIONS)
    classes = Counter(q["failure"] for q in QUESTIONS)
    assert set(classes) == CLASSES
    assert min(classes.values()) >= 3
    for failure in CLASSES:
        assert {q["lang"] for q in QUESTIONS if q["failure"] == failure} == {"en", "zh"}
    languages = Counter(q["lang"] for q in QUESTIONS)
    assert abs(languages["en"] - languages["zh"]) <= 4


def test_vocabulary_questions_do_not_share_the_word() -> None:
    """Lost otherwise: a vocabulary test that plain word matching passes."""
    for source, word in (
        ("platform/api-guide.md", "rate limit"),
        ("platform/接口频率控制.md", "限流"),
        ("operations/driver-training.md", "broke"),
        ("operations/员工手册.md", "迟到"),
    ):
        assert word not in text_of(source).lower()


def test_injected_orders_are_planted() -> None:
    """Lost otherwise: the proof that orders hidden in a document change no answer."""
    assert "ignore all previous instructions" in text_of("inbox/supplier-mail.md")
    assert "忽略之前的所有指令" in text_of("inbox/供应商来信.txt")
    planted = text_of("inbox/supplier-mail.md") + text_of("inbox/供应商来信.txt")
    for question in (q for q in QUESTIONS if q["failure"] == "injection"):
        assert all(wrong in planted for wrong in question["forbidden"])


def test_questions_are_not_indexed() -> None:
    """Lost otherwise: an evaluation that finds its own answers in the corpus."""
    assert "questions.jsonl" in (CORPUS / ".raghealignore").read_text(encoding="utf-8").split()


def test_generated_files_follow_their_script() -> None:
    """Lost otherwise: an edit in the script that never reached the PDF and DOCX files."""
    spec = importlib.util.spec_from_file_location("make_sample_files", ROOT / "tools" / "make_sample_files.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, (_, source) in script.FILES.items():
        found = re.sub(r"\s", "", text_of(name))
        for _, lines in script.blocks(source):
            for line in lines:
                for cell in script.cells(line):
                    assert re.sub(r"\s", "", cell) in found, f"{name} lacks {cell!r}"
