"""The other way round: float weights out of the shipped int8 graph, under the names of transformers' BertModel.

Needs numpy and onnx alone. Used to compare the graph with an independent implementation, and as a starting
point for training. The token-type table comes out as zeros: its one row is part of the position table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

HEADS = 12

#: Name of a layer's part in the graph → its name in BertModel. Attention (q, k, v) is one node and apart.
PARTS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def bert_config(state: dict[str, NDArray[np.float32]]) -> dict[str, object]:
    """Keyword arguments for transformers' BertConfig that fit `state`."""
    vocab_size, hidden_size = state["embeddings.word_embeddings.weight"].shape
    return {
        "vocab_size": vocab_size,
        "hidden_size": hidden_size,
        "num_hidden_layers": 1 + max(int(name.split(".")[2]) for name in state if name.startswith("encoder")),
        "num_attention_heads": HEADS,
        "intermediate_size": len(state["encoder.layer.0.intermediate.dense.bias"]),
        "max_position_embeddings": len(state["embeddings.position_embeddings.weight"]),
        "type_vocab_size": len(state["embeddings.token_type_embeddings.weight"]),
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "pad_token_id": 1,
    }


def state_dict(model: Path) -> dict[str, NDArray[np.float32]]:
    """Weights of a graph made by `export.py`, as arrays named like BertModel's (without pooling layer)."""
    graph = onnx.load(str(model)).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}

    def array(name: str) -> NDArray[np.float32]:
        return np.asarray(numpy_helper.to_array(tensors[name]), np.float32)

    position = array("pos.weight")
    state = {
        "embeddings.word_embeddings.weight": _word_table(
            numpy_helper.to_array(tensors["word_q4"]), array("word_s")
        ),
        "embeddings.position_embeddings.weight": position,
        "embeddings.token_type_embeddings.weight": np.zeros((2, position.shape[1]), np.float32),
        "embeddings.LayerNorm.weight": array("ln.weight"),
        "embeddings.LayerNorm.bias": array("ln.bias"),
    }
    for name in tensors:
        if name.startswith("layers."):
            _, layer, part, kind = name.split(".")
            state[f"encoder.layer.{layer}.{PARTS[part]}.{kind}"] = array(name)
    for node in graph.node:
        if node.op_type == "MatMulInteger":  # /layers.3/fo/MatMul_quant
            weight, zero = array(node.input[1]), array(node.input[3])
            scale = array(node.input[1].removesuffix("_quantized") + "_scale")
            _, layer_name, part, _ = node.name.split("/")
            layer = layer_name.removeprefix("layers.")
            state[f"encoder.layer.{layer}.{PARTS[part]}.weight"] = _columns(weight, scale, zero)
    attention = [node for node in graph.node if node.op_type == "QAttention"]
    for layer_number, node in enumerate(attention):
        weight = _columns(array(node.input[1]), array(node.input[4]), array(node.input[7]))
        for name, third, bias in _thirds(weight, array(node.input[2])):
            prefix = f"encoder.layer.{layer_number}.attention.self.{name}"
            state[f"{prefix}.weight"], state[f"{prefix}.bias"] = third, bias
    return {name: np.array(value, np.float32, order="C") for name, value in state.items()}


def _word_table(packed: NDArray[np.uint8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """4-bit codes, two to a byte with the low one first, around 8; one scale for every 32 columns."""
    codes = np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(packed), -1)
    return (codes.astype(np.float32) - 8) * np.repeat(scales.reshape(len(packed), -1), 32, axis=1)


def _columns(
    weight: NDArray[np.float32], scale: NDArray[np.float32], zero: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Codes (in, out) with a scale per column → float weights (out, in), as a torch Linear stores them."""
    return ((weight - zero) * scale).T


def _thirds(
    weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> Iterator[tuple[str, NDArray[np.float32], NDArray[np.float32]]]:
    names = ("query", "key", "value")
    yield from zip(names, np.split(weight, 3), np.split(bias, 3), strict=True)


def main() -> None:
    """python dequantise.py EMBEDDER OUT: the folder of the shipped graph -> one for transformers."""
    import json
    import shutil
    import sys

    from safetensors.numpy import save_file

    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    state = state_dict(source / "model.onnx")
    save_file({name: value.astype(np.float16) for name, value in state.items()}, target / "model.safetensors")
    (target / "config.json").write_text(json.dumps(bert_config(state), indent=1) + "\n", "utf-8")
    shutil.copy(source / "tokenizer.json", target)


if __name__ == "__main__":
    main()
