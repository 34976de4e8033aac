"""What a command has to say, and the one place that prints it: as versioned JSON, or as text for people.

A command returns an `Output`; what it has to say while it works goes through its `Screen`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

import ragheal
from ragheal.errors import RaghealError

from . import console, options
from .console import Page

if TYPE_CHECKING:
    from ragheal.types import Step

SCHEMA_VERSION = 1
#: What `--exit-zero` turns off: no answer, no sure answer, a check that failed.
FORGIVEN = frozenset({3, 4, 7})
Text = str | Callable[[Page], str]


class Output(NamedTuple):
    """The result of a command. `text` is standard output without --json; nothing is rendered in vain."""

    command: str
    fields: Mapping[str, Any]
    text: Text = ""
    code: int = 0
    note: Text = ""  # for standard error
    failure: RaghealError | None = None  # what went wrong though there is something to show; decides the code


class Screen:
    """Prints for one command, by its --json, --quiet and --exit-zero."""

    def __init__(
        self, json: options.Json = False, quiet: options.Quiet = False, exit_zero: options.ExitZero = False
    ) -> None:
        self._json, self.quiet, self._exit_zero = json, quiet, exit_zero
        #: Whether somebody watches: the story is told then, and progress shown.
        self.watched = not json and not quiet and console.is_terminal(sys.stderr)

    def show(self, output: Output) -> int:
        """Print a result; gives the exit code. Also to a reader who had enough, as `head` has."""
        code = output.failure.exit_code if output.failure is not None else output.code
        if self._exit_zero and code in FORGIVEN:
            code = 0
        try:
            if self._json:
                console.write(console.dump(envelope(output.command, **output.fields)))
            else:
                self.say(output.text)
        except BrokenPipeError:
            console.abandon_output()
        self.note(output.note)
        if output.failure is not None and code:
            report(output.failure)
        return code

    def say(self, text: Text) -> None:
        """Text for standard output, now; none with --json."""
        if not self._json:
            console.write(_made(text, Page.of(sys.stdout)))

    def line(self, output: Output, given: Mapping[str, Any]) -> None:
        """One line of JSON Lines, now; `given` are fields of the line that it answers."""
        console.write(console.dump({**given, **envelope(output.command, **output.fields)}, pretty=False))

    def note(self, text: Text) -> None:
        """Text for standard error, now; none with --json or --quiet."""
        if not self._json and not self.quiet:
            console.note(_made(text, Page.of(sys.stderr)))

    def log(self, *lines: str) -> None:
        """Why it failed, for the log of a job whose standard output is JSON in a file."""
        if self._json and not self.quiet:
            console.note("".join(f"ragheal: {line}\n" for line in lines))

    def story(self) -> Callable[[Step], None] | None:
        """Tells each step on standard error as it comes; None when nobody watches."""
        if not self.watched:
            return None
        from .render.story import Story

        page = Page.of(sys.stderr)
        story = Story(page.columns)
        return lambda step: console.note(page.render(*story.lines(step)))

    def gap(self) -> None:
        """A blank line on standard error, between a story and what it led to."""
        if self.watched:
            console.note("\n")

    def progress(self, what: str, total: int | None = None) -> AbstractContextManager[Callable[..., None]]:
        """A bar on standard error that its function moves on; nothing when nobody watches."""
        from .progress import counted

        return counted(what, total, shown=self.watched)


def _made(text: Text, page: Page) -> str:
    """A text as it is printed: plain words are made harmless and broken where a terminal ends."""
    if callable(text):
        return text(page)
    if not text:
        return ""
    from .render import layout

    return layout.plain(page, text)


def envelope(command: str, **fields: Any) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "command": command, "ragheal": ragheal.__version__, **fields}


def error_fields(error: RaghealError) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "message": error.message,
        "hint": error.hint or None,
        "exit_code": error.exit_code,
    }


def report(error: RaghealError) -> None:
    """Message and hint on standard error: one line that says what is wrong, one that says what to do."""
    from .render.text import clean

    hint = f"  hint: {clean(error.hint)}\n" if error.hint else ""
    console.note(f"ragheal: {clean(error.message)}\n{hint}")
