"""Fit the judge's two logistic models and its thresholds on collected rows.

    python -m tools.fit_judge.fit WORK [--reader on|off] [--write ragheal/answering/embedded/judge.json]

The window model says how likely a window answers; the pool model, fitted on the window model's held-out
predictions, says how likely the pool does, calibrated. Thresholds are chosen on the same held-out
predictions. Needs scikit-learn (a dependency of this tool alone).
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GroupKFold

from ragheal.answering.embedded.features import NAMES
from ragheal.answering.embedded.judge import POOL_NAMES, pool_vector

READER_ONLY = ("reader", "reader_near_miss", "reader_cover", "reader_span", "reader_cosine")
FOLDS = 5
SHOWN = 3  # sentences an answer may hold
FALSE_REFUSALS = 0.03
#: The share of questions taken to have no answer in the corpus. How many there are in a set says nothing of use.
UNANSWERABLE = 0.25


def load(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, c: float = 0.5) -> LogisticRegression:
    # The bias is a column of its own, so that the model is one dot product.
    return LogisticRegression(C=c, fit_intercept=False, max_iter=2000).fit(x, y, sample_weight=weight)


def mismatch(questions: list[dict[str, Any]]) -> np.ndarray:
    """A weight for each question: up to three times that of a question whose words its answer repeats.

    Question sets are written with the passage in view and share its words; people who ask their documents
    often do not.
    """
    cover = NAMES.index("cover_sentence")
    found = []
    for question in questions:
        right = [row["x"][cover] for row in question["rows"] if row["sentence"]]
        found.append(1.0 + 2.0 * (1.0 - max(right)) ** 2 if right else 1.0)
    return np.array(found)


def same_prior(questions: list[dict[str, Any]]) -> np.ndarray:
    """A weight for each question that gives every set the same share of unanswerable ones.

    Else a language whose sets hold few of them is believed more readily, and neither its probabilities nor
    its thresholds mean what the other's do.
    """
    count = collections.Counter((q["set"], q["answerable"]) for q in questions)
    found = []
    for question in questions:
        name, answerable = question["set"], question["answerable"]
        other = count[name, not answerable]
        share = count[name, answerable] / (count[name, answerable] + other)
        found.append((1.0 - UNANSWERABLE if answerable else UNANSWERABLE) / share if other else 1.0)
    return np.array(found)


def same_sets(questions: list[dict[str, Any]]) -> np.ndarray:
    """A weight for each question under which a set counts by the square root of its size: no set is the world."""
    count = collections.Counter(q["set"] for q in questions)
    mean = len(questions) / len(count)
    return np.array([(mean / count[q["set"]]) ** 0.5 for q in questions])


def held_out(x: np.ndarray, y: np.ndarray, groups: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Predictions for every row by a model that did not see its question."""
    p = np.zeros(len(y))
    # Shuffled: the questions lie set by set, and a fold that is a set would measure another thing.
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=7).split(x, y, groups):
        own = None if weight is None else weight[train]
        p[test] = logistic(x[train], y[train], own).predict_proba(x[test])[:, 1]
    return p


def panel(question: dict[str, Any], p: np.ndarray) -> Any:
    """What `pool_vector` reads of a panel, from collected rows and held-out probabilities."""
    cover, names, rare = (NAMES.index(name) for name in ("cover_window", "names", "rare"))
    candidates = [
        SimpleNamespace(
            p=float(q), cosine=row["cosine"], cover=row["x"][cover], names=row["x"][names], right=row["sentence"],
            rare=row["x"][rare], answers=row["answers"],
            value=row["value"] or None, value_text=row["value"], sentence=row["text"],
            window=SimpleNamespace(chunk=SimpleNamespace(id=row["chunk"])),
        )
        for row, q in zip(question["rows"], p, strict=True)
    ]  # fmt: skip
    candidates.sort(key=lambda candidate: -candidate.p)
    asked = SimpleNamespace(kind=question["kind"], lang=question["lang"])
    return SimpleNamespace(question=asked, candidates=candidates, best=candidates[0] if candidates else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--reader", choices=["on", "off"], default="off")
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    questions = [q for q in load(arguments.work / f"rows-{arguments.reader}.jsonl") if q["rows"]]
    used = [i for i, name in enumerate(NAMES) if arguments.reader == "on" or name not in READER_ONLY]
    x = np.array([[row["x"][i] for i in used] for q in questions for row in q["rows"]])
    y = np.array([row["window"] for q in questions for row in q["rows"]], dtype=int)
    groups = np.array([i for i, q in enumerate(questions) for _ in q["rows"]])
    alike, unlike_words = same_sets(questions), mismatch(questions)
    weight = (unlike_words * alike)[groups]
    p = held_out(x, y, groups, weight)
    print(f"{len(questions)} questions, {len(y)} windows; window AUC {roc_auc_score(y, p):.3f}")
    report(questions, y, p, groups)

    panels = [panel(q, p[groups == i]) for i, q in enumerate(questions)]
    pool_x = np.array([pool_vector(item) for item in panels])
    pool_y = np.array([q["answerable"] and any(c.right for c in item.candidates[:SHOWN])
                       for q, item in zip(questions, panels, strict=True)], dtype=int)  # fmt: skip
    mix = alike * same_prior(questions)
    pool_weight = unlike_words * mix
    pool_p = held_out(pool_x, pool_y, np.arange(len(pool_y)), pool_weight)
    answerable = np.array([q["answerable"] for q in questions])
    print(f"pool: AUC would-be-right {roc_auc_score(pool_y, pool_p):.3f}, answerable "
          f"{roc_auc_score(answerable, pool_p):.3f}, Brier {brier_score_loss(pool_y, pool_p):.3f}")  # fmt: skip
    for name in sorted({q["set"] for q in questions}):
        mask = np.array([q["set"] == name for q in questions])
        if 0 < answerable[mask].sum() < mask.sum():
            print(f"  {name:18} right@{SHOWN} {pool_y[mask & answerable].mean():.2f}  AUC answerable "
                  f"{roc_auc_score(answerable[mask], pool_p[mask]):.3f}")  # fmt: skip
    reliability(pool_y, pool_p, pool_weight)
    languages = np.array([q["lang"] for q in questions])
    strict = strict_bar(pool_y, pool_p, mix)
    thresholds = {}
    for lang in sorted(set(languages)):
        mask = languages == lang
        curve(pool_y[mask], pool_p[mask], answerable[mask])
        thresholds[lang] = {**choose(pool_y[mask], pool_p[mask], mix[mask]), "strict": strict}
        print("thresholds", lang, thresholds[lang])
    if arguments.write:
        window_model = logistic(x, y, weight).coef_[0]
        pool_model = logistic(pool_x, pool_y, pool_weight).coef_[0]
        whole = json.loads(arguments.write.read_text(encoding="utf-8"))
        key = arguments.reader
        whole["window"][key] = {NAMES[i]: round(float(w), 4) for i, w in zip(used, window_model, strict=True)}
        whole["pool"][key] = {name: round(float(w), 4) for name, w in zip(POOL_NAMES, pool_model, strict=True)}
        whole["thresholds"][key] = thresholds
        arguments.write.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def report(questions: list[dict[str, Any]], y: np.ndarray, p: np.ndarray, groups: np.ndarray) -> None:
    """How often the best-scored sentences hold the answer, per set."""
    found: dict[str, list[tuple[bool, bool, bool]]] = {}
    for i, question in enumerate(questions):
        if not question["answerable"]:
            continue
        own = np.flatnonzero(groups == i)
        order = own[np.argsort(-p[own])] - own[0]
        right = [question["rows"][j]["sentence"] for j in order]
        found.setdefault(question["set"], []).append((right[0], any(right[:2]), any(right[:SHOWN])))
    for name, marks in sorted(found.items()):
        first, second, third = (sum(m[k] for m in marks) / len(marks) for k in range(3))
        print(f"  {name:18} n {len(marks):4}  sentence@1 {first:.2f}  @2 {second:.2f}  @3 {third:.2f}")


def reliability(y: np.ndarray, p: np.ndarray, weight: np.ndarray) -> None:
    """What was said and what was, each question counted with its weight."""
    edges = np.linspace(0, 1, 11)
    error = 0.0
    for low, high in itertools.pairwise(edges):
        mask = (p >= low) & (p < high + (high == 1))
        if mask.any():
            said, was = (float(np.average(values[mask], weights=weight[mask])) for values in (p, y))
            error += weight[mask].sum() / weight.sum() * abs(said - was)
            print(f"  said {said:.2f}  was {was:.2f}  n {mask.sum()}")
    print(f"  expected calibration error {error:.3f}")


def curve(right: np.ndarray, p: np.ndarray, answerable: np.ndarray, share: float = 0.2) -> None:
    """What each abstention threshold costs and brings, for a set of which `share` cannot be answered."""
    for t in np.arange(0.1, 0.62, 0.04):
        recall = (p[~answerable] < t).mean()
        false = (p[answerable] < t).mean()
        f1 = 2 * share * recall / (share * recall + (1 - share) * false + share)
        lost = (p[right == 1] < t).mean()
        print(f"  abstain below {t:.2f}: unanswerable refused {recall:.2f}, answerable refused {false:.2f}, "
              f"right answers lost {lost:.2f}, F1 {f1:.2f}")  # fmt: skip


def choose(right: np.ndarray, p: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """`abstain`: few right answers are lost below it. `sufficient`: more likely right than not, as calibrated.

    Each question counts with its weight.
    """
    good = right == 1
    abstain = quantile(p[good], weight[good], FALSE_REFUSALS)
    sufficient = max(0.5, abstain)
    return {
        "sufficient": round(sufficient, 3),
        "abstain": round(abstain, 3),
        "strict_abstain": round(sufficient, 3),
    }


def strict_bar(right: np.ndarray, p: np.ndarray, weight: np.ndarray) -> float:
    """The lowest threshold above which 85 % are right, at least three quarters: these sets are easier than life.

    One for all languages: caution has no language.
    """
    for t in np.linspace(0.75, 0.95, 21):
        if (p >= t).any() and np.average(right[p >= t], weights=weight[p >= t]) >= 0.85:
            return round(float(t), 3)
    return 0.95


def quantile(values: np.ndarray, weight: np.ndarray, share: float) -> float:
    """The value below which this share of the weight lies."""
    order = np.argsort(values)
    return float(np.interp(share, np.cumsum(weight[order]) / weight.sum(), values[order]))


if __name__ == "__main__":
    main()
