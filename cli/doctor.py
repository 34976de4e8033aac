"""`ragheal doctor`: is the installation whole, is the index, does the model server answer?"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragheal.errors import ConfigError

from . import console, options, session

if TYPE_CHECKING:
    from ragheal.models.chat.probe import Probe
    from ragheal.settings import Loaded

    from .checkup import Finding

NO_ANSWER = 6
#: When several things are wrong, the first of these is the exit code.
_ORDER = (5, 6, 2, 1)
_SIGNS = {"ok": ("✓", "32"), "warning": ("!", "33"), "bad": ("✗", "31")}
_JSON = {"schema": "JSON by schema", "object": "JSON without schema", "text": "JSON only as text"}


def doctor(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="With --model: the model to ask for [default: model.name]."),
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Ask the model server, and say how it answers; nothing else.")
    ] = False,
    backend: options.Backend = None,
    base_url: options.BaseUrl = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what can be repaired without loss, and say what was done.")
    ] = False,
    preset: options.Preset = None,
    set_: options.Set = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Check the installation, the index, a model server."""
    if name is not None and not model:
        raise ConfigError(f"{name}: a model is asked with --model", hint=f"ragheal doctor --model {name}")
    folder = index or session.found_upwards()
    flags = {"model.backend": backend, "model.base_url": base_url, "model.name": name}

    def load() -> Loaded:
        return session.settings(folder, preset, set_, flags)

    if model and not fix:
        return _model_alone(load(), folder, json=json)
    from . import checkup

    loaded, found = checkup.settings(load)
    settings = loaded.settings
    findings = [*checkup.installation(), found]
    if folder is None:
        findings.append(checkup.Finding("index", "warning", "none here or above", "ragheal index PATH"))
    elif not os.path.isdir(folder):
        findings.append(checkup.Finding("index", "bad", f"there is none at {folder}", "ragheal index PATH", 5))
    else:
        findings += checkup.index(folder, settings, fix=fix)
    probed = None
    if model:
        finding, probed = _asked(loaded, folder)
        findings.append(finding)
    elif settings.model.backend == "openai" and (refused := session.untrusted(loaded)) is not None:
        findings.append(checkup.bad("server", refused))
    elif settings.model.backend == "openai":
        text = f"{settings.model.name or 'no model named'} at {settings.model.base_url}, not asked"
        findings.append(checkup.Finding("server", "ok", text, "to ask it: ragheal doctor --model"))
    code = next((code for code in _ORDER if any(finding.code == code for finding in findings)), 0)
    if json:
        from .envelope import envelope, whole

        fields = {"sound": code == 0, "checks": whole(findings), "model": whole(probed)}
        console.write(console.dump(envelope("doctor", **fields)))
    else:
        console.write("".join(_line(finding) for finding in findings))
    return code


def _model_alone(loaded: Loaded, folder: Path | None, *, json: bool) -> int:
    finding, probed = _asked(loaded, folder)
    if json:
        from .envelope import envelope, whole

        fields = {"sound": finding.code == 0, "checks": whole([finding]), "model": whole(probed)}
        console.write(console.dump(envelope("doctor", **fields)))
    else:
        console.write(_line(finding, cells=0))
    return finding.code


def _asked(loaded: Loaded, folder: Path | None) -> tuple[Finding, Probe | None]:
    """What the model server answers; None where it must not be asked. Raises ConfigError."""
    from ragheal.models.chat.probe import probe

    from .checkup import bad

    refused = session.untrusted(loaded)
    if refused is not None:
        return bad("server", refused), None
    probed = probe(loaded.settings, folder)
    return _server(probed), probed


def _server(found: Probe) -> Finding:
    from .checkup import Finding

    where = f"{found.model} at {found.base_url}"
    if not found.answers:
        do = "is the server started? --base-url URL names another" if "no server" in found.detail else ""
        who = found.model if found.base_url in found.detail else where
        return Finding("server", "bad", f"{who} does not answer: {found.detail}", do, NO_ANSWER)
    parts = [f"first words after {found.seconds:.2f} s"]
    if found.tokens_per_second:
        parts.append(f"{found.tokens_per_second:.0f} tokens/s")
    parts.append(_JSON.get(found.output or "", "no usable JSON"))
    parts.append("streams" if found.streams else "does not stream")
    parts.append("takes a seed" if found.takes_seed else "takes no seed")
    if found.insecure:
        parts.append("the key is sent unencrypted: use https")
    if found.detail:
        parts.append(found.detail)
    lacking = found.insecure or found.detail or not found.output
    return Finding("server", "warning" if lacking else "ok", f"{where} answers: {', '.join(parts)}")


def _line(finding: Finding, cells: int = 10) -> str:
    from .text import one_line

    sign, colour = _SIGNS[finding.state]
    if console.colourful(sys.stdout):
        sign = f"\x1b[{colour}m{sign}\x1b[0m"
    do = f" ({finding.do})" if finding.do else ""
    name = f"{finding.name:<{cells}} " if cells else ""
    return f"{sign} {name}{one_line(finding.text + do)}\n"
