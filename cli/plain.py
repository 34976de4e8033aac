"""Parameters converted by hand instead of through Pydantic.

Newer releases of Typer build a Pydantic adapter for each parameter, and importing Pydantic takes longer than
everything else `replay` does. Ours are texts, paths, numbers and lists of them, which need none. Should
Typer's inside change, its own conversion is used again: slower, and right.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

HELP = ["-h", "--help"]


def convert_plainly(command: Any) -> None:
    """Give every parameter of a command (and of those below it) a conversion of ours."""
    # A command makes its help option on the first call, by the names its context gives, and keeps it.
    for parameter in command.get_params(typer.Context(command, help_option_names=HELP)):
        annotation = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
        if getattr(parameter, "_runtime_param", ...) is None and annotation in _CONVERSIONS:
            parameter._runtime_param = _Plain(_CONVERSIONS[annotation])
        if getattr(parameter, "param_type_name", "") == "argument":
            _name_plainly(parameter)
    for below in getattr(command, "commands", {}).values():
        convert_plainly(below)


def _name_plainly(argument: Any) -> None:
    """In help `QUESTION` and `[PATH...]`, without the braces and the Python types that newer releases add."""
    name = argument.metavar or argument.name.upper()
    argument.display_type_rich = lambda **_: ""
    argument._rich_display_name = lambda: name
    argument._usage_display_name = lambda: name if argument.required else f"[{name}]"


class _Plain:
    """Has the shape of what Typer keeps for a parameter."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self._convert = convert

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return None
        try:
            return self._convert(value)
        except ValueError as error:
            number = "a number" if self._convert is float else "a whole number"
            message = str(error) if str(error) == _EMPTY else f"{value} is not {number}"
            raise typer.BadParameter(message, ctx=ctx, param=param) from None


_EMPTY = "it is empty; is a variable of the shell not set?"


def _path(value: Any) -> Path:
    # Path("") would be the working directory: not what an unset variable is meant to say.
    if value == "":
        raise ValueError(_EMPTY)
    return Path(value)


_CONVERSIONS: dict[Any, Callable[[Any], Any]] = {
    str: str,
    bool: bool,
    int: int,
    float: float,
    Path: _path,
    list[str]: list,
    list[Path]: lambda values: [_path(value) for value in values],
}
