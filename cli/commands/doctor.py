"""`ragheal doctor`: is the installation whole, is the index, does the model server answer?"""

from __future__ import annotations

from typing import Annotated

from ragheal.errors import ConfigError

from .. import options, render
from ..console import whole
from ..options import argument, option
from ..output import Output
from ..session import Project


def doctor(
    project: Project,
    name: Annotated[str | None, argument("NAME", "With --model: the model to ask [default: model.name].")] = None,
    model: Annotated[bool, option("--model", "Only ask the model server, and show how it answers.")] = False,
    backend: options.Backend = None,
    base_url: options.BaseUrl = None,
    fix: Annotated[bool, option("--fix", "Repair what can be repaired without loss.")] = False,
) -> Output:
    """Check the installation, the index and the model server."""
    from ragheal import checkup
    from ragheal.checkup import server

    if name is not None and not model:
        raise ConfigError(f"{name}: a model is asked with --model", hint=f"ragheal doctor --model {name}")
    folder = project.found()
    flags = {"model.backend": backend, "model.base_url": base_url, "model.name": name}
    if model and not fix:
        finding, probed = server.asked(project.settings(folder, flags), folder)
        findings = [finding]
    else:
        findings, probed = checkup.examine(lambda: project.settings(folder, flags), folder, fix=fix, ask=model)
    code = checkup.code(findings)
    return Output(
        "doctor",
        {"sound": code == 0, "checks": whole(findings), "model": whole(probed)},
        lambda page: render.project.findings(page, findings),
        code,
    )
