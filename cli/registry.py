"""The commands, in the order of `--help`. A command is a function in `commands/` and a line here.

Its signature holds its own options; those that commands share come with a parameter of the type `Place` (--index),
`Project` (also --preset and --set), `Server` (who does the thinking) or `Screen`. All have --json and --quiet.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer

import ragheal

from . import console, typer_patch
from .commands import (  # fmt: skip
    ask,
    cache,
    config,
    doctor,
    evaluate,
    failures,
    feedback,
    heal,
    health,
    index,
    memory,
    replay,
    search,
    status,
    traces,
)
from .output import Output, Screen
from .session import Place, Project, Server


class Command(NamedTuple):
    run: Callable[..., Output | int]
    name: str = ""  # else that of the function
    exit_zero: bool = False  # whether it has that option
    epilog: str | None = None

    @property
    def called(self) -> str:
        return self.name or self.run.__name__


class Group(NamedTuple):
    called: str
    help: str
    commands: tuple[Command, ...]
    lists: bool = False  # whether its name alone means `list`


COMMANDS: tuple[Command | Group, ...] = (
    Command(index.index, exit_zero=True),
    Command(ask.ask, exit_zero=True),
    Command(search.search, exit_zero=True),
    Command(replay.replay, exit_zero=True),
    Group(
        "traces",
        "List the saved traces, newest first.",
        (
            Command(
                traces.traces, "list", epilog="`ragheal traces prune` deletes the oldest; it has its own --help."
            ),
            Command(traces.prune),
        ),
        lists=True,
    ),
    Command(feedback.feedback),
    Command(failures.failures),
    Group(
        "heal",
        "Repairs: propose, verify, try, promote, roll back.",
        (
            Command(heal.listed, "list"),
            Command(heal.propose),
            Command(heal.verify, exit_zero=True),
            Command(heal.canary, exit_zero=True),
            Command(heal.promote),
            Command(heal.rollback),
            Command(heal.log),
            Command(heal.auto, exit_zero=True),
        ),
        lists=True,
    ),
    Command(evaluate.evaluate, "eval", exit_zero=True),  # `eval` is Python's own
    Group(
        "memory",
        "Remembered plans: list, show, forget, rebuild.",
        (
            Command(memory.listed, "list"),
            Command(memory.show),
            Command(memory.forget),
            Command(memory.rebuild),
        ),
    ),
    Command(health.health, exit_zero=True),
    Group(
        "cache",
        "Cached answers: how often they helped; clear them.",
        (Command(cache.stats), Command(cache.clear)),
    ),
    Command(status.status),
    Command(doctor.doctor),
    Command(config.config),
)

#: A parameter of one of these types brings the options that its fields are.
SHARED = (Place, Project, Server, Screen)


def build() -> Any:
    """The command that Typer makes of the application, with every command below it."""
    app = typer_patch.application(_top)
    for entry in COMMANDS:
        if isinstance(entry, Command):
            typer_patch.add(app, entry.called, _callback(entry), entry.epilog)
            continue
        group = typer_patch.group(app, entry.called, entry.help, lists=entry.lists)
        for command in entry.commands:
            typer_patch.add(group, command.called, _callback(command), command.epilog)
    return typer_patch.command(app, [entry.called for entry in COMMANDS])


def _callback(command: Command) -> Callable[..., int]:
    """What Typer calls: it gathers the shared options, runs the command and shows its output."""
    own = _parameters(command.run)
    gathered = {p.name: p.annotation for p in own if p.annotation in SHARED}
    shared = {kind: _parameters(kind) for kind in (*gathered.values(), Screen)}
    if not command.exit_zero:
        shared[Screen] = [p for p in shared[Screen] if p.name != "exit_zero"]
    parameters = [p for p in own if p.name not in gathered] + [p for group in shared.values() for p in group]

    def call(**given: Any) -> int:
        made = {kind: kind(**{p.name: given.pop(p.name) for p in group}) for kind, group in shared.items()}
        result = command.run(**given, **{name: made[kind] for name, kind in gathered.items()})
        screen: Screen = made[Screen]
        return result if isinstance(result, int) else screen.show(result)

    call.__doc__ = command.run.__doc__
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    return [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Ask a folder of documents a question: a verified, cited answer or an honest refusal."""
    if version:
        console.write(f"ragheal {ragheal.__version__}\n")
    elif context.invoked_subcommand is None:
        console.write(context.get_help() + "\n")
