"""Which parts of a plan are asked, in which order, and with what in the holes."""

from __future__ import annotations

import pytest

from ragheal.strategies import parts
from ragheal.types import Claim, Draft, Part


def order(*given: Part, question: str = "the whole question", limit: int = 3) -> list[int]:
    return [n for n, _ in parts.ordered(given, question, limit)]


def test_a_part_comes_behind_those_it_needs() -> None:
    """A planner that lists them in the wrong order must not leave a hole open."""
    assert order(Part("When was {2} made?", (2,)), Part("Who made it?")) == [2, 1]
    assert order(Part("When was {2} made?"), Part("Who made it?")) == [2, 1]  # the hole says what it needs


def test_circles_and_repeats_are_cut() -> None:
    """A circle would be asked for ever, a repeat paid twice."""
    assert order(Part("a river {2}", (2,)), Part("a lake {1}", (1,))) == []
    assert order(Part("a river {1}", (1,))) == []
    assert order(Part("needs what is not there {7}", (7,)), Part("a lake")) == [2]
    assert order(Part("Who leads the team?"), Part("who leads the TEAM"), Part("Where is it?")) == [1, 3]
    assert order(Part("the whole question"), Part("a lake")) == [2]
    assert order(Part("谁领导派单组？"), Part("誰領導派單組"), Part("派单组在哪里？")) == [1, 3]


def test_no_more_than_the_limit() -> None:
    """`loop.max_hops` bounds the cost."""
    assert order(*(Part(f"question number {word}") for word in ("alpha", "beta", "gamma", "delta")), limit=2) == [
        1,
        2,
    ]


def test_waves_hold_what_needs_nothing_of_each_other() -> None:
    """Only those may be asked side by side."""
    placed = parts.ordered([Part("alpha"), Part("beta"), Part("gamma {1} {2}", (1, 2))], "q", 3)
    assert [[n for n, _ in wave] for wave in parts.waves(placed)] == [[1, 2], [3]]


def test_holes_are_filled_or_the_part_is_not_asked() -> None:
    """ "When was {1} born?" finds everything and nothing."""
    assert parts.filled(Part("When was {1} born?", (1,)), {1: "Ada Lind"}) == "When was Ada Lind born?"
    assert parts.filled(Part("When was she born?", (1,)), {1: "Ada Lind"}) == "When was she born? (Ada Lind)"
    assert parts.filled(Part("When was {1} born?", (1,)), {1: ""}) is None


@pytest.mark.parametrize(
    ("question", "said", "short"),
    [
        ("Who leads the Firmware team?", "The Firmware team is led by Hedda Korrin.", "Hedda Korrin"),
        ("When was the Puffin released?", "The Puffin was released on 3 March 2024.", "3 March 2024"),
        ("青雁由哪个团队维护？", "它由派单组维护。", "它由派单组维护"),
        (
            "Who leads the Firmware team?",
            "Harrow Quay's Firmware team is led by Ada Lind.",
            "Harrow Quay's Firmware team is led by Ada Lind",
        ),
        ("青雁由哪个团队维护？", "青雁由调度组维护，部署在临浦机房。", "青雁由调度组维护，部署在临浦机房"),
        ("Why did it stop?", "Because a forklift cut the cable.", "Because a forklift cut the cable"),
    ],
)
def test_the_answer_proper_goes_into_the_next_question(question: str, said: str, short: str) -> None:
    """A whole sentence in the next query would search for the last question again."""
    assert parts.short(Draft((Claim(said, (1,)),), ()), question) == short
    assert parts.short(Draft((Claim(said, (1,), (0, 3)),), ()), question) == said[:3]


def test_the_judge_may_name_it() -> None:
    """A bridge that the answer holds is better than any guess at its form."""
    draft = Draft((Claim("青雁由调度组维护，部署在临浦机房。", (1,)),), ())
    assert parts.short(draft, "青雁由哪个团队维护？", "调度组") == "调度组"
    assert parts.short(draft, "青雁由哪个团队维护？", "包装组") == "青雁由调度组维护，部署在临浦机房"
