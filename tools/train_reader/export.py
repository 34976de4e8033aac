"""A checkpoint -> one int8 ONNX file that onnxruntime runs without torch.

    python export.py --checkpoint best.pt --embedder DIR --out model.onnx

The word table was frozen, so it is stored in the very 4-bit codes of the shipped embedder, without loss. The
layers become int8, a scale per column; the small heads stay float.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from model import Reader
from onnx import TensorProto, helper, numpy_helper
from train import load_model

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
OUTPUTS = ["answer_logit", "near_miss_logit", "start_logits", "end_logits"]


def write_float(model: Reader, target: Path) -> None:
    """The float graph, for any batch size and length."""
    for layer in model.layers:
        layer.plain = True
    ids = torch.tensor([[0, 5, 6, 2, 2, 7, 8, 2], [0, 8, 2, 2, 9, 2, 1, 1]])
    mask = (ids != 1).long()
    types = torch.tensor([[0, 0, 0, 0, 0, 2, 2, 0], [0, 0, 0, 0, 2, 0, 0, 0]])
    per_token = {0: "batch", 1: "seq"}
    axes = dict.fromkeys([*INPUTS, *OUTPUTS[2:]], per_token) | {name: {0: "batch"} for name in OUTPUTS[:2]}
    torch.onnx.export(model, (ids, mask, types), str(target), input_names=INPUTS, output_names=OUTPUTS,
                      dynamic_axes=axes, opset_version=17, dynamo=False)  # fmt: skip


def fuse(source: Path, target: Path) -> None:
    """Attention, layer normalisation and GELU become one node each."""
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    options = FusionOptions("bert")
    options.use_multi_head_attention = False
    options.enable_embed_layer_norm = False
    merged = optimizer.optimize_model(str(source), model_type="bert", num_heads=12, hidden_size=384,
                                      optimization_options=options, opt_level=0)  # fmt: skip
    merged.save_model_to_file(str(target))


def pack_words(source: Path, target: Path, embedder: Path) -> None:
    """Replace the float word table by the embedder's codes; raises ValueError when they are not the same table."""
    codes = {t.name: t for t in onnx.load(str(embedder)).graph.initializer if t.name in {"word_q4", "word_s"}}
    packed, scales = numpy_helper.to_array(codes["word_q4"]), numpy_helper.to_array(codes["word_s"])
    model = onnx.load(str(source))
    graph = model.graph
    tables = {t.name: t for t in graph.initializer if t.dims and t.dims[0] == packed.shape[0]}
    nodes = []
    for node in graph.node:
        if node.op_type != "Gather" or node.input[0] not in tables:
            nodes.append(node)
            continue
        table = numpy_helper.to_array(tables[node.input[0]])
        if np.abs(unpack(packed, scales) - table).max() > 1e-2:
            raise ValueError("the word table was changed in training: it is not the embedder's")
        graph.initializer.remove(tables[node.input[0]])
        graph.initializer.extend(codes.values())
        (out,) = node.output
        nodes.append(helper.make_node("GatherBlockQuantized", ["word_q4", node.input[1], "word_s"], [out + "_f16"],
                                      name="word_gather", domain="com.microsoft", gather_axis=0, quantize_axis=1,
                                      block_size=32, bits=4))  # fmt: skip
        nodes.append(helper.make_node("Cast", [out + "_f16"], [out], name="word_cast", to=TensorProto.FLOAT))
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    if "com.microsoft" not in {o.domain for o in model.opset_import}:
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, str(target))


def unpack(packed: Any, scales: Any) -> Any:
    """4-bit codes (low nibble first, 8 is zero) and scales per 32 columns -> float32 table."""
    codes = np.stack((packed & 15, packed >> 4), -1).reshape(packed.shape[0], -1, 32)
    table = (codes.astype(np.float32) - 8) * scales.astype(np.float32).reshape(packed.shape[0], -1)[:, :, None]
    return table.reshape(packed.shape[0], -1)


def quantise(source: Path, target: Path) -> None:
    """7-bit weights: without VNNI, sums of two full products do not fit their 16 bits."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    graph = onnx.load(str(source)).graph
    heads = [n.name for n in graph.node if any(part in n.name for part in ("/span/", "/pool/", "/verdict/"))]
    heads += [name + "_MatMul" for name in heads]  # what the quantiser makes of a Gemm
    quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
                     op_types_to_quantize=["MatMul", "Attention"], nodes_to_exclude=heads,
                     extra_options={"DefaultTensorType": TensorProto.FLOAT})  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--embedder", type=Path, required=True, help="folder of the embedder, for its word table")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--float", type=Path, help="keep the float graph here, to compare with")
    args = parser.parse_args()
    model = load_model(args.checkpoint)
    with tempfile.TemporaryDirectory() as folder:
        raw, fused, packed = (Path(folder) / f"{n}.onnx" for n in ("raw", "fused", "packed"))
        write_float(model, raw)
        fuse(raw, fused)
        pack_words(fused, packed, args.embedder / "model.onnx")
        if args.float:
            args.float.write_bytes(packed.read_bytes())
        quantise(packed, args.out)
    made = onnx.load(str(args.out)).graph
    counts = {op: sum(n.op_type == op for n in made.node) for op in sorted({n.op_type for n in made.node})}
    print(counts)
    print(f"{args.out}: {os.path.getsize(args.out) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
