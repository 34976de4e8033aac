"""Usage errors in our words, with the nearest right flag or command."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from ragheal.errors import ConfigError


def usage_error(error: Any, arguments: list[str]) -> ConfigError:
    """Typer's usage error as ours."""
    context = getattr(error, "ctx", None)
    flag = getattr(error, "option_name", None)
    path = context.command_path if context is not None else "ragheal"
    help_hint = f"`{path} --help` lists what there is"
    if flag and type(error).__name__ == "NoSuchOption" and context is not None:
        return ConfigError(f"unknown option `{flag}`", hint=_nearest_flag(flag, context) or help_hint)
    commands = getattr(context.command, "commands", None) if context is not None else None
    if commands and "No such command" in error.message:
        # Typer quotes the name as Python does; below a group it is not the first word that was typed.
        name = next((a for a in arguments if repr(a) in error.message), "")
        close = difflib.get_close_matches(name, commands, n=1, cutoff=0.5)
        hint = f"did you mean `{path} {close[0]}`?" if close else help_hint
        return ConfigError(f"unknown command `{name}`", hint=hint)
    message = error.format_message().strip().rstrip(".")
    if message.startswith("Got unexpected extra argument") and context is not None:
        taken = [param for param in context.command.params if param.param_type_name == "argument"]
        if taken and taken[0].nargs == 1 and taken[0].metavar in {"QUESTION", "QUERY"}:
            rest = message.partition(" (")[2].removesuffix(")")
            words = f"{context.params.get(taken[0].name) or ''} {rest}".strip()
            name = (taken[0].metavar or taken[0].name).lower()
            return ConfigError(f"the {name} has to be in quotes", hint=f"{path} {_quoted(words)}")
    if context is None and arguments[:1] and not arguments[0].startswith("-"):
        help_hint = f"`ragheal {arguments[0]} --help` lists what there is"
    return ConfigError(message[:1].lower() + message[1:], hint=help_hint)


def _quoted(words: str) -> str:
    return '"' + (words if len(words) <= 60 else words[:59] + "…") + '"'


def _nearest_flag(flag: str, context: Any) -> str:
    top = context.find_root().command
    having = [name for name, command in _named(top) if flag in _flags(command)]
    if having and context.command is top:
        return f"`{flag}` goes after the command: ragheal {having[0]} {flag}"
    if having:
        return f"`{flag}` belongs to `ragheal {'`, `ragheal '.join(having)}`"
    own = _flags(context.command)
    if not flag.startswith("--"):
        return "a text that begins with a dash goes after `--`" if context.command is not top else ""
    # Without the dashes, which all have in common.
    names = {known.lstrip("-"): known for known in own if known.startswith("--")}
    name = flag.lstrip("-")
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6) or [n for n in names if name in n]
    return f"did you mean `{names[near[0]]}`?" if near else ""


def _named(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its name, those of a group with the group's in front."""
    for name, command in group.commands.items():
        yield path + name, command
        if hasattr(command, "commands"):
            yield from _named(command, f"{path}{name} ")


def _flags(command: Any) -> list[str]:
    return [name for parameter in command.params for name in parameter.opts if name.startswith("-")]
