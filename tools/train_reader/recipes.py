"""Questions of each set -> items: one question, one document that answers it, where the answer stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from data import Doc, Question, normalise, overlap_terms


@dataclass
class Item:
    """`spans` are the places [start, end) in the document that may be the answer; none: evidence without a span.

    `anchor` is text whose nearest sentence is the evidence when there is no span; `after` is the character the
    evidence starts at (a section of a long document).
    """

    question: str
    lang: str
    set: str
    kind: str
    doc: str
    spans: list[tuple[int, int]]
    answers: list[str]
    related: set[str]
    weight: float = 1.0
    anchor: str = ""
    after: int = -1
    qid: str = ""
    near: list[str] = field(default_factory=list)


RELATIONS: dict[str, tuple[str, ...]] = {
    "director": ("Who directed {x}?", "Who is the director of {x}?", "{x}的导演是谁？", "Whose film is {x}?"),
    "date of birth": ("When was {x} born?", "What is the date of birth of {x}?", "{x}是哪一天出生的？"),
    "date of death": ("When did {x} die?", "What is the date of death of {x}?", "{x}何时去世？"),
    "country of citizenship": (
        "What nationality is {x}?",
        "Which country does {x} come from?",
        "{x}是哪国人？",
    ),
    "country": ("In which country is {x}?", "What country does {x} belong to?", "{x}在哪个国家？"),
    "country of origin": ("Which country is {x} from?", "Where was {x} made?", "{x}出自哪个国家？"),
    "publication date": ("When was {x} released?", "When did {x} come out?", "{x}是什么时候上映或发行的？"),
    "father": ("Who is the father of {x}?", "Whose child is {x}?", "{x}的父亲是谁？"),
    "mother": ("Who is the mother of {x}?", "Who gave birth to {x}?", "{x}的母亲是谁？"),
    "place of birth": ("Where was {x} born?", "What is the place of birth of {x}?", "{x}出生在哪里？"),
    "place of death": ("Where did {x} die?", "What is the place of death of {x}?", "{x}在哪里去世？"),
    "spouse": ("Who is the spouse of {x}?", "Who did {x} marry?", "{x}的配偶是谁？"),
    "performer": ("Who performed {x}?", "Who is the singer of {x}?", "{x}是谁演唱的？"),
    "composer": ("Who composed the music for {x}?", "Who wrote the music of {x}?", "{x}的作曲者是谁？"),
    "cause of death": ("What did {x} die of?", "What was the cause of death of {x}?"),
    "award received": ("Which award did {x} receive?", "What prize did {x} win?"),
    "producer": ("Who produced {x}?", "Who is the producer of {x}?"),
    "founded by": ("Who founded {x}?", "Who is the founder of {x}?", "{x}由谁创立？"),
    "educated at": ("Where did {x} study?", "Which school did {x} attend?"),
    "child": ("Who is a child of {x}?", "Who is a son or daughter of {x}?"),
    "sibling": ("Who is a sibling of {x}?", "Who is the brother or sister of {x}?"),
    "author": ("Who wrote {x}?", "Who is the author of {x}?"),
    "creator": ("Who created {x}?",),
    "location": ("Where is {x} located?", "Where did {x} take place?"),
    "located in the administrative territorial entity": ("Where is {x} located?", "What region is {x} in?"),
    "member of political party": ("Which political party did {x} belong to?",),
    "member of sports team": ("Which team did {x} play for?",),
    "record label": ("Which record label released {x}?",),
    "named after": ("What is {x} named after?",),
    "part of": ("What is {x} part of?",),
    "publisher": ("Who published {x}?",),
    "inception": ("When was {x} founded?",),
}


def find_spans(text: str, answers: list[str]) -> list[tuple[int, int]]:
    """Places of the answers; an ASCII answer must not be part of a longer word or number."""
    spans: set[tuple[int, int]] = set()
    for answer in answers:
        answer = answer.strip()
        if not answer:
            continue
        left = r"(?<![A-Za-z0-9])" if re.match(r"[A-Za-z0-9]", answer) else ""
        right = r"(?![A-Za-z0-9])" if re.search(r"[A-Za-z0-9]$", answer) else ""
        flags = re.IGNORECASE if answer.isascii() else 0
        spans |= {m.span() for m in re.finditer(left + re.escape(answer) + right, text, flags)}
    inner = {s for s in spans if any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in spans)}
    return sorted(spans - inner)


def date_forms(answer: str) -> list[str]:
    """The other ways in which an English date is written."""
    match = re.fullmatch(r"(?:(\d{1,2}) ([A-Z][a-z]+)|([A-Z][a-z]+) (\d{1,2})),? (\d{3,4})", answer.strip())
    if not match:
        return [answer]
    day, month, year = match.group(1) or match.group(4), match.group(2) or match.group(3), match.group(5)
    return [
        answer,
        f"{day} {month} {year}",
        f"{month} {day}, {year}",
        f"{month} {day} {year}",
        f"{day} {month}, {year}",
    ]


def relation_questions(subject: str, relation: str, rng: Random, count: int) -> list[str]:
    forms = RELATIONS.get(relation, (f"What is the {relation} of {{x}}?",))
    return [form.format(x=subject) for form in rng.sample(forms, min(count, len(forms)))]


def _single(q: Question, docs: dict[str, Doc]) -> Iterator[Item]:
    for doc_id in q.docs:
        spans = find_spans(docs[doc_id].text, q.answers)
        if spans:
            yield Item(q.text, q.lang, q.set, "single", doc_id, spans, q.answers, set(q.docs), qid=q.id)


def _wiki_triples(q: Question, docs: dict[str, Doc], rng: Random) -> Iterator[Item]:
    by_title = {normalise(docs[d].title): d for d in q.docs}
    for subject, relation, answer in q.extra["evidences"]:
        doc_id = by_title.get(normalise(subject))
        answers = date_forms(answer)
        spans = find_spans(docs[doc_id].text, answers) if doc_id else []
        for text in relation_questions(subject, relation, rng, 2) if doc_id and spans else []:
            lang = "en" if text.endswith("?") else "zh"
            yield Item(text, lang, q.set, "relation", str(doc_id), spans, answers, set(q.docs), qid=q.id)


def _final_hop(q: Question, docs: dict[str, Doc]) -> Iterator[Item]:
    """The document with the answer does not answer the whole question alone: a weak positive."""
    if normalise(q.answers[0]) in {"yes", "no"} or q.extra.get("subtype") in {
        "comparison",
        "bridge_comparison",
    }:
        return
    for doc_id in q.docs:
        spans = find_spans(docs[doc_id].text, q.answers)
        if spans:
            related = set(q.docs)
            yield Item(q.text, q.lang, q.set, "final_hop", doc_id, spans, q.answers, related, weight=0.4, qid=q.id)


def _decomposition(q: Question, docs: dict[str, Doc], rng: Random) -> Iterator[Item]:
    solved: list[str] = []
    for step in q.extra["decomposition"]:
        text = re.sub(r"#(\d)", lambda m: solved[int(m.group(1)) - 1], step["question"])
        solved.append(step["answer"])
        texts = [text if text.endswith("?") or rng.random() < 0.5 else text + "?"]
        if ">>" in text:
            subject, relation = (part.strip() for part in text.split(">>", 1))
            texts = relation_questions(subject, relation, rng, 2)
        wanted = set(overlap_terms(text))
        found = [(d, find_spans(docs[d].text, [step["answer"]])) for d in q.docs]
        found = [f for f in found if f[1]]
        if not found:
            continue
        best = max(found, key=lambda f: len(wanted & set(overlap_terms(docs[f[0]].title + " " + docs[f[0]].text))))
        for one in texts:
            yield Item(one, "en", q.set, "relation", best[0], best[1], [step["answer"]], set(q.docs), qid=q.id)


def _conflict(q: Question, docs: dict[str, Doc], rng: Random) -> Iterator[Item]:
    listed = [p for p in q.extra["doc_answers"] if p["doc_id"] in docs]
    related = {p["doc_id"] for p in q.extra["doc_answers"]}
    for pair in rng.sample(listed, min(4, len(listed))):
        spans = find_spans(docs[pair["doc_id"]].text, [pair["answer"]])
        if spans:
            yield Item(q.text, q.lang, q.set, "single", pair["doc_id"], spans, [pair["answer"]], related, qid=q.id)


def _long_form(q: Question, docs: dict[str, Doc]) -> Iterator[Item]:
    for doc_id in q.docs:
        text = docs[doc_id].text
        at = text.find(q.extra["section"])
        if at >= 0:
            after = at + len(q.extra["section"])
            yield Item(q.text, q.lang, q.set, "long_form", doc_id, [], [], set(q.docs), after=after, qid=q.id)


def _quoted(q: Question, docs: dict[str, Doc]) -> Iterator[Item]:
    """Handbook questions carry quotes; some of the quotes were shortened, so the nearest sentence is taken."""
    if len(q.docs) != 1 or not q.extra.get("quotes"):
        return
    quote = " ".join(next(iter(q.extra["quotes"][0].values())))
    spans = find_spans(docs[q.docs[0]].text, q.answers)
    yield Item(q.text, q.lang, q.set, "single", q.docs[0], spans, q.answers, set(q.docs), anchor=quote, qid=q.id)


def items(questions: list[Question], docs: dict[str, Doc], rng: Random) -> list[Item]:
    """All items, those that say the same thing once."""
    found: list[Item] = []
    for q in questions:
        if q.kind == "near_miss":
            near = q.near or q.docs
            found.append(Item(q.text, q.lang, q.set, "near_miss", near[0], [], [], set(near), near=near, qid=q.id))
        elif q.set == "2wiki":
            found += [*_wiki_triples(q, docs, rng), *_final_hop(q, docs)]
        elif q.set == "musique":
            found += [*_decomposition(q, docs, rng), *_final_hop(q, docs)]
        elif q.set == "hotpotqa":
            found += _final_hop(q, docs)
        elif q.set == "ramdocs":
            found += _conflict(q, docs, rng)
        elif q.set == "pubmedqa":
            anchor = q.extra["long_answer"]
            found.append(
                Item(
                    q.text,
                    "en",
                    q.set,
                    "yes_no",
                    q.docs[0],
                    [],
                    [],
                    set(q.docs),
                    0.5,
                    anchor=anchor,
                    qid=q.id,
                )
            )
        elif q.kind == "long_form":
            found += _long_form(q, docs)
        elif q.set == "deep_rag_gitlab":
            found += _quoted(q, docs)
        else:
            found += _single(q, docs)
    once = {(normalise(item.question), item.doc): item for item in reversed(found)}
    return list(reversed(once.values()))
