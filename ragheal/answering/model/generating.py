"""The generator: cited prose from the relevant hits, or a synthesis of what the hops gave."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ragheal.answering.model import draft, fence
from ragheal.answering.model.ask import Asker
from ragheal.answering.model.judging import RELEVANT
from ragheal.answering.model.orders import split
from ragheal.answering.model.prompts import load
from ragheal.settings import Settings
from ragheal.text.questions import Question
from ragheal.types import Draft, Hit, Hop, Verdict


class Drafted:
    """What came of asking: a draft, `not_found`, or neither where the model could not be asked."""

    def __init__(self, made: Draft | None, *, not_found: bool = False) -> None:
        self.draft, self.not_found = made, not_found


def generate(
    asker: Asker,
    question: Question,
    hits: Sequence[Hit],
    verdict: Verdict,
    settings: Settings,
    *,
    strict: bool,
    stream: bool,
    hops: Sequence[Hop] = (),
    compose: bool = False,
) -> Drafted:
    """Ask for an answer from these hits, best first."""
    numbered = dict(enumerate(hits[: fence.room(settings.model.context_chars)], 1))
    name = "compose" if compose else "combine" if hops else "generate"
    prompt = load(name, question.lang, asker.folder)
    sections = prompt.sections
    template = "\n".join([prompt.system, prompt.user, *sections.values()])
    extra = [
        sections.get("strict", "") if strict else "",
        sections.get("conflict", "") if verdict.conflict else "",
        sections.get("partial", "") if not verdict.sufficient else "",
    ]
    values = {
        "question": fence.inert(question.text),
        "hits": fence.shown(numbered, question, settings.model.context_chars),
        "notes": _notes(numbered, verdict, sections.get("notes", "")),
        "steps": _steps(hops, numbered, question),
        "extra": "\n".join(line for line in extra if line),
    }
    limit = settings.loop.max_answer_chars

    def read(text: str) -> Drafted:
        made = draft.read(text, numbered, question, limit=0 if compose else limit, free=compose, template=template)
        return Drafted(made, not_found=made is None)

    return asker.prose(name, question.lang, values, read, stream=stream) or Drafted(None)


def undocumented(asker: Asker, question: Question) -> Draft | None:
    """What the model says without documents; None when it knows nothing."""

    def read(text: str) -> Drafted:
        return Drafted(draft.read(text, {}, question, limit=0, free=True))

    made = asker.prose("direct", question.lang, {"question": fence.inert(question.text)}, read, stream=False)
    return made.draft if made else None


def relevant(hits: Sequence[Hit], verdict: Verdict, hops: Sequence[Hop] = ()) -> list[Hit]:
    """The hits to write from: what the hops rest on, then the relevant ones, best first."""
    grades = {grade.chunk_id: grade.relevance for grade in verdict.grades}
    cited = {chunk_id: place for place, chunk_id in enumerate(i for hop in hops for i in hop.cites)}
    kept = [hit for hit in hits if hit.chunk.id in cited or grades.get(hit.chunk.id, 0) >= RELEVANT]
    return sorted(kept, key=lambda hit: (cited.get(hit.chunk.id, len(cited)), -grades.get(hit.chunk.id, 0)))


def _notes(hits: Mapping[int, Hit], verdict: Verdict, label: str) -> str:
    """The words that the judge found telling, where they stand in their hit: small models write from them."""
    keys = {grade.chunk_id: grade.key for grade in verdict.grades if grade.key}
    lines = []
    for n, hit in hits.items():
        key = keys.get(hit.chunk.id, "")
        clean, _ = split(hit.chunk.text, hit.chunk.kind)
        if key and _plain(key) in _plain(" ".join(hit.chunk.text[low:high] for low, high in clean)):
            lines.append(f"[{n}] {fence.line(key)}")
    return f"{label}\n{fence.fenced('notes', lines)}" if lines and label else ""


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _steps(hops: Sequence[Hop], hits: Mapping[int, Hit], question: Question) -> str:
    numbers = {hit.chunk.id: n for n, hit in hits.items()}
    nothing = "未找到" if question.lang == "zh" else "not found"
    lines = []
    for hop in hops:
        marks = "".join(f"[{numbers[i]}]" for i in hop.cites if i in numbers)
        lines.append(f"{hop.n}. {fence.line(hop.question)} → {fence.line(hop.answer) or nothing} {marks}".rstrip())
    return fence.fenced("steps", lines)
