"""The next query, built from what is missing: never a synonym shuffle, never a query tried before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragheal.answering.embedded.windows import term_set
from ragheal.answering.roles import Rewrite, Severity
from ragheal.retrieval.weights import Weights
from ragheal.text.analyze import terms
from ragheal.text.questions import Question
from ragheal.types import Missing, Plan, Query, Verdict

MAX_WORDS = 50
_PER_ROUND = 3


def rewrite(
    question: Question,
    plan: Plan,
    verdicts: Sequence[Verdict],
    tried: Sequence[Query],
    severity: Severity,
    weights: Weights,
    known: Callable[[Sequence[str]], frozenset[str]],
    deep_k: int,
) -> Rewrite | None:
    """Queries for what the last verdict misses; a step further up the ladder when there is nothing new to ask.

    `deep_k` is how many hits a deepened search takes; `known` tells which terms occur in the corpus: no other
    term is introduced unless the question has it.
    """
    seen = {normal(query) for query in tried}
    missing = verdicts[-1].missing if verdicts else ()
    asked = frozenset(question.terms)
    queries: list[Query] = []
    reasons: list[str] = []
    for item in missing:
        query = _query(question, plan, item, weights)
        kept = _in_vocabulary(query.text, asked, known)
        if kept:
            query = Query(kept, origin=query.origin, wants=query.wants)
            if normal(query) not in seen:
                seen.add(normal(query))
                queries.append(query)
                reasons.append(item.label)
        if len(queries) == _PER_ROUND:
            break
    if queries and severity == "mild":
        return Rewrite(tuple(queries), "missing: " + "; ".join(reasons), severity)
    extra = _deepen(question, seen, deep_k) if severity == "moderate" or not queries else None
    if severity == "critical":
        parts = _parts(question, plan, seen, weights)
        queries = (queries + parts)[:_PER_ROUND]
        reasons += [query.text for query in parts]
    if extra is not None:
        queries = [*queries[: _PER_ROUND - 1], extra]
        reasons.append("more hits for the question itself")
    if not queries:
        return None
    return Rewrite(tuple(queries), "missing: " + "; ".join(dict.fromkeys(reasons)), severity)


def normal(query: Query) -> str:
    """Queries that are equal here are the same query: word order, case and stop words do not count."""
    return " ".join(sorted(set(terms(query.text)))) + (f" @{query.depth}" if query.depth else "")


def _query(question: Question, plan: Plan, item: Missing, weights: Weights) -> Query:
    if item.kind == "relation" and len(item.terms) == 1:
        # An outer question with its hole filled: it is ready as it is.
        return Query(item.terms[0], origin="bridge", wants=question.kind)
    if item.kind == "part" and plan.shape == "comparison":
        side = next((q for q in plan.queries[1:] if item.terms and item.terms[0] in q.text), None)
        if side is not None:
            return Query(side.text, origin="plan", wants="comparison")
    words = list(item.terms)
    if item.kind in {"entity", "value"}:
        # The thing itself first, then the weightiest other words of the question.
        held = term_set(" ".join(words))
        others = sorted((t for t in question.terms if t not in held), key=lambda t: -weights[t])
        words += question.written(others[:4])
    elif item.kind == "relation":
        words = [words[0], *question.written(words[1:])]
        origin = "bridge" if words and not term_set(words[0]) <= frozenset(question.terms) else "rewrite"
        return Query(_join(question, words), origin=origin, wants="relation")  # type: ignore[arg-type]
    else:
        words = question.written(words) + [name for name in question.names if name not in words][:2]
    return Query(_join(question, words), origin="rewrite", wants=question.kind)


def _join(question: Question, words: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(word for word in words if word))


def _in_vocabulary(text: str, asked: frozenset[str], known: Callable[[Sequence[str]], frozenset[str]]) -> str:
    """The query without words that neither the corpus nor the question has; "" when too little is left."""
    own = terms(text)
    unknown = {term for term in own if term not in asked} - known(own)
    if unknown:
        text = " ".join(word for word in text.split() if not (term_set(word) & unknown) or term_set(word) & asked)
    return " ".join(text.split()[:MAX_WORDS]) if terms(text) else ""


def _deepen(question: Question, seen: set[str], deep_k: int) -> Query | None:
    query = Query(question.text, origin="deepen", wants=question.kind, depth=deep_k)
    return None if normal(query) in seen else query


def _parts(question: Question, plan: Plan, seen: set[str], weights: Weights) -> list[Query]:
    """The question in parts: its planned sub-questions, or each name with the rest."""
    found = [query for query in plan.queries[1:] if "#1" not in query.text]
    ranked = sorted(question.terms, key=lambda term: -weights[term])
    found += [
        Query(_join(question, [name, *question.written(ranked[:3])]), origin="decompose", wants=question.kind)
        for name in question.names[:2]
    ]
    return [query for query in found if normal(query) not in seen and not seen.add(normal(query))]  # type: ignore[func-returns-value]
