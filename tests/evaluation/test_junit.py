"""JUnit XML as the readers of CI systems want it."""

from __future__ import annotations

from xml.etree import ElementTree

import msgspec
import pytest
from repair_world import trace

from ragheal.errors import StorageError
from ragheal.evaluation import junit
from ragheal.evaluation.bars import Bar
from ragheal.evaluation.questions import Line
from ragheal.evaluation.report import Way, build
from ragheal.evaluation.run import Outcome, run

COUNTS = ("tests", "failures", "errors", "skipped")


def parsed(report, unasked=()):
    return ElementTree.fromstring(junit.render(report, unasked))


def counted(element):
    return tuple(int(element.get(name)) for name in COUNTS)


def test_cases_and_counts(evaluated):
    """A reporter shows each question once, red where it is wrong; one shot is no suite, or it would be red for ever."""
    root = parsed(evaluated(bars=(Bar("worse", "max", 0), Bar("right", "min", 0.5))))
    assert root.tag == "testsuites"
    suite, bars = root.findall("testsuite")
    assert counted(root) == (6, 1, 0, 1)
    assert counted(suite) == (4, 0, 0, 1)
    assert counted(bars) == (2, 1, 0, 0)
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases][:2] == ["leave: How long is leave?", "年假几天？"]
    assert {case.get("classname") for case in cases} == {"ragheal.eval.healed"}
    assert (cases[0].get("file"), cases[2].get("line"), cases[0].get("time")) == ("q.jsonl", "4", "0.500")
    assert cases[3].find("skipped").get("message") == "the line does not say what is right"
    assert bars.find("testcase/failure").get("message") == "worse 1: above 0"
    properties = {p.get("name"): p.get("value") for p in suite.find("properties")}
    assert properties["healed.right"] == "1.0000 (3 of 3)"
    assert properties["plain.wrong"] == "0.6667 (2 of 3)"
    assert properties["healed.against.plain"] == "2 better, 1 worse, p = 1.0000"
    assert properties["max worse"] == "worse 1: above 0"
    assert suite.get("timestamp") == "2026-03-04T05:06:07"


def one(line, *answers, repeat=1):
    """A report of one question in one way."""
    left = list(answers)
    outcome = run([line], {"healed": lambda _: left.pop(0)}, repeat)
    return build(_about(), [Way("healed", "adaptive", True)], outcome, 1.0)


def _about():
    from ragheal.evaluation.report import About

    return About("q.jsonl", 1, "2026-03-04T05:06:07.000Z", "0.1.0", "embedded")


def test_a_failure_has_what_it_takes_to_understand_it():
    """Question, what was expected, what came, and from where: without running it again."""
    line = Line("How long?", answers=("25 days",), sources=("leave.md",), number=3)
    (failure,) = parsed(one(line, trace("", "answered", "30 days [1]", 2, "old.md"))).iter("failure")
    assert failure.get("type") == "wrong"
    assert failure.get("message") == "wrong; expected: 25 days"
    for words in (
        "question: How long?",
        "expected sources: leave.md",
        "answer: 30 days [1]",
        "cited: old.md:1",
        "2 round",
    ):
        assert words in failure.text
    unstable = one(line, *[trace("", "answered", text) for text in ("25 days", "x", "y")], repeat=3)
    assert "(1 of 3 askings right)" in next(parsed(unstable).iter("failure")).get("message")
    wanted = parsed(one(Line("Salary?", answerable=False, number=1), trace("", "answered", "A million")))
    assert (
        next(wanted.iter("failure")).get("message")
        == "answered, and the documents do not say; expected: a refusal"
    )


def test_characters_that_xml_cannot_hold():
    """One form feed of a PDF would make the whole file unreadable to every reader."""
    line = Line('Is "<&>" \x00\x0b\ud800 ok?', answers=("\x1b[31m",), number=1, other={"qid": "\x07"})
    report = one(line, trace("", "answered", "no \ufffe\x0c 😀 中文 ]]>", source="\udcff.md"))
    (case,) = parsed(report).iter("testcase")
    assert case.get("name") == '\ufffd: Is "<&>" \ufffd\ufffd\ufffd ok?'
    assert "😀 中文 ]]>" in case.find("failure").text
    assert "cited: \ufffd.md:1" in case.find("failure").text


def test_what_was_not_reached(evaluated):
    """A run that was cut short is not the smaller run that passed."""
    report = evaluated()
    short = Outcome(report.rows[:2], "line 4: the model is gone", 6)
    cut = msgspec.structs.replace(report, outcome=short)
    unasked = [row.line for row in report.rows[2:]]
    assert counted(parsed(cut, unasked)) == (4, 0, 1, 1)
    stopped = msgspec.structs.replace(short, stopped="interrupted", exit_code=0, interrupted=True)
    assert counted(parsed(msgspec.structs.replace(report, outcome=stopped), unasked)) == (4, 0, 0, 2)


def test_a_file_is_whole_or_not_there(evaluated, tmp_path):
    """A reporter that finds half a file reports nothing, or worse."""
    path = tmp_path / "junit.xml"
    junit.write(path, evaluated())
    assert ElementTree.parse(path).getroot().tag == "testsuites"
    assert [entry.name for entry in tmp_path.iterdir()] == ["junit.xml"]
    with pytest.raises(StorageError):
        junit.write(tmp_path / "none" / "junit.xml", evaluated())
