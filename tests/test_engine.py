"""The engine with the real parts: fallbacks, determinism, what is kept and what is not."""

from __future__ import annotations

import functools
import inspect
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragheal.engine import Engine, find_index
from ragheal.errors import ConfigError, IndexMissing, ModelError
from ragheal.models import reader as reader_module
from ragheal.settings import load
from ragheal.types import SearchStep

TEXT = {
    "depot.md": "# Northgate depot\n\nThe depot at Northgate was opened in 1987.\n\nIt has 44 loading bays.\n",
    "仓库.md": "# 东站仓库\n\n东站仓库于 2019 年启用。\n\n仓库共有 18 个月台。\n",
    "code.py": "MAX_ROUNDS = 3\n\ndef limit():\n    return MAX_ROUNDS\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "docs").mkdir()
    for name, text in TEXT.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    made = Engine(load(env={}).settings, folder / ".ragheal")
    made.index([folder / "docs"])
    made.close()
    return folder


@pytest.fixture
def engine(project: Path) -> Iterator[Engine]:
    made = Engine(load(env={}).settings, project / ".ragheal")
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "words", "source"),
    [
        ("When was the Northgate depot opened?", "1987", "depot.md"),
        ("How many loading bays does the depot have?", "44", "depot.md"),
        ("東站倉庫是哪一年啟用的？", "2019", "仓库.md"),
        ("东站仓库有多少个月台？", "18", "仓库.md"),
    ],
)
def test_answers_in_both_languages(engine: Engine, question: str, words: str, source: str) -> None:
    """The least a user expects: a fact that stands in a document, with the document."""
    answer = engine.ask(question).answer
    assert words in answer.text
    assert answer.citations[0].source == source


def test_same_question_same_trace(engine: Engine) -> None:
    """Determinism: what is asked twice is answered twice alike, scores and all."""
    first, second = (engine.ask("How many loading bays does the depot have?") for _ in range(2))
    assert first.answer == second.answer
    assert [exchange.reply for exchange in first.exchanges] == [exchange.reply for exchange in second.exchanges]


def test_a_damaged_reader_is_an_error_that_says_how_to_mend_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that nothing has read would be a guess: better none, and the line that mends it."""
    broken = {lang: tmp_path / folder.name for lang, folder in reader_module.SHIPPED.items()}
    for lang, folder in reader_module.SHIPPED.items():
        shutil.copytree(folder, broken[lang])
        model = broken[lang] / reader_module.MODEL_FILE
        whole = bytearray(model.read_bytes())
        whole[1000] ^= 0xFF
        model.write_bytes(whole)
    own = inspect.unwrap(reader_module.OnnxReader)  # other tests share one reader for speed
    monkeypatch.setattr(reader_module, "OnnxReader", functools.partial(own, broken))
    made = Engine(load(env={}, flags={"trace.save": False}).settings, project / ".ragheal")
    for question in ("东站仓库是哪一年启用的？", "When was the Northgate depot opened?"):
        with pytest.raises(ModelError, match="reader") as caught:
            made.ask(question)
        assert "pip install" in (caught.value.hint or "")
    made.close()


def test_path_filters_hold(project: Path) -> None:
    """Asked of one folder, nothing of another is quoted."""
    settings = load(env={}, flags={"retrieval.paths": ["*.py"], "trace.save": False}).settings
    made = Engine(settings, project / ".ragheal")
    trace = made.ask("When was the Northgate depot opened?")
    made.close()
    hits = [hit for step in trace.steps if isinstance(step, SearchStep) for hit in step.hits]
    assert hits
    assert all(hit.chunk.source.endswith(".py") for hit in hits)


def test_trace_settings_hold_no_secret(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace is attached to bug reports."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    trace = engine.ask("How many loading bays does the depot have?")
    assert "sk-very-secret" not in str(trace)


def test_scripted_back_end_plays_its_part(project: Path, tmp_path: Path) -> None:
    """A demonstration or a test can say what the judge says; a script that runs out says so."""
    script = tmp_path / "script.json"
    script.write_text('{"judge": [{"sufficient": true, "confidence": 0.99}]}', encoding="utf-8")
    flags = {"model.backend": "scripted", "model.script": str(script), "trace.save": False}
    made = Engine(load(env={}, flags=flags).settings, project / ".ragheal")
    assert made.ask("How many loading bays does the depot have?").answer.rounds == 1
    made.close()
    script.write_text('{"judge": []}', encoding="utf-8")
    made = Engine(load(env={}, flags=flags).settings, project / ".ragheal")
    with pytest.raises(ConfigError, match="no reply left"):
        made.ask("How many loading bays does the depot have?")
    made.close()


def test_index_is_found_upwards(project: Path, tmp_path: Path) -> None:
    """As git finds its own."""
    assert find_index(project / "docs") == project / ".ragheal"
    with pytest.raises(IndexMissing):
        find_index(tmp_path)
