"""The progress bar: what, how far, how fast, how long still. On standard error, gone when it is done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import console

if TYPE_CHECKING:
    from rich.progress import Progress, Task
    from rich.text import Text


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
