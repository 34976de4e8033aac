"""Pairs -> token ids as the product's reader makes them, and batches of like length."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

MAX_QUESTION = 48
MAX_HEADING = 24
MAX_TOTAL = 192
START, SEPARATOR, PAD = 0, 2, 1


@dataclass
class Encoded:
    """`ids` and `types` of one pair; `span` in token positions or (-1, -1); `offsets` of the passage's tokens."""

    ids: list[int]
    types: list[int]
    span: tuple[int, int]
    text_at: int
    offsets: list[tuple[int, int]]


def encode(tokenizer: Any, pairs: list[dict[str, Any]]) -> list[Encoded]:
    """<s> question </s></s> heading </s> passage </s>; without a heading its part is left out."""

    def batch(key: str) -> list[Any]:
        return list(tokenizer.encode_batch([p[key] for p in pairs], add_special_tokens=False))

    made: list[Encoded] = []
    for pair, q, h, t in zip(pairs, batch("q"), batch("h"), batch("t"), strict=True):
        front = [START, *q.ids[:MAX_QUESTION], SEPARATOR, SEPARATOR]
        heading = [*h.ids[:MAX_HEADING], SEPARATOR] if pair["h"] else []
        room = MAX_TOTAL - len(front) - len(heading) - 1
        body, offsets = t.ids[:room], t.offsets[:room]
        ids = [*front, *heading, *body, SEPARATOR]
        types = [0] * len(front) + [1] * len(heading) + [2] * len(body) + [0]
        base = len(front) + len(heading)
        made.append(Encoded(ids, types, _token_span(pair, offsets, base), base, offsets))
    return made


def _token_span(pair: dict[str, Any], offsets: list[tuple[int, int]], base: int) -> tuple[int, int]:
    if pair["s"] < 0:
        return (-1, -1)
    held = [i for i, (a, b) in enumerate(offsets) if a < pair["e"] and b > pair["s"]]
    return (base + held[0], base + held[-1]) if held and offsets[-1][1] >= pair["e"] else (-1, -1)


def collate(encoded: list[Encoded]) -> dict[str, Any]:
    """int64 arrays [B, T], padded on the right."""
    longest = max(len(e.ids) for e in encoded)
    ids = np.full((len(encoded), longest), PAD, dtype=np.int64)
    mask = np.zeros_like(ids)
    types = np.zeros_like(ids)
    for row, e in enumerate(encoded):
        ids[row, : len(e.ids)], mask[row, : len(e.ids)], types[row, : len(e.ids)] = e.ids, 1, e.types
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def batches(lengths: list[int], tokens: int, rng: Random) -> list[list[int]]:
    """Indices in batches of at most `tokens` padded tokens, of like length, in random order."""
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i] + rng.random() * 8, rng.random()))
    made: list[list[int]] = []
    current: list[int] = []
    for i in order:
        if current and max(lengths[i], max(lengths[j] for j in current)) * (len(current) + 1) > tokens:
            made.append(current)
            current = []
        current.append(i)
    made.append(current)
    rng.shuffle(made)
    return made
