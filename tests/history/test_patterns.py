"""What fails out of proportion is named; chance is not."""

from datetime import timedelta

import pytest
from made_runs import NOW, keep, made

from ragheal.errors import TraceError
from ragheal.history import patterns
from ragheal.history.database import HISTORY
from ragheal.history.facts import opening


def test_a_document_that_drags_runs_down(tmp_path):
    """The one document that makes questions fail is what its owner has to hear of."""
    good = [made(sources=("good.md", "common.md")) for _ in range(60)]
    bad = [made(status="abstained", sources=("bad.md", "common.md")) for _ in range(8)]
    rare = [made(status="abstained", sources=("rare.md",))]
    keep(tmp_path, *good, *bad, *rare)
    found = patterns.find(tmp_path)
    assert (found.runs, found.failed) == (69, 9)
    assert [(p.name, p.runs, p.failed) for p in found.documents] == [("bad.md", 8, 8)]
    assert found.documents[0].rate == 1.0
    assert found.documents[0].lift == pytest.approx(69 / 9, abs=0.01)


def test_kinds_of_question(tmp_path):
    """Routes, languages, what is asked for and how it begins: each is a place where to look for the cause."""
    keep(tmp_path, *(made("Who wrote the manual?") for _ in range(60)))
    keep(tmp_path, *(made("How many pages has the manual?", "abstained", route="multi_hop") for _ in range(9)))
    named = {(p.what, p.name) for p in patterns.find(tmp_path).questions}
    assert {("route", "multi_hop"), ("begins with", "how many")} <= named
    assert not any(name == "standard" for _, name in named)


def test_chance_is_no_pattern(tmp_path):
    """Two failures of four are no finding, and neither is a share like everybody's."""
    keep(tmp_path, *(made(sources=("a.md",)) for _ in range(2)))
    keep(tmp_path, *(made(status="abstained", sources=("a.md",)) for _ in range(2)))
    assert patterns.find(tmp_path).documents == ()
    keep(tmp_path, *(made(status=s, sources=("b.md",)) for s in ("answered", "abstained") for _ in range(50)))
    found = patterns.find(tmp_path)
    assert found.documents == ()
    assert found.questions == ()


def test_documents_that_never_help(tmp_path):
    """A page that is found for everything and answers nothing only takes room from others."""
    keep(tmp_path, *(made(sources=("index.md", "manual.md"), cited=("manual.md",)) for _ in range(12)))
    keep(tmp_path, *(made(status="abstained", sources=("unlucky.md",)) for _ in range(12)))
    assert [(idle.source, idle.runs) for idle in patterns.find(tmp_path).idle] == [("index.md", 12)]


def test_the_window(tmp_path):
    """What was repaired last month must not be held against a document today."""
    keep(
        tmp_path,
        *(made(created=NOW - timedelta(days=40), status="abstained", sources=("b.md",)) for _ in range(9)),
    )
    keep(tmp_path, *(made(sources=("b.md",)) for _ in range(30)))
    assert patterns.find(tmp_path, since=NOW - timedelta(days=7)).failed == 0
    assert patterns.find(tmp_path).failed == 9


def test_nothing_yet_and_damaged(tmp_path):
    """No history: no patterns. A damaged one says so."""
    assert patterns.find(tmp_path) == patterns.Patterns()
    (tmp_path / HISTORY.name).write_bytes(b"no database" * 500)
    with pytest.raises(TraceError):
        patterns.find(tmp_path)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("How many pages are there?", "how many"),
        ("请问为什么推迟？", "为什么"),
        ("哪一年开始？", "哪一年"),
        ("為什麼推遲？", "为什么"),
        ("限流策略是什么？", "限流"),
        ("", ""),
        ("?!", ""),
    ],
)
def test_how_questions_begin(question, begins):
    """Questions that begin alike often fail alike, in either language."""
    assert opening(question) == begins


def test_wilson():
    """Known values of the interval."""
    assert patterns.wilson(0, 10) == pytest.approx(0.0, abs=1e-9)
    assert patterns.wilson(10, 10) == pytest.approx(0.7225, abs=1e-3)
    assert patterns.wilson(5, 10) == pytest.approx(0.2366, abs=1e-3)
