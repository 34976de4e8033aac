"""From failures to repairs in force without a hand, stopping at the first doubt.

Proposals for the same failed questions are verified together, and the best of those that stand goes on trial.
The trial starts small and grows until its share holds a question of the file that the repair changes; those
are asked as a user would ask them. What comes out otherwise than it was verified ends the trial and the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ragheal.evaluation.questions import Line
from ragheal.healing import canary, steps
from ragheal.healing.overlay import Overlay, in_force
from ragheal.healing.repairs import Measured, Proposal, Synonym, said
from ragheal.healing.verify import Ask, Baseline, compare, measure

_MOST = 100  # per cent
#: With nobody looking, a repair must better this many questions: almost any word helps some one by chance.
_TWICE = 2


class Outcome(msgspec.Struct):
    """What a run of `auto` came to. `doubt` says why it stopped; empty: it went to its end."""

    promoted: tuple[Proposal, ...]
    refused: tuple[Proposal, ...]
    measured: Measured | None  # the file before the first promotion and after the last
    doubt: str = ""


def run(
    index: Path,
    proposals: Sequence[Proposal],
    lines: Sequence[Line],
    ask: Ask,
    percent: int,
    say: Callable[[str], None],
) -> Outcome:
    """Bring what stands in force, one repair after the other. For the holder of the lock."""
    first = Baseline(index, lines, ask)
    outcome = Outcome((), (), None)
    waiting = [proposal for proposal in proposals if proposal.repair is not None]
    helped: set[str] = set()
    baseline = first
    while waiting:
        first_asked = set(waiting[0].questions)
        rivals = [p for p in waiting if p is waiting[0] or set(p.questions) & first_asked]
        waiting = [proposal for proposal in waiting if proposal not in rivals]
        rivals = [proposal for proposal in rivals if not set(proposal.questions) <= helped]
        checked = steps.verify(index, rivals, lines, ask, baseline=baseline)
        for proposal in checked:
            say(f"verify   {proposal.id:<4} {proposal.state}: {proposal.refused or said(proposal.what)}")
        outcome.refused += tuple(proposal for proposal in checked if proposal.state == "refused")
        chosen = _best([proposal for proposal in checked if convincing(proposal)])
        if chosen is None:
            for proposal in checked:
                if proposal.state == "verified":
                    say(f"left     {proposal.id:<4} improves one question only: promote it by hand if it is right")
            continue
        seen, doubt = _trial(index, chosen, baseline, ask, percent, say)
        if doubt:
            steps.rollback(index)
            say(f"rollback {chosen.id:<4} {doubt}")
            outcome.doubt = doubt
            break
        steps.promote(
            index, steps.find(index, [chosen.id])[0], f"{seen} of the file's questions as verified", untried=True
        )
        say(f"promote  {chosen.id:<4} {said(chosen.what)}")
        outcome.promoted += steps.find(index, [chosen.id])
        helped |= set(chosen.questions)
        baseline = Baseline(index, lines, ask)
        # What else was proposed for them may still help the questions that this one does not.
        waiting += [
            proposal for proposal in checked if not set(proposal.questions) <= helped and proposal != chosen
        ]
        waiting = [proposal for proposal in waiting if proposal.state != "refused"]
    outcome.measured = _whole(first, index)
    return outcome


def convincing(proposal: Proposal) -> bool:
    """Whether a verified proposal may go on without anybody having looked at it."""
    better = len(proposal.measured.better) if proposal.measured is not None else 0
    return better >= _TWICE


def _best(checked: Sequence[Proposal]) -> Proposal | None:
    """Of rivals that all stand, the one that betters most; of equals the one that touches the fewest questions."""
    standing = [p for p in checked if p.state == "verified" and p.measured is not None]

    def worth(proposal: Proposal) -> tuple[float, ...]:
        measured, what = proposal.measured, proposal.what
        assert measured is not None
        guarded = isinstance(what, Synonym) and bool(what.context)
        return measured.right_after, len(measured.better), -measured.rounds_after, guarded, proposal.score

    return max(standing, key=worth, default=None)


def _trial(
    index: Path, proposal: Proposal, baseline: Baseline, ask: Ask, percent: int, say: Callable[[str], None]
) -> tuple[int, str]:
    """Run the file through the trial; gives how many questions were tried, and the doubt that came up or ""."""
    effects = {effect.question: effect for effect in (proposal.measured.effects if proposal.measured else ())}
    while True:
        steps.start_trial(index, steps.find(index, [proposal.id])[0], percent)
        overlay = in_force(index)
        if overlay is None or overlay.notes or not overlay.trial:
            return 0, "the trial is not what is in force"
        touched = [line for line in baseline.lines if _touches(overlay, baseline.overlay, line.question)]
        say(f"canary   {proposal.id:<4} {percent} %: {len(touched)} of {len(baseline.lines)} questions changed")
        if touched or percent >= _MOST:
            break
        percent = min(_MOST, 2 * percent)
    for line in touched:
        effect = compare(line, baseline.before(line), ask(line.question, overlay))
        expected = effects[line.question].change if line.question in effects else "same"
        if effect.change == "worse" or (expected == "better" and effect.change != "better"):
            return len(
                touched
            ), f"“{line.question}” came out otherwise than verified: {effect.why or effect.after}"
    return len(touched), "; ".join(canary.compare(index, overlay).worse)


def _touches(overlay: Overlay, base: Overlay | None, question: str) -> bool:
    before = base.reword(question) if base else question
    return overlay.reword(question) != before


def _whole(first: Baseline, index: Path) -> Measured | None:
    """The file as it was before the run and as it is now."""
    overlay = in_force(index)
    known = {entry.id for entry in (first.overlay.repairs if first.overlay else ())}
    if overlay is None:
        return None
    added = [entry for entry in overlay.repairs if entry.id not in known]
    return measure(first, added) if added else None


def open_proposals(index: Path) -> tuple[Proposal, ...]:
    """Those that wait to be verified, the likeliest first."""
    waiting = [p for p in steps.current(index) if p.state in {"proposed", "verified"}]
    return tuple(sorted(waiting, key=lambda p: -p.score))
