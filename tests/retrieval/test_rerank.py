"""The reader puts the first hits in order: a passage that says it otherwise must not stay behind one that sounds alike."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.retrieval.rerank import POOL, WINDOWS, Near, rerank
from ragheal.retrieval.weights import Weights
from ragheal.text.analyze import terms
from ragheal.types import Chunk, Hit, Query, Reading

SOUNDS = "The cap on calls is discussed in every meeting about calls and their cap."
SAYS = "Each client may send forty requests a minute."


def hit(n: int, text: str, score: float, heading: str = "Limits") -> Hit:
    return Hit(Chunk(f"{n:016x}", f"{n}.md", 0, text, (heading,), "paragraph", 1, 1, 0, len(text)), score)


class Reads:
    """A reader that knows which words answer; keeps what it was shown."""

    def __init__(self, *answering: str) -> None:
        self.answering = answering
        self.shown: list[tuple[str, str, str]] = []

    def __call__(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.shown += [(question, context, text) for context, text in passages]
        return [Reading(0.95 if any(a in text for a in self.answering) else 0.02) for _, text in passages]


def order(query: Query, hits: Sequence[Hit], reads: Reads) -> list[str]:
    words = list(dict.fromkeys(terms(query.text)))
    weights = Weights(dict.fromkeys(words, 1) | {"": 9})
    return [found.chunk.source for found in rerank(query, hits, reads, weights, near(hits))]


def near(hits: Sequence[Hit]) -> Near:
    """As near by meaning as the channels found them."""
    return Near([hit.score for hit in hits], 0.5, 0.4)


def test_what_answers_comes_before_what_sounds_alike() -> None:
    """Words and vectors both prefer the passage that repeats the question; the user wants the other one."""
    hits = [hit(1, SOUNDS, 0.9), hit(2, SAYS, 0.5)]
    assert order(Query("What is the cap on calls?"), hits, Reads("forty")) == ["2.md", "1.md"]


def test_without_an_answer_the_order_of_the_channels_stays() -> None:
    """Where nothing answers, the reader has nothing to say, and what is near must not be shuffled."""
    hits = [hit(1, SOUNDS, 0.9), hit(2, SAYS, 0.5), hit(3, "Lunch is at noon.", 0.1)]
    assert order(Query("Who is the mayor?"), hits, Reads("mayor of")) == ["1.md", "2.md", "3.md"]


def test_an_answer_in_a_later_window_is_found() -> None:
    """A chunk is longer than a window: an answer at its end counts as much as one at its beginning."""
    long = " ".join(f"Paragraph {n} of the report is about the weather in the harbour." for n in range(20))
    hits = [hit(1, SOUNDS, 0.5), hit(2, f"{long} {SAYS}", 0.5)]
    reads = Reads("forty")
    assert order(Query("What about the weather in the harbour?"), hits, reads)[0] == "2.md"
    shown = [text for _, _, text in reads.shown if "Paragraph" in text]
    assert len(shown) <= WINDOWS


def test_a_step_is_read_together_with_what_led_to_it() -> None:
    """The second half of a chain answers nothing by itself: it is read after the sentence that leads there."""
    query = Query("Vale job", asked="What did the lead of Quality do?", after="Teams: Quality is led by Vale.")
    reads = Reads("mechanic")
    order(query, [hit(1, "Vale was a mechanic.", 0.5, "People")], reads)
    question, context, _ = reads.shown[0]
    assert question == "What did the lead of Quality do?"
    assert "Quality is led by Vale." in context
    assert "People" in context


def test_scores_tell_how_well_a_hit_answers() -> None:
    """`search` prints the score: it stays between 0 and 1, and the reader's place is told beside the channels'."""
    hits = [hit(n, f"{SOUNDS} {n}", 1.0 - n / 100) for n in range(POOL + 20)]
    found = rerank(Query("calls"), hits, Reads("7"), Weights({"": 9}), near(hits[:POOL]))
    assert len(found) == POOL
    assert all(0.0 <= each.score <= 1.0 for each in found)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert {channel.name for channel in found[0].channels} == {"reader", "nearness"}


def test_where_the_reader_is_unsure_meaning_decides() -> None:
    """Said in other words an answer reads weakly: what is far nearer by meaning must not lose to a chance word."""
    hits = [hit(1, "One thing.", 0.5), hit(2, "Another thing.", 0.5)]

    def unsure(question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        return [Reading(0.12 if "One" in text else 0.06) for _, text in passages]

    found = rerank(Query("calls"), hits, unsure, Weights({"": 9}), Near([0.5, 0.9], 0.5, 0.1))
    assert [each.chunk.source for each in found] == ["2.md", "1.md"]
    assert found[0].nearness > found[1].nearness
