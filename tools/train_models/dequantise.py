"""The shipped int8 reader back to a float checkpoint that `train_reader.py --init` starts from.

python dequantise.py --shipped model.onnx --out shipped_reader.pt [--pairs DIR --tokenizer DIR]

With pairs and a tokenizer, the answer logits of both are compared. What differs is that the graph also rounds what
goes into each product to 8 bits; the weights come back as they are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from network import Encoder, Reader
from numpy.typing import NDArray
from onnx import numpy_helper
from words import unpack

Floats = NDArray[np.float32]


def state_of(path: Path) -> dict[str, torch.Tensor]:
    """Weights of a graph made by `export.py`, under the names of `network.Reader`."""
    graph = onnx.load(str(path)).graph
    tensors = {t.name: numpy_helper.to_array(t) for t in graph.initializer}

    def columns(weight: str, scale: str, zero: str) -> Floats:
        """Codes (in, out) with a scale per column -> weights (out, in), as a torch Linear stores them."""
        codes = tensors[weight].astype(np.float32) - tensors[zero].astype(np.float32)
        return np.asarray((codes * tensors[scale]).T, np.float32)

    state: dict[str, Floats] = {"encoder.word.weight": unpack((tensors["word_q4"], tensors["word_s"]))}
    for name, value in tensors.items():
        if name.startswith("encoder."):
            state[name] = value
    for name in ("span.bias", "pool.bias", "verdict.bias"):
        state[name] = tensors[name]
    attention = 0
    for node in graph.node:
        part = node.name.strip("/").split("/")
        if node.op_type == "MatMulInteger":  # /encoder/layers.3/up/MatMul_quant
            base = node.input[1].removesuffix("_quantized")
            state[f"{part[0]}.{part[1]}.{part[2]}.weight"] = columns(node.input[1], base + "_scale", node.input[3])
        elif node.op_type == "QAttention":  # in the order of the layers
            weight, bias = columns(node.input[1], node.input[4], node.input[7]), tensors[node.input[2]]
            for key, w, b in zip("qkv", np.split(weight, 3), np.split(bias, 3), strict=True):
                state[f"encoder.layers.{attention}.{key}.weight"] = w
                state[f"encoder.layers.{attention}.{key}.bias"] = b
            attention += 1
        elif node.op_type == "MatMul":  # the heads, float: /span/MatMul, /pool/Gemm_MatMul
            state[f"{part[0]}.weight"] = tensors[node.input[1]].T
    return {k: torch.from_numpy(np.array(v, np.float32, order="C")) for k, v in state.items()}


def reader_of(state: dict[str, torch.Tensor]) -> Reader:
    """A reader of six layers with these weights; a name too few or too many raises RuntimeError."""
    model = Reader(Encoder(state["encoder.word.weight"].shape[0], 6, 3))
    model.load_state_dict(state)
    return model.eval()


def compare(model: Reader, shipped: Path, pairs_folder: Path, tokenizer_folder: Path, count: int) -> None:
    """Print how close the answer logits of both are, one pair per run."""
    from measure import logits, real_inputs, session_of

    feeds = real_inputs(pairs_folder, tokenizer_folder, count)
    mine, theirs = logits(model, feeds), logits(session_of(shipped), feeds)
    print(f"{count} pairs: correlation {np.corrcoef(mine, theirs)[0, 1]:.4f}, largest difference "
          f"{np.abs(mine - theirs).max():.3f}, logits from {theirs.min():.2f} to {theirs.max():.2f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shipped", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--count", type=int, default=40)
    args = parser.parse_args()
    state = state_of(args.shipped)
    model = reader_of(state)
    torch.save({"average": state}, args.out)
    print(f"{args.out}: {len(state)} tensors")
    if args.pairs and args.tokenizer:
        compare(model, args.shipped, args.pairs, args.tokenizer, args.count)


if __name__ == "__main__":
    main()
