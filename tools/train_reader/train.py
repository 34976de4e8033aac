"""Train the reader on pairs; resumes from its last checkpoint, and waits while the pause file exists.

python train.py --pairs DIR --bert DIR --tokenizer DIR --out DIR --layers 0,1,2,3,4,5 --steps N
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from random import Random
from typing import Any

import torch
from encode import batches, collate, encode
from evaluate import predict, read_pairs, report, torch_run
from model import Reader, from_bert
from torch.nn import functional
from windows import load_tokenizer


def load_model(path: Path) -> Reader:
    """The averaged weights of a checkpoint, ready to predict. The word table lies in the checkpoint too."""
    stored = torch.load(path, weights_only=True)
    state = stored["average"]
    model = Reader(state["word.weight"].shape[0], stored["layers"])
    model.load_state_dict(state)
    return model.eval()


def loss_of(model: Reader, rows: list[dict[str, Any]], encoded: list[Any]) -> torch.Tensor:
    """Weighted BCE of the answer, plus half the span's cross-entropy, plus a quarter of the near-miss BCE."""
    feed = {key: torch.from_numpy(value) for key, value in collate(encoded).items()}
    with torch.autocast("cpu", torch.bfloat16):
        answer, near, start, end = model(**feed)
    weight = torch.tensor([r["w"] for r in rows])
    target = torch.tensor([float(r["y"]) for r in rows])
    bce = functional.binary_cross_entropy_with_logits
    loss = (bce(answer, target, reduction="none") * weight).sum() / weight.sum()
    spans = torch.tensor([e.span for e in encoded])
    with_span = spans[:, 0] >= 0
    if with_span.any():
        w, at = weight[with_span], spans[with_span]
        ce = functional.cross_entropy
        both = ce(start[with_span], at[:, 0], reduction="none") + ce(end[with_span], at[:, 1], reduction="none")
        loss = loss + 0.5 * (both / 2 * w).sum() / w.sum() * with_span.float().mean().clamp(max=0.5) * 2
    known = torch.tensor([r["nm"] >= 0 for r in rows])
    if known.any():
        wanted = torch.tensor([float(r["nm"]) for r in rows])[known]
        loss = (
            loss + 0.25 * (bce(near[known], wanted, reduction="none") * weight[known]).sum() / weight[known].sum()
        )
    return loss


def share(step: int, args: argparse.Namespace, began: float) -> float:
    """The learning rate's factor: linear warm-up, then linear to --final by the last step or the deadline."""
    done = step / args.steps
    if args.deadline:
        done = max(done, (time.time() - began) / max(args.deadline - began, 1.0))
    factor = max(1.0 - done, 0.0) * (1 - args.final) + args.final
    return factor * min(1.0, (step + 1) / args.warmup)


def finished(step: int, args: argparse.Namespace) -> bool:
    return step >= args.steps or bool(args.deadline and time.time() >= args.deadline)


def save(path: Path, **parts: Any) -> None:
    partial = path.with_suffix(".part")
    torch.save(parts, partial)
    partial.replace(path)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--pairs", "--bert", "--tokenizer", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--layers", default="0,1,2,3,4,5", help="which of the encoder's layers to start from")
    parser.add_argument("--init", type=Path, help="a checkpoint to go on from with a fresh optimiser")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--tokens", type=int, default=3200, help="padded tokens a step")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--head-rate", type=float, default=5e-4)
    parser.add_argument("--final", type=float, default=0.0, help="share of the rate left at the end")
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--dropout", type=float, default=0.0, help="little use below two epochs, and slow")
    parser.add_argument("--every", type=int, default=200, help="steps between checkpoints")
    parser.add_argument("--judge-every", type=int, default=400, help="steps between evaluations")
    parser.add_argument("--judge", type=int, default=1200, help="validation pairs an evaluation reads")
    parser.add_argument("--deadline", type=float, default=0, help="stop at this time (seconds since the epoch)")
    parser.add_argument("--pause-file", type=Path, help="wait while this file exists")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


def main() -> None:
    args = parse()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    tokenizer = load_tokenizer(args.tokenizer)
    rows = read_pairs(args.pairs / "train.jsonl")
    encoded = encode(tokenizer, rows)
    judged = read_pairs(args.pairs / "val.jsonl")[: args.judge]
    judged_encoded = encode(tokenizer, judged)
    layers = [int(x) for x in args.layers.split(",")]
    model = load_model(args.init) if args.init else from_bert(args.bert, layers, args.dropout)
    average = {k: v.clone() for k, v in model.state_dict().items()}
    heads = {id(p) for p in model.head_parameters()}
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": [p for p in trained if id(p) not in heads], "base": args.rate},
         {"params": [p for p in trained if id(p) in heads], "base": args.head_rate}],
        lr=args.rate, weight_decay=0.01, fused=True,
    )  # fmt: skip
    step, best, began = 0, 0.0, time.time()
    last = args.out / "last.pt"
    if last.exists():
        stored = torch.load(last, weights_only=True)
        model.load_state_dict(stored["model"])
        optimiser.load_state_dict(stored["optimiser"])
        average, step, best, began = stored["average"], stored["step"], stored["best"], stored["began"]
    log = (args.out / "log.jsonl").open("a", encoding="utf-8")

    def note(**values: Any) -> None:
        line = json.dumps({"at": time.strftime("%H:%M:%S"), "step": step, **values})
        print(line, flush=True)
        log.write(line + "\n")
        log.flush()

    def checkpoint() -> None:
        save(last, model=model.state_dict(), average=average, optimiser=optimiser.state_dict(), step=step,
             best=best, began=began, layers=len(model.layers))  # fmt: skip

    note(pairs=len(rows), judged=len(judged), parameters=sum(p.numel() for p in trained), args=str(vars(args)))
    seen, epoch, total, window = 0, 0, 0.0, time.time()
    while not finished(step, args):
        plan = batches([len(e.ids) for e in encoded], args.tokens, Random(args.seed + epoch))
        epoch += 1
        for chosen in plan:
            seen += 1
            if seen <= step:
                continue
            if finished(step, args):
                break
            while args.pause_file and args.pause_file.exists():
                time.sleep(2)
            for group in optimiser.param_groups:
                group["lr"] = group["base"] * share(step, args, began)
            model.train()
            loss = loss_of(model, [rows[i] for i in chosen], [encoded[i] for i in chosen])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            step += 1
            total += float(loss.detach())
            if step % 4 == 0:
                decay = min(0.99, (1 + step) / (40 + step))
                with torch.no_grad():
                    for key, value in model.state_dict().items():
                        if key != "word.weight":
                            average[key].lerp_(value, 1 - decay)
            if step % 50 == 0:
                note(epoch=epoch, loss=round(total / 50, 4), seconds=round((time.time() - window) / 50, 3),
                     rate=optimiser.param_groups[0]["lr"])  # fmt: skip
                total, window = 0.0, time.time()
            if step % args.judge_every == 0 or finished(step, args):
                copy = Reader(average["word.weight"].shape[0], len(model.layers))
                copy.load_state_dict(average)
                figures = report(judged, judged_encoded, predict(torch_run(copy.eval()), judged_encoded, 4096))
                note(val=figures)
                if figures["auc"] > best:
                    best = figures["auc"]
                    save(args.out / "best.pt", average=average, layers=len(model.layers), step=step)
                window = time.time()
            if step % args.every == 0:
                checkpoint()
    checkpoint()
    save(args.out / "final.pt", average=average, layers=len(model.layers), step=step)
    note(done=True, best=best)


if __name__ == "__main__":
    main()
