"""How close two forms of a network are, and how long a run takes: one input a run, one thread, as in use."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rows import NATURAL, READING, WRITTEN, pairs
from torch import Tensor, nn

Feed = dict[str, Tensor]


def session_of(path: Path) -> Any:
    """An onnxruntime.InferenceSession of one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def spread(folder: Path, count: int) -> list[dict[str, Any]]:
    """Rows from all over the sets, half of them answered by their passage."""
    rows = pairs(folder, *WRITTEN, *NATURAL, *READING)
    half = [[r for r in rows if bool(r["answerable"]) is kind] for kind in (True, False)]
    return [r for group in half for r in group[:: max(1, 2 * len(group) // count)][: count // 2]]


def real_inputs(folder: Path, tokenizer_folder: Path, count: int) -> list[Feed]:
    """Questions with a title as context and a passage, one to a feed."""
    from train_reader import Marks, collate, encode, load_tokenizer

    tokenizer = load_tokenizer(tokenizer_folder)
    rows = spread(folder, count)
    examples = [{"q": r["question"], "c": r["title"] or "", "t": r["passage"], "s": -1, "e": -1} for r in rows]
    return [collate([e], Marks(tokenizer).pad) for e in encode(tokenizer, examples)]


def random_inputs(vocabulary: int, count: int) -> list[Feed]:
    """Words drawn at random: 12 of a question, 6 of a context, 20 to 180 of a text."""
    draw = torch.Generator().manual_seed(11)
    made = []
    for number in range(count):
        body = 20 + number * 160 // max(1, count - 1)
        types = torch.tensor([[0] * 12 + [1] * 6 + [2] * body + [0]])
        ids = torch.randint(5, vocabulary, types.shape, generator=draw)
        made.append({"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": types})
    return made


def logits(form: Any, feeds: list[Feed]) -> NDArray[np.float64]:
    """Answer logits by a network or by a session."""
    if not isinstance(form, nn.Module):
        return np.array([float(_run(form, "answer_logit", f)[0]) for f in feeds])
    with torch.no_grad():
        return np.array([float(form(**f)[0][0]) for f in feeds])


def vectors(form: Any, feeds: list[Feed]) -> NDArray[np.float32]:
    """Vectors by a network or by a session."""
    if not isinstance(form, nn.Module):
        return np.array([_run(form, "embedding", f)[0] for f in feeds])
    with torch.no_grad():
        return np.array([form(**f)[0].numpy() for f in feeds])


def _run(session: Any, output: str, feed: Feed) -> Any:
    return session.run([output], {k: v.numpy() for k, v in feed.items()})[0]


def milliseconds(session: Any, tokens: int = 130, runs: int = 30) -> float:
    """The median time of a run of so many tokens."""
    ids = np.full((1, tokens), 7, np.int64) + np.arange(tokens) % 900
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.full_like(ids, 2)}
    names = {i.name for i in session.get_inputs()}
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        session.run(None, {k: v for k, v in feed.items() if k in names})
        times.append(time.perf_counter() - began)
    return 1000 * float(np.median(times))
