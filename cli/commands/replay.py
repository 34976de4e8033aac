"""`ragheal replay`: show a trace as it was, check it offline, or run it again on today's index."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ragheal.errors import CheckFailed, ConfigError, TraceError

from .. import render
from ..options import argument, option
from ..output import Output, Screen
from ..session import Place, Project, engine, require_server_of

if TYPE_CHECKING:
    from ragheal.tracing.files import TraceFile
    from ragheal.types import Trace

_EDITED = "was changed after it was saved: its checksum does not fit"


def replay(
    place: Place,
    screen: Screen,
    traces: Annotated[list[str], argument("TRACE...", "A file, a trace id (or its first characters), or `last`.")],
    check: Annotated[bool, option("--check", "Run it again offline; exit with 7 if a step differs.")] = False,
    rerun: Annotated[bool, option("--rerun", "Run it on today's index, and show what changed.")] = False,
) -> Output:
    """Show saved traces, check them, or run them again."""
    if check and rerun:
        raise ConfigError(
            "--check and --rerun cannot be combined", hint="--check is offline, --rerun asks today's index"
        )
    # All are read first: a wrong name is told before anything runs.
    loaded = [(name, _load(name, place)) for name in traces]
    if check:
        return _check(loaded, place, screen)
    for name, file in loaded:
        if not file.intact:
            raise TraceError(f"{name} {_EDITED}", hint="`replay --check` names the step that differs")
    shown = [file.trace for _, file in loaded]
    if rerun:
        return _rerun(shown, place, screen)
    for n, trace in enumerate(shown):
        _show(trace, screen, place.found(), first=not n)
    return Output("replay", {"traces": [_fields(trace) for trace in shown]})


def _load(name: str, place: Place) -> TraceFile:
    """A trace by file, id, part of an id, or `last`. Raises TraceError."""
    from ragheal.tracing.files import TraceFile, read

    path = Path(name)
    if path.is_file():
        return read(path)
    if path.suffix or len(path.parts) > 1:
        raise TraceError(f"there is no file {name}", hint="`ragheal traces` lists the saved traces by id")
    from ragheal.history.traces import TraceStore

    folder = place.found()
    if folder is None:
        raise TraceError(
            f"no trace `{name}`: there is no index here to look in", hint="give a file, or --index DIR"
        )
    return TraceFile(TraceStore(folder).load(name), intact=True)


def _show(trace: Trace, screen: Screen, index: Path | None, *, first: bool) -> None:
    """The story and the answer, as they were when it was asked."""
    if not first:
        screen.say(lambda _: "\n")
    if (on_step := screen.story()) is not None:
        screen.note(lambda page: render.story.head(page, trace))
        for step in trace.steps:
            on_step(step)
    screen.gap()
    screen.say(lambda page: render.answer.text(page, trace, index=index, alone=not screen.watched))
    if screen.watched:
        screen.note(lambda page: render.answer.footer(page, trace))


def _check(loaded: list[tuple[str, TraceFile]], place: Place, screen: Screen) -> Output:
    """Check every trace, each told as soon as it is known."""
    results: list[dict[str, Any]] = []
    for name, file in loaded:
        difference, hint = _difference(file, place)
        result = {"trace": name, "trace_id": file.trace.id, "ok": not difference}
        results.append(result | {"difference": difference, "hint": hint})
        if difference or not screen.quiet:
            # Steps are counted, so that "ok" says how much was compared.
            screen.say(
                partial(render.diff.checked, name=name, steps=len(file.trace.steps), told=difference, hint=hint)
            )
    failed = sum(not result["ok"] for result in results)
    several = len(results) > 1 and not screen.quiet
    return Output(
        "replay",
        {"traces": results},
        f"{len(results)} traces checked, {failed} differ" if several else "",
        CheckFailed.exit_code if failed else 0,
    )


def _difference(file: TraceFile, place: Place) -> tuple[str | None, str | None]:
    from ragheal.engine import Engine
    from ragheal.settings import Settings

    # The settings are the trace's own, and nothing is opened: a check needs no index.
    checker = Engine(Settings(), place.to_write())
    try:
        checker.check(file.trace)
    except (CheckFailed, TraceError) as error:
        return error.message, error.hint or None
    finally:
        checker.close()
    return (None, None) if file.intact else (f"the file {_EDITED}, though every step runs alike", None)


def _rerun(traces: list[Trace], place: Place, screen: Screen) -> Output:
    folder = place.existing()
    loaded = Project(place.index).settings(folder)
    results = []
    for trace in traces:
        require_server_of(trace, loaded)
    # Each trace brings its own settings.
    with engine(loaded, folder, asks=False) as made:
        for trace in traces:
            again = made.rerun(trace, screen.story())
            fields = render.fields.difference(trace, again)
            screen.gap()
            screen.say(partial(render.diff.text, question=trace.question, fields=fields))
            results.append(fields | {"now": _fields(again)})
    return Output("replay", {"traces": results})


def _fields(trace: Trace) -> dict[str, Any]:
    return render.fields.answer(trace) | {"created": trace.created}
