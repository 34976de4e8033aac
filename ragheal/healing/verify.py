"""The question file before and after a repair. None may get worse, and at least one must get better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ragheal.evaluation.grading import WEAK, WORDS, WRONG, cites, grade, right
from ragheal.evaluation.questions import Line
from ragheal.healing.overlay import Entry, Overlay, in_force, trial_of
from ragheal.healing.repairs import Effect, Measured, Proposal, Synonym
from ragheal.types import Trace

#: Answers a question as it would be with exactly this overlay in force; keeps nothing of it.
Ask = Callable[[str, Overlay | None], Trace]


class Baseline:
    """The question file as it is answered today. Asked once, however many repairs are compared with it."""

    def __init__(self, index: Path, lines: Sequence[Line], ask: Ask) -> None:
        overlay = in_force(index)
        # What is on trial is not yet what is.
        self.overlay = None if overlay is None else msgspec.structs.replace(overlay, trial=(), percent=0)
        self.lines = lines
        self._ask = ask
        self._before: dict[str, Trace] = {}

    def before(self, line: Line) -> Trace:
        if line.question not in self._before:
            self._before[line.question] = self._ask(line.question, self.overlay)
        return self._before[line.question]

    def after(self, line: Line, overlay: Overlay) -> Trace:
        """A question that the repair does not touch is answered as before, by the same code: not asked again."""
        base = self.overlay.reword(line.question) if self.overlay else line.question
        if overlay.reword(line.question) == base:
            return self.before(line)
        return self._ask(line.question, overlay)


def measure(baseline: Baseline, entries: Sequence[Entry], on_line: Callable[[], None] | None = None) -> Measured:
    """Ask every question with and without some repairs."""
    overlay = trial_of(baseline.overlay, entries)
    effects, before_grades, after_grades = [], [], []
    rounds_before = rounds_after = 0
    for line in baseline.lines:
        before, after = baseline.before(line), baseline.after(line, overlay)
        before_grades.append(grade(line, before))
        after_grades.append(grade(line, after))
        rounds_before += before.answer.rounds
        rounds_after += after.answer.rounds
        if before is not after:
            effect = compare(line, before, after)
            if effect.change != "same":
                effects.append(effect)
        if on_line is not None:
            on_line()
    count = max(1, len(baseline.lines))
    return Measured(
        questions=len(baseline.lines),
        right_before=right(before_grades),
        right_after=right(after_grades),
        rounds_before=round(rounds_before / count, 3),
        rounds_after=round(rounds_after / count, 3),
        effects=tuple(effects),
    )


def compare(line: Line, before: Trace, after: Trace) -> Effect:
    """Better or worse: first whether it is right, then whether it cites what it should, then what it cost."""
    old, new = grade(line, before), grade(line, after)
    was, now = _told(before, old), _told(after, new)

    def effect(change: str, why: str = "") -> Effect:
        return Effect(line.question, was, now, change, why)  # type: ignore[arg-type]

    if old is None or new is None:
        # The line does not say what is right: losing a verified answer is all that can be seen.
        lost = before.answer.status == "answered" and after.answer.status != "answered"
        return effect("worse", "a verified answer is lost") if lost else effect("same")
    if old != new:
        why = f"{WORDS[old]} → {WORDS[new]}"
        return effect("better" if new > old else "worse", why)
    if new == WRONG and before.answer.status != "answered" and after.answer.status == "answered":
        return effect("worse", "what is wrong is told as certain")
    if new < WEAK:
        return effect("same")
    if line.refused:
        return effect("same")
    if cites(line, before) != cites(line, after):
        gained = cites(line, after) > cites(line, before)
        return effect(
            "better" if gained else "worse", "cites " + ("more" if gained else "fewer") + " of its sources"
        )
    if before.answer.rounds != after.answer.rounds:
        fewer = after.answer.rounds < before.answer.rounds
        return effect("better" if fewer else "worse", f"{before.answer.rounds} → {after.answer.rounds} rounds")
    return effect("same")


def objection(measured: Measured) -> str:
    """Why a repair must not go on; "" when nothing speaks against it."""
    if measured.worse:
        effect = measured.worse[0]
        more = f" (and {len(measured.worse) - 1} more)" if len(measured.worse) > 1 else ""
        return f'makes "{effect.question}" worse: {effect.why}{more}'
    if not measured.better:
        return "improves none of the questions"
    return ""


def narrowed(proposal: Proposal, measured: Measured) -> Proposal | None:
    """The same synonym for fewer questions: with context words that the questions it harmed do not have.

    The words are those of the questions that it helps. None when no word tells the two apart.
    """
    from ragheal.healing.vocabulary import FRAME
    from ragheal.text.analyze import terms
    from ragheal.text.questions import analyze

    synonym = proposal.what
    if not isinstance(synonym, Synonym) or not measured.worse or not measured.better:
        return None
    guards = {term for word in synonym.context for term in terms(word)}
    useless = {term for effect in measured.worse for term in terms(effect.question)}
    useless |= FRAME | set(terms(synonym.term)) | set(terms(synonym.means))
    context: list[str] = []
    for effect in measured.better:
        asked = analyze(effect.question)
        kept = [term for term in asked.terms if term not in useless and (not guards or term in guards)]
        if not kept:
            return None
        context += [word for word in asked.written(kept) if word not in context]
    if tuple(context) == synonym.context:
        return None
    guarded = msgspec.structs.replace(synonym, context=tuple(context))
    why = f"{proposal.id} kept to questions that have: {', '.join(context)}"
    return Proposal(
        id="", what=guarded, why=why, questions=proposal.questions, traces=proposal.traces, score=proposal.score
    )


def _told(trace: Trace, graded: int | None) -> str:
    rounds = trace.answer.rounds
    told = f"{trace.answer.status}, {rounds} round{'' if rounds == 1 else 's'}"
    return told if graded is None else f"{told} ({WORDS[graded]})"


def entries(proposals: Sequence[Proposal]) -> tuple[Entry, ...]:
    """Proposals as an overlay holds them; advice is nothing to hold."""
    return tuple(Entry(proposal.id, proposal.repair) for proposal in proposals if proposal.repair is not None)
