"""A plain BERT encoder with mean pooling and normalisation inside, ready for ONNX Runtime's fusions.

The names of the parts become names in the graph, by which `dequantise.py` finds its way.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from container import Container, dequantise
from numpy.typing import NDArray
from torch import Tensor, nn

EPSILON = 1e-12
LINEAR = ("q", "k", "v", "ao", "fi", "fo")  # query, key, value, attention output, feed-forward in and out
NORM = ("aln", "oln")  # after attention, after the feed-forward part


class Layer(nn.Module):
    def __init__(self, hidden: int, heads: int, feed_forward: int) -> None:
        super().__init__()
        self.heads, self.width = heads, hidden // heads
        self.q, self.k, self.v, self.ao = (nn.Linear(hidden, hidden) for _ in range(4))
        # The order of these lines is the order of the weights in the file, and so part of its hash.
        self.aln = nn.LayerNorm(hidden, eps=EPSILON)
        self.fi, self.fo = nn.Linear(hidden, feed_forward), nn.Linear(feed_forward, hidden)
        self.oln = nn.LayerNorm(hidden, eps=EPSILON)

    def split(self, x: Tensor) -> Tensor:
        """(batch, tokens, hidden) → (batch, heads, tokens, width)."""
        return x.view(x.size(0), x.size(1), self.heads, self.width).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        query, key, value = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        weights = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.width) + bias
        mixed = torch.matmul(torch.softmax(weights, -1), value).permute(0, 2, 1, 3).contiguous()
        mixed = mixed.view(mixed.size(0), mixed.size(1), self.heads * self.width)
        x = self.aln(self.ao(mixed) + x)
        out: Tensor = self.oln(self.fo(nn.functional.gelu(self.fi(x))) + x)
        return out


class Encoder(nn.Module):
    """input_ids and attention_mask (batch, tokens) → unit-length vectors (batch, hidden)."""

    position_ids: Tensor

    def __init__(self, source: Container, vocabulary: int) -> None:
        super().__init__()
        self.word = nn.Embedding(vocabulary, source.hidden)
        self.pos = nn.Embedding(source.positions, source.hidden)
        self.ln = nn.LayerNorm(source.hidden, eps=EPSILON)
        layers = (Layer(source.hidden, source.heads, source.feed_forward) for _ in range(source.layers))
        self.layers = nn.ModuleList(layers)
        self.register_buffer("position_ids", torch.arange(source.positions)[None], persistent=False)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        x = self.ln(self.word(input_ids) + self.pos(self.position_ids[:, : input_ids.size(1)]))
        # Added to attention weights before the softmax: next to nothing is left of padding.
        bias = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        counted = attention_mask[:, :, None].to(x.dtype)
        mean = (x * counted).sum(1) / counted.sum(1)
        vectors: Tensor = mean / torch.sqrt((mean * mean).sum(1, keepdim=True))
        return vectors


def build(source: Container, kept: NDArray[np.int64]) -> Encoder:
    """The encoder with the container's weights, its word table cut to the rows `kept`."""
    codes, scales = source.codes("emb.word", source.hidden)
    positions = source.floats("emb.pos").reshape(source.positions, -1)
    # Only token type 0 is ever used, so its row can stand in the position table.
    token_type = source.floats("emb.type")[: source.hidden]
    state: dict[str, NDArray[np.float32]] = {
        "word.weight": dequantise(codes[kept], scales[kept]),
        "pos.weight": positions + token_type,
        "ln.weight": source.floats("emb.ln.w"),
        "ln.bias": source.floats("emb.ln.b"),
    }
    for layer in range(source.layers):
        for part in LINEAR:
            columns = source.feed_forward if part == "fo" else source.hidden
            weight = dequantise(*source.codes(f"l{layer}.{part}.w", columns))
            state[f"layers.{layer}.{part}.weight"] = weight
        for part in NORM:
            state[f"layers.{layer}.{part}.weight"] = source.floats(f"l{layer}.{part}.w")
        for part in (*LINEAR, *NORM):
            state[f"layers.{layer}.{part}.bias"] = source.floats(f"l{layer}.{part}.b")
    encoder = Encoder(source, len(kept)).eval()
    encoder.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in state.items()})
    return encoder
