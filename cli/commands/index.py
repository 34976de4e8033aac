"""`ragheal index`: build or update the index."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from ragheal.errors import CheckFailed, ConfigError, nearest

from .. import progress, render
from ..console import whole
from ..options import argument, option
from ..output import Output, Screen
from ..session import Project, engine


def index(
    project: Project,
    screen: Screen,
    paths: Annotated[list[Path] | None, argument("PATH...", "What to index [default: as last time].")] = None,
    rebuild: Annotated[bool, option("--rebuild", "Rebuild from scratch.")] = False,
    strict: Annotated[bool, option("--strict", "Exit with 7 if a document failed or was empty.")] = False,
) -> Output:
    """Build or update the index of PATH.

    Only changed files are read and embedded. Uses the .ragheal of this or a parent folder, or creates one here.
    """
    paths = paths or []
    for path in paths:
        if not os.path.lexists(path):
            raise ConfigError(f"{path} does not exist", hint=_sibling(path))
    folder = project.to_write()
    if not paths and not folder.exists():
        raise ConfigError("nothing to index: give a PATH", hint="ragheal index docs")
    loaded = project.settings(folder)
    with engine(loaded, folder, asks=False) as made, progress.phases(shown=screen.watched) as on_progress:
        report = made.index(paths, on_progress=on_progress, full=rebuild)
    bad = {
        name: [{"source": source, "reason": reason} for source, reason in getattr(report, name)]
        for name in ("skipped", "failed")
    }
    failure = None
    if strict and report.faults:
        documents = "document" if report.faults == 1 else "documents"
        failure = CheckFailed(f"{report.faults:,} {documents} could not be indexed (--strict)")
    return Output(
        "index",
        {"index": str(folder), **whole(report), **bad},
        lambda page: "" if screen.quiet else render.project.summary(page, report),
        failure=failure,
    )


def _sibling(path: Path) -> str:
    """What to do about a path that is not there."""
    folder = path.absolute().parent
    try:
        close = nearest(path.name, os.listdir(folder))
    except OSError:
        return f"there is no folder {folder} either"
    return f"did you mean {path.parent / close}?" if close else "give the path of a folder or a file that is there"
