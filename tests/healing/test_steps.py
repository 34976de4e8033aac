"""The steps of a repair, and what may not be skipped."""

from __future__ import annotations

import os

import pytest
from repair_world import GAP, OTHER, PLAIN, trace

from ragheal.errors import CheckFailed, ConfigError, IndexBusy, IndexDamaged
from ragheal.evaluation.questions import Line
from ragheal.healing import canary, pointer, steps, store
from ragheal.healing import overlay as overlays
from ragheal.healing.overlay import in_force, load
from ragheal.healing.repairs import Advice, Synonym
from ragheal.history.traces import TraceStore


@pytest.fixture
def verified(index, propose, world, lines):
    (checked,) = steps.verify(index, [propose()], lines, world.ask)
    return checked


@pytest.fixture
def promoted(index, verified):
    """The good repair in force, as overlay 2."""
    steps.start_trial(index, verified, 50)
    steps.promote(index, steps.find(index, [verified.id])[0], untried=True)
    return verified


def test_a_repair_that_helps_and_harms_nothing_is_verified(verified, world):
    """The measured effect is what a person decides by."""
    assert (verified.state, verified.refused) == ("verified", "")
    measured = verified.measured
    assert (measured.questions, measured.right_before, measured.right_after) == (3, 2, 3)
    assert [effect.question for effect in measured.effects] == [GAP]
    assert "refused" in measured.effects[0].why
    # A question that the repair does not change is asked once.
    assert world.asked.count(PLAIN) == 1


def test_a_repair_that_makes_one_question_worse_is_refused(index, propose, world, lines):
    """However many others it helps; and the question is named."""
    world.says("Is there frequency control for the weather API?", "25 calls per second")
    checked = steps.verify(index, [propose()], lines, world.ask)
    assert checked[0].state == "refused"
    assert OTHER in checked[0].refused
    assert store.log(index)[0].step == "refuse"


def test_what_harms_some_and_helps_others_is_kept_to_those_it_helps(index, propose, world, lines):
    """The right word in the wrong place is still the right word."""
    world.says("Is there frequency control for the weather API?", "25 calls per second")
    _, narrower = steps.verify(index, [propose()], lines, world.ask)
    assert narrower.state == "verified"
    assert narrower.what == Synonym("rate limiting", "frequency control", "en", ("policy",))
    assert "p1" in narrower.why


def test_a_repair_that_betters_nothing_is_refused(index, propose, world, lines):
    """Otherwise overlays fill with repairs that nobody can tell the use of."""
    checked = steps.verify(index, [propose(Synonym("velocity", "speed", "en"))], lines, world.ask)
    assert (checked[0].state, checked[0].refused) == ("refused", "improves none of the questions")


@pytest.mark.parametrize(
    ("before", "after", "gold", "expected"),
    [
        (("answered", "x", 1), ("answered", "x", 2), {"answers": ("x",)}, "worse"),
        (("answered", "x", 3), ("answered", "x", 1), {"answers": ("x",)}, "better"),
        (("abstained", "", 3), ("answered", "y", 1), {"answers": ("x",)}, "worse"),
        (("answered", "y", 1), ("abstained", "", 3), {"answers": ("x",)}, "better"),
        (("disclaimed", "x", 2), ("answered", "x", 2), {"answers": ("x",)}, "better"),
        (("abstained", "", 1), ("abstained", "", 3), {"answerable": False}, "same"),
        (("answered", "y", 1), ("answered", "z", 3), {"answers": ("x",)}, "same"),
        (("answered", "x", 1), ("disclaimed", "y", 1), {}, "worse"),
        (("abstained", "", 3), ("answered", "y", 1), {}, "same"),
    ],
)
def test_better_and_worse(before, after, gold, expected):
    """Right comes first, then sure, then cheap; without an answer to compare with, only a loss can be seen."""
    from ragheal.healing.verify import compare

    line = Line("q", **gold)
    assert compare(line, trace("q", *before), trace("q", *after)).change == expected


def test_advice_is_nothing_to_apply(index, propose, world, lines):
    """It is for people, and the message repeats it."""
    advice = propose(Advice("document", "no document speaks of parking"), state="advice")
    for step in (
        lambda: steps.verify(index, [advice], lines, world.ask),
        lambda: steps.start_trial(index, advice, 20),
    ):
        with pytest.raises(ConfigError) as error:
            step()
        assert "parking" in error.value.hint


def test_no_step_can_be_skipped(index, propose, verified):
    """Unverified, refused and untried repairs must not reach users by a slip of the hand."""
    fresh, refused = (
        propose(Synonym("a", "b", "en")),
        propose(Synonym("c", "d", "en"), state="refused", refused="x"),
    )
    for proposal in (fresh, refused):
        with pytest.raises(ConfigError):
            steps.start_trial(index, proposal, 20)
    with pytest.raises(ConfigError) as error:
        steps.promote(index, verified)
    assert "canary" in error.value.hint
    for percent in (0, 101, -5):
        with pytest.raises(ConfigError):
            steps.start_trial(index, verified, percent)
    assert in_force(index) is None


def test_a_verification_holds_for_what_it_was_made_on(index, propose, promoted, world, lines):
    """Two repairs that are fine alone may not be fine together."""
    (other,) = steps.verify(index, [propose(Synonym("velocity", "speed", "en"))], lines, world.ask)
    stale = propose(Synonym("tempo", "speed", "en"), state="verified", against=0)
    with pytest.raises(ConfigError) as error:
        steps.start_trial(index, stale, 20)
    assert "verify" in error.value.hint
    assert other.against == 2


def test_one_trial_at_a_time(index, propose, verified):
    """Two trials would blur each other's figures. The share of the one may be changed."""
    second = propose(Synonym("a", "b", "en"), state="verified", against=0)
    steps.start_trial(index, verified, 10)
    with pytest.raises(ConfigError) as error:
        steps.start_trial(index, second, 10)
    assert verified.id in error.value.message
    assert steps.start_trial(index, steps.find(index, [verified.id])[0], 60).percent == 60


def test_promote_and_roll_back(index, promoted):
    """There, and back; the states follow what is in force."""
    assert in_force(index).reword(GAP) == "What is the frequency control policy?"
    assert steps.current(index)[0].state == "promoted"
    with pytest.raises(ConfigError):
        steps.promote(index, steps.find(index, ["p1"])[0])
    assert steps.rollback(index) == (2, 0)
    assert in_force(index) is None
    assert steps.current(index)[0].state == "rolled back"
    assert steps.rollback(index, 2) == (0, 2)
    assert steps.current(index)[0].state == "promoted"
    assert [entry.step for entry in store.log(index)] == ["verify", "canary", "promote", "rollback", "rollback"]
    assert [entry.overlay for entry in store.log(index)] == [0, 1, 2, 0, 2]


def test_a_trial_that_met_no_question_is_no_proof(index, verified):
    """Promoting it would be skipping the trial under another name; who means to must say so."""
    steps.start_trial(index, verified, 1)
    with pytest.raises(CheckFailed) as error:
        steps.promote(index, steps.find(index, [verified.id])[0])
    assert "--untried" in error.value.hint
    assert in_force(index).trial


@pytest.mark.parametrize("to", [-1, 7, 1, 2])
def test_bad_targets_of_a_rollback(index, promoted, to):
    """A number that is not there, a trial's, and the one in force: said, and nothing changes."""
    with pytest.raises(ConfigError):
        steps.rollback(index, to)
    assert in_force(index).number == 2


def test_nothing_to_roll_back(index):
    """On a fresh index it is an answer, not a crash."""
    with pytest.raises(ConfigError):
        steps.rollback(index)


def test_rollback_mends_a_damaged_overlay_and_a_damaged_pointer(index, promoted, propose, world, lines):
    """What the answers have been warning of is over with the one command that they name."""
    world.says("How fast may I drive? speed", "15 km/h")
    (index / pointer.FOLDER / pointer.POINTER).write_bytes(b"rubbish")
    with pytest.raises(IndexDamaged):
        steps.start_trial(index, steps.find(index, ["p1"])[0], 20)
    assert steps.rollback(index) == (-1, 2), "the last whole overlay that was no trial"
    assert in_force(index).notes == ()
    overlays.file_of(index, 2).write_bytes(b"rubbish")
    assert in_force(index).notes
    assert steps.rollback(index) == (2, 0)
    assert in_force(index) is None


class Kill(BaseException):
    """Not an Exception: nothing may catch it on the way, as nothing catches a kill."""


@pytest.mark.parametrize("step", ["promote", "rollback"])
def test_a_kill_at_any_moment_leaves_exactly_one_overlay_in_force(index, promoted, monkeypatch, step):
    """Every call to the operating system is a moment at which the power may fail."""
    names = ("replace", "fsync", "open")
    reached = 0
    while True:
        calls = 0

        def guarded(real, *args, reached=reached, **kwargs):
            nonlocal calls
            calls += 1
            if calls > reached:
                raise Kill
            return real(*args, **kwargs)

        before = in_force(index)
        with monkeypatch.context() as patch:
            for name in names:
                real = getattr(os, name)
                patch.setattr(os, name, lambda *a, real=real, **k: guarded(real, *a, **k))
            try:
                if step == "rollback":
                    steps.rollback(index, 0 if before else 2)
                else:
                    number = overlays.next_number(index)
                    steps._switch(index, overlays.Overlay(number, load(index, 2).repairs, parent=2))
                done = True
            except Kill:
                done = False
        found = in_force(index)
        allowed = (
            {0, 2} if step == "rollback" else {before.number, before.number + 1, overlays.next_number(index) - 1}
        )
        assert (found.number if found else 0) in allowed
        assert not (found and found.notes)
        steps.recover(index)
        assert store.log(index)[-1].overlay == (found.number if found else 0)
        if done:
            break
        reached += 1
    assert reached >= 3


def test_two_at_once(index, propose, world, lines):
    """The second must not build on what the first is just changing."""
    with pointer.writing(index):
        with pytest.raises(IndexBusy) as error, pointer.writing(index):
            pass
        assert error.value.exit_code == 5
    with pointer.writing(index):
        pass


def test_a_log_line_that_was_cut_off_is_passed_over(index, promoted):
    """A kill while writing must not cost the record of everything before and after."""
    path = index / pointer.FOLDER / store.LOG
    path.write_bytes(path.read_bytes() + b'{"at":"2026')
    count = len(store.log(index))
    steps.rollback(index)
    assert len(store.log(index)) == count + 1


@pytest.fixture
def history(index):
    """Saves traces as the engine does."""

    def saved(question, status, overlay=0, *, canary=False, rounds=1, asked=""):
        import msgspec

        made = trace(question, status, "x", rounds)
        made = msgspec.structs.replace(made, overlay=overlay, canary=canary, asked=asked)
        TraceStore(index).save(made)
        return made

    return saved


def test_a_trial_is_compared_with_the_others_and_with_itself_before(index, verified, history):
    """That is what the trial is for."""
    history(GAP, "abstained", rounds=3)
    trial = steps.start_trial(index, verified, 50)
    history(GAP, "answered", trial.number, canary=True, asked="What is the frequency control policy?")
    history("Rate limits of the search?", "abstained", trial.number, rounds=3)
    history(PLAIN, "abstained", trial.number, canary=True)  # the repair is not about it
    compared = canary.compare(index, trial)
    assert (compared.trial.questions, compared.trial.answered, compared.trial.rounds) == (1, 1, 1.0)
    assert (compared.control.questions, compared.control.answered, compared.control.rounds) == (1, 0, 3.0)
    assert compared.again == ((GAP, "abstained", "answered"),)
    assert compared.worse == ()


def test_a_trial_that_loses_an_answer_is_not_promoted(index, verified, history):
    """A question that was answered before the trial and is refused in it."""
    history(GAP, "answered")
    trial = steps.start_trial(index, verified, 100)
    history(GAP, "abstained", trial.number, canary=True)
    with pytest.raises(CheckFailed) as error:
        steps.promote(index, steps.find(index, ["p1"])[0])
    assert GAP in error.value.message
    assert in_force(index).number == trial.number


def test_a_thumb_down_on_trial_stops_it(index, verified, history):
    """A fluent wrong answer counts as answered; only its readers know better."""
    from ragheal.history import signals

    trial = steps.start_trial(index, verified, 100)
    made = history(GAP, "answered", trial.number, canary=True)
    signals.note(index, made.id, "thumbs_down")
    assert "objected" in canary.compare(index, trial).conclusion
    with pytest.raises(CheckFailed):
        steps.promote(index, steps.find(index, ["p1"])[0])


def test_shares_are_compared_only_when_they_mean_something(index, verified, history):
    """One question more or less on either side is chance."""
    trial = steps.start_trial(index, verified, 50)
    for n in range(5):
        history(f"Rate limits of thing {n}?", "abstained", trial.number, canary=True)
        if n < 4:
            history(f"Rate limits of item {n}?", "answered", trial.number)
    assert canary.compare(index, trial).worse == ()
    history("Rate limits of item 5?", "answered", trial.number)
    assert "0%" in canary.compare(index, trial).worse[0]
