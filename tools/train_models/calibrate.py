"""Fit the calibration of an exported reader on held-out examples, and say how well it does and how well that holds.

Platt scaling (a factor and an offset for each logit). Examples are weighed so that an answer has the prior it has
among the windows of a pool. Half of the questions fit and the other half judge; what is written is of both.

python calibrate.py --examples FILE --tokenizer DIR --folder DIR        (reads model.onnx, writes calibration.json)
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from fit_judge import fit
from measure import session_of
from rows import fraction, read
from sums import write_sums
from train_reader import best_span, collate, encode, load_tokenizer, report

PRIOR = 0.3


def predicted(session: Any, encoded: list[Any]) -> dict[str, Any]:
    """What the exported graph says of each example, one a run as in the product."""
    n = len(encoded)
    made = {"answer": np.zeros(n), "near": np.zeros(n), "span": np.full((n, 2), -1)}
    for i, e in enumerate(encoded):
        feed = {name: value.numpy() for name, value in collate([e], 0).items()}
        answer, near, start, end = session.run(None, feed)
        stop = e.text_at + len(e.offsets)
        made["answer"][i], made["near"][i] = float(answer[0]), float(near[0])
        made["span"][i] = best_span(start[0][e.text_at : stop], end[0][e.text_at : stop])
    return made


def weighed(labels: Any, prior: float = PRIOR) -> Any:
    w = np.where(labels == 1, prior / max(labels.sum(), 1), (1 - prior) / max((1 - labels).sum(), 1))
    return w / w.mean()


def error(p: Any, labels: Any, w: Any) -> float:
    """Expected calibration error over tenths."""
    bins = np.clip((p * 10).astype(int), 0, 9)
    gaps = [abs(np.average(p[bins == b], weights=w[bins == b]) - np.average(labels[bins == b], weights=w[bins == b]))
            * w[bins == b].sum() for b in range(10) if (bins == b).any()]  # fmt: skip
    return float(sum(gaps) / w.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument(
        "--count", type=int, default=2500, help="held-out examples at most, besides the written ones"
    )
    args = parser.parse_args()
    held = [e for e in read(args.examples) if e["out"]]
    written = [e for e in held if e["set"].endswith("validation")]
    own = [e for e in held if not e["set"].endswith("validation")][: args.count]
    tokenizer = load_tokenizer(args.tokenizer)
    session = session_of(args.folder / "model.onnx")
    both = [*written, *own]
    encoded = encode(tokenizer, both)
    made = predicted(session, encoded)
    print(json.dumps(report(both, encoded, made), indent=1))
    # What is written for validation is only ever reported.
    use = np.array(
        [not e["set"].endswith("validation") and e["kind"] not in {"link alone", "idle link"} for e in both]
    )
    first = np.array([fraction("half:" + e["qid"]) < 0.5 for e in both])
    result: dict[str, Any] = {"prior": PRIOR}
    for name, logits, labels, rows in (
        ("answers", made["answer"], np.array([e["y"] for e in both]), use),
        (
            "near_miss",
            made["near"],
            np.array([int(e["nm"] == 1) for e in both]),
            use & np.array([e["nm"] >= 0 for e in both]),
        ),
    ):
        x = np.stack((np.ones_like(logits), logits), 1)
        a, b = rows & first, rows & ~first
        half = fit(x[a], labels[a], weighed(labels[a]), ridge=1e-6)
        p = 1 / (1 + np.exp(-(x[b] @ half)))
        offset, factor = fit(x[rows], labels[rows], weighed(labels[rows]), ridge=1e-6)
        result[name] = {"factor": round(float(factor), 6), "offset": round(float(offset), 6),
                        "ece": round(error(p, labels[b], weighed(labels[b])), 4), "examples": int(rows.sum())}  # fmt: skip
        print(name, result[name])
    (args.folder / "calibration.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    write_sums(args.folder)


if __name__ == "__main__":
    main()
