"""Pairs of a user's term and a documents' term for one failed question, likeliest first.

A pair is likely when the question, asked with the documents' term, comes closer to some sentence of theirs
than it was: it is the sentence that knows what the thing is called. It is proposed when the reader, asked so, is
sure of an answer that it did not find before. Terms that merely resemble each other ("rate limiting", "mooring
rate") do neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ragheal.healing.repairs import Synonym
from ragheal.healing.vocabulary import FRAME, Phrase, Span, key, phrases, spans
from ragheal.healing.wording import occurrences, reword
from ragheal.retrieval.base import Doors
from ragheal.text.analyze import terms
from ragheal.text.questions import analyze
from ragheal.text.script import has_han, lang
from ragheal.text.sentences import sentences
from ragheal.text.windows import windows
from ragheal.types import Hit, Query, Value

_HITS, _SPANS, _PHRASES = 8, 5, 45
#: Pairs that are read, and windows they are read in; from which probability on, and by how much better.
_READ, _PASSAGES, _SURE, _GAIN = 12, 24, 0.4, 0.15
#: What the reader's gain is worth beside the gain in nearness.
_READ_SO = 0.1
#: Begins the reason of a pair that the documents explain themselves.
_SAID = "they say so:"
#: What speaks for a pair besides the gain in similarity, in its unit (cosines of the embedder lie close together).
_HEADING, _REPEATED, _DEFINED, _REPHRASED = 0.01, 0.004, 0.08, 0.06
#: A term that the documents use as well may mean another thing there: it has to gain more.
_SEEN = 0.01

_ALSO = re.compile(
    r"(?:also (?:known as|called)|known as|a\.?k\.?a\.?|formerly|abbreviated|short for|"
    r"又称|又叫|又名|也叫|也称|亦称|简称|俗称)"
    r"[\s:：“\"「]*([^()（）。.;；,，”\"」]{2,40})",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"([^\s()（）。.;；,，]+(?: [^\s()（）。.;；,，]+){0,3})\s*[(（]([^()（）]{2,30})[)）]")


class Candidate(Value, frozen=True):
    """A synonym that might have helped a question. `score` orders candidates of one question."""

    synonym: Synonym
    score: float
    why: str
    sources: tuple[str, ...] = ()


def candidates(question: str, doors: Doors, worked: Sequence[str] = ()) -> tuple[Candidate, ...]:
    """Candidates for a failed question, best first; `worked` are questions of the same user that did better."""
    every = spans(question, doors)
    hits = _hits(question, every, doors)
    named = [span for span in every if _defining(hits, span.text)]
    # The whole of a name that is explained: not "timer" where "demurrage timer" is.
    named = [s for s in named if not any(o != s and occurrences(o.text, s.text) for o in named)]
    # Of the phrases that the documents have, only single words may have another sense: a longer one is
    # what the question is about.
    own = [span for span in every if not span.seen][:_SPANS]
    own += [span for span in every if span.seen and span.words == 1][:_SPANS]
    own = [span for span in own if not any(occurrences(name.text, span.text) for name in named)]
    found: list[Candidate] = []
    for span in named:
        found += _pairs(question, span, _defining(hits, span.text), doors, worked)
    for span in own:
        found += _pairs(question, span, _elsewhere(question, span, hits) if span.seen else hits, doors, worked)
    found.sort(key=lambda c: (-c.score, c.synonym.term, c.synonym.means))
    return tuple(_read(question, found[:_READ], hits, doors))


def _read(question: str, found: Sequence[Candidate], hits: Sequence[Hit], doors: Doors) -> list[Candidate]:
    """Of the likeliest, those with which the reader is sure of an answer.

    Asked with the documents' term, the question must be answered by a passage that has the term: more surely than
    before, unless it was sure before. What the documents themselves explain stays as it is.
    """
    passages = [
        (hit.chunk.heading, hit.chunk.text[spans[0][0] : spans[-1][1]])
        for hit in hits
        for spans in windows(hit.chunk.text, hit.chunk.kind)
    ][:_PASSAGES]
    before = max((reading.answers for reading in doors.read(question, passages)), default=0.0)
    kept: list[tuple[float, Candidate]] = []
    for candidate in found:
        asked_so = reword(question, (candidate.synonym,))
        held = [p for p in passages if occurrences("\n".join(p), candidate.synonym.means)]
        after = max((reading.answers for reading in doors.read(asked_so, held)), default=0.0) if held else 0.0
        if after >= _SURE and (after - before >= _GAIN or after >= before >= _SURE):
            why = f"asked so, the reader finds the answer ({before:.0%} → {after:.0%})"
            gained = candidate.score + _READ_SO * (after - before)
            kept.append((gained, msgspec.structs.replace(candidate, why=why)))
        elif candidate.why.startswith(_SAID):
            kept.append((candidate.score, candidate))
    return [candidate for _, candidate in sorted(kept, key=lambda each: -each[0])]


def _pairs(question: str, span: Span, hits: Sequence[Hit], doors: Doors, worked: Sequence[str]) -> list[Candidate]:
    language = lang(question)
    texts = _sentences(hits)
    if not texts:
        return []
    pool = _pool(question, hits, worked, doors)
    base = max(doors.similarity(question, texts))
    defined = {key(name): place for name, place in definitions(hits, span.text)}
    found = []
    for phrase in pool:
        synonym = Synonym(span.text, phrase.text, language)
        asked_so = reword(question, (synonym,))
        held = [i for i, text in enumerate(texts) if occurrences(text, phrase.text)]
        if not held or asked_so == question or _same(span.text, phrase.text):
            continue
        near = doors.similarity(asked_so, texts)
        score = max(near[i] for i in held) - base
        score += _HEADING * phrase.heading + _REPEATED * min(3, phrase.count - 1) - _SEEN * span.seen
        why = "with it the question comes nearer to what they say"
        if key(phrase.text) in defined:
            score, why = score + _DEFINED, f"{_SAID} {defined[key(phrase.text)]}"
        if any(occurrences(other, phrase.text) and not occurrences(other, span.text) for other in worked):
            score, why = score + _REPHRASED, "asked again with it, the question was answered"
        if key(phrase.text) not in defined:  # a name that is explained has the sense that is explained
            synonym = _guarded(synonym, span, question, phrase)
        found.append(Candidate(synonym, round(score, 6), why, phrase.sources))
    return found


def _pool(question: str, hits: Sequence[Hit], worked: Sequence[str], doors: Doors) -> list[Phrase]:
    """The phrases of the hits that the question does not have, and that could be names."""
    asked = set(terms(question))
    known = phrases(hits, lang(question))
    pool = [
        phrase
        for name, phrase in known.items()
        if not (set(name.split()) & asked or occurrences(question, phrase.text))
    ]
    pool.sort(key=lambda phrase: (-phrase.heading, -phrase.count, phrase.text))
    said = {key(span.text) for other in worked for span in spans(other, doors)}
    return pool[:_PHRASES] + [phrase for phrase in pool[_PHRASES:] if key(phrase.text) in said]


def _elsewhere(question: str, span: Span, hits: Sequence[Hit]) -> list[Hit]:
    """Where else to look for a term that the documents have in a sense of their own.

    It led astray when the first hit has the term and little else of the question, while other hits have more
    of the rest and not the term. Empty when it did not.
    """
    rest = set(terms(question)) - set(terms(span.text))

    def covered(hit: Hit) -> int:
        return len(rest & set(terms(f"{hit.chunk.heading}\n{hit.chunk.text}")))

    lead = next((hit for hit in hits if _has(hit, span.text)), None)
    if lead is None:
        return []
    return [hit for hit in hits if not _has(hit, span.text) and covered(hit) > covered(lead)]


def _defining(hits: Sequence[Hit], term: str) -> list[Hit]:
    return [hit for hit in hits if definitions([hit], term)]


def _has(hit: Hit, phrase: str) -> bool:
    return bool(occurrences(f"{hit.chunk.heading}\n{hit.chunk.text}", phrase))


def definitions(hits: Sequence[Hit], term: str) -> list[tuple[str, str]]:
    """What the hits say that a term is another name of: (the other name, the place in words)."""
    found = []
    for hit in hits:
        text = hit.chunk.text
        for start, end in sentences(text):
            sentence = text[start:end]
            for match in _ALSO.finditer(sentence):
                if occurrences(match[1], term):
                    before = sentence[: match.start()].rstrip(" ,，(（")
                    found += [(name, f"“{sentence[:80].strip()}”") for name in _ends(before)]
            for match in _BRACKET.finditer(sentence):
                if occurrences(match[2], term):
                    found += [(name, f"“{match[0]}”") for name in _ends(match[1])]
    return found


def _ends(text: str) -> list[str]:
    """The phrases that a text ends in, one of which is what the definition defines."""
    if has_han(text):
        return [text[-n:] for n in range(2, 9) if len(text) >= n]
    words = text.split()
    return [" ".join(words[-n:]) for n in range(1, 4) if len(words) >= n]


def _guarded(synonym: Synonym, span: Span, question: str, phrase: Phrase) -> Synonym:
    """A term that the documents use in their own sense is replaced only beside other words of the question."""
    if not span.seen:
        return synonym
    own = set(terms(span.text)) | set(terms(phrase.text))
    asked = analyze(question)
    context = [term for term in asked.terms if term not in own | FRAME and len(term) > 1]
    return Synonym(synonym.term, synonym.means, synonym.lang, tuple(asked.written(context)))


def _hits(question: str, own: Sequence[Span], doors: Doors) -> list[Hit]:
    """What the question finds, and what it finds without the words that lead astray."""
    found = {hit.chunk.id: hit for hit in doors.search(Query(question))[:_HITS]}
    for span in own[:2]:
        rest = question
        for start, end in reversed(occurrences(question, span.text)):
            rest = rest[:start] + " " + rest[end:]
        if terms(rest):
            found.update((hit.chunk.id, hit) for hit in doors.search(Query(rest))[: _HITS // 2])
    return list(found.values())


def _sentences(hits: Sequence[Hit]) -> list[str]:
    """The sentences of the hits under their headings, as the judge compares them."""
    found = []
    for hit in hits:
        for start, end in sentences(hit.chunk.text):
            text = hit.chunk.text[start:end]
            found.append(f"{hit.chunk.heading}\n{text}" if hit.chunk.heading else text)
    return list(dict.fromkeys(found))


def _same(one: str, other: str) -> bool:
    """Whether one phrase holds the other: then they are no two names of a thing."""
    a, b = key(one), key(other)
    if has_han(a) or has_han(b):
        return a in b or b in a
    return set(a.split()) <= set(b.split()) or set(b.split()) <= set(a.split())
