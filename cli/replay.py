"""`ragheal replay`: show a trace as it was, check it offline, or run it again on today's index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragheal.errors import CheckFailed, ConfigError, TraceError

from . import console, options, session

if TYPE_CHECKING:
    from ragheal.tracing.files import TraceFile
    from ragheal.types import Trace

_EDITED = "was changed after it was saved: its checksum does not fit"


def replay(
    traces: Annotated[
        list[str],
        typer.Argument(metavar="TRACE...", help="A file, a trace id or the beginning of one, or `last`."),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Run it again offline; exit 7 naming the first step that differs.")
    ] = False,
    rerun: Annotated[bool, typer.Option("--rerun", help="Run it on today's index and show what changed.")] = False,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """Show saved traces, check them, or run them again."""
    if check and rerun:
        raise ConfigError(
            "--check and --rerun are two things", hint="--check is offline, --rerun asks today's index"
        )
    # All are read first: a wrong name is told before anything runs.
    loaded = [(name, load(name, index)) for name in traces]
    if check:
        return 0 if _check(loaded, index, json=json, quiet=quiet) or exit_zero else CheckFailed.exit_code
    for name, file in loaded:
        if not file.intact:
            raise TraceError(f"{name} {_EDITED}", hint="`replay --check` names the step that differs")
    shown = [file.trace for _, file in loaded]
    if rerun:
        return _rerun(shown, index, json=json, quiet=quiet)
    if json:
        _print_json([_fields(trace) for trace in shown])
        return 0
    for n, trace in enumerate(shown):
        if n:
            console.write("\n")
        _show(trace, quiet=quiet)
    return 0


def load(name: str, index: Path | None) -> TraceFile:
    """A trace by file, id, part of an id, or `last`. Raises TraceError."""
    from ragheal.tracing.files import TraceFile, read

    path = Path(name)
    if path.is_file():
        return read(path)
    if path.suffix or len(path.parts) > 1:
        raise TraceError(f"there is no file {name}", hint="`ragheal traces` lists the saved traces by id")
    from ragheal.history.traces import TraceStore

    folder = index or session.found_upwards()
    if folder is None:
        raise TraceError(
            f"no trace `{name}`: there is no index here to look in", hint="give a file, or --index DIR"
        )
    return TraceFile(TraceStore(folder).load(name), intact=True)


def _show(trace: Trace, *, quiet: bool) -> None:
    from .ask import tell_end, teller
    from .text import one_line

    telling = not quiet and console.is_terminal(sys.stderr)
    if telling:
        from rich.text import Text

        columns, colour = console.width(), console.colourful(sys.stderr)
        when = f"{trace.created[:16].replace('T', ' ')} UTC · index generation {trace.index_generation}"
        head = (Text(one_line(trace.question), "bold"), Text(f"asked {when}", "dim"), "")
        console.note(console.render(*head, columns=columns, colour=colour))
        on_step = teller(columns)
        for step in trace.steps:
            on_step(step)
    tell_end(trace, telling=telling)


def _check(loaded: list[tuple[str, TraceFile]], index: Path | None, *, json: bool, quiet: bool) -> bool:
    """Check every trace; whether all of them came out alike."""
    from .text import clean, plural

    results: list[dict[str, Any]] = []
    for name, file in loaded:
        difference, hint = _difference(file, index)
        results.append(
            {
                "trace": name,
                "trace_id": file.trace.id,
                "ok": not difference,
                "difference": difference,
                "hint": hint,
            }
        )
        if not json and (difference or not quiet):
            # Steps are counted, so that "ok" says how much was compared.
            said = difference or f"ok, {plural(len(file.trace.steps), 'step')} alike"
            console.write(f"{clean(name)}: {clean(said)}\n" + (f"  {clean(hint)}\n" if hint else ""))
    failed = sum(not result["ok"] for result in results)
    if json:
        _print_json(results)
    elif len(results) > 1 and not quiet:
        console.write(f"{plural(len(results), 'trace')} checked, {failed} differ\n")
    return not failed


def _difference(file: TraceFile, index: Path | None) -> tuple[str | None, str | None]:
    from ragheal.engine import Engine
    from ragheal.settings import Settings

    # The settings are the trace's own, and nothing is opened: a check needs no index.
    engine = Engine(Settings(), session.index_to_write(index))
    try:
        engine.check(file.trace)
    except (CheckFailed, TraceError) as error:
        return error.message, error.hint or None
    finally:
        engine.close()
    return (None, None) if file.intact else (f"the file {_EDITED}, though every step runs alike", None)


def _rerun(traces: list[Trace], index: Path | None, *, json: bool, quiet: bool) -> int:
    from .ask import teller
    from .difference import difference_fields, difference_text

    folder = session.existing_index(index)
    loaded = session.settings(folder)
    telling = not quiet and not json and console.is_terminal(sys.stderr)
    results = []
    for trace in traces:
        session.require_server_of(trace, loaded)
    # Each trace brings its own settings.
    with session.engine(loaded, folder, asks=False) as engine:
        for trace in traces:
            again = engine.rerun(trace, teller() if telling else None)
            if json:
                results.append(difference_fields(trace, again) | {"now": _fields(again)})
                continue
            if telling:
                console.note("\n")
            terminal = console.is_terminal(sys.stdout)
            colour = console.colourful(sys.stdout)
            console.write(
                difference_text(trace, again, columns=console.width() if terminal else 1000, colour=colour)
            )
    if json:
        _print_json(results)
    return 0


def _fields(trace: Trace) -> dict[str, Any]:
    from .envelope import answer_fields

    return answer_fields(trace) | {"created": trace.created}


def _print_json(traces: list[dict[str, Any]]) -> None:
    from .envelope import envelope

    console.write(console.dump(envelope("replay", traces=traces)))
