"""The two networks: a BERT encoder, on it a reader (cross-encoder with four heads) or an embedder (mean pooling)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

NO_TOKEN = -1e4


class Layer(nn.Module):
    """One post-norm transformer layer; plain matrix products when exporting, so that graph fusions match."""

    def __init__(self, width: int, heads: int, inner: int, eps: float) -> None:
        super().__init__()
        self.heads, self.part = heads, width // heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=eps), nn.LayerNorm(width, eps=eps)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.plain = False

    def _split(self, x: Tensor) -> Tensor:
        return x.view(x.size(0), x.size(1), self.heads, self.part).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        q, k, v = self._split(self.q(x)), self._split(self.k(x)), self._split(self.v(x))
        if self.plain:
            scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.part) + bias
            mixed = torch.matmul(torch.softmax(scores, -1), v)
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        mixed = mixed.permute(0, 2, 1, 3).contiguous()
        x = self.norm1(x + self.o(mixed.view(mixed.size(0), mixed.size(1), -1)))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))


class Encoder(nn.Module):
    """ids, mask and token types [B, T] -> states [B, T, W]. The word table stays as it is: it is shipped in 4 bits."""

    def __init__(self, vocab: int, layers: int, types: int, width: int = 384, heads: int = 12, inner: int = 1536,
                 positions: int = 512, eps: float = 1e-12, frozen: int = 0) -> None:  # fmt: skip
        super().__init__()
        self.word = nn.Embedding(vocab, width)
        self.word.weight.requires_grad_(False)
        self.position, self.kind = nn.Embedding(positions, width), nn.Embedding(types, width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.layers = nn.ModuleList(Layer(width, heads, inner, eps) for _ in range(layers))
        self.frozen = frozen

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        at = torch.arange(input_ids.size(1), device=input_ids.device)
        kinds = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        x = self.norm(self.word(input_ids) + self.position(at)[None] + self.kind(kinds))
        bias = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * NO_TOKEN
        for number, layer in enumerate(self.layers):
            if number == self.frozen and self.frozen and self.training:
                x = x.detach()
            x = layer(x, bias)
        return x


class Reader(nn.Module):
    """ids, mask and token types [B, T] -> answer logit [B], near-miss logit [B], start and end logits [B, T].

    Token types: 0 question and its separators, 1 context (headings, or a linking sentence and the headings it
    leads to), 2 passage text; spans are only looked for in 2.
    """

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.word.weight.shape[1]
        self.span = nn.Linear(width, 2)
        self.pool = nn.Linear(2 * width + 2, width)
        self.verdict = nn.Linear(width, 2)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, ...]:
        x = self.encoder(input_ids, attention_mask, token_type_ids)
        inside = ((token_type_ids == 2) & (attention_mask == 1)).to(x.dtype)
        spans = self.span(x) + ((1.0 - inside) * NO_TOKEN)[:, :, None]
        start, end = spans[:, :, 0], spans[:, :, 1]
        mean = (x * inside[:, :, None]).sum(1) / inside.sum(1, keepdim=True).clamp(min=1.0)
        peaks = torch.stack((start.amax(1), end.amax(1)), 1)
        pooled = torch.tanh(self.pool(torch.cat((x[:, 0], mean, peaks * 0.1), 1)))
        verdict = self.verdict(pooled)
        return verdict[:, 0], verdict[:, 1], start, end

    def heads(self) -> list[nn.Parameter]:
        parts = (self.span, self.pool, self.verdict)
        return [*(p for part in parts for p in part.parameters()), self.encoder.kind.weight]


class Embedder(nn.Module):
    """ids and mask [B, T] -> unit vectors [B, W]: the mean of the tokens."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        x = self.encoder(input_ids, attention_mask)
        mask = attention_mask[:, :, None].to(x.dtype)
        return functional.normalize((x * mask).sum(1) / mask.sum(1), dim=-1)


_NAMES = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "o": "attention.output.dense", "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm",
}  # fmt: skip


def encoder_of(folder: Path, layers: int, types: int, frozen: int = 0) -> Encoder:
    """The first `layers` layers of a transformers BertModel (config.json, model.safetensors)."""
    from safetensors.torch import load_file

    config: dict[str, Any] = json.loads((folder / "config.json").read_text())
    weights = {k.removeprefix("bert."): v.float() for k, v in load_file(folder / "model.safetensors").items()}
    model = Encoder(config["vocab_size"], layers, types, config["hidden_size"], config["num_attention_heads"],
                    config["intermediate_size"], config["max_position_embeddings"], config["layer_norm_eps"],
                    frozen)  # fmt: skip
    with torch.no_grad():
        model.word.weight.copy_(weights["embeddings.word_embeddings.weight"])
        model.position.weight.copy_(weights["embeddings.position_embeddings.weight"])
        model.kind.weight.copy_(weights["embeddings.token_type_embeddings.weight"][0].expand(types, -1))
        model.norm.weight.copy_(weights["embeddings.LayerNorm.weight"])
        model.norm.bias.copy_(weights["embeddings.LayerNorm.bias"])
        for number, layer in enumerate(model.layers):
            for mine, theirs in _NAMES.items():
                part = getattr(layer, mine)
                part.weight.copy_(weights[f"encoder.layer.{number}.{theirs}.weight"])
                part.bias.copy_(weights[f"encoder.layer.{number}.{theirs}.bias"])
    return model
