"""An answer as it is printed: its text and where it rests; for a refusal, what was looked for and is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from ragheal.types import Hit, SearchStep, Trace

from ..console import Page
from ..session import addresses
from .layout import Row, paragraph
from .quotation import blocks, plain
from .story import place
from .text import age, clean, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_WIDEST = 100  # columns of prose
LABELS = {
    "en": {
        "looked": "Looked for",
        "missing": "Missing",
        "nearest": "Nearest",
        "changed": "changed since indexing",
    },
    "zh": {"looked": "查找过", "missing": "缺少", "nearest": "最接近", "changed": "索引后已修改"},
}


def text(
    page: Page, trace: Trace, *, index: Path | None = None, alone: bool = False, context: bool = False
) -> str:
    """What goes to standard output: the answer, and with `context` the passages it was made from.

    `index`: where the documents are, for links to them. `alone`: nobody reads a footer, and an answer that was
    made with less must say so.
    """
    own = _on_terminal(page.at_most(_WIDEST), trace, index) if page.terminal else _plain(trace)
    passages = context_text(page, trace) if context else ""
    return own + (passages and f"\n{passages}") + (_degraded(trace) if alone else "")


def footer(page: Page, trace: Trace) -> str:
    """Below an answer, on standard error: what was given up, how it ended, what it took, the trace's id."""
    answer = trace.answer
    style = "green" if answer.status in {"answered", "direct"} else "magenta"
    line = Text()
    line.append(answer.status, style)
    parts = [plural(answer.rounds, "round"), f"{trace.seconds:.2f} s", *_origins(trace), f"trace {trace.id}"]
    line.append("".join(f" · {part}" for part in parts), "dim")
    degraded = [Text(f"degraded: {one_line(entry)}", "magenta") for entry in answer.degraded]
    return "\n" + page.render(*degraded, line)


def draft(page: Page, words: str) -> str:
    """Words of a model as they come: not verified yet."""
    return f"\x1b[2m{clean(words)}\x1b[0m" if page.colour else clean(words)


def _degraded(trace: Trace) -> str:
    """What was given up, below the answer, for where no footer is shown; empty when nothing was."""
    if not trace.answer.degraded:
        return ""
    label = "降级：" if trace.answer.lang == "zh" else "Degraded: "
    return "\n" + "".join(f"{label}{one_line(entry)}\n" for entry in trace.answer.degraded)


def _origins(trace: Trace) -> list[str]:
    """What the answer owes to earlier questions and to repairs, and what it took of a model server."""
    answer = trace.answer
    said = []
    if trace.cache is not None:
        said.append(f"from the cache, {age(trace.cache.age)} old")
    elif trace.memory is not None:
        said.append(f"from memory ({trace.memory.similarity:.2f})")
    if trace.overlay and trace.asked:
        said.append(f"repair {trace.overlay}" + (" on trial" if trace.canary else ""))
    if answer.calls:
        said.append(f"{plural(answer.calls, 'call')}, {answer.tokens.prompt + answer.tokens.completion} tokens")
    return said


def queries(trace: Trace) -> list[str]:
    """Every query of the run, in order."""
    return list(dict.fromkeys(one_line(s.query.text) for s in trace.steps if isinstance(s, SearchStep)))


def _about_refusal(trace: Trace) -> list[tuple[str, list[str]]]:
    """Label and entries of what the text itself does not say yet."""
    answer = trace.answer
    labels = LABELS[answer.lang]
    said = one_line(answer.text)
    # One shot has no judge to listen to: what it answers is not said to lack anything.
    missing = answer.missing if answer.status != "answered" else ()
    groups = [("missing", [one_line(label) for label in missing])]
    if answer.status == "abstained":
        groups.insert(0, ("looked", queries(trace)))
        groups.append(("nearest", [one_line(source) for source in answer.nearest]))
    return [
        (labels[name], entries)
        for name, entries in groups
        if entries and not all(entry in said for entry in entries)
    ]


def _plain(trace: Trace) -> str:
    answer = trace.answer
    lines = [clean(plain(trace)).strip()]
    if answer.citations:
        lines.append("")
    for citation in answer.citations:
        changed = f" ({LABELS[answer.lang]['changed']})" if citation.changed else ""
        heading = f"  {one_line(citation.heading)}" if citation.heading else ""
        where = place(citation.source, citation.start_line, citation.page)
        lines.append(f"[{citation.n}] {where}{heading}{changed}")
    about = _about_refusal(trace)
    if about:
        lines.append("")
    colon, comma = ("：", "；") if answer.lang == "zh" else (": ", "; ")
    lines += [f"{label}{colon}{comma.join(entries)}" for label, entries in about]
    return "\n".join(lines) + "\n"


def _on_terminal(page: Page, trace: Trace, index: Path | None) -> str:
    answer = trace.answer
    links = addresses(index, {citation.source for citation in answer.citations}) if index and page.colour else {}
    items: list[RenderableType] = [*blocks(trace)]
    if answer.citations:
        items.append("")
    for citation in answer.citations:
        line = Text(place(citation.source, citation.start_line, citation.page))
        if citation.source in links:
            line.stylize(f"link {links[citation.source]}")
        if citation.heading:
            line.append(f"  {one_line(citation.heading)}", "dim")
        if citation.changed:
            line.append(f"  {LABELS[answer.lang]['changed']}", "magenta")
        items.append(Row(f"[{citation.n}]", line, cells=4 if len(answer.citations) < 10 else 5))
    about = _about_refusal(trace)
    if about:
        items.append("")
    for label, entries in about:
        items.append(Text(label, "cyan"))
        items += [Row("  -", entry, cells=4) for entry in entries]
    return page.render(*items)


def pool(trace: Trace) -> list[Hit]:
    """The hits of the final pool, best first."""
    found = {hit.chunk.id: hit for step in trace.steps if isinstance(step, SearchStep) for hit in step.hits}
    return [found[entry.chunk_id] for entry in trace.answer.evidence if entry.chunk_id in found]


def context_text(page: Page, trace: Trace) -> str:
    """The passages themselves, each under its place."""
    hits = pool(trace)
    if not page.terminal:
        parts = [f"--- {_where(hit)}\n{clean(hit.chunk.text).rstrip()}\n" for hit in hits]
        return "".join(parts)
    items: list[RenderableType] = []
    for hit in hits:
        items += [Text(f"— {_where(hit)}", "cyan"), paragraph(Text(clean(hit.chunk.text).rstrip())), ""]
    return page.at_most(_WIDEST).render(*items)


def _where(hit: Hit) -> str:
    heading = f"  {one_line(hit.chunk.heading)}" if hit.chunk.heading else ""
    return place(hit.chunk.source, hit.chunk.start_line, hit.chunk.page) + heading
