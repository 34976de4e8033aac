"""An earlier evaluation held against today's."""

from __future__ import annotations

import json

import pytest
from ragheal_cli.output import envelope
from ragheal_cli.render.fields import evaluation

from ragheal.errors import ConfigError
from ragheal.evaluation.bars import Bar
from ragheal.evaluation.baseline import read


@pytest.fixture
def saved(evaluated, tmp_path):
    """The JSON of today's report with something done to it, as a file."""

    def written(change=lambda found: None, encoding="utf-8"):
        found = json.loads(
            json.dumps(
                envelope("eval", **evaluation(evaluated(settings={"retrieval": {"top_k": 10, "paths": ()}})))
            )
        )
        change(found)
        path = tmp_path / "base.json"
        path.write_bytes(json.dumps(found, ensure_ascii=False).encode(encoding))
        return path

    return written


def test_what_it_printed_it_reads(evaluated, saved):
    """Nothing changed: nothing better, nothing worse, nothing that differs."""
    report = evaluated(baseline=read(saved()), settings={"retrieval": {"top_k": 10, "paths": ()}})
    since = report.since
    assert (since.then, since.created) == ("healed", "2026-03-04T05:06:07.000Z")
    assert (since.compared.better, since.compared.worse, since.compared.same) == ((), (), 3)
    assert (since.differs, since.only_now, since.only_then) == ((), (), ())


def test_a_question_that_became_worse(evaluated, saved):
    """The one thing a baseline is for; whatever the totals say."""

    def change(found):
        first, second = found["questions"][:2]
        first["ways"]["healed"] |= {
            "answer": "30 days",
            "grade": "right",
        }  # graded anew, whatever it said of itself
        second["ways"]["healed"] |= {"status": "answered"}
        second["question"] = " 年假几天？ "
        found["questions"][2]["question"] = "Another?"

    report = evaluated(
        baseline=read(saved(change)),
        bars=(Bar("worse_than_baseline", "max", 0), Bar("better_than_baseline", "min", 1)),
    )
    since = report.since
    assert [(c.line, c.before, c.after) for c in since.compared.better] == [(1, "wrong", "right")]
    assert [(c.line, c.before, c.after) for c in since.compared.worse] == [(2, "right", "right, not sure")]
    assert since.only_now == ("What is the CEO's salary?",)
    assert since.only_then == ("Another?",)
    assert [bar.held for bar in report.bars] == [False, True]


def test_what_differs_is_named(evaluated, saved):
    """Why it became worse is mostly in the settings: the one that changed need not be looked for."""

    def change(found):
        found["settings"]["retrieval"]["top_k"] = 5
        found["index_generation"] = 7
        found["models"] = {"similarity": "abc"}

    differs = evaluated(
        baseline=read(saved(change)), settings={"retrieval": {"top_k": 10, "paths": ()}}
    ).since.differs
    assert differs == ("retrieval.top_k 5 → 10", "another embedder", "index generation 7 → 0")


def test_a_way_it_does_not_have(evaluated, saved):
    """A strategy is held against what was the way before; the report says which."""

    def change(found):
        found["ways"] = found["ways"][1:]
        for question in found["questions"]:
            del question["ways"]["healed"]

    assert evaluated(baseline=read(saved(change))).since.then == "plain"


def test_written_by_another_shell(saved):
    """`>` of PowerShell writes UTF-16."""
    assert read(saved(encoding="utf-16")).questions[1].question == "年假几天？"
    assert read(saved(encoding="utf-8-sig")).questions[1].question == "年假几天？"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not valid JSON"),
        ("[1]", "is not what `ragheal eval --json` prints"),
        ('{"command": "ask", "schema_version": 1}', "is not what `ragheal eval --json` prints"),
        ('{"command": "eval", "schema_version": 9}', "has version 9"),
        ('{"command": "eval", "schema_version": 1, "error": {"message": "no index"}}', "holds an error: no index"),
        ('{"command": "eval", "schema_version": 1, "created": "", "ways": [], "questions": []}', "no way"),
        (
            '{"command": "eval", "schema_version": 1, "created": "", "ways": [{"way": "a"}], "questions": [1]}',
            "not a complete evaluation",
        ),
    ],
)
def test_what_is_no_baseline_is_named(tmp_path, text, words):
    """A wrong file must stop the job: compared with nothing, everything is as good as before."""
    path = tmp_path / "base.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        read(path)
    assert words in error.value.message
    assert "--json > base.json" in error.value.hint
    with pytest.raises(ConfigError, match="cannot read"):
        read(tmp_path / "none.json")
