"""The rewriter: queries from what is missing, kept to words that can be found and to queries not tried before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from ragheal.answering.model import fence
from ragheal.answering.model.ask import Asker
from ragheal.answering.model.orders import is_order
from ragheal.answering.model.prompts import load
from ragheal.answering.queries import MAX_WORDS, normal
from ragheal.answering.roles import Rewrite, Severity
from ragheal.text.analyze import terms
from ragheal.text.overlap import term_set
from ragheal.text.questions import Question
from ragheal.text.script import HAN, simplified
from ragheal.types import Missing, Query, Verdict

_PER_ROUND = {"mild": 2, "moderate": 2, "critical": 3}
_MAX_TOKENS = 250
_FOUND = 3
_WORD = re.compile(rf"[{HAN}]+|[^\s{HAN}]+|\s+")


def rewrite(
    asker: Asker,
    question: Question,
    verdicts: Sequence[Verdict],
    tried: Sequence[Query],
    severity: Severity,
    known: Callable[[Sequence[str]], frozenset[str]],
    deep_k: int,
) -> Rewrite | None:
    """New queries; None when the model gave none that is new. `known` tells which terms the corpus has."""
    from ragheal.answering.model.shapes import Queries

    missing = verdicts[-1].missing if verdicts else ()
    written = asker.object(
        "rewrite", question.lang, _values(asker, question, verdicts, tried, severity), Queries,
        lambda reply: reply.queries, max_tokens=_MAX_TOKENS,
        topic=f"{question.text}\n{'|'.join(normal(query) for query in tried)}",
    )  # fmt: skip
    if written is None:
        return None
    seen = {normal(query) for query in tried}
    bridge = verdicts[-1].bridge if verdicts else ""
    found: list[Query] = []
    for text in _with_both_ends([text for text in written if not is_order(text)], missing):
        kept = clean(text, question, known)
        if not kept:
            continue
        query = Query(kept, origin=_origin(kept, bridge, question, severity), wants=question.kind)
        if normal(query) not in seen and normal(query):
            seen.add(normal(query))
            found.append(query)
    if not found:
        return None
    found = found[: _PER_ROUND[severity]]
    deeper = Query(question.text, origin="deepen", wants=question.kind, depth=deep_k)
    if severity == "moderate" and normal(deeper) not in seen:
        found.append(deeper)
    labels = "; ".join(dict.fromkeys(item.label for item in missing)) or question.text
    return Rewrite(tuple(found), f"missing: {labels}", severity)


def _values(
    asker: Asker,
    question: Question,
    verdicts: Sequence[Verdict],
    tried: Sequence[Query],
    severity: Severity,
) -> dict[str, str]:
    zh = question.lang == "zh"
    lines = [f"- {fence.line(query.text)}" for query in tried]
    for round_, verdict in enumerate(verdicts[:-1], 1):
        labels = "; ".join(fence.line(item.label) for item in verdict.missing)
        if labels:
            lines.append(f"第 {round_} 轮后缺少：{labels}" if zh else f"missing after round {round_}: {labels}")
    last = verdicts[-1] if verdicts else None
    missing = [
        f"- {item.kind}: {fence.line(item.label)}"
        + (f" ({fence.line(', '.join(item.terms))})" if item.terms else "")
        for item in (last.missing if last else ())
    ]
    if last and last.suggestion:
        missing.append(f"- {fence.line(last.suggestion)}")
    keys = [grade.key for grade in sorted(last.grades, key=lambda g: -g.relevance) if grade.key] if last else []
    notes = [fence.line(key) for key in keys[:_FOUND]]
    if last and last.bridge:
        notes.append(fence.line(last.bridge))
    sections = load("rewrite", question.lang, asker.folder).sections
    return {
        "question": fence.inert(question.text),
        "tried": "\n".join(lines),
        "missing": "\n".join(missing) or f"- {fence.line(question.text)}",
        "found": fence.fenced("notes", notes) if notes else "",
        "extra": sections.get(severity, ""),
    }


def _with_both_ends(queries: Sequence[str], missing: Sequence[Missing]) -> list[str]:
    """The queries, each about something missing; where a relation is missing, one names both its ends."""
    found = list(queries)
    if not found:
        return found
    wanted = frozenset(term for item in missing for word in (*item.terms, item.label) for term in terms(word))
    if wanted and missing:
        lead = missing[0].terms[0] if missing[0].terms else missing[0].label
        found = [text if term_set(text) & wanted else f"{lead} {text}" for text in found]
    for item in missing:
        if item.kind != "relation" or len(item.terms) < 2:
            continue
        ends = [word for word in item.terms[:3] if terms(word)]
        if any(all(term_set(end) <= term_set(text) for end in ends) for text in found):
            continue
        nearest = max(
            range(len(found)), key=lambda i: (sum(bool(term_set(e) & term_set(found[i])) for e in ends), -i)
        )
        lacking = [end for end in ends if not term_set(end) <= term_set(found[nearest])]
        found[nearest] = " ".join([found[nearest], *lacking])
    return found


def _origin(
    text: str, bridge: str, question: Question, severity: Severity
) -> Literal["bridge", "decompose", "rewrite"]:
    if bridge and term_set(bridge) <= term_set(text) and not term_set(bridge) <= frozenset(question.terms):
        return "bridge"
    return "decompose" if severity == "critical" else "rewrite"


def clean(text: str, question: Question, known: Callable[[Sequence[str]], frozenset[str]]) -> str:
    """A query without terms that neither the corpus nor the question has, at most 50 words; "" if none is left."""
    text = " ".join(text.split())
    own = terms(text)
    held = known(own) | frozenset(question.terms)
    foreign = {term for term in own if term not in held}
    if foreign:
        text = " ".join("".join(_kept(piece, foreign, held) for piece in _WORD.findall(text)).split())
    words = text.split()
    text = " ".join(words[:MAX_WORDS])[: 6 * MAX_WORDS]
    return text if any(term in held for term in terms(text)) else ""


def _kept(piece: str, foreign: set[str], held: frozenset[str]) -> str:
    if not piece.strip():
        return piece
    own = terms(piece)
    if not any(term in foreign for term in own):
        return piece
    if not re.match(f"[{HAN}]", piece):
        # An identifier also yields its parts: it stays if any of them can be found.
        return piece if any(term in held for term in own) and len(own) > 1 else ""
    plain = simplified(piece)
    for term in sorted((term for term in own if term in foreign), key=len, reverse=True):
        # A compound that is not in the corpus may still be made of words that are.
        if any(part in held and part in term for part in own):
            continue
        while (place := plain.find(term)) >= 0:
            plain = plain[:place] + " " + plain[place + len(term) :]
            piece = piece[:place] + " " + piece[place + len(term) :]
    return piece
