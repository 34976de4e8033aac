"""What only people can do about failures: documents to add, chunks to change, dates to give. Never applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ragheal.healing.failed import Asked
from ragheal.healing.repairs import Advice, Proposal
from ragheal.history import patterns
from ragheal.history.traces import TraceStore
from ragheal.retrieval.base import Doors
from ragheal.text.questions import analyze

#: Questions of one group, or askings of one question, that make it worth a document.
_ASKED = 2
_CONFLICTS = 50
_LISTED = 5


def advise(index: Path, unhelped: Sequence[Asked], doors: Doors) -> list[Proposal]:
    """Advice from questions that no repair helps, from documents that stand out, and from conflicts."""
    return [*_documents(unhelped, doors), *_chunking(index), *_dates(index)][: 3 * _LISTED]


def _documents(unhelped: Sequence[Asked], doors: Doors) -> list[Proposal]:
    """Groups of questions about something that no document speaks of."""
    groups: dict[str, list[Asked]] = {}
    for asked in unhelped:
        if asked.failed:
            groups.setdefault(asked.group or asked.question, []).append(asked)
    found = []
    for group, members in groups.items():
        times = sum(asked.times for asked in members)
        absent = Counter(word for asked in members for word in _absent(asked.question, doors))
        if times < _ASKED or not absent:
            continue
        words = ", ".join(word for word, _ in absent.most_common(3))
        questions = tuple(asked.question for asked in members)
        found.append(
            Proposal(
                id="",
                what=Advice("document", f"no document speaks of {words}: add one that answers “{questions[0]}”"),
                why=f'{times} failures in "{group}", and no wording of the documents answers them',
                questions=questions[:_LISTED],
                traces=tuple(trace for asked in members for trace in asked.traces)[:10],
            )
        )
    return found[:_LISTED]


def _absent(question: str, doors: Doors) -> list[str]:
    asked = analyze(question)
    counts = doors.frequencies(asked.terms)
    return asked.written([term for term in asked.terms if not counts.get(term)])


def _chunking(index: Path) -> list[Proposal]:
    """Documents that are found and then do not answer."""
    seen = patterns.find(index)
    found = []
    for pattern in seen.documents[:_LISTED]:
        text = (
            f"{pattern.name} is found and then does not answer: give it headings that say what stands below, "
            "or smaller chunks (index.chunk_tokens)"
        )
        failed = f"{pattern.failed} of {pattern.runs} questions that found it failed"
        why = f"{failed}, {pattern.lift:g} times as many as usual"
        found.append(Proposal(id="", what=Advice("chunking", text, (pattern.name,)), why=why))
    return found


def _dates(index: Path) -> list[Proposal]:
    """Documents that contradict each other where nothing tells which is the newer."""
    store = TraceStore(index)
    pairs: Counter[tuple[str, ...]] = Counter()
    for row in store.list(limit=_CONFLICTS, status="conflict"):
        answer = store.load(row.id).answer
        if answer.conflict is not None and answer.conflict.preferred < 0:
            pairs[tuple(sorted({citation.source for citation in answer.citations}))] += 1
    found = []
    for sources, times in pairs.most_common(_LISTED):
        if len(sources) > 1:
            text = (
                f"{' and '.join(sources[:3])} disagree, and no date decides: give them one (front matter, `date:`)"
            )
            why = f"{times} answer{'' if times == 1 else 's'} had to state both sides"
            found.append(Proposal(id="", what=Advice("metadata", text, sources), why=why))
    return found
