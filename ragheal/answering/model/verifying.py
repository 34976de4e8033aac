"""The verifier: code checks first and may veto; the model is asked only for what code cannot settle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from ragheal.answering.model import coerce, fence
from ragheal.answering.model.ask import Asker
from ragheal.answering.model.orders import is_order, tainted
from ragheal.answering.model.parse import Malformed
from ragheal.answering.model.prompts import load
from ragheal.answering.model.support import checked, cover, nearly_quoted, without_values
from ragheal.answering.verification import veto
from ragheal.text.overlap import term_set
from ragheal.text.questions import Question, wanted_values
from ragheal.text.script import has_han, lang
from ragheal.text.values import ANSWERS
from ragheal.types import Check, Claim, Draft, Hit, Value, Verdict

INCOMPLETE = "incomplete: a part of the question is not answered"
Grounded = Literal["supported", "partially supported", "unsupported"]
_UNHELD = 0.25  # a claim whose words its source hardly has, in the same language, is not the source's
_BARE = 2  # terms beside its values that a bare claim has at most
_AROUND = 300  # characters shown on either side of a quotation


class Judged(Value, frozen=True):
    """The verifier's word: one support for each claim, in order."""

    claims: tuple[Grounded, ...]
    complete: bool
    useful: int


def cited_texts(draft: Draft, pool: Sequence[Hit] = ()) -> dict[int, str]:
    """What each citation says, with its headings; and what is read of it, for those of the pool."""
    chunks = {hit.chunk.id: hit.chunk for hit in pool}
    texts = {citation.n: f"{citation.heading}\n{citation.quote}" for citation in draft.citations}
    for citation in draft.citations:
        if chunk := chunks.get(citation.chunk_id):
            texts[citation.n] += f"\n{chunk.read(citation.quote)}"
    return texts


def problems(draft: Draft, pool: Sequence[Hit], question: Question) -> tuple[str, ...]:
    """What code finds wrong: one line for each, beginning with the claim's number; empty when all is well."""
    texts = cited_texts(draft, pool)
    found = [*_citations(draft, pool), *veto(draft, texts, question.text)]
    orders = _ordered_terms(draft, pool, question)
    for number, claim in enumerate(draft.claims, 1):
        problem = _claim_problem(claim, texts, orders)
        if problem and not any(line.startswith(f"claim {number}:") for line in found):
            found.append(f"claim {number}: {problem}")
    wrong = {line.split(":")[0] for line in found}
    sound = [n for n in range(1, len(draft.claims) + 1) if f"claim {n}" not in wrong]
    kept = [draft.claims[n - 1] for n in sound]
    if kept and all(_bare(claim) for claim in kept) and not speaks_of_it(kept, texts, question):
        found += [f"claim {n}: has nothing to do with the question" for n in sound]
    return tuple(dict.fromkeys(found))


def without_orders(draft: Draft, pool: Sequence[Hit], question: Question) -> Draft | None:
    """A draft without the claims that repeat an order of a document; None when none is left."""
    orders = _ordered_terms(draft, pool, question)
    kept = tuple(claim for claim in draft.claims if not _repeats_order(claim, orders))
    return msgspec.structs.replace(draft, claims=kept) if kept else None


def _ordered_terms(draft: Draft, pool: Sequence[Hit], question: Question) -> frozenset[str]:
    """The terms that stand in orders of the pool, and neither in what is cited nor in the question."""
    orders: frozenset[str] = frozenset()
    for hit in pool:
        orders |= tainted(hit.chunk.text, hit.chunk.kind)
    for citation in draft.citations:
        orders -= term_set(f"{citation.heading}\n{citation.quote}")
    return orders - frozenset(question.terms)


def _citations(draft: Draft, pool: Sequence[Hit]) -> list[str]:
    """Citations of what was not found, or of words that are not there."""
    held = {hit.chunk.id: f"{hit.chunk.text}\n{hit.chunk.raw}" for hit in pool}
    found = []
    for citation in draft.citations:
        if citation.chunk_id not in held:
            found.append(f"[{citation.n}]: cites a passage that was not retrieved")
        elif citation.quote not in held[citation.chunk_id]:
            found.append(f"[{citation.n}]: the quotation is not in {citation.source}")
    found += [f"claim {n}: no citation" for n, claim in enumerate(draft.claims, 1) if not claim.cites]
    return found


def _claim_problem(claim: Claim, texts: Mapping[int, str], orders: frozenset[str]) -> str:
    problem = _repeats_order(claim, orders)
    if problem:
        return problem
    source = "\n".join(texts[n] for n in claim.cites if n in texts)
    alike = lang(claim.text) == lang(source) or not has_han(claim.text + source)
    if source and alike:
        # The bare value is not enough: the passage must speak of what the claim says of it.
        said = term_set(without_values(claim.text))
        if cover(claim.text, source) < _UNHELD or (len(said) > 1 and not said & term_set(source)):
            return "is not in the cited text"
    return ""


def _repeats_order(claim: Claim, orders: frozenset[str]) -> str:
    if is_order(claim.text):
        return "speaks to the reader instead of stating something"
    own = term_set(claim.text)
    repeated = own & orders
    marked = {term for term in repeated if _stands_out(term, claim.text)}
    if marked or len(repeated) * 2 > len(own):
        return f"repeats an order of a document ({sorted(marked or repeated)[0]})"
    return ""


def _stands_out(term: str, text: str) -> bool:
    """Whether a term is a code, a name or a number rather than an everyday word."""
    if any(char.isdigit() for char in term):
        return True
    place = text.lower().find(term)
    return place >= 0 and text[place : place + len(term)].isupper() and len(term) > 2


def _bare(claim: Claim) -> bool:
    """Whether a claim is little more than a value, so that only its passage can tell what it is of."""
    return len(term_set(without_values(claim.text))) <= _BARE


def speaks_of_it(claims: Sequence[Claim], texts: Mapping[int, str], question: Question) -> bool:
    """Whether claims, with what they cite, share a word with the question; across languages nobody can tell."""
    quotes = [texts[n] for claim in claims for n in claim.cites if n in texts]
    whole = " ".join([*(claim.text for claim in claims), *quotes])
    alike = has_han(question.text) == has_han(whole)
    return not alike or not question.terms or bool(term_set(whole) & frozenset(question.terms))


def settled(draft: Draft, question: Question) -> bool:
    """Whether code alone can tell: every claim is nearly a quotation, and the value asked for is in one."""
    if question.yes_no or not draft.claims:
        return False
    texts = cited_texts(draft)
    for claim in draft.claims:
        if not nearly_quoted(claim.text, [texts[n] for n in claim.cites if n in texts], question.text):
            return False
    if not speaks_of_it(draft.claims, texts, question):
        return False
    whole = " ".join(claim.text for claim in draft.claims)
    if question.kind in ANSWERS and not any(wanted_values(question, claim.text) for claim in draft.claims):
        return False
    # A part that the answer does not touch is for the model to see.
    return cover(" ".join(question.names), whole) >= 0.5 or not question.names or bool(checked(whole))


def ask(
    asker: Asker, question: Question, draft: Draft, pool: Sequence[Hit], limit: int, *, strict: bool
) -> Judged | None:
    """The model's word on each claim; None when it could not be asked."""
    from ragheal.answering.model.shapes import Verification

    sections = load("verify", question.lang, asker.folder).sections
    values = {
        "question": fence.inert(question.text),
        "passages": _passages(draft, pool, limit),
        "claims": fence.fenced("claims", [_listed(n, claim) for n, claim in enumerate(draft.claims, 1)]),
        "extra": sections.get("strict", "") if strict else "",
    }
    return asker.object(
        "verify", question.lang, values, Verification, lambda reply: read(reply, len(draft.claims)),
        max_tokens=60 + 40 * len(draft.claims),
    )  # fmt: skip


def _listed(n: int, claim: Claim) -> str:
    return f"{n}. {fence.line(claim.text, 600)} {''.join(f'[{c}]' for c in claim.cites)}".rstrip()


def _passages(draft: Draft, pool: Sequence[Hit], limit: int) -> str:
    chunks = {hit.chunk.id: hit.chunk for hit in pool}
    share = max(200, limit // max(1, len(draft.citations)))
    lines = []
    for citation in draft.citations:
        text = citation.quote
        chunk = chunks.get(citation.chunk_id)
        if chunk is not None:
            text = text if text in chunk.text else chunk.read(text)
        if chunk is not None and text in chunk.text and len(text) < share:
            start = chunk.text.find(text)
            margin = min(_AROUND, (share - len(text)) // 2)
            text = chunk.text[max(0, start - margin) : start + len(text) + margin]
        place = fence.line(citation.heading or citation.source, 120).replace('"', "'")
        lines.append(f'<passage n="{citation.n}" from="{place}">\n{fence.inert(text[:share])}\n</passage>')
    return fence.fenced("passages", lines)


def read(reply: Any, count: int) -> Judged:
    """A reply as the word on `count` claims. Raises Malformed when a claim has none."""
    given: dict[int, Grounded] = {}
    worse = ("supported", "partially supported", "unsupported")
    entries = list(reply.claims)
    if all(entry.n is None for entry in entries) and len(entries) == count:
        given = dict(enumerate((entry.verdict for entry in entries), 1))
    else:
        for entry in entries:
            if entry.n is not None:
                known = given.get(entry.n, "supported")
                given[entry.n] = max(known, entry.verdict, key=worse.index)
    lacking = [n for n in range(1, count + 1) if n not in given]
    if lacking:
        raise Malformed(f"claim {lacking[0]} has no verdict")
    useful = reply.useful
    value = 0
    if isinstance(useful, coerce.Score) and useful.top in (None, 5.0) and 1 <= useful.value <= 5:
        value = round(useful.value)
    return Judged(
        tuple(given[n] for n in range(1, count + 1)), reply.complete, value or (4 if reply.complete else 2)
    )


def from_problems(found: Sequence[str], draft: Draft) -> Check:
    """The check of a draft that code vetoes."""
    wrong = {line.split(":")[0] for line in found}
    grounded: Grounded = "unsupported" if len(wrong) >= len(draft.claims) else "partially supported"
    return Check("regenerate", grounded, False, 1, tuple(found))


def from_code(verdict: Verdict) -> Check:
    """The check of a draft that code settles, on evidence that suffices."""
    return Check("accept", "supported", True, 5 if verdict.confidence >= 0.7 else 4)


def from_model(word: Judged, verdict: Verdict, *, strict: bool, last: bool, beside: bool = False) -> Check:
    """What follows from the model's word.

    `last`: the draft was written again already. `beside`: nothing in it speaks of what was asked, as far as
    words tell; a small model calls that complete.
    """
    bad = [n for n, support in enumerate(word.claims, 1) if support == "unsupported"]
    partial = [n for n, support in enumerate(word.claims, 1) if support == "partially supported"]
    lines = [f"claim {n}: not supported by what it cites" for n in bad]
    lines += [f"claim {n}: only partially supported by what it cites" for n in partial]
    complete = word.complete and verdict.sufficient
    if not complete:
        lines.append(INCOMPLETE)
    if beside:
        lines.append("shares no word with the question")
    grounded: Grounded = (
        "unsupported" if len(bad) == len(word.claims) else "partially supported" if bad or partial else "supported"
    )
    if bad or (partial and strict and not last):
        outcome: Literal["accept", "disclaim", "regenerate", "abstain"] = "regenerate"
    elif partial:
        outcome = "abstain" if strict else "disclaim"
    elif complete and not beside:
        outcome = "accept"
    elif word.useful <= 2 or (strict and not word.complete):
        outcome = "abstain"
    else:
        outcome = "disclaim"
    return Check(outcome, grounded, complete, word.useful, tuple(lines))
