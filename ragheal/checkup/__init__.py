"""Is everything in order? `examine` looks at the installation, the settings, the index and the model server."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.checkup import index, installation, server
from ragheal.checkup.finding import Finding, bad
from ragheal.errors import ConfigError
from ragheal.settings import Loaded, Settings

if TYPE_CHECKING:
    from ragheal.models.chat.probe import Probe

__all__ = ["Finding", "code", "examine"]

#: When several things are wrong, the first of these is the exit code.
_ORDER = (5, 6, 2, 1)


def examine(
    load: Callable[[], Loaded], folder: Path | None, *, fix: bool = False, ask: bool = False
) -> tuple[list[Finding], Probe | None]:
    """Every finding; what the model server answered when it was to be asked. `folder`: of the index, if any.

    `fix` repairs what can be repaired without loss. Raises ConfigError when there is no model to ask.
    """
    try:
        loaded = load()
        found = Finding("settings", "ok", f"back end {loaded.settings.model.backend}")
    except ConfigError as error:
        loaded, found = Loaded(Settings(), {}), bad("settings", error)
    findings = [*installation.findings(), found]
    if folder is None:
        findings.append(Finding("index", "warning", "none here or above", "ragheal index PATH"))
    elif not os.path.isdir(folder):
        findings.append(Finding("index", "bad", f"there is none at {folder}", "ragheal index PATH", 5))
    else:
        findings += index.findings(folder, loaded.settings, fix=fix)
    if not ask:
        return [*findings, *server.named(loaded)], None
    finding, probed = server.asked(loaded, folder)
    return [*findings, finding], probed


def code(findings: Sequence[Finding]) -> int:
    """The exit code of all of them."""
    return next((code for code in _ORDER if any(finding.code == code for finding in findings)), 0)
