"""Train a reader on examples; resumes from its last checkpoint.

python train_reader.py --examples FILE --bert DIR --tokenizer DIR --out DIR --deadline SECONDS
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from network import Reader, encoder_of
from rows import read
from runs import Log, left, save
from torch.nn import functional

MAX_QUESTION, MAX_CONTEXT, MAX_TOTAL, MAX_SPAN = 48, 80, 240, 40


@dataclass
class Encoded:
    """`ids` and `types` of one example; `span` in token positions or (-1, -1); `offsets` of the text's tokens."""

    ids: list[int]
    types: list[int]
    span: tuple[int, int]
    text_at: int
    offsets: list[tuple[int, int]]


class Marks:
    """The ids of a tokenizer's marks: where a text begins, where a part ends, what fills a row."""

    def __init__(self, tokenizer: Any) -> None:
        def find(*names: str) -> int:
            return next(i for i in map(tokenizer.token_to_id, names) if i is not None)

        self.start, self.separator, self.pad = find("<s>", "[CLS]"), find("</s>", "[SEP]"), find("<pad>", "[PAD]")


def load_tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def encode(tokenizer: Any, examples: list[dict[str, Any]]) -> list[Encoded]:
    """start question sep sep context sep text sep; an empty context is left out."""
    marks = Marks(tokenizer)

    def batch(key: str) -> list[Any]:
        return list(tokenizer.encode_batch([e[key] for e in examples], add_special_tokens=False))

    made = []
    for example, q, c, t in zip(examples, batch("q"), batch("c"), batch("t"), strict=True):
        front = [marks.start, *q.ids[:MAX_QUESTION], marks.separator, marks.separator]
        context = [*c.ids[:MAX_CONTEXT], marks.separator] if c.ids else []
        room = MAX_TOTAL - len(front) - len(context) - 1
        body, offsets = t.ids[:room], t.offsets[:room]
        base = len(front) + len(context)
        made.append(Encoded([*front, *context, *body, marks.separator],
                            [0] * len(front) + [1] * len(context) + [2] * len(body) + [0],
                            _span(example, offsets, base), base, offsets))  # fmt: skip
    return made


def _span(example: dict[str, Any], offsets: list[tuple[int, int]], base: int) -> tuple[int, int]:
    if example["s"] < 0:
        return (-1, -1)
    held = [i for i, (a, b) in enumerate(offsets) if a < example["e"] and b > example["s"]]
    return (base + held[0], base + held[-1]) if held and offsets[-1][1] >= example["e"] else (-1, -1)


def collate(encoded: list[Encoded], pad: int) -> dict[str, torch.Tensor]:
    longest = max(len(e.ids) for e in encoded)
    ids = torch.full((len(encoded), longest), pad)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    for row, e in enumerate(encoded):
        n = len(e.ids)
        ids[row, :n], mask[row, :n], types[row, :n] = torch.tensor(e.ids), 1, torch.tensor(e.types)
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def batches(lengths: list[int], tokens: int, rng: Random) -> list[list[int]]:
    """Indices in batches of at most `tokens` padded tokens, of like length, in random order."""
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i] + rng.random() * 8, rng.random()))
    made: list[list[int]] = []
    current: list[int] = []
    for i in order:
        if current and max(lengths[i], lengths[current[-1]] + 8) * (len(current) + 1) > tokens:
            made.append(current)
            current = []
        current.append(i)
    made.append(current)
    rng.shuffle(made)
    return made


def loss_of(model: Reader, rows: list[dict[str, Any]], encoded: list[Encoded], pad: int) -> torch.Tensor:
    """Weighted BCE of the answer, half the span's cross-entropy, a quarter of the near-miss BCE."""
    answer, near, start, end = model(**collate(encoded, pad))
    weight = torch.tensor([r["w"] for r in rows])
    bce, ce = functional.binary_cross_entropy_with_logits, functional.cross_entropy
    loss = (bce(answer, torch.tensor([float(r["y"]) for r in rows]), reduction="none") * weight).mean()
    spans = torch.tensor([e.span for e in encoded])
    has = spans[:, 0] >= 0
    if has.any():
        both = ce(start[has], spans[has, 0], reduction="none") + ce(end[has], spans[has, 1], reduction="none")
        loss = loss + 0.25 * (both * weight[has]).sum() / len(rows)
    known = torch.tensor([r["nm"] >= 0 for r in rows])
    if known.any():
        wanted = torch.tensor([float(r["nm"]) for r in rows])[known]
        loss = loss + 0.25 * (bce(near[known], wanted, reduction="none") * weight[known]).sum() / len(rows)
    return loss


def predict(model: Any, encoded: list[Encoded], pad: int, tokens: int = 4096) -> dict[str, Any]:
    """Answer and near-miss logits, and the best span in tokens of the text, of every example."""
    n = len(encoded)
    made = {"answer": np.zeros(n), "near": np.zeros(n), "span": np.full((n, 2), -1)}
    for rows in batches([len(e.ids) for e in encoded], tokens, Random(0)):
        with torch.no_grad():
            answer, near, start, end = model(**collate([encoded[r] for r in rows], pad))
        for at, row in enumerate(rows):
            e = encoded[row]
            made["answer"][row], made["near"][row] = float(answer[at]), float(near[at])
            stop = e.text_at + len(e.offsets)
            made["span"][row] = best_span(start[at][e.text_at : stop].numpy(), end[at][e.text_at : stop].numpy())
    return made


def best_span(start: Any, end: Any) -> tuple[int, int]:
    best = (-1, -1, -1e9)
    for i in np.argsort(-start)[:10].tolist():
        j = i + int(np.argmax(end[i : i + MAX_SPAN]))
        if float(start[i] + end[j]) > best[2]:
            best = (i, j, float(start[i] + end[j]))
    return best[:2]


def auc(scores: Any, labels: Any, weights: Any = None) -> float:
    from sklearn.metrics import roc_auc_score

    labels = np.asarray(labels)
    return (
        round(float(roc_auc_score(labels, scores, sample_weight=weights)), 4)
        if 0 < labels.sum() < len(labels)
        else -1.0
    )


def report(examples: list[dict[str, Any]], encoded: list[Encoded], made: dict[str, Any]) -> dict[str, float]:
    """AUC by what does not answer; `written_validation` as written, edited, balanced; span F1."""
    score, y = made["answer"], np.array([e["y"] for e in examples])
    kind, name, asked = (np.array([e[k] for e in examples]) for k in ("kind", "set", "asked"))
    own = np.char.endswith(name.astype(str), "validation")
    found = {}
    main = np.isin(kind, ("answer", "near miss"))
    for label, rows in {
        "balanced": own & main,
        "as written": own & main & np.isin(asked, ("plain", "para", "near_miss")),
        "edits": own & main & np.isin(asked, ("near_miss_edit", "answer_edit")),
        "para against its edit": own & main & np.isin(asked, ("para", "near_miss_edit")),
        "same passage": ~own & ((kind == "answer") | (kind == "same passage")),
        "mined": ~own & ((kind == "answer") | (kind == "mined")),
        "two": ~own & np.isin(kind, ("two", "two near miss", "wrong link", "no link", "wrong end")),
        "squad2": ~own & main & np.isin(name, ("squad2_en", "squad2_train_sample")),
        "natural": ~own & main & np.isin(name, ("nq_paragraph", "clapnq")),
        "held out": ~own & main,
    }.items():
        if rows.any() and 0 < y[rows].sum() < rows.sum():
            found[label] = auc(score[rows], y[rows])
    exact, f1 = [], []
    for i, (e, at) in enumerate(zip(encoded, made["span"], strict=True)):
        if e.span[0] >= 0 and examples[i]["y"]:
            a, b = set(range(e.span[0] - e.text_at, e.span[1] - e.text_at + 1)), set(range(at[0], at[1] + 1))
            exact.append(float(a == b))
            f1.append(2 * len(a & b) / (len(a) + len(b)))
    found["span exact"], found["span F1"] = round(float(np.mean(exact)), 3), round(float(np.mean(f1)), 3)
    return found


def load_model(path: Path) -> Reader:
    """The averaged weights of a checkpoint, ready to predict."""
    from network import Encoder

    state = torch.load(path, weights_only=True)["average"]
    layers = 1 + max(int(k.split(".")[2]) for k in state if k.startswith("encoder.layers."))
    word = state["encoder.word.weight"]
    model = Reader(Encoder(word.shape[0], layers, 3, word.shape[1]))
    model.load_state_dict(state)
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--examples", "--bert", "--tokenizer", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--also", type=Path, help="examples in another language: its written questions join in")
    parser.add_argument("--init", type=Path, help="a checkpoint to start from instead of the encoder's layers")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--tokens", type=int, default=2000, help="padded tokens a step")
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--head-rate", type=float, default=4e-4)
    parser.add_argument("--warmup", type=int, default=100)
    parser.add_argument("--every", type=int, default=200, help="steps between checkpoints")
    parser.add_argument("--judge-every", type=int, default=800)
    parser.add_argument("--judge", type=int, default=900, help="held-out examples an evaluation reads")
    parser.add_argument("--deadline", type=float, default=0, help="end by this time (seconds since the epoch)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    tokenizer = load_tokenizer(args.tokenizer)
    pad = Marks(tokenizer).pad
    everything = list(read(args.examples))
    rows = [e for e in everything if not e["out"]]
    if args.also:
        rows += [e for e in read(args.also) if not e["out"] and e["set"].startswith("written")]
    judged = [e for e in everything if e["out"]]
    judged.sort(key=lambda e: not e["set"].endswith("validation"))
    judged = judged[: args.judge]
    encoded, judged_encoded = encode(tokenizer, rows), encode(tokenizer, judged)
    model = load_model(args.init) if args.init else Reader(encoder_of(args.bert, args.layers, 3))
    average = {k: v.clone() for k, v in model.state_dict().items()}
    heads = {id(p) for p in model.heads()}
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": [p for p in trained if id(p) not in heads], "base": args.rate},
         {"params": [p for p in trained if id(p) in heads], "base": args.head_rate}],
        lr=args.rate, weight_decay=0.01, fused=True)  # fmt: skip
    step, began, last = 0, time.time(), args.out / "last.pt"
    if last.exists():
        stored = torch.load(last, weights_only=True)
        model.load_state_dict(stored["model"])
        optimiser.load_state_dict(stored["optimiser"])
        average, step, began = stored["average"], stored["step"], time.time() - stored["spent"]
    note = Log(args.out)

    def judge() -> dict[str, float]:
        live = {k: v.clone() for k, v in model.state_dict().items()}
        model.load_state_dict(average)
        found = report(judged, judged_encoded, predict(model.eval(), judged_encoded, pad))
        model.load_state_dict(live)
        return found

    note(step, examples=len(rows), judged=len(judged), tokens=sum(len(e.ids) for e in encoded))
    seen, epoch, total, window = 0, 0, 0.0, time.time()

    def over() -> bool:
        return step >= args.steps or bool(args.deadline and time.time() >= args.deadline)

    while not over():
        plan = batches([len(e.ids) for e in encoded], args.tokens, Random(args.seed + epoch))
        epoch += 1
        for chosen in plan:
            seen += 1
            if seen <= step:
                continue
            if over():
                break
            ahead = left(step, args.steps, began, args.deadline)
            for group in optimiser.param_groups:
                group["lr"] = group["base"] * max(ahead, 0.02) * min(1.0, (step + 1) / args.warmup)
            model.train()
            loss = loss_of(model, [rows[i] for i in chosen], [encoded[i] for i in chosen], pad)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            step += 1
            total += float(loss.detach())
            if step % 4 == 0:
                decay = min(0.98, (1 + step) / (40 + step))
                with torch.no_grad():
                    for key, value in model.state_dict().items():
                        if key != "encoder.word.weight":
                            average[key].lerp_(value, 1 - decay)
            if step % 50 == 0:
                note(step, epoch=epoch, loss=round(total / 50, 4), seconds=round((time.time() - window) / 50, 3))
                total, window = 0.0, time.time()
            if step % args.every == 0:
                save(
                    last,
                    average=average,
                    model=model.state_dict(),
                    optimiser=optimiser.state_dict(),
                    step=step,
                    spent=time.time() - began,
                )
            if step % args.judge_every == 0:
                note(step, val=judge())
                window = time.time()
    save(args.out / "final.pt", average=average, step=step)
    note(step, done=True, val=judge())


if __name__ == "__main__":
    main()
