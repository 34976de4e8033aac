"""`ragheal ask --batch`: a JSON line in, a JSON line out, in order, each written as soon as it is known.

A line that cannot be asked gets an object with `error` and the run goes on; the exit code is then that of
the first such error (2 for a malformed line), else 0 whatever the answers' statuses are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragheal.errors import ConfigError, IndexUnusable, RaghealError

from .. import console, progress, render
from ..arguments import checked, piped
from ..output import Output, Screen, error_fields

if TYPE_CHECKING:
    from ragheal.engine import Engine


def run(engine: Engine, file: str, screen: Screen) -> int:
    """Answer every line of a file (`-`: standard input). Raises IndexUnusable: every line would meet it."""
    from ragheal.evaluation.questions import fields_of, question_of

    lines, total = _open(file)
    code = 0
    # On a terminal that shows the answers too, they are the progress, and a bar would run into them.
    shown = not screen.quiet and console.is_terminal(sys.stderr) and not console.is_terminal(sys.stdout)
    with progress.counted("questions", total, shown=shown) as advance:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            given: dict[str, Any] = {}
            try:
                given = fields_of(line, number)
                fields = render.fields.answer(engine.ask(checked(question_of(given, number)), batch=True))
            except IndexUnusable:
                raise
            except RaghealError as error:
                fields = {"line": number, "error": error_fields(error)}
                code = code or error.exit_code
            given.pop("error", None)  # ours alone: it says that the line could not be asked
            screen.line(Output("ask", fields), given)
            advance()
    return code


def _open(file: str) -> tuple[Iterator[bytes], int | None]:
    """Lines, and how many where that is known. Standard input is read as it comes."""
    if file == "-":
        return iter(piped()), None
    try:
        with open(file, "rb") as opened:
            lines = opened.read().splitlines()
    except OSError as error:
        raise ConfigError(
            f"cannot read {file}: {error.strerror or error}", hint='JSON Lines, each such as {"question": "…"}'
        ) from None
    return iter(lines), sum(1 for line in lines if line.strip())
