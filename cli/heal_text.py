"""What `ragheal heal` prints, for people and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ragheal.healing.repairs import Advice, Measured, Proposal, said

from . import console
from .envelope import whole
from .text import one_line, plural

if TYPE_CHECKING:
    from ragheal.healing.auto import Outcome
    from ragheal.healing.canary import Comparison, Side
    from ragheal.healing.overlay import Overlay
    from ragheal.healing.propose import Found
    from ragheal.healing.store import Entry

_CELLS = 6
Row = tuple[str, str]
Rows = Iterable[Row]


# --- as JSON ---


def proposal_fields(proposals: Iterable[Proposal]) -> list[dict[str, Any]]:
    return [
        whole(p) | {"said": said(p.what), "what": _what(p), "measured": _measured(p.measured)} for p in proposals
    ]


def _what(proposal: Proposal) -> dict[str, Any]:
    kind = str(proposal.what.__struct_config__.tag)
    return {"kind": kind, **whole(proposal.what)}


def _measured(measured: Measured | None) -> dict[str, Any] | None:
    if measured is None:
        return None
    fields: dict[str, Any] = whole(measured)
    return fields | {"better": len(measured.better), "worse": len(measured.worse)}


def overlay_fields(overlay: Overlay | None) -> dict[str, Any] | None:
    if overlay is None:
        return None

    def entries(group: Any) -> list[dict[str, Any]]:
        return [{"id": entry.id, "said": said(entry.repair), **whole(entry.repair)} for entry in group]

    fields: dict[str, Any] = whole(overlay)
    return fields | {"repairs": entries(overlay.repairs), "trial": entries(overlay.trial)}


def comparison_fields(compared: Comparison) -> dict[str, Any]:
    fields: dict[str, Any] = whole(compared)
    return fields | {"conclusion": compared.conclusion}


def log_fields(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    return [whole(entry) | {"measured": _measured(entry.measured)} for entry in entries]


def outcome_fields(outcome: Outcome) -> dict[str, Any]:
    return {
        "promoted": proposal_fields(outcome.promoted),
        "refused": proposal_fields(outcome.refused),
        "measured": _measured(outcome.measured),
        "doubt": outcome.doubt or None,
    }


# --- for people ---


def listing(overlay: Overlay | None, proposals: Sequence[Proposal]) -> str:
    rows: list[Row] = []
    if overlay is None:
        rows.append(("", "no repair is in force"))
    else:
        rows += [("!", note) for note in overlay.notes]
        if overlay.number:
            trial = f", {overlay.trial[0].id} on trial for {overlay.percent} %" if overlay.trial else ""
            rows.append(
                ("", f"overlay {overlay.number} in force: {plural(len(overlay.repairs), 'repair')}{trial}")
            )
    for proposal in proposals:
        rows.append((proposal.id, f"{_state(proposal)}  {said(proposal.what)}"))
        if proposal.refused and proposal.state == "refused":
            rows.append(("", proposal.refused))
    if not proposals:
        rows.append(("", "no proposals; make some: ragheal heal propose"))
    return _text(rows)


def proposed(found: Found) -> str:
    if not found.questions:
        return _text([("", "the failure log is empty: nothing to repair")])
    rows: list[Row] = []
    for proposal in found.proposals:
        score = "" if isinstance(proposal.what, Advice) else f"{proposal.score:.2f}  "
        rows.append((proposal.id, score + said(proposal.what)))
        rows.append(("", proposal.why + (f"; tried: {proposal.tried}" if proposal.tried else "")))
    count = plural(found.questions, "question")
    new = plural(len(found.proposals), "new proposal")
    end = f"{count} that failed or healed, in {plural(found.groups, 'group')}: {new}"
    if found.answered:
        end += f"; {found.answered} answered in one round today"
    if found.known:
        end += f"; {found.known} known already"
    return _text([*rows, ("", end)])


def verified(checked: Sequence[Proposal]) -> str:
    rows: list[Row] = []
    for proposal in checked:
        rows.append((proposal.id, f"{proposal.state}  {said(proposal.what)}"))
        if proposal.refused:
            rows.append(("", proposal.refused))
        if proposal.measured is not None:
            rows += _effects(proposal.measured)
    return _text(rows)


def trial_started(overlay: Overlay) -> str:
    entry = overlay.trial[0]
    return _text(
        [
            (entry.id, f"on trial for {overlay.percent} % of the questions: {said(entry.repair)}"),
            ("", f"overlay {overlay.number} in force"),
        ]
    )


def trial(overlay: Overlay, compared: Comparison) -> str:
    rows: list[Row] = [(overlay.trial[0].id, f"on trial for {overlay.percent} %: {said(overlay.trial[0].repair)}")]
    return _text([*rows, *_sides(compared)])


def promoted(overlay: Overlay, compared: Comparison) -> str:
    entry = overlay.repairs[-1]
    rows: list[Row] = [(entry.id, f"promoted: {said(entry.repair)}"), *_sides(compared)]
    return _text([*rows, ("", f"overlay {overlay.number} in force: {plural(len(overlay.repairs), 'repair')}")])


def log(entries: Sequence[Entry]) -> str:
    if not entries:
        return _text([("", "nothing was done yet")])
    rows: list[Row] = []
    for entry in entries:
        when = entry.at[:16].replace("T", " ")
        ids = ",".join(entry.ids[:4]) + ("…" if len(entry.ids) > 4 else "")
        number = f"overlay {entry.overlay}" if entry.overlay else "no overlay"
        rows.append((when, f"{entry.step:<9}{ids:<6} {number:<11} {entry.said}"))
    return _text(rows, cells=18)


def outcome(outcome: Outcome, found: Found) -> str:
    rows: list[Row] = [(p.id, f"promoted  {said(p.what)}") for p in outcome.promoted]
    if outcome.doubt:
        rows.append(("!", f"stopped: {outcome.doubt}"))
    if outcome.measured is not None:
        rows += _effects(outcome.measured)
    elif not found.questions:
        rows.append(("", "the failure log is empty: nothing to repair"))
    elif not outcome.promoted:
        refused = f", {len(outcome.refused)} refused" if outcome.refused else ""
        rows.append(("", f"nothing promoted{refused}"))
    return _text(rows)


def _state(proposal: Proposal) -> str:
    if proposal.state == "canary":
        return f"on trial {proposal.percent} %"
    if isinstance(proposal.what, Advice):
        return "advice"
    return proposal.state


def _effects(measured: Measured) -> Rows:
    yield (
        "",
        f"right {measured.right_before} → {measured.right_after} of {measured.questions}, "
        f"rounds a question {measured.rounds_before:.2f} → {measured.rounds_after:.2f}",
    )
    for effect in measured.effects:
        sign = "+" if effect.change == "better" else "-"
        yield "", f"{sign} {effect.question}  {effect.before} → {effect.after}"


def _sides(compared: Comparison) -> Rows:
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


def _text(rows: Rows, cells: int = _CELLS) -> str:
    terminal = console.is_terminal(sys.stdout)
    if not terminal:
        return "".join(f"{label:<{cells}}{one_line(body)}".rstrip() + "\n" for label, body in rows)
    from .story import labelled
    from .text import clean

    items = [labelled(label, clean(body), cells=cells) for label, body in rows]
    return console.render(*items, columns=console.width(), colour=console.colourful(sys.stdout))
