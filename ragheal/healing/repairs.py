"""Repairs as values: what may stand in an overlay, and what is known of a proposal."""

from __future__ import annotations

from typing import Literal

from ragheal.types import Lang, Value


class Synonym(Value, frozen=True, tag="synonym"):
    """What questions call `term` the documents call `means`.

    `context` guards the sense: when it is not empty, the synonym holds only in a question that has one of
    these words, in whatever inflection.
    """

    term: str
    means: str
    lang: Lang
    context: tuple[str, ...] = ()


class Rewrite(Value, frozen=True, tag="rewrite"):
    """A question that has every one of the words `when`, in any inflection, is asked with `adds` as well."""

    when: tuple[str, ...]
    adds: str
    lang: Lang


class Advice(Value, frozen=True, tag="advice"):
    """Something only people can do. It is shown and never applied."""

    about: Literal["document", "chunking", "metadata"]
    text: str
    sources: tuple[str, ...] = ()


Repair = Synonym | Rewrite
State = Literal["proposed", "verified", "refused", "canary", "promoted", "rolled back", "advice"]


class Effect(Value, frozen=True):
    """One question before and after: statuses, rounds, and whether it got better or worse in words."""

    question: str
    before: str
    after: str
    change: Literal["better", "worse", "same"]
    why: str = ""


class Measured(Value, frozen=True):
    """What a question file said of a repair. `right` counts questions that came out as their lines say."""

    questions: int
    right_before: int
    right_after: int
    rounds_before: float  # mean per question
    rounds_after: float
    effects: tuple[Effect, ...] = ()  # those that changed

    @property
    def worse(self) -> tuple[Effect, ...]:
        return tuple(effect for effect in self.effects if effect.change == "worse")

    @property
    def better(self) -> tuple[Effect, ...]:
        return tuple(effect for effect in self.effects if effect.change == "better")


class Proposal(Value, frozen=True):
    """A repair that somebody may want, with where it comes from and how far it got."""

    id: str  # "p1", "p2", …
    what: Repair | Advice
    why: str
    questions: tuple[str, ...] = ()  # failed questions it would help
    traces: tuple[str, ...] = ()
    score: float = 0.0  # 0–1, likelier first
    tried: str = ""  # what the failed question came to with it, when that was tried
    state: State = "proposed"
    refused: str = ""  # why
    against: int = -1  # number of the overlay it was verified on top of
    percent: int = 0  # share of questions while on trial
    since: str = ""  # when the trial began
    measured: Measured | None = None

    @property
    def repair(self) -> Repair | None:
        return None if isinstance(self.what, Advice) else self.what


def said(what: Repair | Advice) -> str:
    """A repair in one line for people."""
    if isinstance(what, Synonym):
        where = f"  (in questions with: {', '.join(what.context)})" if what.context else ""
        return f'"{what.term}" = "{what.means}"{where}'
    if isinstance(what, Rewrite):
        return f'questions with {", ".join(what.when)}: also "{what.adds}"'
    return f"{what.about}: {what.text}"
