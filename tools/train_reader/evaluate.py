"""How well a reader does on pairs: AUC overall and per set, language and kind; exact match and F1 of its spans.

python evaluate.py --pairs val.jsonl --checkpoint best.pt --tokenizer DIR      (or --onnx FILE)
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from data import overlap_terms
from encode import Encoded, batches, collate, encode

Run = Callable[[dict[str, Any]], tuple[Any, ...]]
MAX_SPAN = 40


def best_span(start: Any, end: Any) -> tuple[int, int, float]:
    """The token pair start <= end < start + MAX_SPAN of highest sum."""
    best = (0, 0, -1e9)
    for i in np.argsort(-start)[:10]:
        j = int(i) + int(np.argmax(end[i : i + MAX_SPAN]))
        score = float(start[i] + end[j])
        if score > best[2]:
            best = (int(i), j, score)
    return best


def predict(run: Run, encoded: list[Encoded], tokens: int) -> list[tuple[float, float, tuple[int, int, float]]]:
    """Answer logit, near-miss logit and best span of every pair, in order."""
    from random import Random

    made: list[Any] = [None] * len(encoded)
    for rows in batches([len(e.ids) for e in encoded], tokens, Random(0)):
        answer, near, start, end = run(collate([encoded[r] for r in rows]))
        for at, row in enumerate(rows):
            size = len(encoded[row].ids)
            made[row] = (float(answer[at]), float(near[at]), best_span(start[at][:size], end[at][:size]))
    return made


def auc(scores: Any, labels: Any) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, scores)) if 0 < sum(labels) < len(labels) else float("nan")


def _fold(text: str) -> str:
    return re.sub(r"^(?:the|an?) |[\s\W]+$", "", text.strip().lower())


def span_scores(pair: dict[str, Any], text: str) -> tuple[float, float]:
    """Exact match after folding case and articles, and F1 over terms, of a span against the labelled one."""
    gold = pair["t"][pair["s"] : pair["e"]]
    exact = float(_fold(text) == _fold(gold))
    a, b = overlap_terms(text), overlap_terms(gold)
    common = sum(min(a.count(x), b.count(x)) for x in set(a))
    return exact, (2 * common / (len(a) + len(b)) if a and b else exact)


def report(pairs: list[dict[str, Any]], encoded: list[Encoded], made: list[Any]) -> dict[str, Any]:
    scores = np.array([m[0] for m in made])
    labels = np.array([p["y"] for p in pairs])
    groups: dict[str, list[int]] = {}
    for i, pair in enumerate(pairs):
        groups.setdefault(f"set:{pair['set']}/{pair['lang']}", []).append(i)
        groups.setdefault(f"lang:{pair['lang']}", []).append(i)
        if pair["y"]:
            continue
        groups.setdefault(f"negatives:{pair['kind']}", []).append(i)
        groups.setdefault(f"negatives:{pair['kind']}/{pair['lang']}", []).append(i)
    right = [i for i, p in enumerate(pairs) if p["y"] and p["item"] != "final_hop"]
    result: dict[str, Any] = {"pairs": len(pairs), "positives": int(labels.sum()), "auc": auc(scores, labels)}
    for name, rows in sorted(groups.items()):
        if name.startswith("negatives"):
            ours = [i for i in right if not name.count("/") or pairs[i]["lang"] == name[-2:]]
            rows = rows + ours
        result[name] = round(auc(scores[rows], labels[rows]), 4)
    low = [i for i, p in enumerate(pairs) if (p["y"] and p["low"]) or not p["y"]]
    result["low-overlap positives"] = round(auc(scores[low], labels[low]), 4)
    spanned = [i for i, p in enumerate(pairs) if p["y"] and encoded[i].span[0] >= 0]
    known = [i for i, p in enumerate(pairs) if p["nm"] >= 0]
    result["near miss"] = round(auc([made[i][1] for i in known], [pairs[i]["nm"] for i in known]), 4)
    for lang in ("en", "zh", ""):
        found = []
        for i in spanned:
            if lang and pairs[i]["lang"] != lang:
                continue
            a, b, _ = made[i][2]
            a, b = max(a - encoded[i].text_at, 0), b - encoded[i].text_at
            offsets = encoded[i].offsets
            text = pairs[i]["t"][offsets[a][0] : offsets[b][1]] if 0 <= b < len(offsets) else ""
            found.append(span_scores(pairs[i], text))
        if found:
            result[f"span exact/F1 {lang or 'all'}"] = [round(float(x), 4) for x in np.mean(found, axis=0)]
    return result


def torch_run(model: Any) -> Run:
    import torch

    def run(feed: dict[str, Any]) -> tuple[Any, ...]:
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            out = model(**{k: torch.from_numpy(v) for k, v in feed.items()})
        return tuple(o.float().numpy() for o in out)

    return run


def onnx_run(path: Path, threads: int = 2) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(path), options)
    return lambda feed: tuple(session.run(None, feed))


def read_pairs(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main() -> None:
    from windows import load_tokenizer

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--onnx", type=Path)
    parser.add_argument("--save", type=Path, help="write logits here (npz) for calibrate.py")
    args = parser.parse_args()
    pairs = read_pairs(args.pairs)
    encoded = encode(load_tokenizer(args.tokenizer), pairs)
    if args.onnx:
        made = predict(onnx_run(args.onnx), encoded, tokens=1)
    else:
        from train import load_model

        made = predict(torch_run(load_model(args.checkpoint)), encoded, tokens=4096)
    print(json.dumps(report(pairs, encoded, made), indent=1))
    if args.save:
        np.savez(args.save, answer=[m[0] for m in made], near=[m[1] for m in made], span=[m[2][2] for m in made])


if __name__ == "__main__":
    main()
