"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No story and no progress on standard error.")]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit 0 where it would be 3, 4 or 7.")]
Index = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="DIR",
        envvar="RAGHEAL_INDEX",
        show_envvar=False,
        help="The index folder [default: .ragheal, found upwards].",
    ),
]
Preset = Annotated[
    str | None,
    typer.Option("--preset", metavar="NAME", help="Settings to start from: fast, strict, scale or a .yaml file."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting, may be repeated; `ragheal config` lists them."),
]
TopK = Annotated[int | None, typer.Option("--top-k", metavar="N", help="Hits to keep of a search.")]
Backend = Annotated[
    str | None,
    typer.Option("--backend", metavar="NAME", help="Who does the thinking: embedded, openai or scripted."),
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="A server that speaks the OpenAI chat protocol.")
]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model to ask the server for.")]
