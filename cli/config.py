"""`ragheal config`: every setting, its value, and where it came from."""

from __future__ import annotations

import sys
from typing import Any

from . import console, options, session


def config(
    preset: options.Preset = None,
    set_: options.Set = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Show every setting and where its value came from."""
    from ragheal.settings import flat

    folder = index or session.found_upwards()
    loaded = session.settings(folder, preset, set_)
    values = flat(loaded.settings)
    if json:
        from .envelope import envelope

        settings = {key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()}
        project = session.project_file(folder)
        fields = {"index": str(folder) if folder else None, "project_file": str(project) if project else None}
        console.write(console.dump(envelope("config", **fields, settings=settings)))
    else:
        console.write(_listed(values, loaded.origins))
    return 0


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
