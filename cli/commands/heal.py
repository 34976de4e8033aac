"""`ragheal heal`: repairs from failures, each step on its own or all of them in one go.

Exit codes: 7 when a repair is refused, a trial speaks against it, or `auto` stopped in doubt; 5 when another
`ragheal heal` is running (or the index is not usable); 2 for a proposal, an overlay or a question file that
cannot be used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ragheal.errors import CheckFailed, ConfigError

from .. import arguments, options, render
from ..options import argument, option
from ..output import Output, Screen
from ..session import Place, Project

if TYPE_CHECKING:
    from ragheal.evaluation.questions import File

REFUSED = CheckFailed.exit_code
Questions = Annotated[Path, option("--questions FILE", options.QUESTION_FILE)]
Id = Annotated[str, argument("ID", "A proposal, such as p3.")]
_SHARE = "Percentage of questions in the canary, chosen by hash"


def listed(place: Place) -> Output:
    """Show the repairs in force, and how far each proposal got."""
    from ragheal.healing import steps
    from ragheal.healing.overlay import in_force

    folder = place.existing()
    overlay, proposals = in_force(folder), steps.current(folder)
    fields = {"overlay": render.fields.overlay(overlay), "proposals": render.fields.proposals(proposals)}
    return Output("heal list", fields, lambda page: render.repairs.listed(page, overlay, proposals))


def propose(project: Project, screen: Screen) -> Output:
    """Derive proposals from the failure log.

    Each is tried on the questions that failed, and kept if they are answered with it.
    """
    from ragheal.healing import moves

    with project.engine() as engine, screen.progress("questions") as advance:
        found = moves.propose(engine.index_dir, engine, lambda _, total: advance(total=total))
    counts = {name: getattr(found, name) for name in ("questions", "answered", "groups", "known")}
    return Output(
        "heal propose",
        {"proposals": render.fields.proposals(found.proposals), **counts},
        lambda page: render.repairs.proposed(page, found),
    )


def verify(
    project: Project,
    screen: Screen,
    questions: Questions,
    ids: Annotated[list[str] | None, argument("ID", "Proposals to verify [default: all waiting].")] = None,
) -> Output:
    """Ask your questions before and after each proposal.

    A proposal that makes any of them worse, or improves none, is refused.
    """
    from ragheal.healing import moves

    folder = project.existing()
    file = _file(questions, folder, screen)
    total = len(file.lines) * len(ids or moves.waiting(folder))
    with project.engine() as engine, screen.progress("questions", total) as advance:
        checked = moves.verify(folder, engine, ids or (), file.lines, advance)
    # Refused is what was asked about by name; of all that wait, one that stands is enough.
    refused = [proposal.state == "refused" for proposal in checked]
    return Output(
        "heal verify",
        {"questions": len(file.lines), "proposals": render.fields.proposals(checked)},
        lambda page: render.repairs.verified(page, checked),
        REFUSED if (any(refused) if ids else all(refused)) else 0,
    )


def canary(
    place: Place,
    id_: Annotated[str | None, argument("ID", "A proposal, such as p3.")] = None,
    percent: Annotated[int | None, option("--percent N", f"{_SHARE} [default: 20].")] = None,
) -> Output:
    """Try a verified repair on a percentage of the questions.

    Without ID: compare the trial with the other questions, and with the same ones before.
    """
    from ragheal.healing import moves

    folder = place.existing()
    if id_ is not None:
        overlay = moves.start_trial(folder, id_, moves.PERCENT if percent is None else percent)
        fields = {"overlay": render.fields.overlay(overlay), "comparison": None}
        return Output("heal canary", fields, lambda page: render.repairs.trial_started(page, overlay))
    if percent is not None:
        raise ConfigError("--percent goes with an ID", hint="ragheal heal canary p1 --percent 20")
    running, compared = moves.trial(folder)
    return Output(
        "heal canary",
        {"overlay": render.fields.overlay(running), "comparison": render.fields.comparison(compared)},
        lambda page: render.repairs.trial(page, running, compared),
        REFUSED if compared.worse else 0,
    )


def promote(
    place: Place,
    id_: Id,
    untried: Annotated[bool, option("--untried", "Even if the trial met no question that it changes.")] = False,
) -> Output:
    """Put a repair that is on trial in force for all questions."""
    from ragheal.healing import moves

    overlay, compared = moves.promote(place.existing(), id_, untried=untried)
    fields = {"overlay": render.fields.overlay(overlay), "comparison": render.fields.comparison(compared)}
    return Output("heal promote", fields, lambda page: render.repairs.promoted(page, overlay, compared))


def rollback(
    place: Place,
    to: Annotated[int | None, argument("TO", "Number of an overlay, 0 for none [default: the previous].")] = None,
) -> Output:
    """Go back to an earlier overlay. Also ends a trial, and repairs a damaged pointer or overlay."""
    from ragheal.healing import moves

    start, end = moves.rollback(place.existing(), to)
    before = "a damaged pointer" if start < 0 else f"overlay {start}"
    return Output(
        "heal rollback",
        {"before": None if start < 0 else start, "overlay": end},
        f"rolled back from {before} to {f'overlay {end}' if end else 'no overlay'}",
    )


def log(
    place: Place,
    limit: Annotated[int, option("--limit -n N", "How many to show, newest last.")] = 50,
) -> Output:
    """Show every step and what was measured."""
    from ragheal.healing import store

    folder = place.existing()
    arguments.at_least("--limit", limit, 1, "without --limit there are 50")
    entries = store.log(folder)[-limit:]
    return Output(
        "heal log", {"steps": render.fields.steps(entries)}, lambda page: render.repairs.log(page, entries)
    )


def auto(
    project: Project,
    screen: Screen,
    questions: Questions,
    percent: Annotated[int, option("--percent N", f"{_SHARE}.")] = 20,
) -> Output:
    """Propose, verify, try and promote unattended; stop at the first doubt."""
    from ragheal.healing import moves

    folder = project.existing()
    file = _file(questions, folder, screen)
    with project.engine() as engine, screen.progress("questions") as advance:
        found, outcome = moves.unattended(
            folder, engine, file.lines, percent, screen.note, lambda _, total: advance(total=total)
        )
    return Output(
        "heal auto",
        {**render.fields.outcome(outcome), "questions": len(file.lines), "failures": found.questions},
        lambda page: render.repairs.outcome(page, outcome, found),
        REFUSED if outcome.doubt else 0,
    )


def _file(path: Path, index: Path, screen: Screen) -> File:
    """The question file; lines that repeat another are told of and counted once."""
    from ragheal.evaluation.questions import read, require_outside

    file = read(path)
    require_outside(path, index)
    if file.repeats:
        lines = ", ".join(map(str, file.repeats[:10])) + (" …" if len(file.repeats) > 10 else "")
        noun = "line" if len(file.repeats) == 1 else "lines"
        screen.note(f"{path}: {noun} {lines} repeat an earlier question and are counted once")
    return file
