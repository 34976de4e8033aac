"""The steps of a repair: verified, on trial, promoted, rolled back. Each under the lock, each logged.

What is in force is what the pointer names, and nothing else: the states of proposals follow from it, so a
kill between two files cannot leave them at odds (`current`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ragheal.errors import CheckFailed, ConfigError, IndexDamaged
from ragheal.evaluation.questions import Line
from ragheal.healing import canary, pointer, store
from ragheal.healing.overlay import Overlay, in_force, load, next_number, numbers, write
from ragheal.healing.pointer import Pointer
from ragheal.healing.repairs import Measured, Proposal, said
from ragheal.healing.verify import Ask, Baseline, entries, measure, narrowed, objection
from ragheal.storage.clock import now

_LIVE = frozenset({"canary", "promoted"})
_LIST = "ragheal heal list shows what is in force and what waits"


def current(index: Path) -> tuple[Proposal, ...]:
    """Every proposal in the state that the overlay in force gives it."""
    overlay = in_force(index) or Overlay(0)
    promoted, trial = ({entry.id for entry in group} for group in (overlay.repairs, overlay.trial))
    found = []
    for proposal in store.proposals(index):
        state = proposal.state
        if proposal.id in promoted:
            state = "promoted"
        elif proposal.id in trial:
            state = "canary"
        elif state in _LIVE:
            state = "rolled back"
        found.append(msgspec.structs.replace(proposal, state=state))
    return tuple(found)


def find(index: Path, ids: Sequence[str]) -> tuple[Proposal, ...]:
    """Proposals by id, each once, in their present state. Raises ConfigError for one that is not there."""
    known = {proposal.id: proposal for proposal in current(index)}
    return tuple(known[proposal.id] for proposal in store.find(index, ids))


def recover(index: Path) -> None:
    """Log a switch that a kill kept from being logged. For the holder of the lock."""
    logged = [entry for entry in store.log(index) if entry.overlay >= 0]
    with suppress(IndexDamaged):
        named = pointer.read(index)
        number = named.number if named else 0
        if number != (logged[-1].overlay if logged else 0):
            _note(index, "recover", said_="a step was cut off after its switch; it counts")


def add(index: Path, proposals: Sequence[Proposal]) -> None:
    """Keep new proposals. For the holder of the lock."""
    if proposals:
        store.keep(index, proposals)
        _note(index, "propose", tuple(proposal.id for proposal in proposals), f"{len(proposals)} new")


def verify(
    index: Path,
    proposals: Sequence[Proposal],
    lines: Sequence[Line],
    ask: Ask,
    on_line: Callable[[], None] | None = None,
    baseline: Baseline | None = None,
) -> tuple[Proposal, ...]:
    """Measure each proposal by itself on the questions; each comes back verified or refused.

    A synonym that harms some questions and helps others comes back a second time, as a new proposal kept to
    those it helps. For the holder of the lock. Raises ConfigError for advice and for what is in force.
    """
    for proposal in proposals:
        if proposal.repair is None:
            raise ConfigError(f"{proposal.id} is advice: there is nothing to verify", hint=said(proposal.what))
        if proposal.state in _LIVE:
            raise ConfigError(f"{proposal.id} is {_live(proposal)} already", hint=_LIST)
    baseline = baseline or Baseline(index, lines, ask)
    found: list[Proposal] = []
    queue = list(proposals)
    while queue:
        proposal = queue.pop(0)
        measured = measure(baseline, entries([proposal]), on_line)
        against = objection(measured)
        checked = msgspec.structs.replace(
            proposal,
            state="refused" if against else "verified",
            refused=against,
            measured=measured,
            against=baseline.overlay.number if baseline.overlay else 0,
        )
        narrower = narrowed(proposal, measured) if measured.worse else None
        known = {other.what for other in (*store.proposals(index), *queue, *proposals)}
        if narrower is not None and narrower.what not in known:
            narrower = msgspec.structs.replace(narrower, id=f"p{store.next_id(index)}")
            queue.insert(0, narrower)
            store.keep(index, [checked, narrower])
        else:
            store.keep(index, [checked])
        _note(index, "refuse" if against else "verify", (proposal.id,), against or _gain(measured), measured)
        found.append(checked)
    return tuple(found)


def start_trial(index: Path, proposal: Proposal, percent: int) -> Overlay:
    """Try a verified repair on a percentage of the questions. For the holder of the lock.

    Raises ConfigError when it was not verified on top of what is in force, or another is on trial.
    """
    if not 1 <= percent <= 100:
        raise ConfigError(f"--percent {percent}: from 1 to 100", hint="without --percent it is 20")
    if proposal.repair is None:
        raise ConfigError(f"{proposal.id} is advice: there is nothing to try", hint=said(proposal.what))
    overlay = _whole_in_force(index)
    others = [entry.id for entry in overlay.trial if entry.id != proposal.id]
    if others:
        hint = f"ragheal heal promote {others[0]}, or ragheal heal rollback"
        raise ConfigError(f"{others[0]} is on trial, and two trials would blur each other", hint=hint)
    base = _base(index, overlay)
    if proposal.state not in {"verified", "canary"} or proposal.against != base.number:
        why = {
            "promoted": "is promoted already",
            "refused": f"was refused: it {proposal.refused}",
        }.get(proposal.state, "has not been verified on top of what is in force")
        hint = _LIST if proposal.state == "promoted" else f"ragheal heal verify {proposal.id} --questions FILE"
        raise ConfigError(f"{proposal.id} {why}", hint=hint)
    trial = Overlay(
        next_number(index), base.repairs, entries([proposal]), percent, created=now(), parent=base.number
    )
    _switch(index, trial)
    since = now() if proposal.state != "canary" else proposal.since
    store.keep(index, [msgspec.structs.replace(proposal, state="canary", percent=percent, since=since)])
    _note(index, "canary", (proposal.id,), f"on trial for {percent} % of the questions")
    return trial


def promote(
    index: Path, proposal: Proposal, why: str = "", *, untried: bool = False
) -> tuple[Overlay, canary.Comparison]:
    """Put a repair on trial in force for every question. For the holder of the lock.

    `why` goes into the log in place of what the history says. Raises ConfigError when it is not on trial;
    CheckFailed when the trial speaks against it or, unless `untried`, met no question to speak for it.
    """
    overlay = _whole_in_force(index)
    if proposal.id not in {entry.id for entry in overlay.trial}:
        if proposal.state == "promoted":
            raise ConfigError(f"{proposal.id} is promoted already", hint=_LIST)
        raise ConfigError(
            f"{proposal.id} is not on trial",
            hint=f"ragheal heal canary {proposal.id} --percent 20, then promote it",
        )
    compared = canary.compare(index, overlay)
    if compared.worse:
        raise CheckFailed(
            f"{proposal.id} is not promoted: {'; '.join(compared.worse)}",
            hint="ragheal heal rollback ends the trial",
        )
    if not compared.trial.questions and not untried:
        raise CheckFailed(
            f"{proposal.id} is not promoted: {compared.conclusion}",
            hint=f"wait, raise its share (ragheal heal canary {proposal.id} --percent 100), or promote --untried",
        )
    whole = Overlay(next_number(index), (*overlay.repairs, *overlay.trial), created=now(), parent=overlay.parent)
    _switch(index, whole)
    store.keep(index, [msgspec.structs.replace(proposal, state="promoted", percent=0)])
    _note(index, "promote", (proposal.id,), why or compared.conclusion, proposal.measured)
    return whole, compared


def rollback(index: Path, to: int | None = None) -> tuple[int, int]:
    """Put an earlier overlay in force (0: none); without a number the one before. Gives (from, to).

    For the holder of the lock. Raises ConfigError when there is nothing to go back from or to, IndexDamaged
    when the overlay asked for is damaged.
    """
    try:
        named = pointer.read(index) or Pointer(0)
    except IndexDamaged:
        named = None
    if to is None:
        to = _before(index, named)
    elif to < 0:
        raise ConfigError(f"there is no overlay {to}", hint="0 is none at all")
    target = load(index, to) if to else Overlay(0)
    if target.trial:
        raise ConfigError(f"overlay {to} was a trial", hint=f"ragheal heal rollback {target.parent}")
    if named is not None and named.number == to:
        raise ConfigError("no repair is in force" if to == 0 else f"overlay {to} is in force already", hint=_LIST)
    pointer.swap(index, Pointer(to, _chain(index, target)))
    start = named.number if named is not None else -1
    store.keep(index, current(index))
    what = "the pointer was damaged" if start < 0 else f"from overlay {start}"
    _note(index, "rollback", (), f"{what} to {to or 'none'}")
    return start, to


def _before(index: Path, named: Pointer | None) -> int:
    """The overlay to go back to from the one named; where pointer or overlay is damaged, the last whole one."""
    if named is None:
        return next((n for n in reversed(numbers(index)) if _is_whole(index, n)), 0)
    if named.number == 0:
        raise ConfigError("no repair is in force", hint=_LIST)
    try:
        return load(index, named.number).parent
    except (ConfigError, IndexDamaged):
        return next((n for n in named.before if n and _is_whole(index, n)), 0)


def _is_whole(index: Path, number: int) -> bool:
    try:
        return not load(index, number).trial
    except (ConfigError, IndexDamaged):
        return False


def _whole_in_force(index: Path) -> Overlay:
    """What is in force, for building on. Raises IndexDamaged when its file is not what it was."""
    overlay = in_force(index) or Overlay(0)
    if overlay.notes:
        raise IndexDamaged(overlay.notes[0], hint="ragheal heal rollback")
    return overlay


def _base(index: Path, overlay: Overlay) -> Overlay:
    """What is in force for the questions that no trial is on for."""
    if not overlay.trial:
        return overlay
    return load(index, overlay.parent) if overlay.parent else Overlay(0)


def _switch(index: Path, overlay: Overlay) -> None:
    write(index, overlay)
    pointer.swap(index, Pointer(overlay.number, _chain(index, overlay)))


def _chain(index: Path, overlay: Overlay) -> tuple[int, ...]:
    """The overlays it came from, newest first."""
    found: list[int] = []
    number = overlay.parent
    while number and number not in found:
        found.append(number)
        try:
            number = load(index, number).parent
        except (ConfigError, IndexDamaged):
            break
    return tuple(found)


def _note(
    index: Path, step: str, ids: tuple[str, ...] = (), said_: str = "", measured: Measured | None = None
) -> None:
    named = None
    with suppress(IndexDamaged):
        named = pointer.read(index)
    store.note(index, store.Entry(now(), step, named.number if named else 0, ids, said_, measured))


def _gain(measured: Measured) -> str:
    return (
        f"{measured.right_before} → {measured.right_after} of {measured.questions} right, "
        f"{measured.rounds_before:g} → {measured.rounds_after:g} rounds a question"
    )


def _live(proposal: Proposal) -> str:
    return "promoted" if proposal.state == "promoted" else "on trial"


def require_quiet(index: Path) -> None:
    """Raises ConfigError while a trial is on: an unattended run must not end it."""
    overlay = _whole_in_force(index)
    if overlay.trial:
        raise ConfigError(
            f"{overlay.trial[0].id} is on trial", hint=f"ragheal heal promote {overlay.trial[0].id}, or rollback"
        )
