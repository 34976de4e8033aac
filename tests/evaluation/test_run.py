"""Asking: every question in every way, and what happens when it cannot go on."""

from __future__ import annotations

import msgspec
import pytest
from repair_world import trace

from ragheal.errors import ModelError
from ragheal.evaluation.questions import Line
from ragheal.evaluation.run import Asked, Outcome, Row, run
from ragheal.types import FaultStep, Tokens

LINES = tuple(Line(f"q{n}?", answers=("yes",), number=n) for n in (1, 2, 3))


def says(text, status="answered", **fields):
    made = trace("", status, text)
    return lambda question: msgspec.structs.replace(made, **fields)


def fails(error, at="q2?"):
    def ask(question):
        if question == at:
            raise error
        return trace(question, "answered", "yes")

    return ask


def test_one_question_in_all_ways_before_the_next():
    """A run that is stopped half-way must still compare like with like."""
    order = []

    def noting(way):
        def ask(question):
            order.append((question, way))
            return trace(question, "answered", "yes")

        return ask

    steps = []
    outcome = run(LINES[:2], {"a": noting("a"), "b": noting("b")}, 2, lambda: steps.append(1))
    assert order == [("q1?", "a"), ("q1?", "a"), ("q1?", "b"), ("q1?", "b"), ("q2?", "a"), ("q2?", "a"), ("q2?", "b"), ("q2?", "b")]  # fmt: skip
    assert len(steps) == 8
    assert [len(row.asked["a"]) for row in outcome.rows] == [2, 2]
    assert outcome.stopped == ""


@pytest.mark.parametrize(
    ("error", "words", "code", "interrupted"),
    [
        (KeyboardInterrupt(), "interrupted", 0, True),
        (ModelError("the model file is gone"), "line 2: the model file is gone", 6, False),
        (KeyError("x"), "line 2: unexpected error: KeyError: 'x'", 1, False),
    ],
)
def test_what_was_measured_is_kept(error, words, code, interrupted):
    """An hour of a model's time must not be lost to the last question, nor pass for a whole run."""
    outcome = run(LINES, {"a": says("yes"), "b": fails(error)})
    assert [row.line.number for row in outcome.rows] == [1]
    assert (outcome.stopped, outcome.exit_code, outcome.interrupted) == (words, code, interrupted)
    with pytest.raises(type(error)):
        run(LINES, {"b": fails(error, at="q1?")})


def test_a_server_that_was_never_reached_is_told_from_a_judge_that_babbles():
    """What the embedded stand-in answers must not be taken for what the model can do; a lost reply is no verdict."""
    down = (FaultStep("judge", "unavailable", "refused"),)
    (row,) = run(LINES[:1], {"a": says("yes", steps=down)}).rows
    assert row.asked["a"][0].unreached
    assert row.asked["a"][0].judge_errors == 0
    babbled = (FaultStep("judge", "malformed", "no JSON"),)
    (row,) = run(LINES[:1], {"a": says("yes", steps=babbled)}).rows
    assert not row.asked["a"][0].unreached
    assert row.asked["a"][0].judge_errors == 1
    answered = msgspec.structs.replace(trace("", "answered", "yes").answer, tokens=Tokens(10, 5))
    (row,) = run(LINES[:1], {"a": says("yes", steps=down, answer=answered)}).rows
    assert not row.asked["a"][0].unreached


@pytest.mark.parametrize(
    ("grades", "typical", "unstable"),
    [((3,), 3, False), ((3, 3), 3, False), ((3, 0), 0, True), ((0, 3, 3), 3, True), ((None, None), None, False)],
)
def test_the_middle_one_stands_for_all(grades, typical, unstable):
    """One lucky answer of three must not make a question right, nor one unlucky one make it wrong."""
    row = Row(LINES[0], {"a": tuple(Asked(grade, "answered") for grade in grades)})
    assert row.typical("a").grade == typical
    assert row.unstable("a") == unstable


def test_nothing_asked_is_nothing():
    """An empty outcome is a value like any other."""
    assert run((), {"a": says("yes")}) == Outcome(())
