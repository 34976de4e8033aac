"""`ragheal eval` on a small index of its own: figures, bars, files for CI, and what it is not meant for."""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import time
from xml.etree import ElementTree

import pytest
from chat_server import ChatServer, hang, status

from ragheal.engine import Engine
from ragheal.settings import load

LEAVE = {"qid": "leave", "question": "How many days of paid leave do employees get?", "answers": ["25 days"], "sources": ["leave.md"]}  # fmt: skip
CHINESE = {"qid": "假", "question": "员工每年有多少天带薪年假？", "answers": ["十五天"], "lang": "zh"}
WRONG = {"question": "How many requests per minute does the gateway accept?", "answers": ["900 requests"]}
ABSENT = {"question": "Who painted the ceiling of the old theatre?", "answerable": False}
OPEN = {"question": "How many days may be carried over?", "answer": "Five days"}


@pytest.fixture
def file(project):
    """Writes a question file beside the indexed folder; gives its name."""

    def written(*lines, name="q.jsonl"):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (project / name).write_text(text, encoding="utf-8")
        return name

    return written


def state(project):
    """Every file of the index folder with its content."""
    files = sorted(path for path in (project / ".ragheal").rglob("*") if path.is_file())
    return [(str(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]


def test_healed_against_plain(run, file, project):
    """The first look of a team at its documents: figures, what is not right, and nothing left behind."""
    before = state(project)
    result = run("eval", file(LEAVE, CHINESE, WRONG, ABSENT, OPEN))
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "5 questions of q.jsonl"
    assert "! `answer` is not a known field; did you mean `answers`?" in lines
    assert "! 1 line does not say what is right: asked, but not graded" in lines
    table = {line[:17].strip(): line[17:].split("  ") for line in lines if line[:17].strip()}
    assert table["right"][0] == "3/4"
    assert table["refused rightly"][0] == "1/1"
    assert any(line.startswith("healed against plain: ") for line in lines)
    assert any(
        line.startswith(f"✗ {WRONG['question']} said: ") and "wanted: 900 requests" in line for line in lines
    )
    assert state(project) == before


def test_json(run, file):
    """What scripts rely on, in one envelope; the fields of the file come back with each question."""
    found = run("eval", file(LEAVE, CHINESE, ABSENT), "--json").json
    assert (found["schema_version"], found["command"], found["passed"]) == (1, "eval", True)
    assert [way["way"] for way in found["ways"]] == ["healed", "plain"]
    assert [way["heal"] for way in found["ways"]] == [True, False]
    assert found["ways"][0]["right"] == pytest.approx({"count": 3, "of": 3, "share": 1.0, "low": 0.4385, "high": 1.0}, abs=1e-3)  # fmt: skip
    first, second, _ = found["questions"]
    assert (first["qid"], first["line"], second["lang"]) == ("leave", 1, "zh")
    assert first["expected"] == {
        "answers": ["25 days"],
        "sources": ["leave.md"],
        "answerable": None,
        "status": None,
    }
    asked = first["ways"]["healed"]
    assert (asked["grade"], asked["status"], asked["cited"], asked["cites"]) == (
        "right",
        "answered",
        ["leave.md"],
        True,
    )
    assert "25 days" in asked["answer"]
    assert second["ways"]["plain"]["grade"] == "right"


def test_bars(run, file):
    """A build fails by its exit code, and its log says by which bar and by how much."""
    name = file(LEAVE, WRONG)
    result = run("eval", name, "--no-plain", "--min", "right=90%", "--max", "refused_wrongly=0")
    assert result.code == 7
    assert result.out.splitlines()[-2:] == [
        "✓ refused wrongly 0 % (0 of 2): at most 0 %", "✗ right 50 % (1 of 2): below 90 %",
    ]  # fmt: skip
    assert run("eval", name, "--no-plain", "--min", "right=0.9", "--exit-zero").code == 0
    assert run("eval", name, "--no-plain", "--min", "right=0.5").code == 0
    as_json = run("eval", name, "--no-plain", "--min", "right=0.9", "--json")
    assert (as_json.code, as_json.json["passed"]) == (7, False)
    assert as_json.json["thresholds"][0]["measured"] == 0.5
    assert as_json.err == "ragheal: right 50 % (1 of 2): below 90 %\n"
    assert run("eval", name, "--no-plain", "--min", "right=0.9", "--json", "--quiet").err == ""


def test_strategies(run, file):
    """Which route serves these questions best; the bars count for the first that is named."""
    name = file(LEAVE, ABSENT)
    found = run("eval", name, "--strategy", "self_rag", "--strategy", "standard", "--json").json
    assert [(way["way"], way["strategy"], way["heal"]) for way in found["ways"]] == [
        ("self_rag", "self_rag", True), ("standard", "standard", True), ("plain", "adaptive", False),
    ]  # fmt: skip
    assert {q["ways"]["self_rag"]["route"] for q in found["questions"]} == {"self_rag"}
    assert [(c["way"], c["against"]) for c in found["comparisons"]] == [
        ("self_rag", "plain"),
        ("standard", "plain"),
    ]
    alone = run("eval", name, "--strategy", "self_rag", "--strategy", "standard", "--no-plain", "--json").json
    assert [(c["way"], c["against"]) for c in alone["comparisons"]] == [("self_rag", "standard")]


def test_healing_that_is_off(run, file):
    """With `loop.heal` off there is one way, and no comparison of it with itself."""
    result = run("eval", file(LEAVE), "--set", "loop.heal=false")
    assert "there is only one shot to measure" in result.out
    assert " against " not in result.out
    refused = run("eval", "q.jsonl", "--set", "loop.heal=false", "--max", "worse=0")
    assert (refused.code, "two ways" in refused.err) == (2, True)


def test_repeat(run, file):
    """Repeated askings of the embedded back end are alike, and the report says that they had to be."""
    found = run("eval", file(LEAVE), "--repeat", "2", "--no-plain", "--max", "unstable=0", "--json")
    assert found.code == 0
    (way,) = found.json["ways"]
    assert (way["questions"], way["askings"], way["unstable"]) == (1, 2, 0)
    assert found.json["questions"][0]["ways"]["healed"]["grades"] == ["right", "right"]
    assert "the same answers each time" in found.json["notes"][0]


def test_since_a_baseline(run, file, project):
    """An edit of the documents that costs an answer is found by the question that lost it."""
    name = file(LEAVE, ABSENT)
    (project / "base.json").write_text(run("eval", name, "--json").out, encoding="utf-8")
    alike = run("eval", name, "--no-plain", "--baseline", "base.json", "--max", "worse_than_baseline=0")
    assert alike.code == 0
    assert "2 questions alike" in alike.out
    page = project / "docs/leave.md"
    page.write_text(page.read_text(encoding="utf-8").replace("25 days", "30 days"), encoding="utf-8")
    assert run("index", "docs", "--quiet").code == 0
    result = run("eval", name, "--no-plain", "--baseline", "base.json", "--max", "worse_than_baseline=0")
    assert result.code == 7
    assert f"- {LEAVE['question']} right → wrong" in result.out
    assert "index generation 1 → 2" in result.out
    assert result.out.splitlines()[-1] == "✗ worse than baseline 1: above 0"


def test_junit(run, file, project):
    """The file that a CI system shows; the exit code does not depend on it."""
    result = run("eval", file(LEAVE, WRONG, OPEN), "--no-plain", "--junit", "j.xml")
    assert (result.code, result.err) == (0, "written to j.xml\n")
    root = ElementTree.parse(project / "j.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("3", "1", "1")
    (failure,) = root.iter("failure")
    assert "route standard" in failure.text


def test_from_standard_input(process, project):
    """A file that is made on the way, as by `grep`, needs no file."""
    line = json.dumps(CHINESE, ensure_ascii=False).encode()
    (project / "one.jsonl").write_bytes(line)
    with open(project / "one.jsonl", "rb") as piped:
        result = process("eval", "-", "--no-plain", "--min", "right=1", stdin=piped)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("1 question of standard input\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.jsonl",), "cannot read none.jsonl"),
        (("empty.jsonl",), "holds no question"),
        (("bad.jsonl",), "line 2 has no `question`"),
        (("long.jsonl",), "line 1: the question has 3,000 characters"),
        (("q.jsonl", "--repeat", "0"), "--repeat 0"),
        (("q.jsonl", "--min", "rigth=1"), "did you mean `right`?"),
        (("q.jsonl", "--max", "worse=0", "--no-plain"), "leave out --no-plain"),
        (("q.jsonl", "--max", "worse_than_baseline=0"), "--baseline FILE"),
        (("q.jsonl", "--strategy", "selfrag"), "'selfrag'"),
        (("q.jsonl", "--baseline", "q.jsonl"), "the baseline q.jsonl"),
        (("q.jsonl", "--junit", "none/j.xml"), "there is no folder none"),
        (("q.jsonl", "q.jsonl"), "unexpected extra argument"),
        ((), "FILE"),
    ],
)
def test_bad_input_is_named(run, file, project, arguments, words):
    """Before anything is asked: one line that says what is wrong, one that says what to do, exit code 2."""
    file(LEAVE)
    file(name="empty.jsonl")
    file(LEAVE, {"q": "?"}, name="bad.jsonl")
    file({"question": "x" * 3000}, name="long.jsonl")
    result = run("eval", *arguments)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert len(result.err.splitlines()) == 2
    assert run("eval", *arguments, "--json").json["error"]["exit_code"] == 2


@pytest.mark.parametrize("flag", [(), ("q.jsonl", "--baseline")])
def test_a_file_that_is_a_document(run, file, project, flag):
    """Questions with their answers, indexed, are all answered rightly: from themselves."""
    found = run("eval", file(LEAVE), "--json").out if flag else json.dumps(LEAVE)
    (project / "docs/known.json").write_text(found, encoding="utf-8")
    assert run("index", "docs", "--quiet").code == 0
    result = run("eval", *flag, "docs/known.json")
    assert result.code == 2
    assert "is a document of the index" in result.err


def test_interrupted(run, file, project, monkeypatch):
    """Ctrl-C after an hour shows the hour, in every form, and does not pass for a whole run."""
    ask = Engine.ask

    def until(self, question, **options):
        if question == ABSENT["question"]:
            raise KeyboardInterrupt
        return ask(self, question, **options)

    monkeypatch.setattr(Engine, "ask", until)
    name = file(LEAVE, CHINESE, ABSENT)
    result = run("eval", name, "--no-plain", "--junit", "j.xml", "--min", "right=1")
    assert result.code == 130
    assert "✗ stopped after 2 of 3 questions: interrupted" in result.out
    assert ElementTree.parse(project / "j.xml").getroot().get("skipped") == "1"
    found = run("eval", name, "--no-plain", "--json")
    assert (found.code, found.json["stopped"], found.json["asked"], found.json["passed"]) == (130, "interrupted", 2, False)  # fmt: skip
    first = run("eval", file(ABSENT), "--no-plain")
    assert (first.code, first.out, first.err) == (130, "", "ragheal: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_interrupted_in_the_middle_of_a_call(process, file):
    """The real signal, while a server lets us wait: what is done is shown at once, and nothing hangs."""
    name = file({"question": "what is 17*3", "answers": ["51"]}, LEAVE)
    with ChatServer(*[hang(60)] * 9) as server:
        arguments = ("--model", "any", "--base-url", server.base_url, "--no-plain", "--min", "right=1")
        running = process.start("eval", name, *arguments)
        until = time.monotonic() + 50
        while not server.requests and time.monotonic() < until:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        code, out, err = process.finish(running)
    assert (code, err) == (130, b"")
    assert "stopped after 1 of 2 questions: interrupted" in out.decode()
    waiting = process.start("eval", "-", stdin=subprocess.PIPE)
    time.sleep(0.7)
    waiting.send_signal(signal.SIGINT)
    assert process.finish(waiting) == (130, b"", b"ragheal: interrupted\n")


def test_a_server_that_is_down(run, file, project):
    """Figures of the stand-in are not the model's: shown as degraded, and the job fails as for a missing model."""
    with ChatServer(*[status(500)] * 99) as server:
        arguments = ("--model", "any", "--base-url", server.base_url, "--set", "model.retries=0", "--no-plain")
        result = run("eval", file(LEAVE), *arguments, "--min", "right=0.5", "--junit", "j.xml")
        assert result.code == 6
        assert "the model server answered none of the questions" in result.out
        assert "degraded         1/1  100%" in result.out
        assert "embedded stood in" in result.out
        assert ElementTree.parse(project / "j.xml").getroot().get("errors") == "1"
        found = run("eval", "q.jsonl", *arguments, "--max", "degraded=0", "--json")
        assert (found.code, found.json["model_reached"], found.json["passed"]) == (6, False, False)
        assert server.requests


def test_what_users_said_does_not_count(run, file, project):
    """A thumb down on one machine must not make its figures differ from those of CI."""
    assert run("ask", LEAVE["question"], "--quiet").code == 0
    assert run("feedback", "last", "thumbs_down").code == 0
    before = state(project)
    asked = run("eval", file(LEAVE), "--no-plain", "--json").json["questions"][0]["ways"]["healed"]
    assert asked["grade"] == "right"
    assert state(project) == before
    settings = load(env={}).settings
    with contextlib.closing(Engine(settings, project / ".ragheal")) as engine:
        assert engine.examiner(settings.loop).ask(LEAVE["question"]).raised == 0
        assert engine.ask(LEAVE["question"]).raised == 1


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
@pytest.mark.parametrize("columns", ["60", "100"])
def test_on_a_terminal(process, terminal, file, columns):
    """Nothing is wider than the window, in either script, and the bar is gone when it is done."""
    from rich.cells import cell_len
    from rich.text import Text

    name = file({**LEAVE, "answers": ["nothing like it " * 5]}, {**CHINESE, "answers": ["四十五天"]})
    env = {"TERM": "xterm", "COLUMNS": columns}
    running = process.start("eval", name, "--min", "right=1", stdout=terminal.end, stderr=terminal.end, env=env)
    shown = terminal.shown().decode()
    assert process.finish(running)[0] == 7
    report = shown[shown.rindex("2 questions of") :]
    lines = [Text.from_ansi(line).plain.rstrip() for line in report.splitlines()]
    assert max(map(cell_len, lines)) <= int(columns)
    assert any(line.startswith("right  ") for line in lines)
