"""What `ragheal heal` prints for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragheal.healing.repairs import Advice, Measured, Proposal, said

from ..console import Page
from .layout import rows
from .text import moment, plural

if TYPE_CHECKING:
    from ragheal.healing.auto import Outcome
    from ragheal.healing.canary import Comparison, Side
    from ragheal.healing.overlay import Overlay
    from ragheal.healing.propose import Found
    from ragheal.healing.store import Entry

Told = list[tuple[str, str]]


def listed(page: Page, overlay: Overlay | None, proposals: Sequence[Proposal]) -> str:
    told: Told = []
    if overlay is None:
        told.append(("", "no repair is in force"))
    else:
        told += [("!", note) for note in overlay.notes]
        if overlay.number:
            trial = f", {overlay.trial[0].id} on trial for {overlay.percent} %" if overlay.trial else ""
            told.append(
                ("", f"overlay {overlay.number} in force: {plural(len(overlay.repairs), 'repair')}{trial}")
            )
    for proposal in proposals:
        told.append((proposal.id, f"{_state(proposal)}  {said(proposal.what)}"))
        if proposal.refused and proposal.state == "refused":
            told.append(("", proposal.refused))
    if not proposals:
        told.append(("", "no proposals; make some: ragheal heal propose"))
    return rows(page, told)


def proposed(page: Page, found: Found) -> str:
    if not found.questions:
        return rows(page, [("", "the failure log is empty: nothing to repair")])
    told: Told = []
    for proposal in found.proposals:
        score = "" if isinstance(proposal.what, Advice) else f"{proposal.score:.2f}  "
        told.append((proposal.id, score + said(proposal.what)))
        told.append(("", proposal.why + (f"; tried: {proposal.tried}" if proposal.tried else "")))
    count = plural(found.questions, "question")
    new = plural(len(found.proposals), "new proposal")
    end = f"{count} that failed or healed, in {plural(found.groups, 'group')}: {new}"
    if found.answered:
        end += f"; {found.answered} answered in one round today"
    if found.known:
        end += f"; {found.known} known already"
    return rows(page, [*told, ("", end)])


def verified(page: Page, checked: Sequence[Proposal]) -> str:
    told: Told = []
    for proposal in checked:
        told.append((proposal.id, f"{proposal.state}  {said(proposal.what)}"))
        if proposal.refused:
            told.append(("", proposal.refused))
        if proposal.measured is not None:
            told += _effects(proposal.measured)
    return rows(page, told)


def trial_started(page: Page, overlay: Overlay) -> str:
    entry = overlay.trial[0]
    return rows(
        page,
        [
            (entry.id, f"on trial for {overlay.percent} % of the questions: {said(entry.repair)}"),
            ("", f"overlay {overlay.number} in force"),
        ],
    )


def trial(page: Page, overlay: Overlay, compared: Comparison) -> str:
    told: Told = [(overlay.trial[0].id, f"on trial for {overlay.percent} %: {said(overlay.trial[0].repair)}")]
    return rows(page, [*told, *_sides(compared)])


def promoted(page: Page, overlay: Overlay, compared: Comparison) -> str:
    entry = overlay.repairs[-1]
    told: Told = [(entry.id, f"promoted: {said(entry.repair)}"), *_sides(compared)]
    return rows(
        page, [*told, ("", f"overlay {overlay.number} in force: {plural(len(overlay.repairs), 'repair')}")]
    )


def log(page: Page, entries: Sequence[Entry]) -> str:
    if not entries:
        return rows(page, [("", "nothing was done yet")])
    told: Told = []
    for entry in entries:
        when = moment(entry.at)
        ids = ",".join(entry.ids[:4]) + ("…" if len(entry.ids) > 4 else "")
        number = f"overlay {entry.overlay}" if entry.overlay else "no overlay"
        told.append((when, f"{entry.step:<9}{ids:<6} {number:<11} {entry.said}"))
    return rows(page, told, cells=18)


def outcome(page: Page, outcome: Outcome, found: Found) -> str:
    told: Told = [(p.id, f"promoted  {said(p.what)}") for p in outcome.promoted]
    if outcome.doubt:
        told.append(("!", f"stopped: {outcome.doubt}"))
    if outcome.measured is not None:
        told += _effects(outcome.measured)
    elif not found.questions:
        told.append(("", "the failure log is empty: nothing to repair"))
    elif not outcome.promoted:
        refused = f", {len(outcome.refused)} refused" if outcome.refused else ""
        told.append(("", f"nothing promoted{refused}"))
    return rows(page, told)


def _state(proposal: Proposal) -> str:
    if proposal.state == "canary":
        return f"on trial {proposal.percent} %"
    if isinstance(proposal.what, Advice):
        return "advice"
    return proposal.state


def _effects(measured: Measured) -> Iterator[tuple[str, str]]:
    yield (
        "",
        f"right {measured.right_before} → {measured.right_after} of {measured.questions}, "
        f"rounds a question {measured.rounds_before:.2f} → {measured.rounds_after:.2f}",
    )
    for effect in measured.effects:
        sign = "+" if effect.change == "better" else "-"
        yield "", f"{sign} {effect.question}  {effect.before} → {effect.after}"


def _sides(compared: Comparison) -> Iterator[tuple[str, str]]:
    yield "", f"its share: {_side(compared.trial)}"
    yield "", f"the others: {_side(compared.control)}"
    for question, before, after in compared.again:
        yield "", f"{question}  {before} → {after}"
    yield "", compared.conclusion


def _side(side: Side) -> str:
    if not side.questions:
        return "no question that it changes"
    unhappy = f", {side.unhappy} objected to" if side.unhappy else ""
    return (
        f"{side.answered} of {plural(side.questions, 'question')} answered, "
        f"in {side.rounds:g} rounds on average{unhappy}"
    )
