"""`ragheal replay` and `ragheal traces`: shown as it was, checked, run again."""

import json

import msgspec
import pytest

from ragheal.tracing import files
from ragheal.types import JudgeStep, SearchStep


def test_replay_prints_what_ask_printed(run, engine, samples, history):
    """A replay that looks different is not the record."""
    for make in samples.ALL.values():
        trace = make()
        assert run("replay", trace.id).out == run("ask", trace.question).out
    assert run("replay", "last").code == 0
    assert run("replay", samples.abstained().id).code == 0  # showing a refusal is no refusal
    shown = run("replay", samples.CHAIN and "1a2b", "--json").json["traces"][0]
    asked = run("ask", samples.CHAIN, "--json").json
    assert {key: shown[key] for key in asked.keys() - {"command", "schema_version", "ragheal"}} == {
        key: asked[key] for key in asked.keys() - {"command", "schema_version", "ragheal"}
    }


def test_check(run, engine, samples, history):
    """All traces are checked, and the failing one names its step."""
    result = run("replay", "1a2b", "2b3c", "--check")
    assert (result.code, result.out.splitlines()[-1]) == (0, "2 traces checked, 0 differ")
    trace = samples.healed()
    steps = tuple(
        msgspec.structs.replace(s, verdict=msgspec.structs.replace(s.verdict, confidence=0.5))
        if isinstance(s, JudgeStep) else s for s in trace.steps
    )  # fmt: skip
    engine.script[trace.question] = msgspec.structs.replace(trace, steps=steps)
    result = run("replay", "1a2b", "2b3c", "--check")
    assert result.code == 7
    assert "1a2b: step 4 (judge): verdict.confidence was 0.41, is now 0.5" in result.out
    assert "2 traces checked, 1 differ" in result.out
    assert run("replay", "1a2b", "--check", "--exit-zero").code == 0
    checked = run("replay", "1a2b", "2b3c", "--check", "--json")
    assert checked.code == 7
    assert [entry["ok"] for entry in checked.json["traces"]] == [False, True]


def test_an_edited_file(run, engine, samples, place):
    """Replay refuses to show what was edited as the record; --check says which step it was, or that one was."""
    files.write(samples.healed(), place / "t.json")
    text = (place / "t.json").read_text(encoding="utf-8")
    (place / "t.json").write_text(text.replace('"bridge": "Mara', '"bridge": "Sara'), encoding="utf-8")
    result = run("replay", "t.json")
    assert result.code == 2
    assert "was changed after it was saved" in result.err
    engine.script[samples.CHAIN] = samples.healed()
    result = run("replay", "t.json", "--check")
    assert result.code == 7
    assert "step 4 (judge): verdict.bridge was “Sara" in result.out
    (place / "t.json").write_text(text.replace('"seconds": 0.8412', '"seconds": 0.1'), encoding="utf-8")
    result = run("replay", "t.json", "--check")
    assert result.code == 7
    assert "though every step runs alike" in result.out


def test_unknown_traces(run, history):
    """A file that is not there and an id nobody has are told apart."""
    missing = run("replay", "none.json").err
    assert "there is no file none.json" in missing
    assert "hint: `ragheal traces`" in missing
    result = run("replay", "zzz")
    assert result.code == 2
    assert "no trace `zzz`" in result.err


def test_rerun_shows_what_changed(run, engine, samples, history):
    """After a document changed: which hits came and went, how the answer differs."""
    trace = samples.healed()
    assert "as they were" in run("replay", "1a2b", "--rerun").out
    search = trace.steps[2]
    steps = (*trace.steps[:2], msgspec.structs.replace(search, hits=(samples.hit(samples.CHINESE, 0.5, 1),)),
             *trace.steps[4:])  # fmt: skip
    answer = msgspec.structs.replace(trace.answer, status="partial", text="Another text [1]")
    engine.script[trace.question] = msgspec.structs.replace(trace, steps=steps, answer=answer, index_generation=4)
    result = run("replay", "1a2b", "--rerun")
    assert result.code == 0
    for part in ("generation 3 → 4", "answered → partial", "+ 制度/休假与考勤管理办法.md:18",
                 "- people/on-call and escalation contacts.csv:4", "Another text [1]",
                 "missing last product of Mara Lindqvist → none"):  # fmt: skip
        assert part in result.out
    entry = run("replay", "1a2b", "--rerun", "--json").json["traces"][0]
    assert entry["same"] is False
    assert entry["hits"]["gained"] == ["制度/休假与考勤管理办法.md:18"]
    assert entry["now"]["status"] == "partial"


def test_traces_lists_and_exports(run, samples, history, place):
    """Found again by question, status and route; written to a file that replays."""
    rows = [line.split("\t") for line in run("traces").out.splitlines()]
    assert [row[0] for row in rows] == [make().id for make in reversed(samples.ALL.values())]
    assert len(run("traces", "--status", "abstained").out.splitlines()) == 1
    assert len(run("traces", "--contains", "年假", "--json").json["traces"]) == 1
    assert run("traces", "1a2b", "--export", "t.json").code == 0
    assert files.read(place / "t.json").trace == samples.healed()
    assert run("traces", "1a2b").code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--status", "nope"), ("--status nope: no such status", "answered, partial")),
        (("--route", "nope"), ("--route nope: no such route", "direct, standard")),
        (("--limit", "0"), ("at least 1",)),
        (("last", "--export", "no/such/x"), ("there is no folder no/such",)),
        (("last", "--export", "."), ("is a folder",)),
        (("prune", "--keep-mb", "-3"), ("at least 0",)),
        (("prune", "--keep-days", "-1"), ("at least 0",)),
    ],
)
def test_bad_values_of_traces(run, history, arguments, words):
    """A misspelt filter would pass for one that finds nothing; each error says what to type instead."""
    result = run("traces", *arguments)
    assert (result.code, result.out) == (2, "")
    assert all(word in result.err for word in (*words, "hint: ")), result.err


def test_replay_of_a_trace_without_searches(run, samples, history):
    """A greeting has no rounds."""
    trace = samples.direct()
    assert not [step for step in trace.steps if isinstance(step, SearchStep)]
    assert json.loads(run("replay", trace.id, "--json").out)["traces"][0]["rounds"] == []
