"""A repair from the first failure to the last step back, by the command line alone, on a corpus with a real gap.

The documents of `tests/gap` say "frequency control" or "QPS quota" and never "rate limiting".
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from ragheal_cli.app import main

GAP = Path(__file__).resolve().parents[2] / "gap"
NAMES = ("frequency control", "QPS quota")
QUESTION = "What is the rate limiting policy of the booking API?"
FILE = ("en-gap-1", "en-gap-2", "en-in-1", "en-in-3", "en-in-4", "en-out-1", "zh-in-1")


@pytest.fixture(scope="module")
def gap_index(tmp_path_factory: pytest.TempPathFactory, one_embedder: None) -> Path:
    """The gap corpus, indexed once; not to be changed."""
    folder = tmp_path_factory.mktemp("gap")
    shutil.copytree(GAP / "corpus", folder / "corpus")
    before = os.getcwd()
    os.chdir(folder)
    try:
        assert main(("index", "corpus", "--quiet")) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def gap(gap_index: Path, place: Path) -> Path:
    """The working directory with the gap corpus, its index and a question file."""
    shutil.copytree(gap_index, place, dirs_exist_ok=True)
    lines = [json.loads(line) for line in (GAP / "questions.jsonl").read_text("utf-8").splitlines()]
    kept = [json.dumps(line, ensure_ascii=False) for line in lines if line["qid"] in FILE]
    (place / "questions.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    return place


def ask(run, question=QUESTION):
    result = run("ask", question, "--json")
    return result.code, result.json


def test_from_failure_to_repair_and_back(gap, run):
    """The promise of the tool: a gap of vocabulary is found, mended on proof, and the mend can be taken back."""
    # It is not certain, and not for want of trying.
    code, before = ask(run)
    assert code == 4
    assert before["status"] == "disclaimed"
    assert len(before["rounds"]) > 1

    # It is logged, and clustered.
    logged = run("failures", "--json").json["failures"]
    assert [failure["question"] for failure in logged] == [QUESTION]
    clusters = run("failures", "--cluster", "--json").json["clusters"]
    assert clusters[0]["questions"] == [QUESTION]

    # The documents' word for it is proposed: one end from the question, the other from the corpus.
    proposed = run("heal", "propose", "--json").json["proposals"]
    found = {p["said"]: p["id"] for p in proposed}
    means = next(name for name in NAMES if f'"rate limiting" = "{name}"' in found)
    whole = found[f'"rate limiting" = "{means}"']

    # It cannot be put in force before it is verified, nor promoted before it was on trial.
    assert run("heal", "canary", whole).code == 2
    assert run("heal", "promote", whole).code == 2

    # It improves the question and harms none.
    result = run("heal", "verify", whole, "--questions", "questions.jsonl", "--json")
    # Where the word in every question would harm another, it is refused, and a narrower repair is verified.
    assert result.code in {0, 7}
    (verified,) = (each for each in result.json["proposals"] if each["state"] == "verified")
    assert (verified["state"], verified["what"]["means"]) == ("verified", means)
    repair, measured = verified["id"], verified["measured"]
    assert measured["worse"] == 0
    assert measured["right_after"] >= measured["right_before"]
    assert QUESTION in [effect["question"] for effect in measured["effects"]]
    assert ask(run)[1]["status"] == "disclaimed", "verifying changes nothing"

    # On trial for every question, so that ours is in the share; then it is compared with how it was.
    assert run("heal", "canary", repair, "--percent", "100").code == 0
    code, tried = ask(run)
    assert (code, tried["status"]) == (0, "answered")
    compared = run("heal", "canary", "--json").json["comparison"]
    assert compared["again"] == [[QUESTION, "disclaimed", "answered"]]
    assert compared["worse"] == []

    # In force: the same question is answered in one round, in the user's words.
    assert run("heal", "promote", repair).code == 0
    code, after = ask(run)
    assert (code, after["status"], len(after["rounds"])) == (0, "answered", 1)
    assert after["question"] == QUESTION
    assert "25 calls per second" in after["answer"]
    assert after["citations"][0]["source"] == "platform/traffic-policy.md"
    assert run("replay", "last", "--check").code == 0

    # Back: it is as uncertain as before.
    assert run("heal", "rollback").code == 0
    code, again = ask(run)
    assert (code, again["status"]) == (4, "disclaimed")
    assert again["answer"] == before["answer"]

    # All of it is on record, with what was measured.
    steps = run("heal", "log", "--json").json["steps"]
    steps = [step for step in steps if step["step"] != "refuse"]  # of the broader repair
    assert [step["step"] for step in steps] == ["propose", "verify", "canary", "promote", "rollback"]
    assert steps[1]["measured"]["better"] >= 1
    assert [step["overlay"] for step in steps] == [0, 0, 1, 2, 0]


def test_a_repair_that_harms_a_question_is_refused(gap, run):
    """Otherwise mending one question would break another, and nobody would know which."""
    ask(run)
    found = {p["said"]: p["id"] for p in run("heal", "propose", "--json").json["proposals"]}
    bad = found['"rate limiting" = "QPS quota"']
    changed = "When was rate limiting last changed?"
    shown = ask(run, changed)[1]["citations"][0]["source"]
    with (gap / "questions.jsonl").open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({"question": changed, "sources": [shown]}) + "\n")
    result = run("heal", "verify", bad, "--questions", "questions.jsonl")
    assert result.code == 7
    assert "worse" in result.out
    assert changed in result.out
    assert run("heal", "canary", bad).code == 2


def test_unattended(gap, run):
    """`auto` must end where a careful person would: with the good repair in force, and none that harms."""
    ask(run)
    other = "What is the rate limit of the weather API?"
    before = ask(run, other)[1]["status"]
    result = run("heal", "auto", "--questions", "questions.jsonl", "--json")
    assert result.code == 0
    means = [(p["what"]["term"], p["what"]["means"]) for p in result.json["promoted"]]
    (promoted,) = means
    assert promoted in {("rate limiting", "frequency control"), ("rate limiting", "QPS quota")}
    assert result.json["measured"]["worse"] == 0
    assert ask(run)[1]["status"] == "answered"
    assert ask(run, other)[1]["status"] == before
