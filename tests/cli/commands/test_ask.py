"""`ragheal ask`: streams, exit codes, the envelope."""

import io
import json
import sys

import pytest

from ragheal.errors import ModelError

ENVELOPE = {
    "schema_version", "question", "status", "answer", "citations", "route", "rounds", "evidence", "verification",
    "confidence", "missing", "conflict", "degraded", "trace_id", "index_generation", "seconds", "tokens",
}  # fmt: skip


@pytest.mark.parametrize(("sample", "code"), [("healed", 0), ("direct", 0), ("abstained", 3), ("conflict", 4)])
def test_exit_codes(run, engine, samples, sample, code):
    """A script decides by the exit code alone."""
    question = samples.ALL[sample]().question
    assert run("ask", question).code == code
    assert run("ask", question, "--exit-zero").code == 0
    assert all(made.closed for made in engine.made)


def test_piped_output_is_the_answer_alone(run, engine, samples):
    """`ragheal ask … > file` must hold the answer and where it rests, no story and no escapes."""
    result = run("ask", samples.CHAIN)
    assert result.err == ""
    assert "\x1b" not in result.out
    assert result.out.startswith("Mara Lindqvist's last product")
    assert (
        "\n[1] products/2025/roadmap.pdf:33 (p. 7)  Roadmap 2025 > Shipped (changed since indexing)\n"
        in result.out
    )
    assert result.out.endswith("[2] people/teams.md:12  Teams > Payments\n")


def test_a_refusal_says_what_was_looked_for(run, engine, samples):
    """A refusal without reasons cannot be acted on; in Chinese its labels are Chinese."""
    out = run("ask", samples.abstained().question).out
    assert "Looked for: What does the cafeteria on Mars charge for lunch?; cafeteria lunch price\n" in out
    assert "Missing: cafeteria on Mars\n" in out
    assert "Nearest: people/on-call and escalation contacts.csv:4\n" in out
    assert "索引后已修改" in run("ask", samples.conflict().question).out


def test_json_envelope(run, engine, samples):
    """The documented fields, all of them, always."""
    for make in samples.ALL.values():
        envelope = run("ask", make().question, "--json").json
        assert set(envelope) >= ENVELOPE
        assert envelope["schema_version"] == 1
    envelope = run("ask", samples.CHAIN, "--json").json
    assert set(envelope["citations"][0]) >= {
        "n", "source", "heading", "start_line", "end_line", "quote", "chunk_id", "page", "changed",
    }  # fmt: skip
    first, second = envelope["rounds"]
    assert set(first) >= {"n", "query", "hits", "verdict", "next_query", "strategy", "seconds", "tokens"}
    assert first["next_query"] == second["query"]
    assert first["verdict"]["missing"] == ["last product of Mara Lindqvist"]
    assert second["verdict"]["sufficient"] is True
    assert first["hits"][0]["channels"] == {
        "dense": {"rank": 1, "score": 0.88}, "lexical": {"rank": 3, "score": 10.5},
    }  # fmt: skip
    assert first["seconds"] == pytest.approx(0.131)
    assert set(envelope["evidence"][0]) >= {"source", "chunk_id", "score"}
    assert envelope["verification"]["grounded"] == "supported"


def test_show_context(run, engine, samples):
    """The passages behind the answer; escapes in a document never reach the terminal."""
    out = run("ask", samples.CHAIN, "--show-context").out
    assert "--- products/2025/roadmap.pdf:33 (p. 7)  Roadmap 2025 > Shipped\n" in out
    assert "\x1b" not in out
    assert "\x07" not in out
    context = run("ask", samples.CHAIN, "--show-context", "--json").json["context"]
    assert [hit["source"] for hit in context] == ["products/2025/roadmap.pdf", "people/teams.md"]


def test_flags_become_settings(run, engine, samples):
    """A flag that is parsed and forgotten changes nothing without a word."""
    run("ask", "q", "--strategy", "self_rag", "--top-k", "3", "--max-rounds", "2", "--no-heal",
        "--set", "retrieval.channel_k=7", "--set", "retrieval.paths=a/*,b/*")  # fmt: skip
    settings = engine.made[-1].settings
    assert (settings.loop.strategy, settings.retrieval.top_k, settings.loop.max_rounds) == ("self_rag", 3, 2)
    assert settings.loop.heal is False
    assert settings.retrieval.channel_k == 7
    assert settings.retrieval.paths == ("a/*", "b/*")
    run("ask", "q", "--preset", "fast")
    assert engine.made[-1].settings.loop.max_rounds == 1


def test_trace_file(run, engine, samples, place):
    """--trace writes a file that replay reads; a folder that is not there is told before the question is asked."""
    assert run("ask", samples.CHAIN, "--trace", "t.json").code == 0
    assert run("replay", "t.json").out == run("ask", samples.CHAIN).out
    asked = len(engine.made)
    result = run("ask", samples.CHAIN, "--trace", "no/t.json")
    assert result.code == 2
    assert len(engine.made) == asked


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("", "empty"),
        (" \t\n", "empty"),
        ("\x00\x1b\x07", "empty"),
        ("\u200b", "empty"),
        ("x" * 100_000, "100,000 characters; the limit is 2,000"),
    ],
)
def test_questions_that_cannot_be_asked(run, engine, question, message):
    """A bad question is a usage error, in words, before anything is loaded."""
    result = run("ask", question)
    assert result.code == 2
    assert message in result.err
    assert engine.made == []


def test_control_characters_are_stripped(run, engine):
    """A pasted question may carry what nobody sees."""
    run("ask", "a\x00b \x1b[31mred\r\n\tline \udcff")
    assert engine.made[-1].asked == ["a b [31mred line ?"]


def test_question_from_standard_input(run, engine, samples, monkeypatch):
    """`echo question | ragheal ask -`, with the mark some editors put first."""
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + samples.CHAIN.encode() + b"\n"))
    )
    assert run("ask", "-").code == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))
    assert "not UTF-8" in run("ask", "-").err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y" * 50_000)))
    assert "the limit is 2,000" in run("ask", "-").err


def test_no_question_and_two(run, engine):
    """Both are usage errors with an example."""
    assert run("ask").code == 2
    result = run("ask", "q", "--batch", "f")
    assert result.code == 2
    assert "ragheal ask" in result.err


def test_batch(run, engine, samples, place):
    """One line out per line in, in order, other fields passed through and ours never overwritten."""
    lines = [
        {"qid": "a", "question": samples.CHAIN, "status": "theirs", "deep": {"x": [1]}},
        {"qid": "b", "question": samples.conflict().question},
    ]
    (place / "q.jsonl").write_text("\n\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    result = run("ask", "--batch", "q.jsonl", "--json")
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert [(a["qid"], a["status"]) for a in answers] == [("a", "answered"), ("b", "conflict")]
    assert answers[0]["deep"] == {"x": [1]}
    assert set(answers[1]) >= ENVELOPE
    assert (result.code, result.err) == (0, "")
    assert len(engine.made) == 1


def test_batch_goes_on_after_a_bad_line(run, engine, samples, place):
    """One bad line of a thousand must not cost the others; the exit code tells."""
    good = json.dumps({"question": samples.CHAIN}).encode()
    (place / "q.jsonl").write_bytes(b'{"question": \n[1]\n{"qid": 7}\n{"question": " "}\n\xff\n' + good)
    result = run("ask", "--batch", "q.jsonl")
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 2
    assert [a.get("line") for a in answers] == [1, 2, 3, 4, 5, None]
    assert "not valid JSON" in answers[0]["error"]["message"]
    assert answers[2]["qid"] == 7
    assert answers[-1]["status"] == "answered"
    assert set(answers[0]["error"]) >= {"message", "hint", "exit_code"}


def test_batch_reports_errors_of_the_model(run, engine, samples, monkeypatch):
    """A server that fails once fails on its line only."""
    engine.script["bad"] = ModelError("the server is gone", hint="start it")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"question":"bad"}\n{"question":"hm"}\n')))
    result = run("ask", "--batch", "-")
    first, second = map(json.loads, result.out.splitlines())
    assert (result.code, first["error"]["exit_code"], second["status"]) == (6, 6, "abstained")
    assert run("ask", "--batch", "none.jsonl").code == 2
