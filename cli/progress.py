"""The progress bar: what, how far, how fast, how long still. On standard error, gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import console

if TYPE_CHECKING:
    from rich.progress import Progress, Task
    from rich.text import Text


@contextmanager
def counted(what: str, total: int | None, *, quiet: bool) -> Iterator[Any]:
    """A progress bar on a terminal, nothing elsewhere; gives a function that moves it on."""
    if quiet or not console.is_terminal(sys.stderr):
        yield lambda **_: None
        return
    with bar() as progress:
        task = progress.add_task(what, total=total)
        yield lambda **fields: progress.update(task, advance=1, **fields)


def bar() -> Progress:
    """A Rich progress bar that leaves nothing behind; not started yet."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """So many a second."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f}/s" if task.speed else "", "dim")

    colour = console.colourful(sys.stderr)
    screen = Console(
        file=sys.stderr, width=console.width(), no_color=not colour, color_system="standard" if colour else None,
        highlight=False, legacy_windows=False,
    )  # fmt: skip
    columns: list[ProgressColumn] = [TextColumn("{task.description}", markup=False)]
    if console.width() >= 60:
        columns.append(BarColumn(complete_style="green", finished_style="green", pulse_style="green"))
    columns += [MofNCompleteColumn(), Rate(), TimeRemainingColumn(compact=True)]
    # Answers that are written meanwhile go to standard output: Rich would take them to its own console.
    return Progress(*columns, console=screen, transient=True, redirect_stdout=False)
