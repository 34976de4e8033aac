"""Do two sources give different values for the same thing?"""

from __future__ import annotations

from ragheal.answering.embedded.reading import Candidate, Panel
from ragheal.types import Conflict

#: The reader must find that both answer, the rival nearly as surely as the best.
_MIN_P, _RIVAL = 0.5, 0.6
_MOST = 3


def find_conflict(panel: Panel) -> Conflict | None:
    """The values that differ, with the chunks that state them; None when the sources agree.

    Where every source is dated and one is newest, that one is preferred.
    """
    best = panel.best
    if best is None or best.p < _MIN_P or best.objection:
        return None
    rivals, stated = [best], [""]
    for candidate in panel.candidates[1:]:
        if candidate.p < max(_MIN_P, _RIVAL * best.p) or len(rivals) == _MOST:
            break
        if candidate.objection or any(candidate.chunk.source == rival.chunk.source for rival in rivals):
            continue
        values = _differing(panel, best, candidate)
        if values is not None:
            stated[0] = stated[0] or values[0]
            rivals.append(candidate)
            stated.append(values[1])
    if len(rivals) < 2:
        return None
    preferred, reason = _prefer(rivals)
    return Conflict(tuple(stated), tuple(rival.chunk.id for rival in rivals), preferred, reason)


def _differing(panel: Panel, best: Candidate, rival: Candidate) -> tuple[str, str] | None:
    """The two values that exclude each other, if they do."""
    # Late: its patterns take a fifth of a second to compile, and most answers have no rival.
    from ragheal.text.agreement import Statement, contradict

    one, other = (Statement(c.sentence_text, c.chunk.heading, c.value_text) for c in (best, rival))
    return contradict(panel.question, one, other)


def _prefer(rivals: list[Candidate]) -> tuple[int, str]:
    dated = [(rival.chunk.date, index) for index, rival in enumerate(rivals)]
    if all(date for date, _ in dated):
        newest = max(dated)
        if sum(1 for date, _ in dated if date == newest[0]) == 1:
            return newest[1], f"newest source ({newest[0]})"
    return -1, ""
