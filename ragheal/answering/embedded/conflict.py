"""Do two documents give different values for the same thing?"""

from __future__ import annotations

from ragheal.answering.embedded.reading import Candidate, Panel
from ragheal.answering.embedded.windows import term_set
from ragheal.text.script import fold, simplified
from ragheal.text.values import Span, numeric, values
from ragheal.types import Conflict

# Two sentences that share this much of their terms speak of the same event in the same words.
_SAME_WORDS = 0.6
# Sentences that share fewer speak of different things, however well each fits the question.
_KIN_WORDS = 0.3
# A rival must be nearly as strong as the best candidate.
_RIVAL = 0.65
_MIN_P = 0.30


def find_conflict(panel: Panel) -> Conflict | None:
    """The values that differ, with the chunks that state them; None when the sources agree.

    Where every source is dated and one is newest, that one is preferred.
    """
    best = panel.best
    if best is None or best.p < _MIN_P:
        return None
    rivals = [best]
    for candidate in panel.candidates[1:]:
        if candidate.source == best.source or candidate.level < _RIVAL * best.level:
            continue
        if any(candidate.source == rival.source for rival in rivals):
            continue
        if _contradict(best, candidate):
            rivals.append(candidate)
    if len(rivals) < 2:
        return None
    rivals = rivals[:3]
    stated = tuple(_stated(rival, rivals) for rival in rivals)
    if len({fold(value) for value in stated}) < 2:
        return None
    preferred, reason = _prefer(rivals)
    return Conflict(
        values=stated,
        chunk_ids=tuple(rival.window.chunk.id for rival in rivals),
        preferred=preferred,
        reason=reason,
    )


def _contradict(one: Candidate, other: Candidate) -> bool:
    """Whether two sentences answer alike but for the value."""
    mine, theirs = simplified(one.sentence), simplified(other.sentence)
    a, b = term_set(mine), term_set(theirs)
    shared = len(a & b) / max(1, min(len(a), len(b)))
    numbers, theirs_numbers = _norms(mine), _norms(theirs)
    if shared >= _SAME_WORDS and numbers and theirs_numbers:
        # A copy with another number in it; a sentence that only says more does not contradict.
        return bool(numbers - theirs_numbers) and bool(theirs_numbers - numbers)
    if one.value is None or other.value is None or shared < _KIN_WORDS:
        return False
    # Where the trained reader is sure of both, fewer shared words will do.
    sure = min(one.answers, other.answers) >= 0.5
    if one.names < 0.99 or other.names < 0.99 or min(one.cover, other.cover) < (0.4 if sure else 0.6):
        return False
    x, y = _key(one), _key(other)
    if not x or not y or x == y or x in y or y in x:
        return False
    # Each must not state the other's value too.
    return x not in fold(theirs) and y not in fold(mine)


def _norms(text: str) -> set[str]:
    return {span.norm for span in values(text) if numeric(span)}


def _key(candidate: Candidate) -> str:
    text = simplified(candidate.value_text)
    spans = [span for span in values(text) if numeric(span)]
    return spans[0].norm if spans else fold(text)


def _stated(candidate: Candidate, rivals: list[Candidate]) -> str:
    """The value a candidate states: the one that its rivals do not, else its own."""
    others = set().union(*(_norms(simplified(rival.sentence)) for rival in rivals if rival is not candidate))
    own: list[Span] = [span for span in values(candidate.sentence) if numeric(span) and span.norm not in others]
    if candidate.value_text and (not own or any(candidate.value_text == span.text for span in own)):
        return candidate.value_text
    return own[0].text if own else candidate.sentence


def _prefer(rivals: list[Candidate]) -> tuple[int, str]:
    dated = [(rival.window.chunk.date, index) for index, rival in enumerate(rivals)]
    if all(date for date, _ in dated):
        newest = max(dated)
        if sum(1 for date, _ in dated if date == newest[0]) == 1:
            return newest[1], f"newest source ({newest[0]})"
    return -1, ""
