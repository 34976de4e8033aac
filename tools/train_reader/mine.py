"""Items -> training pairs (question, heading, window): where the answer stands, and negatives that tempt.

Negatives are found by meaning as well as by shared words, so that few shared words never come to mean "no answer".
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from random import Random
from typing import Any

import numpy as np
from data import Doc, overlap_terms
from embed import Embedder
from recipes import Item, find_spans
from swap import swaps
from windows import MAX_TOKENS, Sentence, grow, heading_of, split_sentences

LOW_OVERLAP = 0.34


def overlap(question: str, passage: str) -> float:
    """Share of the question's terms that stand in the passage, 0..1."""
    wanted = set(overlap_terms(question))
    return len(wanted & set(overlap_terms(passage))) / max(len(wanted), 1)


class Pool:
    """All sentences of the documents, searchable by vector and by words."""

    def __init__(self, docs: dict[str, Doc], tokenizer: Any, embedder: Embedder, full: set[str]) -> None:
        self.docs = docs
        self.sentences: dict[str, list[Sentence]] = {}
        self.where: list[tuple[str, int]] = []
        texts: list[str] = []
        self.rows: dict[str, list[int]] = defaultdict(list)
        for doc in docs.values():
            if doc.id not in full and doc.set in {"tidb_faq", "deep_rag_gitlab"}:
                continue
            found = split_sentences(doc.text, tokenizer)
            self.sentences[doc.id] = found
            for i, sentence in enumerate(found if doc.id in full else found[:3]):
                self.rows[doc.id].append(len(self.where))
                self.where.append((doc.id, i))
                texts.append(doc.text[sentence.start : sentence.end])
        self.texts = texts
        self.vectors = embedder(texts, "passage: ")
        groups = defaultdict(list)
        for row, (doc_id, _) in enumerate(self.where):
            groups[docs[doc_id].lang].append(row)
        self.by_lang = {lang: np.array(rows) for lang, rows in groups.items()}
        self._words: dict[str, Any] = {}
        for lang, rows in self.by_lang.items():
            self._words[lang] = _bm25([texts[r] for r in rows])

    def nearest(self, vector: Any, lang: str, count: int) -> list[int]:
        rows = self.by_lang[lang]
        scores = self.vectors[rows] @ vector
        top = np.argpartition(-scores, min(count, len(rows) - 1))[:count]
        return [int(rows[i]) for i in top[np.argsort(-scores[top])]]

    def lexical(self, question: str, lang: str, count: int) -> list[int]:
        rows = self.by_lang[lang]
        vectorizer, matrix = self._words[lang]
        scores = np.asarray((matrix @ vectorizer.transform([question]).T).todense()).ravel()
        top = np.argpartition(-scores, min(count, len(rows) - 1))[:count]
        return [int(rows[i]) for i in top[np.argsort(-scores[top])]]


def _bm25(texts: list[str], k1: float = 1.2, b: float = 0.75) -> tuple[Any, Any]:
    from scipy.sparse import diags
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=overlap_terms, dtype=np.float32)
    counts = vectorizer.fit_transform(texts).tocsr()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    seen = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(1 + (len(texts) - seen + 0.5) / (seen + 0.5)).astype(np.float32)
    row_of = np.repeat(np.arange(len(texts)), np.diff(counts.indptr))
    norm = k1 * (1 - b + b * lengths[row_of] / max(lengths.mean(), 1))
    counts.data = counts.data * (k1 + 1) / (counts.data + norm)
    return vectorizer, (counts @ diags(idf)).tocsr()


class Miner:
    """Makes the pairs of one item; every choice comes from `rng`.

    `many_swaps`: near misses are made by other names and opposites as well, up to two of a question.
    """

    def __init__(self, pool: Pool, rng: Random, *, many_swaps: bool = False) -> None:
        self.pool, self.rng, self.many_swaps = pool, rng, many_swaps
        self.titles = sorted({d.title for d in pool.docs.values() if 1 < len(d.title) < 30})

    def budget(self) -> int:
        return self.rng.choice((1, 45, 70, 90, MAX_TOKENS, MAX_TOKENS))

    def window(self, doc_id: str, first: int, last: int, barred: frozenset[int] = frozenset()) -> tuple[int, int]:
        return grow(self.pool.sentences[doc_id], first, last, self.budget(), self.rng, barred)

    def pair(self, item: Item, doc_id: str, extent: tuple[int, int], kind: str, answers: bool, near: int,
             span: tuple[int, int] | None = None) -> dict[str, Any]:  # fmt: skip
        """One pair; `near` is 1, 0, or -1 for "not known"; `s`, `e` count characters of `t`, -1 for no span."""
        doc, sentences = self.pool.docs[doc_id], self.pool.sentences[doc_id]
        start, end = sentences[extent[0]].start, sentences[extent[1]].end
        text = doc.text[start:end]
        at = (span[0] - start, span[1] - start) if span else (-1, -1)
        title = doc.title if self.rng.random() > 0.1 else ""
        return {
            "q": item.question, "h": heading_of(title, sentences[extent[0]]), "t": text, "y": int(answers),
            "nm": near, "s": at[0], "e": at[1], "kind": kind, "item": item.kind, "set": item.set,
            "lang": item.lang, "w": item.weight, "qid": item.qid, "doc": doc_id,
            "low": int(overlap(item.question, text) < LOW_OVERLAP),
        }  # fmt: skip

    def gold(self, item: Item, vector: Any, anchor: Any) -> tuple[int, int, tuple[int, int] | None] | None:
        """First and last sentence of the evidence, and the span; None when it cannot be told where it is."""
        sentences = self.pool.sentences[item.doc]
        rows = self.pool.rows[item.doc]
        if item.after >= 0:
            later = [i for i, s in enumerate(sentences) if s.start >= item.after]
            return (later[0], later[0], None) if later else None
        sims = self.pool.vectors[rows] @ (vector if anchor is None else anchor)
        if not item.spans:
            return (int(np.argmax(sims)),) * 2 + (None,) if rows else None
        best: tuple[float, int, int, tuple[int, int]] | None = None
        for span in item.spans:
            held = [i for i, s in enumerate(sentences) if s.start < span[1] and span[0] < s.end]
            if (
                not held
                or span[0] < sentences[held[0]].start
                or span[1] > sentences[held[-1]].end
                or len(held) > 3
            ):
                continue
            around = self.pool.docs[item.doc].text[sentences[held[0]].start : sentences[held[-1]].end]
            without = around.replace(self.pool.docs[item.doc].text[span[0] : span[1]], " ")
            score = overlap(item.question, without) + 3 * float(max(sims[i] for i in held if i < len(sims)))
            if (
                anchor is None
                and span[1] - span[0] <= 4
                and len(item.spans) > 1
                and overlap(item.question, without) == 0
            ):
                continue
            if best is None or score > best[0]:
                best = (score, held[0], held[-1], span)
        return best[1:] if best else None

    def clean(self, item: Item, doc_id: str, extent: tuple[int, int]) -> bool:
        """Whether the window holds none of the answers."""
        sentences = self.pool.sentences[doc_id]
        text = self.pool.docs[doc_id].text[sentences[extent[0]].start : sentences[extent[1]].end]
        return not find_spans(text, [a for a in item.answers if len(a) > 1 or a.isdigit()])

    def swapped(self, pair: dict[str, Any], item: Item) -> dict[str, Any] | None:
        """The same window, asked about another title, year or number: nothing in it answers that."""
        question, title = item.question, re.sub(r"[ _]?\([^)]*\)$", "", self.pool.docs[item.doc].title)
        numbers = [n for n in re.findall(r"(?<!\d)\d{2,4}(?!\d)", question) if n in pair["t"] or n in pair["h"]]
        if numbers:
            old = self.rng.choice(numbers)
            new = str(max(int(old) + self.rng.choice((-30, -11, -4, -2, -1, 1, 2, 3, 7, 10, 20)), 2))
        elif len(title) > 1 and title.lower() in question.lower():
            old, new = title, self.rng.choice(self.titles)
            if (re.search(r"[一-鿿]", old) is None) != (re.search(r"[一-鿿]", new) is None):
                return None
        else:
            return None
        changed = re.sub(re.escape(old), lambda _: new, question, flags=re.IGNORECASE)
        if changed == question or new in pair["t"]:
            return None
        return {**pair, "q": changed, "y": 0, "nm": 1, "s": -1, "e": -1, "kind": "swap"}

    def swaps(self, pair: dict[str, Any], item: Item) -> list[dict[str, Any]]:
        """The same by names of the document and opposites too."""
        doc = self.pool.docs[item.doc]
        changed = swaps(item.question, pair["h"], pair["t"], doc.text[:6000], doc.title, self.titles, self.rng)
        count = self.rng.choices((0, 1, 2), (0.2, 0.5, 0.3))[0]
        return [
            {**pair, "q": question, "y": 0, "nm": 1, "s": -1, "e": -1, "kind": "swap"}
            for question in islice(changed, count)
        ]

    def negatives(self, item: Item, vector: Any, gold: frozenset[int], several: float) -> list[dict[str, Any]]:
        """Same document, nearest by meaning, nearest by words, any other: about `several` pairs."""
        pool, rng = self.pool, self.rng
        made: list[dict[str, Any]] = []
        rest = [r for r in pool.rows[item.doc] if pool.where[r][1] not in gold]
        if rest and item.kind not in {"near_miss", "final_hop"}:
            order = sorted(rest, key=lambda r: -float(pool.vectors[r] @ vector))[:3]
            pick = pool.where[rng.choice(order)][1]
            extent = self.window(item.doc, pick, pick, gold)
            if self.clean(item, item.doc, extent):
                made.append(self.pair(item, item.doc, extent, "same_doc", False, -1))
        lang = pool.docs[item.doc].lang
        sources = [("other_meaning", 1.0), ("other_words", 0.5), ("other_any", 0.15)]
        for kind, chance in sources:
            if rng.random() > chance * several:
                continue
            if kind == "other_meaning":
                rows = pool.nearest(vector, lang, 30)
            elif kind == "other_words":
                rows = pool.lexical(item.question, lang, 30)
            else:
                rows = [int(r) for r in rng.sample(list(pool.by_lang[lang]), 5)]
            rows = [
                r
                for r in rows
                if pool.where[r][0] not in item.related and self.known_other(item, pool.where[r][0])
            ]
            for row in rng.sample(rows[:8], min(3, len(rows[:8]))):
                doc_id, i = pool.where[row]
                extent = self.window(doc_id, i, i)
                if self.clean(item, doc_id, extent):
                    made.append(self.pair(item, doc_id, extent, kind, False, 0 if kind == "other_any" else -1))
                    break
        return made

    def known_other(self, item: Item, doc_id: str) -> bool:
        """A document of the same title may answer too, when the answer cannot be looked for as a string."""
        return bool(item.answers) or self.pool.docs[doc_id].group != self.pool.docs[item.doc].group

    def pairs(self, item: Item, vector: Any, anchor: Any = None, several: float = 1.0) -> list[dict[str, Any]]:
        if item.kind == "near_miss":
            order = sorted(self.pool.rows[item.doc], key=lambda r: -float(self.pool.vectors[r] @ vector))[:2]
            picks = [self.pool.where[r][1] for r in order]
            made = []
            for pick in dict.fromkeys(self.window(item.doc, i, i) for i in picks):
                made.append(self.pair(item, item.doc, pick, "near_miss", False, 1))
            return made
        found = self.gold(item, vector, anchor)
        if found is None:
            return []
        first, last, span = found
        extents = dict.fromkeys(self.window(item.doc, first, last) for _ in range(2))
        made = [self.pair(item, item.doc, extent, "answer", True, 0, span) for extent in extents]
        if self.many_swaps:
            made += self.swaps(made[0], item)
        elif self.rng.random() < 0.6:
            other = self.swapped(made[0], item)
            made += [other] if other else []
        return made + self.negatives(item, vector, frozenset(range(first, last + 1)), several)
