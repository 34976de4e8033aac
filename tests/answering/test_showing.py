"""What the judge's numbers lead to: how much is shown, what is asked next, what counts as a conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ragheal.answering.embedded.conflict import find_conflict
from ragheal.answering.embedded.generate import generate
from ragheal.answering.embedded.judge import FEATURES, Finding, confidence, fitted, thresholds
from ragheal.answering.embedded.lacking import find_missing, subject
from ragheal.answering.embedded.reading import Candidate, Panel
from ragheal.answering.embedded.rewrite import feedback
from ragheal.retrieval.weights import Weights
from ragheal.settings import AnswerSettings
from ragheal.text.questions import analyze
from ragheal.types import Reading

Doors = Callable[..., Any]

SENTENCES = (
    "Lorries park behind hall six.", "The canteen opens at seven in the morning.", "Visitors sign in at the gate.",
    "Forklifts are charged during the night.", "Parcels leave the ramp before noon.", "The roof was mended in spring.",
)  # fmt: skip


def candidates(doors: Doors, texts: dict[str, str], p: float = 0.4, value: str = "") -> list[Candidate]:
    """A candidate for each document of one sentence, in order, equally strong."""
    found = []
    for chunk in doors({name: f"Yard\n{text}" for name, text in texts.items()}).chunks:
        end = len(chunk.text)
        start = chunk.text.find(value) if value and value in chunk.text else 0
        span = (start, start + len(value)) if value else (0, end)
        found.append(Candidate(chunk, ((0, end),), chunk.heading, Reading(p), p, (0, end), span))
    return found


def panel(question: str, found: Sequence[Candidate]) -> Panel:
    return Panel(analyze(question), tuple(found))


@pytest.mark.parametrize(("sure", "p", "shown"), [(True, 0.95, 1), (True, 0.5, 3), (False, 0.4, 3)])
def test_a_sure_answer_is_short_and_an_unsure_one_shows_what_is_near(
    doors: Doors, sure: bool, p: float, shown: int
) -> None:
    """Whoever gets an unsure answer has to judge for themselves, and can do so only with what is near in view."""
    found = candidates(doors, {f"{n}.md": text for n, text in enumerate(SENTENCES)}, p)
    finding = Finding(panel("Where do lorries park?", found), 0.99 if sure else 0.01)
    draft = generate(finding, None, AnswerSettings())
    assert draft is not None
    assert len(draft.claims) == shown
    assert draft.claims[0].text == SENTENCES[0]
    fewer = generate(finding, None, AnswerSettings(max_sentences=1, max_sentences_unsure=1))
    assert fewer is not None
    assert len(fewer.claims) == 1


def test_an_unsure_answer_shows_the_sentences_around_its_own(doors: Doors) -> None:
    """The right passage with the wrong sentence cut out of it helps nobody: whoever reads it finds the right one."""
    chunk = doors({"yard.md": "Yard\n" + " ".join(SENTENCES[:3])}).chunks[0]
    spans = tuple((at, at + len(text)) for text in SENTENCES[:3] for at in [chunk.text.index(text)])
    found = Candidate(chunk, spans, chunk.heading, Reading(0.3), 0.3, spans[1], spans[1])
    draft = generate(Finding(panel("Where do lorries park?", [found]), 0.2), None, AnswerSettings())
    assert draft is not None
    assert draft.claims[0].text == " ".join(SENTENCES[:3])
    brief = generate(Finding(panel("Where do lorries park?", [found]), 0.2), None, AnswerSettings(max_chars=150))
    assert brief is not None
    assert brief.claims[0].text == SENTENCES[1]


def test_sentences_about_different_things_do_not_conflict(doors: Doors) -> None:
    """Two passages that each fit a vague question are no disagreement: saying so would make every answer doubtful."""
    texts = {
        "one.md": "Buildings are raised for a known client.",
        "two.md": "Vitruvius wrote about temples and walls.",
    }
    one, two = candidates(doors, texts, 0.9, "a known client")[0], candidates(doors, texts, 0.9, "Vitruvius")[1]
    assert find_conflict(panel("Who is it done for?", [one, two])) is None


def test_a_copy_with_another_number_is_a_conflict(doors: Doors) -> None:
    """Of two copies of a sentence one comes first by chance; the other's number must not be lost for that."""
    texts = {
        "one.md": "The store at Ashgrove has 420 positions.",
        "two.md": "The store at Ashgrove has 510 positions.",
    }
    first, second = candidates(doors, texts, 0.9, "420")[0], candidates(doors, texts, 0.7, "510")[1]
    conflict = find_conflict(panel("How many positions does the store at Ashgrove have?", [first, second]))
    assert conflict is not None
    assert [value.split()[0] for value in conflict.values] == ["420", "510"]
    assert find_conflict(panel("How many positions does the store at Ashgrove have?", [first])) is None


def test_a_rival_that_the_reader_does_not_believe_is_none(doors: Doors) -> None:
    """A passage that only sounds alike must not turn a good answer into a dispute."""
    texts = {"one.md": "The store has 420 positions.", "two.md": "The store has 510 positions."}
    first, second = candidates(doors, texts, 0.9, "420")[0], candidates(doors, texts, 0.2, "510")[1]
    assert find_conflict(panel("How many positions does the store have?", [first, second])) is None


def test_each_language_has_its_own_bars() -> None:
    """Under one threshold for all, the language that is judged more kindly is refused too seldom."""
    for lang in ("en", "zh"):
        bars = thresholds(lang)  # type: ignore[arg-type]
        assert 0 < bars["abstain"] < bars["sufficient"] <= bars["strict"] < 1
        assert bars["abstain"] <= bars["strict_abstain"]
        assert set(fitted()[lang]["single"]) == set(fitted()[lang]["chain"]) == set(FEATURES)


def test_confidence_follows_the_reader(doors: Doors) -> None:
    """What reads worse must not be promised more surely."""
    texts = {"one.md": SENTENCES[0], "two.md": SENTENCES[1]}
    rising = [
        confidence(panel("Where do lorries park?", candidates(doors, texts, p))) for p in (0.05, 0.3, 0.6, 0.95)
    ]
    assert rising == sorted(rising)
    assert confidence(panel("Where do lorries park?", [])) == 0.0


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the notice period for the night shift?", "the notice period for the night shift"),
        ("how long do we keep raw readings", "we keep raw readings"),
        ("Can you tell me who leads Platform?", "leads Platform"),
        ("请问临时工的试用期有多长？", "临时工的试用期有多长"),
    ],
)
def test_what_is_missing_is_said_in_the_words_of_the_question(question: str, words: str) -> None:
    """A name that nobody asked for tells a user nothing about what is not in the documents."""
    assert subject(analyze(question)) == words


def test_missing_names_the_part_that_no_passage_speaks_of(doors: Doors) -> None:
    """ "Missing: salary" is worth more than the question said again."""
    found = candidates(doors, {"one.md": "Quentin Mosk works in Bergen."}, 0.05)
    question = analyze("What is the annual salary of Quentin Mosk in Bergen?")
    weights = Weights(dict.fromkeys(question.terms, 1) | {"": 10})
    labels = [item.label for item in find_missing(question, panel(question.text, found), None, None, weights)]
    assert labels[0] == "annual salary"
    assert all(set(analyze(label).terms) <= set(question.terms) for label in labels)


def test_the_next_query_speaks_the_language_of_the_documents(doors: Doors) -> None:
    """Asked for a "rate limit", documents that say "quota" are found by the word that their headings have."""
    texts = {
        "one.md": "The quota of a client is forty calls a minute; the quota is raised on request.",
        "two.md": "Calls beyond the quota are refused until the next minute.",
        "three.md": "Lunch is at noon.",
    }
    found = candidates(doors, texts, 0.3)
    words = feedback(analyze("What is the rate limit?"), panel("What is the rate limit?", found[:2]),
                     lambda terms: dict.fromkeys(terms, 2) | {"quota": 2, "": 40})  # fmt: skip
    assert words[0] == "quota"
    assert "rate" not in words


def test_the_next_query_stays_in_its_language(doors: Doors) -> None:
    """A table with columns in two languages must not turn an English question into a mixed one."""
    texts = {"one.md": "quota 配额 of a client 客户 is forty calls a minute; quota 配额 on request."}
    found = candidates(doors, texts, 0.3)
    words = feedback(analyze("What is the rate limit?"), panel("What is the rate limit?", found),
                     lambda terms: dict.fromkeys(terms, 1) | {"": 40})  # fmt: skip
    assert words
    assert all(word.isascii() for word in words)
