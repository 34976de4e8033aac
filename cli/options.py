"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def option(spelled: str, help: str, **more: Any) -> Any:
    """An option, spelled as help shows it: names, then what stands for its value, as in "--limit -n N"."""
    words = spelled.split()
    return typer.Option(
        *(word for word in words if word.startswith("-")),
        metavar=next((word for word in words if not word.startswith("-")), None),
        help=help,
        **more,
    )


def argument(name: str, help: str) -> Any:
    return typer.Argument(metavar=name, help=help)


STRATEGIES = "adaptive, direct, standard, multi_hop, self_rag, combined or generative"
Json = Annotated[bool, option("--json", "Print one JSON object on standard output.")]
Quiet = Annotated[bool, option("--quiet -q", "Hide the story and the progress bar on standard error.")]
ExitZero = Annotated[bool, option("--exit-zero", "Exit with 0 instead of 3, 4 or 7.")]
Index = Annotated[
    Path | None,
    option(
        "--index DIR",
        "The index folder [default: .ragheal here or in a parent folder].",
        envvar="RAGHEAL_INDEX",
        show_envvar=False,
    ),
]
Preset = Annotated[
    str | None, option("--preset NAME", "Start from these settings: fast, strict, scale or a file.")
]
Set = Annotated[
    list[str] | None, option("--set KEY=VALUE", "Set one setting; repeatable. `ragheal config` lists them.")
]
TopK = Annotated[int | None, option("--top-k N", "How many hits to keep.")]
Backend = Annotated[str | None, option("--backend NAME", "What answers: embedded, openai or scripted.")]
BaseUrl = Annotated[str | None, option("--base-url URL", "URL of a server that speaks the OpenAI chat protocol.")]
Model = Annotated[str | None, option("--model NAME", "Name of the model on that server.")]
QUESTION_FILE = 'JSON Lines: {"question": …} with any of "answers", "sources", "answerable", "status".'
