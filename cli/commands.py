"""Registers the commands. Their modules import nothing heavy at the top."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import typer

import ragheal

from . import (
    ask,
    cache,
    config,
    console,
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
from .plain import HELP, convert_plainly

#: In the order of `--help`: a function is a command, a builder makes a group of commands.
COMMANDS: tuple[Callable[..., Any], ...] = (
    index.index,
    ask.ask,
    search.search,
    replay.replay,
    traces.build,
    feedback.feedback,
    failures.failures,
    heal.build,
    evaluate.evaluate,
    memory.build,
    health.health,
    cache.build,
    status.status,
    doctor.doctor,
    config.config,
)


#: Commands whose name is not their function's.
NAMES: dict[Callable[..., Any], str] = {evaluate.evaluate: "eval"}  # `eval` is Python's own


class Raised:
    """An exception on its way past Typer, which has ideas of its own about closed pipes and Ctrl-C."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def build() -> Any:
    """The command that Typer makes of the application, with every command below it."""
    # Plain help: Rich's would cost as much time as everything else together.
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": HELP})
    app.callback(invoke_without_command=True)(_top)
    for function in COMMANDS:
        if function.__name__ != "build":
            app.command(NAMES.get(function))(_past_typer(function))
            continue
        group: typer.Typer = function()
        for registered in group.registered_commands:
            if registered.callback is not None:
                registered.callback = _past_typer(registered.callback)
        if group.registered_callback is not None and group.registered_callback.callback is not None:
            group.registered_callback.callback = _past_typer(group.registered_callback.callback)
        app.add_typer(group, context_settings={"help_option_names": HELP})
    command = typer.main.get_command(app)
    convert_plainly(command)
    return command


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Ask a folder of documents a question: a verified, cited answer or an honest refusal."""
    if version:
        console.write(f"ragheal {ragheal.__version__}\n")
    elif context.invoked_subcommand is None:
        console.write(context.get_help() + "\n")


def _past_typer(function: Callable[..., int]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            return Raised(error)

    return call
