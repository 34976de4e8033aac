"""Rows -> examples of the reader: question, context, window, whether it answers, where; and what does not answer.

A window is cut as the product cuts it. What does not answer comes from near misses (by people, written, edited),
from the other windows of the passage, and from other passages that are close by words or by meaning. A context is
the headings of a window, or, for a question that needs two passages, the sentence that leads on and the headings.

python examples.py --pairs DIR --data DIR --barred DIR … --embedder DIR --lang en --out FILE
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from rows import NATURAL, ONLY_NEGATIVE, READING, WRITTEN, TestSet, held_out, normal, pairs, reading_sets

from ragheal.text.analyze import terms
from ragheal.text.windows import joined, windows

#: Share of a set's rows that is used: what is plentiful and easy would crowd out what is rare and hard.
KEEP = {"squadshifts_new_wiki": 0.2, "covid_qa_deepset": 0.3, "boolq": 0.35, "nomiracl_nonrelevant_en": 0.4,
        "nomiracl_nonrelevant_zh": 0.3, "tydiqa_goldp_en": 0.6, "selqa": 0.6, "drcd_zh": 0.35, "cmrc2018_zh": 0.5,
        "xquad_zh": 1.0}  # fmt: skip
SAME, MINED, LINKED = 0.35, 0.4, 0.06
#: The whole inverse odds of a question overshoot in English: what is left is then a clue of the other sign.
TEMPER = {"en": 0.6, "zh": 1.2}
Row = dict[str, Any]


def _example(row: Row, context: str, text: str, answers: bool, kind: str, near: int, span: tuple[int, int] = (-1, -1),
             weight: float = 1.0) -> Row:  # fmt: skip
    return {"q": row["question"], "c": context, "t": text, "y": int(answers), "nm": near, "s": span[0], "e": span[1],
            "set": row["set"] + ("_validation" if row.get("validation") else ""), "kind": kind, "asked": row["kind"], "lang": row["lang"], "w": weight,
            "qid": row["qid"], "out": bool(row.get("validation")) or held_out(row)}  # fmt: skip


def _overlap(question: str, text: str) -> float:
    wanted = set(terms(question))
    return len(wanted & set(terms(text))) / max(1, len(wanted))


def of_row(row: Row, original: Row | None, rng: Random) -> list[Row]:
    """The examples of one question with its passage."""
    text = row["passage"]
    cut = [(spans[0][0], spans[-1][1]) for spans in windows(text)]
    if not cut:
        return []
    answer = row["answer"] if row["answerable"] else (original or {}).get("answer", "")
    at = text.find(answer) if answer else -1
    inside = [w for w in cut if at >= 0 and w[0] <= at and at + len(answer) <= w[1]]
    made = []
    if row["answerable"]:
        if answer and not inside:
            return []
        if not answer and len(cut) > 1:
            return []  # nobody says which window it is
        first, last = max(inside, key=lambda w: min(at - w[0], w[1] - at - len(answer))) if answer else cut[0]
        span = (at - first, at - first + len(answer)) if answer else (-1, -1)
        made.append(_example(row, row["title"], text[first:last], True, "answer", 0, span))
        others = [w for w in cut if w not in inside and answer not in text[w[0] : w[1]]]
        if answer and others and rng.random() < SAME:
            first, last = max(others, key=lambda w: _overlap(row["question"], text[w[0] : w[1]]))
            made.append(_example(row, row["title"], text[first:last], False, "same passage", -1))
        return made
    first, last = inside[0] if inside else max(cut, key=lambda w: _overlap(row["question"], text[w[0] : w[1]]))
    return [_example(row, row["title"], text[first:last], False, "near miss", 1)]


def of_two(row: Row, other: Row, rng: Random) -> list[Row]:
    """The examples of a question that needs two passages; `other` is another such question."""
    a, b, answer = row["a"], row["b"], row["answer"]
    cut = [b["text"][s[0][0] : s[-1][1]] for s in windows(b["text"])]
    if not cut:
        return []
    row = {**row, "passage": a["text"] + b["text"]}
    sentences = [a["text"][x:y] for s in windows(a["text"]) for x, y in s]
    link = row["link"] or max(sentences, key=lambda s: _overlap(row["question"], s), default="")
    if not row["answerable"]:
        best = max(cut, key=lambda t: _overlap(row["question"], t))
        return [_example(row, joined(a["title"], link, b["title"]), best, False, "two near miss", 1)]
    held = [t for t in cut if answer in t]
    if not answer or not held or not link:
        return []
    text, at = held[0], held[0].find(answer)
    made = [_example(row, joined(a["title"], link, b["title"]), text, True, "two", 0, (at, at + len(answer)))]
    wrong = [s for s in sentences if s not in link and link not in s] or [
        other["link"] or other["a"]["text"][:150]
    ]
    made.append(
        _example(row, joined(a["title"], rng.choice(wrong), b["title"]), text, False, "wrong link", 1, weight=0.7)
    )
    if row["kind"] == "two":
        made.append(_example(row, b["title"], text, False, "no link", 1, weight=0.7))
        made.append(_example(row, a["title"], link, False, "link alone", 1, weight=0.5))
    strange = other["b"]["text"]
    for spans in windows(strange)[:1]:
        made.append(_example(row, joined(a["title"], link, other["b"]["title"]), strange[spans[0][0] : spans[-1][1]],
                             False, "wrong end", 0, weight=0.7))  # fmt: skip
    return made


class Miner:
    """Windows of other passages that are close to a question, by words and by meaning, within one source."""

    def __init__(self, rows: list[Row], embedder: Path | None) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.windows: dict[str, list[tuple[str, str, str]]] = {}  # source -> title, passage, text
        known = set()
        for row in rows:
            if row["passage"] in known:
                continue
            known.add(row["passage"])
            own = self.windows.setdefault(_source(row), [])
            own += [
                (row["title"], row["passage"], row["passage"][s[0][0] : s[-1][1]]) for s in windows(row["passage"])
            ]
        self.words, self.vectors = {}, {}
        for source, found in self.windows.items():
            vectorizer = TfidfVectorizer(analyzer=terms, sublinear_tf=True)
            self.words[source] = (vectorizer, vectorizer.fit_transform([f"{t}\n{w}" for t, _, w in found]))
        self.model: Any = None
        if embedder is not None:
            from ragheal.models.embed import OnnxEmbedder

            self.model = OnnxEmbedder(embedder, threads=1)

    def __call__(self, rows: list[Row], rng: Random) -> list[Row]:
        """One example of each row, chosen among the closest dozen of the source."""
        made = []
        for source in sorted({_source(row) for row in rows}):
            own = [row for row in rows if _source(row) == source]
            found = self.windows[source]
            vectorizer, matrix = self.words[source]
            scores = (vectorizer.transform([r["question"] for r in own]) @ matrix.T).tocsr()
            meaning = None
            if self.model is not None and len(found) < 9000 and source.split(":")[0] in MEANT:
                vectors = self.model.embed_passages([f"{t}\n{w}" for t, _, w in found])
                meaning = np.stack([self.model.embed_query(r["question"]) for r in own]) @ vectors.T
            for i, row in enumerate(own):
                dense = meaning[i] if meaning is not None and rng.random() < 0.6 else scores[i].toarray().ravel()
                best = np.argsort(-dense)[:16]
                free = [
                    found[j]
                    for j in best
                    if found[j][1] != row["passage"] and not _says(found[j][2], row["answer"])
                ]
                if free:
                    title, _, text = rng.choice(free[:10])
                    made.append(_example(row, title, text, False, "mined", -1))
        return made


MEANT = {"python_peps", "moj_modernisation", "rust_book", "18f_handbook", "18f_ux_guide", "tidb_faq", "python_devguide",
         "fastapi_docs", "opensource_guide", "govuk_pay_docs", "packaging_guide", "gitlab_handbook"}  # fmt: skip


def _source(row: Row) -> str:
    return str(row.get("source") or row["set"]) + ":" + row["lang"]


def _says(text: str, answer: str) -> bool:
    return bool(answer) and normal(answer) in normal(text)


def balance(examples: list[Row], seed: int = 5) -> float:
    """Weigh examples so that the words of a question do not tell whether it is answered; returns the AUC that is left."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict

    main = [e for e in examples if e["kind"] in {"answer", "near miss"}]
    y = np.array([e["y"] for e in main])
    vectorizer = TfidfVectorizer(analyzer=lambda q: _grams(q), min_df=3, sublinear_tf=True)
    x = vectorizer.fit_transform([e["q"] for e in main])
    groups = [normal(e["t"])[:60] for e in main]
    model = LogisticRegression(C=2.0, max_iter=300)
    p = cross_val_predict(model, x, y, cv=GroupKFold(4), groups=groups, method="predict_proba")[:, 1]
    w = np.clip(np.where(y == 1, y.mean() / p, (1 - y.mean()) / (1 - p)), 0.25, 4.0) ** TEMPER[main[0]["lang"]]
    for example, weight in zip(main, w, strict=True):
        example["w"] = round(example["w"] * float(weight), 4)
    again = cross_val_predict(
        model, x, y, cv=GroupKFold(4), groups=groups, method="predict_proba", params={"sample_weight": w}
    )[:, 1]
    print("question alone, AUC: as they are", round(roc_auc_score(y, p), 3))
    return float(roc_auc_score(y, again, sample_weight=w))


def _grams(question: str) -> list[str]:
    own = question.lower().split() if question.isascii() else list(question)
    return own + [" ".join(pair) for pair in pairwise(own)] + own[:1] * 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--barred", type=Path, nargs="*", default=[], help="folders of test sets")
    parser.add_argument("--embedder", type=Path, help="finds negatives by meaning")
    parser.add_argument("--lang", choices=("en", "zh"), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    rng = Random(args.seed)
    rows = pairs(args.pairs, *WRITTEN, *NATURAL, *READING, *ONLY_NEGATIVE, "boolq")
    rows += reading_sets(args.data, TestSet(args.barred))
    judged = pairs(args.pairs, "written_validation", "written_contrast_validation")
    rows += [{**row, "validation": True} for row in judged]  # their documents are a test set's: never trained on
    rows = [r for r in rows if r["lang"] == args.lang and rng.random() < KEEP.get(r["set"], 1.0)]
    known = {row["qid"]: row for row in rows}
    examples = [e for row in rows for e in of_row(row, known.get(row.get("of", "")), rng)]
    asked = [
        r for r in rows if r["answerable"] and r["answer"] and not r.get("validation") and rng.random() < MINED
    ]
    examples += Miner([r for r in rows if not r.get("validation")], args.embedder)(asked, rng)
    two = [r for r in pairs(args.pairs, "written_two") if r["lang"] == args.lang]
    for i, row in enumerate(two):
        examples += of_two(row, two[(i * 7 + 5) % len(two)], rng)
    lead = [e["t"][:160] for e in examples if e["kind"] == "mined"]
    for e in [e for e in examples if e["kind"] in {"answer", "mined", "near miss"} and rng.random() < LINKED]:
        examples.append(
            {**e, "c": joined("", rng.choice(lead), e["c"]), "kind": "idle link", "w": 0.5}
        ) if lead else None
    print("question alone, AUC: weighed", round(balance(examples), 3))
    rng.shuffle(examples)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text("".join(json.dumps(e, ensure_ascii=False) + "\n" for e in examples), "utf-8")
    print(len(examples), "examples,", sum(e["out"] for e in examples), "held out")
    for key in ("kind", "set"):
        print(dict(Counter((e[key], e["y"]) for e in examples if not e["out"]).most_common()))


if __name__ == "__main__":
    main()
