"""What the judge's numbers lead to: how much is shown, what counts as a conflict, when it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragheal.answering.embedded.conflict import find_conflict
from ragheal.answering.embedded.generate import generate
from ragheal.answering.embedded.judge import Finding
from ragheal.answering.embedded.reading import Candidate, Panel, fitted, thresholds
from ragheal.answering.embedded.windows import Window
from ragheal.retrieval.weights import Weights
from ragheal.settings import AnswerSettings
from ragheal.text.questions import analyze

Doors = Callable[..., Any]

SENTENCES = (
    "Lorries park behind hall six.", "The canteen opens at seven in the morning.", "Visitors sign in at the gate.",
    "Forklifts are charged during the night.", "Parcels leave the ramp before noon.", "The roof was mended in spring.",
)  # fmt: skip


def candidates(doors: Doors, texts: dict[str, str], **fields: Any) -> list[Candidate]:
    """A candidate for each document of one sentence, in order, equally strong unless told otherwise."""
    found = []
    for rank, chunk in enumerate(doors({name: f"Yard\n{text}" for name, text in texts.items()}).chunks):
        end = len(chunk.text)
        window = Window(chunk, 0, end, ((0, end),), rank)
        given = {"p": 0.4, "level": 0.4, "value": None, "cover": 0.9, "names": 1.0, "cosine": 0.9, **fields}
        found.append(Candidate(window=window, start=0, end=end, **given))
    return found


def panel(question: str, found: list[Candidate]) -> Panel:
    return Panel(analyze(question), Weights({"": 10}), found, reader=False)


@pytest.mark.parametrize(("confidence", "shown"), [(0.8, 3), (0.4, 5)], ids=["sure", "unsure"])
def test_an_answer_that_is_not_sure_shows_more(doors: Doors, confidence: float, shown: int) -> None:
    """Whoever gets an unsure answer has to judge for themselves, and can do so only with what is near in view."""
    found = candidates(doors, {f"{n}.md": text for n, text in enumerate(SENTENCES)})
    question = analyze("Where do lorries park?")
    finding = Finding(panel(question.text, found), confidence)
    draft = generate(question, finding, None, AnswerSettings())
    assert draft is not None
    assert len(draft.claims) == shown
    fewer = generate(question, finding, None, AnswerSettings(max_sentences=2, max_sentences_unsure=2))
    assert fewer is not None
    assert len(fewer.claims) == 2


def test_sentences_about_different_things_do_not_conflict(doors: Doors) -> None:
    """Two passages that each fit a vague question are no disagreement: saying so would make every answer doubtful."""
    texts = {
        "one.md": "Buildings are raised for a known client.",
        "two.md": "Vitruvius wrote about temples and walls.",
    }
    found = candidates(doors, texts, answers=0.9)
    found = [candidate_with_value(found[0], "a known client"), candidate_with_value(found[1], "Vitruvius")]
    assert find_conflict(panel("Who is it done for?", found)) is None


@pytest.mark.parametrize("behind", [0.4, 0.2], ids=["equal", "found second"])
def test_the_copy_that_is_found_second_contradicts_no_less(doors: Doors, behind: float) -> None:
    """Of two copies of a sentence one comes first by chance; the other's number must not be lost for that."""
    texts = {
        "one.md": "The store at Ashgrove has 420 positions.",
        "two.md": "The store at Ashgrove has 510 positions.",
    }
    first, second = candidates(doors, texts)
    second = type(second)(**{**{n: getattr(second, n) for n in second.__struct_fields__}, "p": behind})
    conflict = find_conflict(panel("How many positions does the store at Ashgrove have?", [first, second]))
    assert conflict is not None
    assert conflict.values == ("420", "510")


def candidate_with_value(candidate: Candidate, value: str) -> Candidate:
    start = candidate.sentence.index(value)
    fields = {name: getattr(candidate, name) for name in candidate.__struct_fields__}
    return Candidate(**{**fields, "value": (start, start + len(value))})


def test_each_language_has_its_own_bars() -> None:
    """Under one threshold for all, the language that is judged more kindly is refused too seldom."""
    for mode, languages in fitted()["thresholds"].items():
        assert set(languages) == {"en", "zh"}, mode
        for bars in languages.values():
            assert 0 < bars["abstain"] < bars["sufficient"] <= bars["strict_abstain"] <= bars["strict"] < 1
    english, chinese = (thresholds(panel(q, [])) for q in ("Where do lorries park?", "卡车停在哪里？"))
    assert (english, chinese) == (fitted()["thresholds"]["off"]["en"], fitted()["thresholds"]["off"]["zh"])
