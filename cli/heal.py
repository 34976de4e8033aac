"""`ragheal heal`: repairs from failures, each step on its own or all of them in one go.

Exit codes: 7 when a repair is refused, a trial speaks against it, or `auto` stopped in doubt; 5 when another
`ragheal heal` is at work (or the index is not usable); 2 for a proposal, an overlay or a question file that
cannot be used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from ragheal.errors import ConfigError

from . import console, options, progress, session

if TYPE_CHECKING:
    from ragheal.engine import Engine
    from ragheal.evaluation.questions import File

REFUSED = 7
Questions = Annotated[
    Path,
    typer.Option(
        "--questions",
        metavar="FILE",
        help='JSON Lines: {"question": …} and any of "answers", "sources", "answerable", "status".',
    ),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="A proposal, such as p3.")]
Percent = Annotated[int, typer.Option("--percent", metavar="N", help="Share of the questions, by a hash.")]


class _ListFirst(typer.core.TyperGroup):
    """Without a command, `list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = not args or (args[0].startswith("-") and args[0] not in {"-h", "--help"})
        return super().parse_args(ctx, ["list", *args] if own else args)


def build() -> typer.Typer:
    """`heal` with its commands."""
    group = typer.Typer(
        name="heal",
        cls=_ListFirst,
        help="Repairs: propose, verify, try, promote, roll back.",
        no_args_is_help=False,
    )
    for command in (listed, propose, verify, canary, promote, rollback, log, auto):
        group.command("list" if command is listed else command.__name__)(command)
    return group


def listed(index: options.Index = None, json: options.Json = False) -> int:
    """What is in force, and every proposal with how far it got."""
    from ragheal.healing import steps
    from ragheal.healing.overlay import in_force

    from . import heal_text as text

    folder = session.existing_index(index)
    overlay, proposals = in_force(folder), steps.current(folder)
    if json:
        _dump("heal list", overlay=text.overlay_fields(overlay), proposals=text.proposal_fields(proposals))
    else:
        console.write(text.listing(overlay, proposals))
    return 0


def propose(
    index: options.Index = None,
    preset: options.Preset = None,
    set_: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Derive proposals from the failure log.

    Each is tried on the questions that failed, and kept when they are answered with it.
    """
    from ragheal.healing import pointer, steps

    from . import heal_text as text

    folder = session.existing_index(index)
    with pointer.writing(folder), _engine(folder, preset, set_) as engine:
        steps.recover(folder)
        found = _propose(engine, folder, quiet=quiet or json)
        steps.add(folder, found.proposals)
    if json:
        _dump(
            "heal propose",
            proposals=text.proposal_fields(found.proposals),
            **{name: getattr(found, name) for name in ("questions", "answered", "groups", "known")},
        )
    else:
        console.write(text.proposed(found))
    return 0


def verify(
    questions: Questions,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Proposals [default: all that wait].")
    ] = None,
    index: options.Index = None,
    preset: options.Preset = None,
    set_: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """Ask your questions before and after each proposal.

    One that makes any of them worse is refused, and so is one that betters none.
    """
    from ragheal.healing import auto as waiting
    from ragheal.healing import pointer, steps

    from . import heal_text as text

    folder = session.existing_index(index)
    file = _file(questions, folder, quiet=quiet)
    with pointer.writing(folder), _engine(folder, preset, set_) as engine:
        steps.recover(folder)
        chosen = steps.find(folder, ids) if ids else waiting.open_proposals(folder)
        if not ids:
            chosen = tuple(proposal for proposal in chosen if proposal.repair is not None)
        if not chosen:
            raise ConfigError("no proposal waits to be verified", hint="make some: ragheal heal propose")
        with progress.counted("questions", len(file.lines) * len(chosen), quiet=quiet or json) as advance:
            checked = steps.verify(folder, chosen, file.lines, engine.try_out, advance)
    if json:
        _dump("heal verify", questions=len(file.lines), proposals=text.proposal_fields(checked))
    else:
        console.write(text.verified(checked))
    # Refused is what was asked about by name; of all that wait, one that stands is enough.
    bad = [proposal for proposal in checked if proposal.state == "refused"]
    failed = bool(bad) if ids else len(bad) == len(checked)
    return REFUSED if failed and not exit_zero else 0


def canary(
    id_: Annotated[str | None, typer.Argument(metavar="ID", help="A proposal, such as p3.")] = None,
    percent: Annotated[
        int | None, typer.Option("--percent", metavar="N", help="Share of the questions, by a hash [default: 20].")
    ] = None,
    index: options.Index = None,
    json: options.Json = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """Put a verified repair on trial for a share of the questions.

    Without ID: how the trial fares against the other questions, and against the same ones before.
    """
    from ragheal.healing import canary as trials
    from ragheal.healing import pointer, steps
    from ragheal.healing.overlay import in_force

    from . import heal_text as text

    folder = session.existing_index(index)
    if id_ is not None:
        with pointer.writing(folder):
            steps.recover(folder)
            overlay = steps.start_trial(folder, steps.find(folder, [id_])[0], 20 if percent is None else percent)
        if json:
            _dump("heal canary", overlay=text.overlay_fields(overlay), comparison=None)
        else:
            console.write(text.trial_started(overlay))
        return 0
    if percent is not None:
        raise ConfigError("--percent goes with an ID", hint="ragheal heal canary p1 --percent 20")
    running = in_force(folder)
    if running is None or not running.trial:
        raise ConfigError("no repair is on trial", hint="ragheal heal canary ID --percent 20")
    compared = trials.compare(folder, running)
    if json:
        _dump("heal canary", overlay=text.overlay_fields(running), comparison=text.comparison_fields(compared))
    else:
        console.write(text.trial(running, compared))
    return REFUSED if compared.worse and not exit_zero else 0


def promote(
    id_: Id,
    untried: Annotated[
        bool, typer.Option("--untried", help="Although its share met no question that it changes.")
    ] = False,
    index: options.Index = None,
    json: options.Json = False,
) -> int:
    """Put a repair that is on trial in force for every question."""
    from ragheal.healing import pointer, steps

    from . import heal_text as text

    folder = session.existing_index(index)
    with pointer.writing(folder):
        steps.recover(folder)
        overlay, compared = steps.promote(folder, steps.find(folder, [id_])[0], untried=untried)
    if json:
        _dump("heal promote", overlay=text.overlay_fields(overlay), comparison=text.comparison_fields(compared))
    else:
        console.write(text.promoted(overlay, compared))
    return 0


def rollback(
    to: Annotated[
        int | None, typer.Argument(metavar="TO", help="An overlay's number, 0 for none [default: the one before].")
    ] = None,
    index: options.Index = None,
    json: options.Json = False,
) -> int:
    """Put an earlier overlay in force again. It also ends a trial, and mends a damaged pointer or overlay."""
    from ragheal.healing import pointer, steps

    folder = session.existing_index(index)
    with pointer.writing(folder):
        steps.recover(folder)
        start, end = steps.rollback(folder, to)
    if json:
        _dump("heal rollback", before=None if start < 0 else start, overlay=end)
    else:
        before = "a damaged pointer" if start < 0 else f"overlay {start}"
        console.write(f"rolled back from {before} to {f'overlay {end}' if end else 'no overlay'}\n")
    return 0


def log(
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="How many, newest last.")] = 50,
    index: options.Index = None,
    json: options.Json = False,
) -> int:
    """Every step with what was measured."""
    from ragheal.healing import store

    from . import heal_text as text

    folder = session.existing_index(index)
    if limit < 1:
        raise ConfigError(f"--limit {limit}: at least 1", hint="without --limit there are 50")
    entries = store.log(folder)[-limit:]
    if json:
        _dump("heal log", steps=text.log_fields(entries))
    else:
        console.write(text.log(entries))
    return 0


def auto(
    questions: Questions,
    percent: Percent = 20,
    index: options.Index = None,
    preset: options.Preset = None,
    set_: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """All of it unattended, stopping at the first doubt."""
    from ragheal.healing import auto as whole
    from ragheal.healing import pointer, steps

    from . import heal_text as text

    folder = session.existing_index(index)
    file = _file(questions, folder, quiet=quiet)
    if not 1 <= percent <= 100:
        raise ConfigError(f"--percent {percent}: from 1 to 100", hint="without --percent it is 20")
    with pointer.writing(folder), _engine(folder, preset, set_) as engine:
        steps.recover(folder)
        steps.require_quiet(folder)
        found = _propose(engine, folder, quiet=quiet or json)
        steps.add(folder, found.proposals)
        say = (lambda _: None) if quiet or json else (lambda line: console.note(f"{line}\n"))
        outcome = whole.run(folder, whole.open_proposals(folder), file.lines, engine.try_out, percent, say)
    if json:
        _dump("heal auto", **text.outcome_fields(outcome), questions=len(file.lines), failures=found.questions)
    else:
        console.write(text.outcome(outcome, found))
    return REFUSED if outcome.doubt and not exit_zero else 0


def _propose(engine: Engine, folder: Path, *, quiet: bool) -> Any:
    from ragheal.healing.propose import propose
    from ragheal.history.vectors import questions_of

    embedder = engine.embedder()
    with progress.counted("questions", None, quiet=quiet) as advance:
        return propose(
            folder,
            engine.doors(),
            questions_of(embedder),
            embedder.fingerprint,
            engine.try_out,
            lambda number, total: advance(total=total),
        )


@contextmanager
def _engine(folder: Path, preset: str | None, assignments: list[str] | None) -> Iterator[Engine]:
    loaded = session.settings(folder, preset, assignments)
    with session.engine(loaded, folder) as engine:
        yield engine


def _file(path: Path, index: Path, *, quiet: bool) -> File:
    """The question file; lines that repeat another are told of and counted once."""
    from ragheal.evaluation.questions import read, require_outside

    file = read(path)
    require_outside(path, index)
    if file.repeats and not quiet:
        lines = ", ".join(map(str, file.repeats[:10])) + (" …" if len(file.repeats) > 10 else "")
        noun = "line" if len(file.repeats) == 1 else "lines"
        console.note(f"{path}: {noun} {lines} repeat an earlier question and count once\n")
    return file


def _dump(command: str, **fields: Any) -> None:
    from .envelope import envelope

    console.write(console.dump(envelope(command, **fields)))
