"""The question file and what counts as right."""

from __future__ import annotations

import pytest
from repair_world import trace

from ragheal.errors import ConfigError
from ragheal.evaluation.grading import REFUSED, RIGHT, WEAK, WRONG, grade
from ragheal.evaluation.questions import Line, read, slips


@pytest.fixture
def file(tmp_path):
    def written(text, encoding="utf-8"):
        path = tmp_path / "questions.jsonl"
        path.write_bytes(text.encode(encoding))
        return path

    return written


def test_lines_are_read_with_what_they_know(file):
    """Files of other tools carry more fields, a byte order mark, blank lines, one answer without a list."""
    found = read(
        file(
            '\ufeff{"qid": 1, "question": " How   long? ", "answers": "45 days"}\n\n'
            '{"question": "Salary?", "answerable": false, "class": "absent"}\r\n'
            '{"question": "谁？", "sources": ["a.md"], "answers": null}'
        )
    )
    assert found.lines == (
        Line("How long?", ("45 days",), number=1, other={"qid": 1}),
        Line("Salary?", answerable=False, number=3, other={"class": "absent"}),
        Line("谁？", sources=("a.md",), number=4),
    )
    assert (found.empty, found.repeats) == (1, ())
    assert [line.refused for line in found.lines] == [False, True, False]


def test_repeats_count_once(file):
    """A question that stands ten times would outvote the others."""
    found = read(file('{"question": "A b?", "answers": ["x"]}\n{"question": "a  B?", "answers": ["x"]}\n'))
    assert (len(found.lines), found.repeats) == (1, (2,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"question": "a"}\n{"question"\n["x"]\n', ["line 2 is not valid JSON", "line 3 has no `question`"]),
        ('{"question": "  "}\n', ["line 1 has an empty question"]),
        ('{"question": "a", "answers": [1]}\n', ["line 1: expected str, got int"]),
        ('{"question": "a", "status": "fine"}\n', ["line 1: invalid enum value 'fine'"]),
        (
            '{"question": "a", "answers": ["x"]}\n{"question": "A", "answers": ["y"]}\n',
            ["line 2 asks what line 1"],
        ),
        ("\n \n", ["holds no question"]),
        ("", ["holds no question"]),
        ("nonsense\n" * 9, ["line 5", "and 4 more"]),
    ],
)
def test_malformed_lines_are_named(file, text, words):
    """A file with a slip in line 213 is mended in a minute when the message says 213."""
    with pytest.raises(ConfigError) as error:
        read(file(text))
    for word in words:
        assert word in error.value.message


def test_files_that_cannot_be_read(file, tmp_path):
    """Missing, a folder, or not UTF-8: said, not a traceback."""
    for path in (tmp_path / "none.jsonl", tmp_path, file('{"question": "é"}', "latin-1")):
        with pytest.raises(ConfigError):
            read(path)


@pytest.mark.parametrize(
    ("line", "status", "text", "expected"),
    [
        (Line("q", answers=("45 days",)), "answered", "Kept for 45  days.", RIGHT),
        (Line("q", answers=("45 days",)), "disclaimed", "Kept for 45 days.", WEAK),
        (Line("q", answers=("45 days",)), "answered", "Kept for 60 days.", WRONG),
        (Line("q", answers=("45 days",)), "abstained", "", REFUSED),
        (Line("q", answers=("十五天",)), "answered", "每年十五 天", RIGHT),
        (Line("q", answers=("冷藏櫃",)), "answered", "冷藏柜", RIGHT),
        (Line("q", answers=("7", "6"), status="conflict"), "conflict", "7 or 6", RIGHT),
        (Line("q", answers=("7", "6"), status="conflict"), "answered", "7", WRONG),
        (Line("q", sources=("a.md",)), "answered", "x", RIGHT),
        (Line("q", sources=("b.md",)), "answered", "x", WRONG),
        (Line("q", answerable=False), "abstained", "", RIGHT),
        (Line("q", answerable=False), "disclaimed", "x", WRONG),
        (Line("q", status="abstained"), "abstained", "", RIGHT),
        (Line("q"), "answered", "x", None),
    ],
)
def test_grades(line, status, text, expected):
    """A wrong answer is worse than a refusal; a right one that says it is not sure, less than one that is."""
    assert grade(line, trace("q", status, text)) == expected


def test_slips_in_names_are_noticed():
    """With `answer` for `answers` no line is graded, and a file that measures nothing looks fine."""
    given = Line("a", other={"answer": "x", "qid": 1, "Sources": ["b.md"], "lang": "en", "failure": "absent"})
    assert slips([given]) == {"answer": "answers", "Sources": "sources"}
    assert slips([Line("a", answers=("x",), answerable=False, other={"answer": "y", "answerabel": True})]) == {}


def test_a_field_of_anybodys_own_comes_back(file):
    """Names that we use inside are free for users."""
    (line,) = read(file('{"question": "a", "number": 9, "other": [1], "answers": ["x"]}')).lines
    assert (line.number, line.other) == (1, {"number": 9, "other": [1]})
