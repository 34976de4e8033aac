"""Fit the calibration of an exported reader on validation pairs, and say how well it holds.

    python calibrate.py --pairs val.jsonl --logits logits.npz --out DIR

Platt scaling (a factor and an offset for the logit) for each of the two probabilities; negatives are weighted so
that an answer has the prior it has in a pool of hits, and the two languages count alike. Half of the documents
fit, the other half judge; what is written is fitted on both.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from data import split_side
from evaluate import read_pairs


def platt(logits: Any, labels: Any, weights: Any) -> tuple[float, float]:
    """Factor and offset that make sigmoid(factor * logit + offset) most likely; Newton's method."""
    x = np.stack((logits, np.ones_like(logits)), 1)
    theta = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x @ theta)))
        slope = x.T @ (weights * (p - labels)) + 1e-6 * theta
        curve = (x * (weights * p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        step = np.linalg.solve(curve, slope)
        theta = theta - step
        if np.abs(step).max() < 1e-9:
            break
    return float(theta[0]), float(theta[1])


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def reliability(p: Any, labels: Any, weights: Any, bins: int = 10) -> tuple[float, list[dict[str, float]]]:
    """Expected calibration error and, for each tenth of the scale, mean prediction, share right, weight."""
    rows: list[dict[str, float]] = []
    error = 0.0
    for i in range(bins):
        held = (p >= i / bins) & ((p < (i + 1) / bins) | (i == bins - 1))
        mass = float(weights[held].sum())
        if not mass:
            continue
        said, was = np.average(p[held], weights=weights[held]), np.average(labels[held], weights=weights[held])
        error += abs(said - was) * mass
        rows.append({"from": i / bins, "said": round(float(said), 4), "was": round(float(was), 4),
                     "share": round(mass / float(weights.sum()), 4), "pairs": int(held.sum())})  # fmt: skip
    return error / float(weights.sum()), rows


def weights_of(pairs: list[dict[str, Any]], prior: float) -> Any:
    """So that `prior` of the weight is on answers, in each language, and both languages weigh the same."""
    weights = np.ones(len(pairs))
    for lang in {p["lang"] for p in pairs}:
        for label, share in ((1, prior), (0, 1 - prior)):
            held = np.array([p["lang"] == lang and p["y"] == label for p in pairs])
            weights[held] = share / max(held.sum(), 1)
    return weights * len(pairs) / weights.sum()


def fit(name: str, logits: Any, labels: Any, weights: Any, first: Any) -> dict[str, Any]:
    """`first` marks the half that fits; the reliability is of the other half."""
    half = platt(logits[first], labels[first], weights[first])
    judged = ~first
    before, _ = reliability(sigmoid(logits[judged]), labels[judged], weights[judged])
    after, rows = reliability(sigmoid(half[0] * logits[judged] + half[1]), labels[judged], weights[judged])
    factor, offset = platt(logits, labels, weights)
    print(f"{name}: ECE {before:.4f} -> {after:.4f} on the half that did not fit; {factor:.4f} x {offset:+.4f}")
    return {"factor": round(factor, 6), "offset": round(offset, 6), "ece_before": round(before, 4),
            "ece_after": round(after, 4), "reliability": rows}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--logits", type=Path, required=True, help="what evaluate.py --save wrote")
    parser.add_argument("--out", type=Path, required=True, help="calibration.json is written here")
    parser.add_argument("--prior", type=float, default=0.3, help="share of windows that answer")
    args = parser.parse_args()
    # A window of the last document of a chain answers only part of the question: no clear case to fit on.
    kept = [i for i, p in enumerate(read_pairs(args.pairs)) if p["item"] != "final_hop"]
    every = read_pairs(args.pairs)
    pairs = [every[i] for i in kept]
    stored = np.load(args.logits)
    answer, near, span = (np.asarray(stored[k], dtype=float)[kept] for k in ("answer", "near", "span"))
    labels = np.array([float(p["y"]) for p in pairs])
    weights = weights_of(pairs, args.prior)
    first = np.array([split_side("half:" + p["doc"], 0.5) == "train" for p in pairs])
    known = np.array([p["nm"] >= 0 for p in pairs])
    near_labels = np.array([float(p["nm"] == 1) for p in pairs])
    result = {
        "answers": fit("answers", answer, labels, weights, first),
        "near_miss": fit("near miss", near[known], near_labels[known], np.ones(int(known.sum())), first[known]),
        "prior": args.prior,
        "span_mean_of_answers": round(float(span[labels == 1].mean()), 4),
        "span_mean_of_others": round(float(span[labels == 0].mean()), 4),
    }
    p = sigmoid(result["answers"]["factor"] * answer + result["answers"]["offset"])
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        said = p >= threshold
        precision = weights[said & (labels == 1)].sum() / max(weights[said].sum(), 1e-9)
        recall = weights[said & (labels == 1)].sum() / weights[labels == 1].sum()
        print(f"threshold {threshold}: precision {precision:.3f} recall {recall:.3f}")
    for lang in ("en", "zh"):
        held = np.array([q["lang"] == lang for q in pairs])
        error, _ = reliability(p[held], labels[held], weights[held])
        print(f"ECE {lang} {error:.4f}")
    (args.out / "calibration.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
