"""Failures that miss the same come together, over languages; others stay apart."""

import numpy as np
import pytest
from made_runs import keep, made

from ragheal.errors import ModelError
from ragheal.history import log
from ragheal.history.clusters import agglomerate, cluster
from ragheal.history.database import HISTORY, writing
from ragheal.history.vectors import questions_of, vectors
from ragheal.models import load_embedder

QUESTIONS = {
    "limits": [
        ("What is our rate limiting policy for the public API?", "rate limiting policy"),
        ("Is there a rate limiting rule for the search endpoint?", "rate limiting, search endpoint"),
        ("公共接口的限流策略是什么？", "限流策略"),
    ],
    "leave": [
        ("How many days of parental leave do fathers get?", "parental leave of fathers"),
        ("Who approves parental leave beyond six months?", "approval of parental leave"),
        ("陪产假可以休几天？", "陪产假天数"),
        ("产假期间的工资怎么发放？", "产假工资"),
    ],
    "certificates": [
        ("Which certificate does the deployment of the gateway need?", "certificate for the deployment"),
        ("When does the certificate of the staging gateway expire?", "expiry of the certificate"),
        ("部署网关需要哪些证书？", "部署证书"),
    ],
    "observatory": [("Who founded the Harlow observatory?", "founder of the Harlow observatory")],
    "lunch": [("What does the cafeteria charge for lunch?", "price of lunch")],
}


@pytest.fixture(scope="module")
def embed():
    return questions_of(load_embedder("e5-small-en-zh", threads=1))


@pytest.fixture
def kept(tmp_path):
    for group in QUESTIONS.values():
        for question, missing in group:
            keep(tmp_path, made(question, "abstained", missing=(missing,), sources=("near.md",)))
    return tmp_path


def test_a_dozen_failures(kept, embed):
    """Who reviews failures wants topics, not a list: each topic whole, in both languages, and none mixed."""
    found = cluster(log.list(kept), embed)
    questions = {trace.trace_id: trace.question for trace in log.list(kept)}
    groups = {frozenset(questions[id_] for id_ in one.trace_ids) for one in found}
    assert groups == {frozenset(question for question, _ in group) for group in QUESTIONS.values()}
    leave, *_ = found
    assert (leave.size, leave.failed, leave.langs) == (4, 4, ("en", "zh"))
    assert leave.documents == (("near.md", 4),)
    assert "parental leave of fathers" in dict(leave.missing)


def test_labels_are_words_of_the_questions(kept, embed):
    """A label of stems or of words that every question has tells nobody anything."""
    labels = {len(one.trace_ids): one.label for one in cluster(log.list(kept), embed)}
    assert "parental leave" in labels[4]
    shared = [one.label for one in cluster(log.list(kept), embed) if one.size == 3]
    assert any("rate limiting" in label for label in shared)
    assert any("certificate" in label and "gateway" in label for label in shared)


def test_the_same_failures_give_the_same_clusters(kept, embed):
    """Proposals follow from clusters, and a proposal that changes from run to run cannot be trusted."""
    once = cluster(log.list(kept), embed)
    assert cluster(log.list(kept), embed) == once
    assert {c.trace_ids for c in cluster(log.list(kept)[::-1], embed)} == {c.trace_ids[::-1] for c in once}


def test_vectors_are_made_once(kept, embed):
    """The second review must not embed everything again; another embedder must."""
    rows = log.list(kept)
    first = vectors(rows, embed, folder=kept, embedder="one")

    def refuse(texts):
        raise ModelError("not again")

    assert np.array_equal(vectors(rows, refuse, folder=kept, embedder="one"), first)
    with pytest.raises(ModelError):
        vectors(rows, refuse, folder=kept, embedder="two")


def test_a_history_nobody_may_write(kept, embed):
    """A shared index can be reviewed by those who may only read it."""
    rows = log.list(kept)
    with writing(kept) as db:
        db.execute("CREATE TRIGGER shut BEFORE UPDATE ON failures BEGIN SELECT raise(FAIL, 'read-only'); END")
    assert len(cluster(rows, embed, folder=kept, embedder="one")) == len(QUESTIONS)
    assert (kept / HISTORY.name).exists()


def test_nothing_and_one(tmp_path, embed):
    """No failures, no clusters; one is a cluster of its own."""
    assert cluster((), embed) == ()
    keep(tmp_path, made("Who founded the Harlow observatory?", "abstained"))
    (alone,) = cluster(log.list(tmp_path), embed)
    assert (alone.size, alone.cohesion) == (1, 1.0)
    assert "Harlow" in alone.label


def test_agglomeration_is_average_link():
    """The chain of nearest neighbours must end in the very groups that the plain algorithm finds."""
    generator = np.random.default_rng(3)
    for count in (2, 5, 30):
        rows = generator.normal(size=(count, 4)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        for similar in (-1.1, 0.0, 0.3, 0.8, 1.1):
            assert agglomerate(rows, similar) == plain(rows, similar)
    same = np.ones((6, 1), np.float32)
    assert agglomerate(same, 0.9) == [[0, 1, 2, 3, 4, 5]]


def plain(rows, similar):
    likeness = rows.astype(np.float64) @ rows.T
    groups = [[i] for i in range(len(rows))]
    while len(groups) > 1:
        best = max(
            (likeness[np.ix_(groups[i], groups[j])].mean(), -i, -j)
            for i in range(len(groups))
            for j in range(i + 1, len(groups))
        )
        if best[0] < similar:
            break
        groups[-best[1]] += groups.pop(-best[2])
    return sorted(sorted(group) for group in groups)
