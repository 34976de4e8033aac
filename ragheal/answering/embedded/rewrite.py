"""The next query: the question's open part, in the words of what the reader found nearest to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from ragheal.answering.embedded.judge import Finding
from ragheal.answering.embedded.reading import Panel
from ragheal.answering.queries import MAX_WORDS, normal
from ragheal.answering.roles import Rewrite, Severity
from ragheal.retrieval.weights import Weights
from ragheal.text.analyze import terms
from ragheal.text.overlap import term_set
from ragheal.text.questions import Question
from ragheal.text.script import has_han
from ragheal.types import Missing, Plan, Query, Verdict

_PER_ROUND = 2
#: Passages that lend their words, and how many words (pseudo-relevance feedback; Rocchio 1971).
_FEEDBACK, _WORDS = 8, 6
_OWN_WORDS = "in the words of what is nearest"

Frequencies = Callable[[Sequence[str]], dict[str, int]]


def rewrite(
    question: Question,
    plan: Plan,
    verdict: Verdict,
    seen: tuple[Panel, Finding] | None,
    tried: Sequence[Query],
    severity: Severity,
    frequencies: Frequencies,
    deep_k: int,
) -> Rewrite | None:
    """At most two queries, none tried before; None when there is nothing new to ask.

    `seen` is what the embedded judge read, and None where somebody else judged: then only the verdict tells.
    """
    made = _of_finding(question, plan, *seen, frequencies) if seen is not None else []
    made += [(_query(question, item, frequencies), f"missing: {item.label}") for item in verdict.missing]
    if severity != "mild" or not made:
        deep = Query(question.text, origin="deepen", wants=question.kind, depth=deep_k)
        made.insert(min(len(made), _PER_ROUND - 1), (deep, "more hits for the question itself"))
    known = {normal(query) for query in tried}
    kept: list[tuple[Query, str]] = []
    for query, why in made:
        query = msgspec.structs.replace(query, text=" ".join(query.text.split()[:MAX_WORDS]))
        if normal(query) not in known and terms(query.text):
            known.add(normal(query))
            kept.append((query, why))
    if not kept:
        return None
    kept = kept[:_PER_ROUND]
    return Rewrite(tuple(query for query, _ in kept), "; ".join(dict.fromkeys(why for _, why in kept)), severity)


def _of_finding(
    question: Question, plan: Plan, whole: Panel, finding: Finding, frequencies: Frequencies
) -> list[tuple[Query, str]]:
    """What the reader's view of the pool suggests, likeliest first, each with why."""
    made: list[tuple[Query, str]] = []
    if finding.sides is not None:
        wanted = {side.option for side in finding.sides.sides if not side.found}
        for option, query in zip(question.options, plan.queries[1:3], strict=True):
            if option in wanted:
                made.append((query, f"nothing on {option}"))
    if finding.chain is not None:
        for link in (finding.chain.link, *finding.chain.others)[:2]:
            text = " ".join([*link.names[:2], *question.written(link.rest)])
            query = Query(text, origin="bridge", wants="relation", asked=question.text, after=link.led)
            made.append((query, f"{link.names[0]} leads on"))
    expansion = feedback(question, whole, frequencies)
    if expansion:
        wider = f"{question.text} {' '.join(expansion)}"
        near = " ".join([*_headings(question, whole), *expansion])
        made.append((Query(wider, wants=question.kind, origin="rewrite", asked=question.text), _OWN_WORDS))
        made.append((Query(near, wants=question.kind, origin="rewrite", asked=question.text), _OWN_WORDS))
    return made


def _query(question: Question, item: Missing, frequencies: Frequencies) -> Query:
    """The missing thing first, then the weightiest other words of the question; no word that nobody uses."""
    held = term_set(" ".join(item.terms))
    weights = Weights(frequencies(question.terms))
    others = sorted((term for term in question.terms if term not in held), key=lambda term: -weights[term])
    own = terms(" ".join(item.terms))
    used = frequencies(own)
    words = [
        word
        for word in " ".join(item.terms).split()
        if any(used.get(term) or term in question.terms for term in terms(word))
    ]
    text = " ".join([*question.written(words), *question.written(others[:4])])
    return Query(text if words else "", origin="rewrite", wants=question.kind, asked=question.text)


def feedback(question: Question, panel: Panel, frequencies: Frequencies) -> list[str]:
    """The words of the nearest passages that say most, weighed by how well each reads; as written there."""
    nearest = list(panel.by_chunk().values())[:_FEEDBACK]
    asked = frozenset(question.terms)
    score: dict[str, float] = {}
    for candidate in nearest:
        own = Counter(
            terms(f"{candidate.chunk.headings[-1] if candidate.chunk.headings else ''}\n{candidate.text}")
        )
        for term, count in own.items():
            # A query stays in the language of its question.
            if has_han(term) != (question.lang == "zh"):
                continue
            if term not in asked and len(term) > 1 and not term[0].isdigit():
                score[term] = score.get(term, 0.0) + (0.05 + candidate.p) * min(count, 3)
    likely = [term for term, _ in sorted(score.items(), key=lambda item: (-item[1], item[0]))[:60]]
    weights = Weights(frequencies(likely))
    ranked = sorted(likely, key=lambda term: (-score[term] * weights[term], term))[:_WORDS]
    written = _surface("\n".join(f"{c.chunk.heading}\n{c.text}" for c in nearest))
    return [written.get(term, term) for term in ranked]


def _surface(text: str) -> dict[str, str]:
    """Term -> the word that it was first made of."""
    words: dict[str, str] = {}
    for word in re.findall(r"[A-Za-z][\w'’-]*", text):
        for term in terms(word):
            words.setdefault(term, word)
    return words


def _headings(question: Question, panel: Panel) -> list[str]:
    best = panel.best
    return list(best.chunk.headings[-1:]) if best is not None and best.chunk.headings else list(question.names[:1])
