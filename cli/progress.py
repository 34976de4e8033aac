"""The progress bar: what, how far, how fast, how long still. On standard error, gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import console

if TYPE_CHECKING:
    from rich.progress import Progress, Task, TaskID
    from rich.text import Text

    from ragheal.indexing.report import Progress as Step

_PHASES = {"scan": "Looking", "read": "Reading", "embed": "Embedding", "write": "Writing"}


@contextmanager
def counted(what: str, total: int | None, *, shown: bool) -> Iterator[Callable[..., None]]:
    """A bar that the function moves on by one."""
    if not shown:
        yield lambda **_: None
        return
    with _bar() as progress:
        task = progress.add_task(what, total=total)
        yield lambda **fields: progress.update(task, advance=1, **fields)


@contextmanager
def phases(*, shown: bool) -> Iterator[Callable[[Step], None] | None]:
    """A bar for each phase of a build, one after the other."""
    if not shown:
        yield None
        return
    with _bar() as progress:
        tasks: dict[str, TaskID] = {}

        def on_progress(step: Step) -> None:
            if step.phase not in tasks:
                for task in tasks.values():
                    progress.update(task, visible=False)
                tasks[step.phase] = progress.add_task(_PHASES[step.phase], total=step.total or None)
            progress.update(tasks[step.phase], completed=step.done, total=step.total or None)

        yield on_progress


def _bar() -> Progress:
    """A Rich progress bar that leaves nothing behind."""
    from rich import progress as bars
    from rich.console import Console
    from rich.text import Text

    class Rate(bars.ProgressColumn):
        """So many a second."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f}/s" if task.speed else "", "dim")

    page = console.Page.of(sys.stderr)
    screen = Console(
        file=sys.stderr, width=page.columns, no_color=not page.colour,
        color_system="standard" if page.colour else None, highlight=False, legacy_windows=False,
    )  # fmt: skip
    columns: list[bars.ProgressColumn] = [bars.TextColumn("{task.description}", markup=False)]
    if page.columns >= 60:
        columns.append(bars.BarColumn(complete_style="green", finished_style="green", pulse_style="green"))
    columns += [bars.MofNCompleteColumn(), Rate(), bars.TimeRemainingColumn(compact=True)]
    # Answers that are written meanwhile go to standard output: Rich would take them to its own console.
    return bars.Progress(*columns, console=screen, transient=True, redirect_stdout=False)
