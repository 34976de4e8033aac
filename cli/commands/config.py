"""`ragheal config`: every setting, its value, and where it came from; whether the project's file is trusted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

from ragheal.errors import ConfigError

from .. import render
from ..options import option
from ..output import Output
from ..session import Project, project_file

if TYPE_CHECKING:
    from pathlib import Path

    from ragheal.settings import Loaded
    from ragheal.settings.trust import Claim

ROLES = ("planner", "judge", "rewriter", "generator", "verifier", "classifier")


def config(
    project: Project,
    trust: Annotated[
        bool, option("--trust", "Let the project's ragheal.yaml choose the model server and the key sent to it.")
    ] = False,
    untrust: Annotated[bool, option("--untrust", "Withdraw that trust.")] = False,
) -> Output:
    """Show every setting and where its value came from."""
    from ragheal.settings import flat

    folder = project.found()
    if trust and untrust:
        raise ConfigError("--trust and --untrust cannot be combined", hint="give one of them")
    loaded = project.settings(folder)
    values, file = flat(loaded.settings), project_file(folder)
    said = _trust(loaded) if trust else _untrust(file) if untrust else _told(loaded)
    return Output(
        "config",
        {
            "index": str(folder) if folder else None,
            "project_file": str(file) if file else None,
            "trust": _standing(loaded),
            "settings": {key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()},
        },
        lambda page: "" if trust or untrust else render.project.settings(page, values, loaded.origins),
        note=said,
    )


def _trust(loaded: Loaded) -> str:
    """Trust the project's file; gives what is trusted. Raises ConfigError, StorageError."""
    from ragheal.settings import trust

    claimed = trust.claim(loaded)
    if claimed is None:
        if loaded.project is None:
            raise ConfigError("there is no ragheal.yaml here to trust", hint="run it in the project's folder")
        return f"{loaded.project} names no server or key: there is nothing to trust"
    trouble = trust.trust(claimed)
    lines = [
        *([trouble] if trouble else []),
        f"trusted: {claimed.file}",
        *(f"  {name:<7} {value}" for name, value in _chosen(claimed, loaded)),
        "Another server or key variable in it has to be trusted again. To withdraw: ragheal config --untrust",
    ]
    return "\n".join(map(_one_line, lines))


def _untrust(file: Path | None) -> str:
    """Raises ConfigError, StorageError."""
    from ragheal.settings import trust

    if file is None:
        raise ConfigError("there is no ragheal.yaml here", hint="run it in the project's folder")
    had = trust.untrust(file)
    said = f"{os.path.realpath(file)} {'is no longer trusted' if had else 'was not trusted'}"
    if os.environ.get(trust.VARIABLE, "").strip() == "1":
        said += f", but {trust.VARIABLE}=1 trusts every project's file"
    return _one_line(said)


def _chosen(claimed: Claim, loaded: Loaded) -> list[tuple[str, str]]:
    """What the file says of server and key, else what is in force, and the models."""
    from ragheal.settings.trust import ADDRESS, KEY_VARIABLE, shown

    model, own = loaded.settings.model, claimed.own
    variable = own.get(KEY_VARIABLE, claimed.key_env)
    server = shown(own.get(ADDRESS, claimed.base_url))
    if ADDRESS not in own:
        server += f" ({loaded.origins[ADDRESS]})"
    key = f"the value of {variable}" if variable else "none"
    if variable and not os.environ.get(variable, "").strip():
        key += " (not set now)"
    roles = [f"{name} ({role})" for role in ROLES if (name := getattr(model, role).strip())]
    return [("server", server), ("key", key), ("models", ", ".join([model.name.strip() or "none named", *roles]))]


def _told(loaded: Loaded) -> str:
    """Whether the file is trusted, where that matters; else nothing."""
    from ragheal.settings import trust

    claimed = trust.claim(loaded)
    if claimed is None or not claimed.needs_trust:
        return ""
    stands = trust.standing(claimed)
    where = trust.shown(claimed.base_url)
    if stands.trusted:
        by = f" ({trust.VARIABLE}=1)" if stands.by == "environment" else ""
        return _one_line(f"{claimed.file} is trusted with {where}{by}")
    trouble = f" ({stands.trouble})" if stands.trouble else ""
    do = "after a look at it: ragheal config --trust"
    return _one_line(f"{claimed.file} is not trusted with {where}, which is not asked{trouble}; {do}")


def _standing(loaded: Loaded) -> dict[str, Any] | None:
    """The same for programs; None when the file names neither server nor key."""
    from ragheal.settings import trust

    claimed = trust.claim(loaded)
    if claimed is None:
        return None
    stands = trust.standing(claimed)
    return {
        "file": claimed.file,
        "server": trust.shown(claimed.base_url),
        "key_env": claimed.key_env,
        "needed": claimed.needs_trust,
        "trusted": stands.trusted,
        "by": stands.by or None,
        "trouble": stands.trouble or None,
    }


def _one_line(text: str) -> str:
    return text.replace("\n", " ")
