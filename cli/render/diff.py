"""What a second run of a question changed: answer, verdicts, hits gained and lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from ..console import Page
from .layout import Row, plain
from .text import one_line, plural

_LABEL = 12


def text(page: Page, question: str, fields: dict[str, Any]) -> str:
    """The differences of `fields.difference`, for people."""
    return page.render(Text(one_line(question), "bold"), *_rows(fields))


def checked(page: Page, *, name: str, steps: int, told: str | None, hint: str | None) -> str:
    """How a trace came out when it was run again offline."""
    said = told or f"ok, {plural(steps, 'step')} alike"
    return plain(page, f"{name}: {said}", hint or "")


def _rows(fields: dict[str, Any]) -> Iterator[Row]:
    yield _row("Index", _change(fields["generation"], "generation "))
    if fields["same"]:
        yield _row("Same", "route, hits, verdicts and answer are as they were")
        return
    for name in ("route", "status"):
        if fields[name]["was"] != fields[name]["now"]:
            yield _row(name.capitalize(), _change(fields[name]))
    for name, sign, style in (("gained", "+", "green"), ("lost", "-", "magenta")):
        for n, where in enumerate(fields["hits"][name]):
            yield _row(f"Hits {name}" if not n else "", f"{sign} {where}", style)
    for verdict in fields["verdicts"]:
        yield _row(f"Verdict {verdict['round']}", _change(verdict))
    answer = fields["answer"]
    if answer["was"] == answer["now"]:
        yield _row("Answer", "as it was")
    else:
        yield _row("Answer was", one_line(answer["was"]), "magenta")
        yield _row("now", one_line(answer["now"]), "green")


def _row(label: str, body: str, style: str = "") -> Row:
    return Row(label, body, style=style, cells=_LABEL)


def _change(change: dict[str, Any], prefix: str = "") -> str:
    was, now = ("none" if value is None else value for value in (change["was"], change["now"]))
    return f"{prefix}{was}" if was == now else f"{prefix}{was} → {now}"
