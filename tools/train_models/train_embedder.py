"""Fine-tune the embedder so that a question finds its passage: in-batch negatives, each batch from one source.

python train_embedder.py --pairs DIR --bert DIR --tokenizer DIR --out DIR --steps N        (resumes)
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from network import Embedder, encoder_of
from rows import NATURAL, READING, WRITTEN, held_out, pairs
from runs import Log, left, save
from torch.nn import functional

#: How many of a hundred batches come from a group of sets.
SHARES = {
    "written": 44,
    "written_zh": 8,
    "natural": 18,
    "reading": 12,
    "yes_no": 4,
    "zh_reading": 6,
    "zh_law": 4,
    "hops": 4,
}
PASSAGE, QUESTION = 128, 40
TEMPERATURE = 0.02


def positives(folder: Path) -> list[dict[str, Any]]:
    """Questions with the passage that answers them; of a two-step question, the passage it starts from."""
    rows = [r for r in pairs(folder, *WRITTEN, *NATURAL, *READING, "boolq") if r["answerable"]]
    for row in pairs(folder, "written_two"):
        if row["answerable"]:
            rows.append({**row, "title": row["a"]["title"], "passage": row["a"]["text"]})
    made = []
    for row in rows:
        name = row["set"]
        if name in WRITTEN:
            group = "written_zh" if row["lang"] == "zh" else "written"
        elif name == "lecoqa_zh":
            group = "zh_law"
        elif name == "boolq":
            group = "yes_no"
        elif name == "written_two":
            group = "hops"
        elif row["lang"] == "zh":
            group = "zh_reading"
        else:
            group = "natural" if name in NATURAL else "reading"
        made.append({"q": row["question"], "p": f"{row['title']}\n{row['passage']}" if row["title"] else row["passage"],
                     "group": group, "source": row.get("source") or name, "file": str(row.get("file") or row["title"]),
                     "kind": row["kind"], "lang": row["lang"], "out": held_out(row)})  # fmt: skip
    return made


def batches(rows: list[dict[str, Any]], size: int, steps: int, rng: Random) -> list[list[int]]:
    """Batches of one source each, no passage twice in one; neighbours of a file come together in eights, as hard negatives."""
    streams: dict[str, list[list[int]]] = {group: [] for group in SHARES}
    by_source: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        if not row["out"]:
            by_source.setdefault((row["group"], row["source"]), []).append(i)
    for _ in range(4):  # passes over the rows, each in another order
        for (group, _), members in sorted(by_source.items()):
            noise = {file: rng.random() for file in sorted({rows[i]["file"] for i in members})}
            order = sorted(members, key=lambda i: (noise[rows[i]["file"]], rng.random()))
            eights = [order[i : i + 8] for i in range(0, len(order), 8)]
            rng.shuffle(eights)
            batch: list[int] = []
            seen: set[str] = set()
            made = []
            for i in (i for eight in eights for i in eight):
                if rows[i]["p"] in seen:
                    continue
                batch.append(i)
                seen.add(rows[i]["p"])
                if len(batch) == size:
                    made.append(batch)
                    batch, seen = [], set()
            if len(batch) >= size // 3:
                made.append(batch)
            rng.shuffle(made)
            streams[group] += made
        for group in streams:
            rng.shuffle(streams[group])
    at = dict.fromkeys(SHARES, 0)
    chosen = []
    for _ in range(steps):
        group = rng.choices(list(SHARES), list(SHARES.values()))[0]
        chosen.append(streams[group][at[group] % len(streams[group])])
        at[group] += 1
    return chosen


class Texts:
    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def feed(self, texts: list[str], limit: int) -> dict[str, torch.Tensor]:
        self.tokenizer.enable_truncation(limit)
        self.tokenizer.enable_padding(pad_id=1, pad_token="<pad>")
        encoded = self.tokenizer.encode_batch(texts)
        return {
            "input_ids": torch.tensor([e.ids for e in encoded]),
            "attention_mask": torch.tensor([e.attention_mask for e in encoded]),
        }


def embed(model: Embedder, texts: Texts, what: list[str], limit: int) -> np.ndarray:
    order = sorted(range(len(what)), key=lambda i: len(what[i]))
    out = np.zeros((len(what), 384), np.float32)
    with torch.no_grad():
        for i in range(0, len(order), 32):
            rows = order[i : i + 32]
            out[rows] = model(**texts.feed([what[r] for r in rows], limit)).numpy()
    return out


def validate(model: Embedder, texts: Texts, rows: list[dict[str, Any]], queries: int = 150) -> dict[str, float]:
    """Held-out questions among their passages and 350 others: passage first, among ten."""
    model.eval()
    found: dict[str, float] = {}
    for lang in ("en", "zh"):
        asked = [r for r in rows if r["out"] and r["lang"] == lang and r["kind"] in {"para", "natural"}]
        asked = Random(3).sample(asked, min(queries, len(asked)))
        others = [r["p"] for r in rows if r["lang"] == lang]
        pool = sorted({r["p"] for r in asked} | set(Random(4).sample(others, min(350, len(others)))))
        vectors, place = (
            embed(model, texts, ["passage: " + p for p in pool], 192),
            {p: i for i, p in enumerate(pool)},
        )
        scores = embed(model, texts, ["query: " + r["q"] for r in asked], QUESTION) @ vectors.T
        gold = np.array([place[r["p"]] for r in asked])
        rank = (scores > scores[np.arange(len(asked)), gold][:, None]).sum(1)
        for kind in sorted({r["kind"] for r in asked}):
            own = np.array([r["kind"] == kind for r in asked])
            found[f"{lang} {kind} @1"] = round(float((rank[own] < 1).mean()), 3)
            found[f"{lang} {kind} @10"] = round(float((rank[own] < 10).mean()), 3)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--pairs", "--bert", "--tokenizer", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--size", type=int, default=48)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--frozen", type=int, default=3)
    parser.add_argument("--every", type=int, default=25, help="steps between checkpoints")
    parser.add_argument("--deadline", type=float, default=0, help="end by this time (seconds since the epoch)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    texts, rows = Texts(args.tokenizer), positives(args.pairs)
    model = Embedder(encoder_of(args.bert, 12, 1, args.frozen))
    for layer in model.encoder.layers[: args.frozen]:
        layer.requires_grad_(False)
    model.encoder.position.requires_grad_(False)
    model.encoder.kind.requires_grad_(False)
    model.encoder.norm.requires_grad_(False)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=args.rate, weight_decay=0.01, fused=True)
    step, began, last = 0, time.time(), args.out / "last.pt"
    if last.exists():
        stored = torch.load(last, weights_only=True)
        model.load_state_dict(stored["model"])
        optimiser.load_state_dict(stored["optimiser"])
        step, began = stored["step"], time.time() - stored["spent"]
    plan = batches(rows, args.size, args.steps, Random(args.seed))
    note = Log(args.out)
    if not step:
        note(step, rows=len(rows), before=validate(model, texts, rows))
    total = 0.0
    while step < args.steps and not (args.deadline and time.time() > args.deadline):
        ahead = left(step, args.steps, began, args.deadline)
        for group in optimiser.param_groups:
            group["lr"] = args.rate * max(ahead, 0.02) * min(1.0, (step + 1) / 20)
        chosen = [rows[i] for i in plan[step]]
        model.train()
        asked = model(**texts.feed(["query: " + r["q"] for r in chosen], QUESTION))
        passages = model(**texts.feed(["passage: " + r["p"] for r in chosen], PASSAGE))
        scores = asked @ passages.T / TEMPERATURE
        target = torch.arange(len(chosen))
        loss = (functional.cross_entropy(scores, target) + 0.3 * functional.cross_entropy(scores.T, target)) / 1.3
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        step += 1
        total += float(loss.detach())
        if step % args.every == 0:
            note(step, loss=round(total / args.every, 4), seconds=round((time.time() - began) / step, 2))
            total = 0.0
            save(
                last,
                model=model.state_dict(),
                optimiser=optimiser.state_dict(),
                step=step,
                spent=time.time() - began,
            )
        if step % (8 * args.every) == 0:
            note(step, val=validate(model, texts, rows))
    save(args.out / "final.pt", model=model.state_dict(), step=step)
    note(step, done=True, val=validate(model, texts, rows))


if __name__ == "__main__":
    main()
