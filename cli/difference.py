"""What a second run of a question changed: answer, verdicts, hits gained and lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragheal.types import JudgeStep, SearchStep, Trace

from .console import render
from .story import labelled, place
from .text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

_LABEL = 11


def difference_fields(old: Trace, new: Trace) -> dict[str, Any]:
    """The differences as plain values; `same` is whether there are none."""
    before, after = _hits(old), _hits(new)
    gained = [after[key] for key in after if key not in before]
    lost = [before[key] for key in before if key not in after]
    verdicts = [
        {"round": n, "was": was, "now": now}
        for n in sorted({*_verdicts(old), *_verdicts(new)})
        if (was := _verdicts(old).get(n)) != (now := _verdicts(new).get(n))
    ]
    fields: dict[str, Any] = {
        "trace_id": old.id,
        "question": old.question,
        "generation": {"was": old.index_generation, "now": new.index_generation},
        "status": {"was": old.answer.status, "now": new.answer.status},
        "route": {"was": old.answer.route, "now": new.answer.route},
        "answer": {"was": old.answer.text, "now": new.answer.text},
        "hits": {"gained": gained, "lost": lost},
        "verdicts": verdicts,
    }
    alike = all(fields[name]["was"] == fields[name]["now"] for name in ("status", "route", "answer"))
    return fields | {"same": alike and not (gained or lost or verdicts)}


def difference_text(old: Trace, new: Trace, *, columns: int, colour: bool) -> str:
    from rich.text import Text

    fields = difference_fields(old, new)
    items: list[RenderableType] = [Text(one_line(old.question), "bold")]
    generation = fields["generation"]
    items.append(labelled("Index", _change(generation["was"], generation["now"], "generation "), cells=_LABEL))
    if fields["same"]:
        items.append(labelled("Same", "route, hits, verdicts and answer are as they were", cells=_LABEL))
        return render(*items, columns=columns, colour=colour)
    for name in ("route", "status"):
        if fields[name]["was"] != fields[name]["now"]:
            items.append(
                labelled(name.capitalize(), _change(fields[name]["was"], fields[name]["now"]), cells=_LABEL)
            )
    for name, sign, style in (("gained", "+", "green"), ("lost", "-", "magenta")):
        for n, where in enumerate(fields["hits"][name]):
            items.append(
                labelled(f"Hits {name}" if not n else "", f"{sign} {where}", style=style, cells=_LABEL + 1)
            )
    for verdict in fields["verdicts"]:
        items.append(
            labelled(f"Verdict {verdict['round']}", _change(verdict["was"], verdict["now"]), cells=_LABEL)
        )
    answer = fields["answer"]
    if answer["was"] != answer["now"]:
        items.append(labelled("Answer was", one_line(answer["was"]), style="magenta", cells=_LABEL + 1))
        items.append(labelled("now", one_line(answer["now"]), style="green", cells=_LABEL + 1))
    else:
        items.append(labelled("Answer", "as it was", cells=_LABEL))
    return render(*items, columns=columns, colour=colour)


def _hits(trace: Trace) -> dict[str, str]:
    """Chunk id -> place of every hit of the run, in order."""
    return {
        hit.chunk.id: place(hit.chunk.source, hit.chunk.start_line)
        for step in trace.steps
        if isinstance(step, SearchStep)
        for hit in step.hits
    }


def _verdicts(trace: Trace) -> dict[int, str]:
    found: dict[int, str] = {}
    for step in trace.steps:
        if isinstance(step, JudgeStep):
            missing = "; ".join(one_line(missing.label) for missing in step.verdict.missing)
            found[step.round] = "sufficient" if step.verdict.sufficient else f"missing {missing or 'something'}"
    return found


def _change(old: object, new: object, prefix: str = "") -> str:
    if old == new:
        return f"{prefix}{old}"
    return f"{prefix}{'none' if old is None else old} → {'none' if new is None else new}"
