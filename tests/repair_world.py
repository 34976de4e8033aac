"""A world of scripted answers, in which repairs can be tried without models."""

from __future__ import annotations

from ragheal.healing.overlay import Overlay
from ragheal.healing.repairs import Synonym
from ragheal.storage.clock import new_id, now
from ragheal.types import TRACE_VERSION, Answer, Citation, Status, Trace

PLAIN = "What is the speed limit?"
GAP = "What is the rate limiting policy?"
OTHER = "Is there rate limiting for the weather API?"


def trace(
    question: str, status: Status = "answered", text: str = "", rounds: int = 1, source: str = "a.md"
) -> Trace:
    citations = () if status == "abstained" else (Citation(1, "c1", source, "", 1, 1, text),)
    answer = Answer(question, status, text, "en", "standard", citations=citations, rounds=rounds)
    return Trace(TRACE_VERSION, new_id(), now(), "0", question, 1, {}, {}, (), (), answer)


class World:
    """Answers what it was told to, by the question as an overlay words it; else refuses."""

    def __init__(self) -> None:
        self.known: dict[str, Trace] = {}
        self.asked: list[str] = []

    def says(self, question: str, text: str, rounds: int = 1, status: Status = "answered") -> None:
        self.known[question] = trace(question, status, text, rounds)

    def ask(self, question: str, overlay: Overlay | None) -> Trace:
        worded = overlay.reword(question) if overlay else question
        self.asked.append(worded)
        return self.known.get(worded) or trace(question, "abstained", "", 3)


GOOD = Synonym("rate limiting", "frequency control", "en")
