"""`ragheal heal` and what it is not meant for."""

from __future__ import annotations

import json

import pytest

from ragheal.healing import pointer, store
from ragheal.healing.overlay import Entry, Overlay, file_of, write
from ragheal.healing.pointer import Pointer
from ragheal.healing.repairs import Advice, Effect, Measured, Proposal, Synonym

RATE = Synonym("rate limiting", "frequency control", "en", ("API",))


@pytest.fixture
def kept(history):
    """An index folder with proposals in every state and overlay 2 in force."""
    measured = Measured(3, 1, 2, 2.0, 1.0, (Effect("q?", "abstained, 3 rounds", "answered, 1 round", "better"),))
    with pointer.writing(history):
        store.keep(
            history,
            [
                Proposal("p1", RATE, "two failures", state="promoted", measured=measured),
                Proposal("p2", Synonym("a", "b", "en"), "one", state="verified", against=2),
                Proposal("p3", Synonym("c", "d", "en"), "one", state="refused", refused='makes "q?" worse: right → wrong'),
                Proposal("p4", Advice("document", "no document speaks of parking"), "3 failures", state="advice"),
            ],
        )  # fmt: skip
        write(history, Overlay(1, (), (Entry("p1", RATE),), 20))
        write(history, Overlay(2, (Entry("p1", RATE),)))
        pointer.swap(history, Pointer(2))
        store.note(history, store.Entry("2026-03-04T05:06:07.000Z", "promote", 2, ("p1",), "fine", measured))
    return history


def test_alone_it_lists(run, kept):
    """The first look: what is in force, and what waits."""
    result = run("heal")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].strip() == "overlay 2 in force: 1 repair"
    assert lines[1].split() == 'p1 promoted "rate limiting" = "frequency control" (in questions with: API)'.split()
    assert "refused" in lines[3]
    assert "worse" in lines[4]
    assert lines[5].startswith("p4    advice")
    assert run("heal", "list").out == result.out


def test_everything_as_json(run, kept):
    """Scripts read the same that people do, in one versioned envelope."""
    found = run("heal", "--json").json
    assert (found["schema_version"], found["command"]) == (1, "heal list")
    assert found["overlay"]["number"] == 2
    assert found["overlay"]["repairs"][0]["means"] == "frequency control"
    assert [p["state"] for p in found["proposals"]] == ["promoted", "verified", "refused", "advice"]
    assert found["proposals"][0]["what"] == {
        "kind": "synonym", "term": "rate limiting", "means": "frequency control", "lang": "en", "context": ["API"],
    }  # fmt: skip
    assert found["proposals"][0]["measured"]["better"] == 1
    (step,) = run("heal", "log", "--json").json["steps"]
    assert (step["step"], step["overlay"], step["measured"]["right_after"]) == ("promote", 2, 2)
    started = run("heal", "canary", "p2", "--percent", "30", "--json").json
    assert (started["overlay"]["percent"], started["overlay"]["number"]) == (30, 3)
    assert run("heal", "canary", "--json").json["comparison"]["conclusion"].startswith("no question")
    assert run("heal", "promote", "p2").code == 7
    assert run("heal", "promote", "p2", "--untried", "--json").json["overlay"]["number"] == 4
    assert run("heal", "rollback", "--json").json | {"ragheal": ""} == {
        "schema_version": 1, "command": "heal rollback", "ragheal": "", "before": 4, "overlay": 2,
    }  # fmt: skip


def test_steps_for_people(run, kept):
    """Each step says what it did and what is in force now."""
    out = run("heal", "canary", "p2").out
    assert "on trial for 20 %" in out
    assert "overlay 3 in force" in out
    assert "no question that it changes" in run("heal", "canary").out
    assert 'promoted: "a" = "b"' in run("heal", "promote", "p2", "--untried").out
    assert run("heal", "rollback").out == "rolled back from overlay 4 to overlay 2\n"
    assert run("heal", "rollback", "0").out == "rolled back from overlay 2 to no overlay\n"
    lines = run("heal", "log").out.splitlines()
    assert lines[0].startswith("2026-03-04 05:06")
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("canary", "p9"), "there is no proposal `p9`"),
        (("promote", "nonsense"), "there is no proposal `nonsense`"),
        (("rollback", "9"), "there is no overlay 9"),
        (("rollback", "1"), "overlay 1 was a trial"),
        (("rollback", "2"), "overlay 2 is in force already"),
        (("rollback", "x"), "not a whole number"),
        (("promote", "p2"), "p2 is not on trial"),
        (("promote", "p1"), "p1 is promoted already"),
        (("canary", "p3"), "p3 was refused"),
        (("canary", "p4"), "p4 is advice"),
        (("canary", "p2", "--percent", "0"), "--percent 0"),
        (("canary",), "no repair is on trial"),
        (("canary", "--percent", "5"), "--percent goes with an ID"),
        (("log", "--limit", "0"), "--limit 0"),
        (("verfy",), "unknown command `verfy`"),
        (("verify", "p2"), "--questions"),
        (("verify", "p2", "--questions", "none.jsonl"), "cannot read none.jsonl"),
        (("auto", "--questions", "none.jsonl"), "cannot read none.jsonl"),
    ],
)
def test_bad_input_is_named(run, kept, arguments, words):
    """Exit code 2, one line that says what is wrong, and nothing changed."""
    result = run("heal", *arguments)
    assert result.code == 2
    assert words in result.err
    assert pointer.read(kept) == Pointer(2)
    report = run("heal", *arguments, "--json")
    assert report.json["error"]["exit_code"] == 2
    assert report.json["error"]["hint"]


def test_a_question_file_with_bad_lines(run, kept, place):
    """The lines are named by number, all of them at once, before anything is asked."""
    (place / "q.jsonl").write_text('{"question": "a?"}\n\nnonsense\n{"answers": ["x"]}\n', encoding="utf-8")
    result = run("heal", "verify", "p2", "--questions", "q.jsonl")
    assert result.code == 2
    assert "line 3 is not valid JSON" in result.err
    assert "line 4 has no `question`" in result.err
    (place / "q.jsonl").write_text("\n", encoding="utf-8")
    assert "holds no question" in run("heal", "auto", "--questions", "q.jsonl").err


@pytest.mark.parametrize("step", [("promote", "p2"), ("rollback",), ("canary", "p2"), ("propose",)])
def test_two_at_once(run, kept, step):
    """The second says who is in the way, with the exit code of a busy index; reading goes on."""
    with pointer.writing(kept):
        result = run("heal", *step)
        assert result.code == 5
        assert "another `ragheal heal` is running" in result.err
        assert run("heal").code == 0
        assert run("heal", "log").code == 0


def test_damage_is_told_and_mended(run, kept):
    """A damaged pointer turns repairs off, says so with the command that helps, and that command helps."""
    (kept / pointer.FOLDER / pointer.POINTER).write_text("rubbish")
    assert "repairs off" in run("heal").out
    assert run("heal", "canary", "p2").code == 5
    assert run("heal", "rollback").out == "rolled back from a damaged pointer to overlay 2\n"
    file_of(kept, 2).write_text("rubbish")
    assert "overlay 2" in run("heal", "--json").json["overlay"]["notes"][0]
    assert run("heal", "rollback").code == 0
    assert run("heal").out.startswith("      no repair is in force")
    (kept / pointer.FOLDER / store.PROPOSALS).write_text("{")
    result = run("heal")
    assert (result.code, "proposals.json" in result.err) == (5, True)


def test_an_answer_tells_of_a_damaged_overlay(run, project):
    """The answer comes all the same, and says that it was made without the repairs."""
    folder = project / ".ragheal"
    (folder / pointer.FOLDER).mkdir()
    (folder / pointer.FOLDER / pointer.POINTER).write_text("rubbish")
    answer = run("ask", "How many days of paid leave do employees get?", "--json")
    assert answer.code == 0
    assert any("repairs off" in note for note in answer.json["degraded"])


def test_no_failures_no_proposals(run, project):
    """On the first day there is nothing to repair, and that is no error."""
    result = run("heal", "propose")
    assert (result.code, result.out.strip()) == (0, "the failure log is empty: nothing to repair")
    assert run("heal").out.count("no ") == 2
    (project / "q.jsonl").write_text('{"question": "How many days of leave?", "answers": ["25"]}\n')
    assert "empty" in run("heal", "auto", "--questions", "q.jsonl").out
    result = run("heal", "verify", "--questions", "q.jsonl")
    assert (result.code, "propose" in result.err) == (2, True)


@pytest.mark.parametrize("named", ["docs/q.jsonl", "link.jsonl"])
def test_a_question_file_that_is_a_document(run, project, named):
    """Its questions and answers would be found as passages, and prove any repair."""
    with pointer.writing(project / ".ragheal"):
        store.keep(project / ".ragheal", [Proposal("p1", Synonym("holiday", "paid leave", "en"), "one")])
    (project / "docs/q.jsonl").write_text('{"question": "How many days of leave?", "answers": ["25"]}\n')
    (project / "link.jsonl").symlink_to(project / "docs/q.jsonl")
    assert run("index", "docs", "--quiet").code == 0
    for step in (("verify", "p1"), ("auto",)):
        result = run("heal", *step, "--questions", named)
        assert result.code == 2
        assert f"{named} is a document of the index" in result.err
        assert "keep it outside the indexed folder, or list q.jsonl in .raghealignore" in result.err
    # As the hint says, and beside the folder under the same name.
    (project / "docs/.raghealignore").write_text("q.jsonl\n")
    assert run("index", "docs", "--quiet").code == 0
    assert run("heal", "verify", "p1", "--questions", named, "--exit-zero").code == 0


def test_repeated_questions_are_told_of(run, project):
    """A file that was put together from several has repeats; they are no reason to stop."""
    with pointer.writing(project / ".ragheal"):
        store.keep(project / ".ragheal", [Proposal("p1", Synonym("holiday", "paid leave", "en"), "one")])
    line = json.dumps({"question": "How many days of paid leave do employees get?", "answers": ["25 days"]})
    (project / "q.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    result = run("heal", "verify", "p1", "--questions", "q.jsonl")
    assert result.code == 7
    assert "line 2 repeat" in result.err
    assert "improves none of the questions" in result.out
    assert run("heal", "verify", "p1", "--questions", "q.jsonl", "--exit-zero", "--quiet").code == 0
