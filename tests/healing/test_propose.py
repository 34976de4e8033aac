"""What proposals start from besides synonyms: users who asked again, and what only people can do."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from made_runs import keep
from repair_world import trace

from ragheal.healing.advice import advise
from ragheal.healing.failed import Asked, failures
from ragheal.healing.propose import _rewritten
from ragheal.healing.repairs import Advice, Rewrite
from ragheal.history import signals
from ragheal.history.traces import TraceStore
from ragheal.types import Conflict

FIRST = "How long until help arrives for a broken truck?"
AGAIN = "How long until recovery arrives for a broken truck?"


def embed(texts: Sequence[str]) -> np.ndarray:
    rows = np.ones((len(texts), 4), dtype=np.float32)
    return rows / 2


@pytest.fixture
def asked_again(index):
    """A user failed, and got an answer in other words; another asked the first question a second time."""
    store = TraceStore(index)
    for question, status in ((FIRST, "abstained"), (AGAIN, "answered"), (FIRST.lower(), "abstained")):
        made = trace(question, status, "within 90 minutes", 1 if status == "answered" else 3)
        store.save(made)
        keep(index, made)
        signals.find_rephrased(index, made, lambda _: 0.99, session="me" if question != FIRST.lower() else "you")
    return index


def test_failures_are_counted_by_question(asked_again):
    """A question that ten people asked is one gap, and a large one."""
    found, groups = failures(asked_again, embed, "e")
    assert [(one.question.lower(), one.times) for one in found] == [(FIRST.lower(), 2)]
    assert found[0].group in {group.label for group in groups}
    assert found[0].worked == (AGAIN,), "what its user was answered to, put in other words"


def test_a_rephrasing_becomes_a_rewrite(asked_again, world):
    """Whoever found the right words found them for everybody."""
    found, _ = failures(asked_again, embed, "e")
    one = msgspec.structs.replace(found[0], question=FIRST)
    worded = FIRST.replace("?", " (recovery)?")
    world.says(worded, "within 90 minutes")
    (tried,) = _rewritten(one, world.ask(FIRST, None), None, world.ask)
    assert isinstance(tried.repair, Rewrite)
    assert tried.repair == Rewrite(("help", "arrives", "broken", "truck"), "recovery", "en")
    assert AGAIN in tried.why


class Doors:
    """Documents that know every word but parking."""

    def frequencies(self, terms):
        return {term: 0 if term.startswith("park") else 3 for term in terms}


def test_what_no_document_speaks_of_is_told(index):
    """No wording finds what is not there: somebody has to write it."""
    question = "What does parking cost?"
    asked = [Asked(question, 2, ("t1", "t2"), "parking cost"), Asked("Where is berth 3?", 5, ("t3",), "berth")]
    (proposal,) = advise(index, asked, Doors())
    assert isinstance(proposal.what, Advice)
    assert proposal.what.about == "document"
    assert "parking" in proposal.what.text
    assert question in proposal.what.text


def test_contradictions_without_a_date_are_told(index):
    """With a date the newer one would win; without, every answer states both sides for ever."""
    made = trace("How many?", "conflict", "7 or 6", source="a.md")
    other = msgspec.structs.replace(made.answer.citations[0], source="b.md", n=2)
    answer = msgspec.structs.replace(
        made.answer, citations=(*made.answer.citations, other), conflict=Conflict(("7", "6"), ("c1", "c2"))
    )
    TraceStore(index).save(msgspec.structs.replace(made, answer=answer))
    (proposal,) = advise(index, (), Doors())
    assert (proposal.what.about, proposal.what.sources) == ("metadata", ("a.md", "b.md"))
