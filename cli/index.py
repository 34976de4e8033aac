"""`ragheal index`: build or update the index."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragheal.errors import CheckFailed, ConfigError

from . import console, options, session

if TYPE_CHECKING:
    from rich.progress import TaskID

    from ragheal.indexing.report import Progress, Report

LISTED = 20  # lines per group in the summary; --json names all files
NAMED = 3  # of more files than that with the same reason
_PHASES = {"scan": "Looking", "read": "Reading", "embed": "Embedding", "write": "Writing"}


def index(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH...", help="Folders and files; without any, those of the last time."),
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build everything anew.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 7 when a document failed or was skipped, as an empty one is.")
    ] = False,
    preset: options.Preset = None,
    set_: options.Set = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """Build or update the index of PATH.

    Only what changed is read and embedded. The index is the nearest .ragheal upwards, else a new one here.
    """
    paths = paths or []
    for path in paths:
        if not os.path.lexists(path):
            raise ConfigError(f"{path} does not exist", hint=_sibling(path))
    folder = session.index_to_write(index)
    if not paths and not folder.exists():
        raise ConfigError("nothing to index: give a PATH", hint="ragheal index docs")
    loaded = session.settings(folder, preset, set_)
    showing = not quiet and not json and console.is_terminal(sys.stderr)
    with session.engine(loaded, folder, asks=False) as engine, _progress(showing) as on_progress:
        report = engine.index(paths, on_progress=on_progress, full=rebuild)
    if json:
        from .envelope import envelope, whole

        fields = whole(report) | {name: _pairs(getattr(report, name)) for name in ("skipped", "failed")}
        console.write(console.dump(envelope("index", index=str(folder), **fields)))
    elif not quiet:
        console.write(summary(report))
    from .text import plural

    if strict and report.faults and not exit_zero:
        if json:
            return CheckFailed.exit_code
        raise CheckFailed(f"{plural(report.faults, 'document')} could not be indexed (--strict)")
    return 0


def summary(report: Report) -> str:
    """One line with every count, then the files behind the bad ones."""
    from .text import one_line, plural

    groups = ("added", "changed", "renamed", "deleted")
    counts = [f"{getattr(report, name).count:,} {name}" for name in groups if getattr(report, name).count]
    if report.unchanged:
        counts.append(f"{report.unchanged:,} unchanged")
    counts += [
        f"{len(bad):,} {name}" for name, bad in (("skipped", report.skipped), ("failed", report.failed)) if bad
    ]
    total = f"{plural(report.documents, 'document')}, {plural(report.chunks, 'chunk')}"
    lines = [f"{' · '.join(counts) or 'nothing to index'} — {total} in {report.seconds:.1f} s"]
    for name, bad in (("skipped", report.skipped), ("failed", report.failed)):
        said = _by_reason(bad)
        lines += [f"  {name} {entry}" for entry in said[:LISTED]]
        if len(said) > LISTED:
            lines.append(f"  … and {len(said) - LISTED:,} more {name} (--json names all)")
    for name in ("warnings", "notes"):
        entries = getattr(report, name)
        lines += [f"  {name[:-1]}: {one_line(entry)}" for entry in entries[:LISTED]]
        if len(entries) > LISTED:
            lines.append(f"  … and {len(entries) - LISTED:,} more {name}")
    return "\n".join(lines) + "\n"


@contextmanager
def _progress(showing: bool) -> Iterator[Callable[[Progress], None] | None]:
    if not showing:
        yield None
        return
    from .progress import bar

    with bar() as progress:
        tasks: dict[str, TaskID] = {}

        def on_progress(step: Progress) -> None:
            if step.phase not in tasks:
                for task in tasks.values():
                    progress.update(task, visible=False)
                tasks[step.phase] = progress.add_task(_PHASES[step.phase], total=step.total or None)
            progress.update(tasks[step.phase], completed=step.done, total=step.total or None)

        yield on_progress


def _by_reason(bad: tuple[tuple[str, str], ...]) -> list[str]:
    """A line for each file; one for all to which the same happened when they would drown the others."""
    from .text import one_line

    reasons: dict[str, list[str]] = {}
    for source, reason in bad:
        reasons.setdefault(one_line(reason), []).append(one_line(source))
    lines = []
    for reason, sources in reasons.items():
        if len(sources) > LISTED:
            named = ", ".join(sources[:NAMED])
            lines.append(f"{len(sources):,} files: {reason} ({named}, …)")
        else:
            lines += [f"{source}: {reason}" for source in sources]
    return lines


def _pairs(entries: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"source": source, "reason": reason} for source, reason in entries]


def _sibling(path: Path) -> str:
    try:
        names = os.listdir(path.absolute().parent)
    except OSError:
        return f"there is no folder {path.absolute().parent} either"
    close = difflib.get_close_matches(path.name, names, n=1, cutoff=0.5)
    return (
        f"did you mean {path.parent / close[0]}?" if close else "give the path of a folder or a file that is there"
    )
