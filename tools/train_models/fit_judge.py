"""Rows of `judge_rows.py` -> the judge's weights and thresholds, for each language.

The confidence is a logistic model of what the reader says, fitted on rows in which the best candidate is right or
not. The threshold of "answered" is the lowest at which nine of ten such answers are right, as models see them that
were fitted on other questions; between it and the lower one an answer is shown as not certain.

python fit_judge.py --rows FILE … --out judge.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from rows import fraction, read

from ragheal.answering.embedded.judge import FEATURES

#: How a hundred questions are taken to fall: answered by a passage, by one that is not there, tempting.
MIX = {"here": 66, "gone": 12, "near miss": 22}
#: The share that is right of what is promised. A row is right when its best sentence alone holds the answer.
PROMISE, PROMISE_STRICT = 0.9, 0.93
#: Cross-validation: parts, and how often they are drawn anew.
PARTS, TURNS = 4, 6
#: Share of the colleagues' questions with their passage at hand that fall below the lower threshold, and are refused:
#: they say it in the least of the documents' words.
LOST, LOST_STRICT = 0.1, 0.22


def weights_of(rows: list[dict[str, Any]]) -> Any:
    """Each way of asking counts the same within its kind: most rows are plain reading, and most users do not ask so."""
    kinds, asked = (np.array([row[key] for row in rows]) for key in ("kind", "asked"))
    w = np.zeros(len(rows))
    for kind, share in MIX.items():
        ways = set(asked[kinds == kind])
        for way in ways:
            own = (kinds == kind) & (asked == way)
            w[own] = share / len(ways) / own.sum()
    return w / w.mean()


def fit(x: Any, y: Any, w: Any, ridge: float = 0.5) -> Any:
    """Logistic regression by Newton's method, with a small ridge on all but the bias."""
    theta = np.zeros(x.shape[1])
    penalty = np.full(x.shape[1], ridge)
    penalty[0] = 0.0
    for _ in range(60):
        p = 1 / (1 + np.exp(-(x @ theta)))
        slope = x.T @ (w * (p - y)) + penalty * theta
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + np.diag(penalty + 1e-6)
        step = np.linalg.solve(curve, slope)
        theta -= step
        if np.abs(step).max() < 1e-8:
            break
    return theta


def unseen(x: Any, y: Any, w: Any, qids: list[str]) -> Any:
    """The confidence of each row by models that did not see its question: what a threshold is chosen on."""
    total = np.zeros(len(y))
    for turn in range(TURNS):
        part = np.array([int(fraction(f"judge {turn}:{qid}") * PARTS) for qid in qids])
        for number in range(PARTS):
            other = part != number
            theta = fit(x[other], y[other], w[other])
            total[~other] += 1 / (1 + np.exp(-(x[~other] @ theta)))
    return total / TURNS


def threshold(p: Any, y: Any, w: Any, promise: float) -> float:
    """The lowest confidence from which on `promise` of the weight is right, judged from the top down."""
    order = np.argsort(-p)
    right, all_ = np.cumsum((w * y)[order]), np.cumsum(w[order])
    held = np.nonzero((right / all_ >= promise) & (all_ > 0.01 * w.sum()))[0]
    return float(p[order][held[-1]]) if len(held) else 0.99


def lower(there: Any, kinds: Any, asked: Any, lost: float, least: int = 20) -> float:
    """The presence below which `lost` of the colleagues' answerable questions lie; of all where they are few.

    Presence is the reader's probability for the chosen sentence. The confidence tells right from wrong better, and
    worse whether there is anything to be right about.
    """
    here = kinds == "here"
    own = here & (asked == "para")
    return float(np.quantile(there[own if own.sum() >= least else here], lost))


def summary(p: Any, there: Any, y: Any, w: Any, kinds: Any, bar: float, floor: float) -> dict[str, float]:
    """`p` is the confidence, `there` the presence of each row."""
    sure, shown = p >= bar, there >= floor
    empty = kinds != "here"
    return {
        "right of sure": round(float((w * y)[sure].sum() / max(w[sure].sum(), 1e-9)), 3),
        "of right, sure": round(float((w * y)[sure].sum() / (w * y).sum()), 3),
        "nothing there, sure": round(float(w[sure & empty].sum() / w[empty].sum()), 3),
        "nothing there, refused": round(float(w[~shown & empty].sum() / w[empty].sum()), 3),
        "there, refused": round(float(w[~shown & ~empty].sum() / w[~empty].sum()), 3),
        "right at all": round(float((w * y)[~empty].sum() / w[~empty].sum()), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    every = [row for path in args.rows for row in read(path)]
    steps, every = [r for r in every if r["kind"] == "chain"], [r for r in every if r["kind"] != "chain"]
    made: dict[str, Any] = json.loads(args.out.read_text("utf-8")) if args.out.exists() else {}
    for lang in sorted({row["lang"] for row in every}):
        rows = [row for row in every if row["lang"] == lang]
        x = np.array([[row["features"][name] for name in FEATURES] for row in rows])
        y, w = np.array([row["right"] for row in rows]), weights_of(rows)
        kinds, there = np.array([row["kind"] for row in rows]), np.array([row["p"] for row in rows])
        asked = np.array([row["asked"] for row in rows])
        qids = [row["qid"] for row in rows]
        for half in (0, 1):
            own = np.array([int(fraction("judge:" + qid) * 2) == half for qid in qids])
            theta = fit(x[own], y[own], w[own])
            p, q = (1 / (1 + np.exp(-(x[part] @ theta))) for part in (own, ~own))
            bar, floor = (
                threshold(p, y[own], w[own], PROMISE),
                lower(there[own], kinds[own], asked[own], LOST),
            )
            found = summary(q, there[~own], y[~own], w[~own], kinds[~own], bar, floor)
            print(lang, "fitted on half", half + 1, "judged on the other", found)
        apart = unseen(x, y, w, qids)
        theta = fit(x, y, w)
        p = 1 / (1 + np.exp(-(x @ theta)))
        bars = {
            "sufficient": threshold(apart, y, w, PROMISE),
            "strict": threshold(apart, y, w, PROMISE_STRICT),
            "abstain": lower(there, kinds, asked, LOST),
            "strict_abstain": lower(there, kinds, asked, LOST_STRICT),
        }
        print(lang, "all", summary(p, there, y, w, kinds, bars["sufficient"], bars["abstain"]))
        bins = np.clip((p * 10).astype(int), 0, 9)
        calibration = [
            {"said": round(float(np.average(p[bins == b], weights=w[bins == b])), 3),
             "was": round(float(np.average(y[bins == b], weights=w[bins == b])), 3), "rows": int((bins == b).sum())}
            for b in range(10) if (bins == b).any()
        ]  # fmt: skip
        single = {name: round(float(value), 4) for name, value in zip(FEATURES, theta, strict=True)}
        before = made.get(lang, {})
        made[lang] = {
            "single": single,
            "chain": before.get("chain", single),
            "thresholds": {name: round(value, 4) for name, value in bars.items()},
            "calibration": calibration,
        }
    if steps:
        x, y = (
            np.array([[row["features"][name] for name in FEATURES] for row in steps]),
            np.array([r["right"] for r in steps]),
        )
        theta = fit(x, y, np.ones(len(y)))
        print("chains:", len(y), "right", round(float(y.mean()), 3))
        for lang in made:  # pairs are at hand in English only
            made[lang]["chain"] = {
                name: round(float(value), 4) for name, value in zip(FEATURES, theta, strict=True)
            }
    args.out.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
