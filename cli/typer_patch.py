"""Everything that knows the inside of Typer. `tests/cli/test_typer_patch.py` fails loudly when Typer moves.

- Parameters are converted by hand: newer releases build a Pydantic adapter for each, and importing Pydantic takes
  longer than everything else `replay` does. Ours are texts, paths, numbers and lists of them, which need none.
- Exceptions of commands are carried past Typer, which has ideas of its own about closed pipes and Ctrl-C.
- Usage errors are told in our words, with the nearest right flag or command.
- Help is plain: Rich's would cost as much time as everything else together.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
import typer.core

from ragheal.errors import ConfigError, StorageError, nearest

HELP = ["-h", "--help"]
_CONTEXT = {"help_option_names": HELP}
#: Typer exports neither of its bases of a usage error; this is the one it derives BadParameter from.
USAGE: type[Exception] = typer.BadParameter.__bases__[0]


# --- making the application ---


def application(top: Callable[..., None]) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_CONTEXT)
    app.callback(invoke_without_command=True)(top)
    return app


def group(app: typer.Typer, name: str, help: str, *, lists: bool) -> typer.Typer:
    """A group of commands below `app`; with `lists` its name alone means its command `list`."""
    made = typer.Typer(name=name, help=help, cls=_ListFirst if lists else None, no_args_is_help=False)
    app.add_typer(made, context_settings=_CONTEXT)
    return made


def add(app: typer.Typer, name: str, function: Callable[..., int], epilog: str | None = None) -> None:
    """A command of an application or a group."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            return _Raised(error)

    app.command(name, epilog=epilog)(call)


def command(app: typer.Typer, order: Sequence[str]) -> Any:
    """The command that Typer makes of the application, its commands in this order."""
    made: Any = typer.main.get_command(app)
    made.commands = {name: made.commands[name] for name in order}  # Typer has groups last
    _convert_plainly(made)
    return made


def run(made: Any, arguments: list[str]) -> int:
    """Run a command line; gives the exit code. Raises what the command raises, and ConfigError for its usage."""
    try:
        result = made.main(arguments, prog_name="ragheal", standalone_mode=False)
    except USAGE as error:
        raise usage_error(error, arguments) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:  # Typer's answer to a pipe closed under `--help`
        raise BrokenPipeError from None
    except OSError as error:  # Typer's own printing of `--help`
        raise StorageError(f"cannot write to standard output: {error.strerror or error}") from None
    if isinstance(result, _Raised):
        raise result.error
    return result if isinstance(result, int) else 0


class _Raised:
    """An exception on its way past Typer."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _ListFirst(typer.core.TyperGroup):
    """A group whose options are those of `list`, and its arguments where `list` takes any."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        takes = any(p.param_type_name == "argument" for p in self.commands["list"].params)
        named = args[:1] and (
            args[0] in self.commands if takes else not args[0].startswith("-") or args[0] in HELP
        )
        return super().parse_args(ctx, args if named else ["list", *args])


# --- conversion of parameters ---


def _convert_plainly(command: Any) -> None:
    """Give every parameter of a command (and of those below it) a conversion of ours."""
    # A command makes its help option on the first call, by the names its context gives, and keeps it.
    for parameter in command.get_params(typer.Context(command, help_option_names=HELP)):
        annotation = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
        if getattr(parameter, "_runtime_param", ...) is None and annotation in _CONVERSIONS:
            parameter._runtime_param = _Plain(_CONVERSIONS[annotation])
        if getattr(parameter, "param_type_name", "") == "argument":
            _name_plainly(parameter)
    for below in getattr(command, "commands", {}).values():
        _convert_plainly(below)


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


_EMPTY = "it is empty; is a shell variable not set?"


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


# --- usage errors ---


def usage_error(error: Any, arguments: list[str]) -> ConfigError:
    """Typer's usage error as ours."""
    context = getattr(error, "ctx", None)
    flag = getattr(error, "option_name", None)
    path = context.command_path if context is not None else "ragheal"
    help_hint = f"`{path} --help` lists the options"
    if flag and type(error).__name__ == "NoSuchOption" and context is not None:
        return ConfigError(f"unknown option `{flag}`", hint=_nearest_flag(flag, context) or help_hint)
    commands = getattr(context.command, "commands", None) if context is not None else None
    if commands and "No such command" in error.message:
        # Typer quotes the name as Python does; below a group it is not the first word that was typed.
        name = next((a for a in arguments if repr(a) in error.message), "")
        close = nearest(name, commands)
        return ConfigError(
            f"unknown command `{name}`", hint=f"did you mean `{path} {close}`?" if close else help_hint
        )
    message = error.format_message().strip().rstrip(".")
    if message.startswith("Got unexpected extra argument") and context is not None:
        taken = [param for param in context.command.params if param.param_type_name == "argument"]
        if taken and taken[0].nargs == 1 and taken[0].metavar in {"QUESTION", "QUERY"}:
            rest = message.partition(" (")[2].removesuffix(")")
            words = f"{context.params.get(taken[0].name) or ''} {rest}".strip()
            words = words if len(words) <= 60 else f"{words[:59]}…"
            return ConfigError(f"the {taken[0].metavar.lower()} must be in quotes", hint=f'{path} "{words}"')
    if context is None and arguments[:1] and not arguments[0].startswith("-"):
        help_hint = f"`ragheal {arguments[0]} --help` lists the options"
    return ConfigError(message[:1].lower() + message[1:], hint=help_hint)


def _nearest_flag(flag: str, context: Any) -> str:
    top = context.find_root().command
    having = [name for name, command in named(top) if flag in _flags(command)]
    if having and context.command is top:
        return f"`{flag}` goes after the command: ragheal {having[0]} {flag}"
    if having:
        return f"`{flag}` belongs to `ragheal {'`, `ragheal '.join(having)}`"
    if not flag.startswith("--"):
        return "a text that begins with a dash goes after `--`" if context.command is not top else ""
    # Without the dashes, which all have in common.
    names = [known.lstrip("-") for known in _flags(context.command) if known.startswith("--")]
    name = flag.lstrip("-")
    close = nearest(name, names, 0.6) or next((known for known in names if name in known), "")
    return f"did you mean `--{close}`?" if close else ""


def named(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its name, those of a group with the group's in front."""
    for name, command in group.commands.items():
        yield path + name, command
        if hasattr(command, "commands"):
            yield from named(command, f"{path}{name} ")


def _flags(command: Any) -> list[str]:
    return [name for parameter in command.params for name in parameter.opts if name.startswith("-")]
