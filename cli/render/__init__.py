"""What is printed for people, a file for each thing that is shown; `fields` has the same for `--json`.

from .. import render
render.health.text(…)        imports the module now, and Rich with it: not for --help, not for --json
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import answer as answer
    from . import diff as diff
    from . import evaluation as evaluation
    from . import failures as failures
    from . import fields as fields
    from . import health as health
    from . import layout as layout
    from . import project as project
    from . import repairs as repairs
    from . import search as search
    from . import stores as stores
    from . import story as story
    from . import text as text


def __getattr__(name: str) -> Any:
    from importlib import import_module

    return import_module(f"{__name__}.{name}")
