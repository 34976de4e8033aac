"""The unattended run: it ends where a careful person would, and stops at the first doubt."""

from __future__ import annotations

import pytest
from repair_world import GAP, GOOD, PLAIN, World

from ragheal.errors import ConfigError
from ragheal.evaluation.questions import Line
from ragheal.healing import auto, steps, store
from ragheal.healing.overlay import Overlay, in_force
from ragheal.healing.repairs import Advice, Synonym
from ragheal.types import Trace


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def lines(lines: tuple[Line, ...], world: World) -> tuple[Line, ...]:
    """A second question that the good repair improves: one alone may be chance."""
    world.says("Who set the frequency control policy?", "the harbour board")
    return (*lines, Line("Who set the rate limiting policy?", answers=("the harbour board",), number=4))


def test_the_best_of_rivals_is_promoted(index, propose, world, lines, said):
    """The likeliest guess is not always the one that helps most questions."""
    world.says("What is the speed policy?", "25 calls per second", 2)
    propose(Synonym("rate limiting", "speed", "en"), questions=(GAP,), score=0.9)
    propose(GOOD, questions=(GAP,), score=0.65)
    propose(Advice("document", "add one"), state="advice")
    outcome = auto.run(index, auto.open_proposals(index), lines, world.ask, 100, said.append)
    assert [proposal.what for proposal in outcome.promoted] == [GOOD]
    assert outcome.doubt == ""
    assert (outcome.measured.right_before, outcome.measured.right_after) == (2, 4)
    assert in_force(index).repairs[0].repair == GOOD
    assert [line.split()[0] for line in said] == ["verify", "verify", "canary", "promote"]


def test_the_trial_grows_until_it_meets_a_question(index, propose, world, lines, said):
    """A share without a question that the repair changes would prove nothing."""
    propose(GOOD, questions=(GAP,))
    auto.run(index, auto.open_proposals(index), lines, world.ask, 1, said.append)
    shares = [line.split()[2] for line in said if line.startswith("canary")]
    assert shares[0] == "1"
    assert len(shares) > 1
    assert in_force(index).trial == ()


def test_the_first_doubt_ends_the_trial_and_the_run(index, propose, world, lines, said):
    """A model server that answers otherwise than an hour ago is no ground to build on."""
    propose(GOOD, questions=(GAP,))
    propose(Synonym("velocity", "speed", "en"), questions=(PLAIN,))

    def ask(question: str, overlay: Overlay | None) -> Trace:
        if overlay is not None and overlay.trial:
            world.known.clear()
        return world.ask(question, overlay)

    outcome = auto.run(index, auto.open_proposals(index), lines, ask, 100, said.append)
    assert outcome.promoted == ()
    assert GAP in outcome.doubt
    assert in_force(index) is None
    assert store.log(index)[-1].step == "rollback"
    assert steps.current(index)[1].state == "proposed", "what was not reached waits"


def test_nothing_that_stands(index, propose, world, lines, said):
    """Refused proposals are no doubt: the run goes on, and nothing changes."""
    propose(Synonym("rate limiting", "velocity", "en"), questions=(GAP,))
    outcome = auto.run(index, auto.open_proposals(index), lines, world.ask, 20, said.append)
    assert (outcome.promoted, outcome.doubt, outcome.measured) == ((), "", None)
    assert len(outcome.refused) == 1
    assert in_force(index) is None


def test_a_trial_of_a_person_is_not_ended(index, propose, world, lines):
    """Somebody is measuring."""
    (checked,) = steps.verify(index, [propose()], lines, world.ask)
    steps.start_trial(index, checked, 20)
    with pytest.raises(ConfigError) as error:
        steps.require_quiet(index)
    assert checked.id in error.value.message


def test_a_repair_that_helps_one_question_by_chance_is_left_to_people(index, propose, world, lines, said):
    """Almost any word helps some one question; unattended, the vocabulary would fill with coincidences."""
    propose(GOOD, questions=(GAP,), score=0.9)
    outcome = auto.run(index, auto.open_proposals(index), lines[:-1], world.ask, 100, said.append)
    assert outcome.promoted == ()
    assert in_force(index) is None
    assert "improves one question only" in said[-1]
