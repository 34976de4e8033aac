"""`ragheal config`: every setting, its value, and where it came from; whether the project's file is trusted."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragheal.errors import ConfigError

from . import console, options, session

if TYPE_CHECKING:
    from pathlib import Path

    from ragheal.settings import Loaded
    from ragheal.settings.trust import Claim

ROLES = ("planner", "judge", "rewriter", "generator", "verifier", "classifier")


def config(
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Let the project's ragheal.yaml choose the model server and the key sent to it."
        ),
    ] = False,
    untrust: Annotated[bool, typer.Option("--untrust", help="Take that back.")] = False,
    preset: options.Preset = None,
    set_: options.Set = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Show every setting and where its value came from."""
    from ragheal.settings import flat

    folder = index or session.found_upwards()
    if trust and untrust:
        raise ConfigError("--trust and --untrust are two things", hint="give one of them")
    loaded = session.settings(folder, preset, set_)
    values = flat(loaded.settings)
    if trust or untrust:
        said = _trust(loaded) if trust else _untrust(session.project_file(folder))
    else:
        said = _told(loaded)
    if said and not quiet:
        console.note(said)
    if json:
        from .envelope import envelope

        settings = {key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()}
        project = session.project_file(folder)
        fields = {"index": str(folder) if folder else None, "project_file": str(project) if project else None}
        console.write(console.dump(envelope("config", **fields, trust=_standing(loaded), settings=settings)))
    elif not trust and not untrust:
        console.write(_listed(values, loaded.origins))
    return 0


def _trust(loaded: Loaded) -> str:
    """Trust the project's file; gives what is trusted. Raises ConfigError, StorageError."""
    from ragheal.settings import trust

    claimed = trust.claim(loaded)
    if claimed is None:
        if loaded.project is None:
            raise ConfigError("there is no ragheal.yaml here to trust", hint="run it in the project's folder")
        return f"{loaded.project} names no server and no key: there is nothing to trust\n"
    trouble = trust.trust(claimed)
    lines = [
        *([trouble] if trouble else []),
        f"trusted: {claimed.file}",
        *(f"  {name:<7} {value}" for name, value in _shown_claim(claimed, loaded)),
        "Another server or key variable in it has to be trusted anew. To take it back: ragheal config --untrust",
    ]
    return "".join(f"{_one_line(line)}\n" for line in lines)


def _untrust(project: Path | None) -> str:
    """Raises ConfigError, StorageError."""
    from ragheal.settings import trust

    if project is None:
        raise ConfigError("there is no ragheal.yaml here", hint="run it in the project's folder")
    had = trust.untrust(project)
    text = f"{os.path.realpath(project)} {'is trusted no more' if had else 'was not trusted'}"
    if os.environ.get(trust.VARIABLE, "").strip() == "1":
        text += f", but {trust.VARIABLE}=1 trusts every project's file"
    return f"{_one_line(text)}\n"


def _shown_claim(claimed: Claim, loaded: Loaded) -> list[tuple[str, str]]:
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
        return _one_line(f"{claimed.file} is trusted with {where}{by}") + "\n"
    trouble = f" ({stands.trouble})" if stands.trouble else ""
    do = "after a look at it: ragheal config --trust"
    return _one_line(f"{claimed.file} is not trusted with {where}, which is not asked{trouble}; {do}") + "\n"


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
    from .text import clean

    return clean(text.replace("\n", " "))


def _listed(values: dict[str, Any], origins: dict[str, str]) -> str:
    from rich.text import Text

    from .text import one_line, pad

    if not console.is_terminal(sys.stdout):
        rows = ((key, _shown(value), origins[key]) for key, value in values.items())
        return "".join("\t".join(row) + "\n" for row in rows)
    columns = console.width()
    room = max(len(key) for key in values) + 2
    items = []
    for key, value in values.items():
        changed = origins[key] != "default"
        line = Text(overflow="fold")
        # On a narrow terminal the columns would leave no room for the values.
        line.append(pad(key, room) if columns >= 60 else f"{key} = ", "bold" if changed else "")
        line.append(one_line(_shown(value)))
        line.append(f"  ({one_line(origins[key])})", "" if changed else "dim")
        items.append(line)
    return console.render(*items, columns=columns, colour=console.colourful(sys.stdout))


def _shown(value: Any) -> str:
    """A value as it stands in a YAML file."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value) if value != "" else '""'
