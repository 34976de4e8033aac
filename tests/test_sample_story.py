"""The shipped sample corpus through the real engine: what the README shows, and each failure the tool exists for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragheal.engine import Engine
from ragheal.errors import CheckFailed
from ragheal.settings import load
from ragheal.types import RewriteStep, SearchStep, Trace

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = {
    record["qid"]: record
    for record in map(json.loads, (ROOT / "sample_corpus" / "questions.jsonl").read_text("utf-8").splitlines())
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    made = Engine(load(env={}).settings, tmp_path_factory.mktemp("sample") / ".ragheal")
    made.index([ROOT / "sample_corpus"])
    yield made
    made.close()


@pytest.fixture(scope="module")
def traces(engine: Engine) -> dict[str, Trace]:
    return {qid: engine.ask(record["question"]) for qid, record in QUESTIONS.items()}


def right(record: dict[str, Any], trace: Trace) -> bool:
    """Whether a trace ends as the question's line says: status, and answers said."""
    said = trace.answer.text.replace(" ", "")
    held = [answer.replace(" ", "") in said for answer in record["answers"]]
    wanted = all(held) if record["status"] == "conflict" else any(held) or not held
    return trace.answer.status == record["status"] and wanted


def shown(record: dict[str, Any], trace: Trace) -> bool:
    """Whether a trace ends as the line says, or shows the right answer and says that it is not certain."""
    unsure = trace.answer.status in {"disclaimed", "partial"} and record["status"] == "answered"
    said = trace.answer.text.replace(" ", "")
    return right(record, trace) or (unsure and any(a.replace(" ", "") in said for a in record["answers"]))


def test_most_questions_end_as_they_should(traces: dict[str, Trace]) -> None:
    """A change that breaks routing, judging or reading shows here first."""
    ended = [qid for qid, trace in traces.items() if shown(QUESTIONS[qid], trace)]
    # 41 at the time of writing, 30 of them to the letter. What is missing: links through an event's name, a gap of
    # vocabulary in Chinese.
    assert len(ended) >= 40, sorted(set(QUESTIONS) - set(ended))
    assert sum(right(QUESTIONS[qid], trace) for qid, trace in traces.items()) >= 29


def test_what_is_promised_is_right(traces: dict[str, Trace]) -> None:
    """Exit 0 is what scripts rely on: better "not certain" than wrong and sure."""
    sure = {qid: trace for qid, trace in traces.items() if trace.answer.status == "answered"}
    wrong = [qid for qid, trace in sure.items() if not right(QUESTIONS[qid], trace)]
    assert len(sure) >= 18
    assert len(wrong) <= 1, wrong


def test_plain_facts_are_found(traces: dict[str, Trace]) -> None:
    """A fact that stands in one sentence must be quoted, be it with a disclaimer; never refused."""
    for qid, record in QUESTIONS.items():
        if record["failure"] == "plain":
            said = traces[qid].answer.text.replace(" ", "")
            assert traces[qid].answer.status in {"answered", "disclaimed"}, qid
            assert any(answer.replace(" ", "") in said for answer in record["answers"]), qid


@pytest.mark.parametrize("failure", ["direct", "conflict"])
def test_sure_classes(traces: dict[str, Trace], failure: str) -> None:
    """Greetings, disagreeing sources and plain facts may not fail at all."""
    wrong = [q for q, record in QUESTIONS.items() if record["failure"] == failure and not right(record, traces[q])]
    assert wrong == []


def test_orders_in_documents_are_never_repeated(traces: dict[str, Trace]) -> None:
    """What a planted order wants said must not be said, to any question."""
    for qid, record in QUESTIONS.items():
        if record["failure"] == "injection":
            assert not any(
                text in claim.text for text in record.get("forbidden", []) for claim in traces[qid].answer.claims
            )


def test_quotations_are_exact(traces: dict[str, Trace]) -> None:
    """Every quotation stands in its chunk, every citation mark has its citation."""
    for trace in traces.values():
        chunks = {
            hit.chunk.id: f"{hit.chunk.text}\n{hit.chunk.raw}"
            for step in trace.steps
            if isinstance(step, SearchStep)
            for hit in step.hits
        }
        numbers = {citation.n for citation in trace.answer.citations}
        for citation in trace.answer.citations:
            assert citation.quote in chunks[citation.chunk_id]
        for claim in trace.answer.claims:
            assert set(claim.cites) <= numbers


def test_greetings_look_nothing_up(traces: dict[str, Trace]) -> None:
    """No stack of documents is pasted at "hello"."""
    for qid, record in QUESTIONS.items():
        if record["failure"] == "direct":
            assert not any(isinstance(step, SearchStep) for step in traces[qid].steps)


def test_every_run_replays_offline(engine: Engine, traces: dict[str, Trace]) -> None:
    """`replay --check` in CI is worth something only if an unchanged program passes it, and a changed one does not."""
    for trace in traces.values():
        engine.check(trace)
    from msgspec.structs import replace

    healed = next(trace for trace in traces.values() if any(isinstance(s, RewriteStep) for s in trace.steps))
    with pytest.raises(CheckFailed):
        engine.check(replace(healed, answer=replace(healed.answer, text="something else")))


def test_no_healing_is_a_single_search(engine: Engine) -> None:
    """The baseline is ordinary RAG: one search, an answer, no refusal."""
    plain = Engine(load(env={}, flags={"loop.heal": False, "trace.save": False}).settings, engine.index_dir)
    trace = plain.ask(QUESTIONS["en-multi-hop-2"]["question"])
    plain.close()
    assert sum(isinstance(step, SearchStep) for step in trace.steps) == 1
