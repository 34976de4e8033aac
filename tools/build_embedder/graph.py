"""From the network to the shipped graph: export, fuse, put the 4-bit word table back, quantise the layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from container import Container
from network import Encoder
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions


def export(encoder: Encoder, target: Path) -> None:
    """Write the float graph, with any batch size and length."""
    ids = torch.tensor([[0, 5, 6, 7, 2], [0, 8, 2, 1, 1]])
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    per_token = {0: "batch", 1: "seq"}
    torch.onnx.export(
        encoder,
        (ids, mask),
        str(target),
        input_names=["input_ids", "attention_mask"],
        output_names=["embedding"],
        dynamic_axes={"input_ids": per_token, "attention_mask": per_token, "embedding": {0: "batch"}},
        opset_version=17,
        dynamo=False,  # the fusions know the patterns of the older exporter
    )


def fuse(source: Path, target: Path, encoder: Container) -> None:
    """Merge attention, layer normalisation and GELU into one node each."""
    options = FusionOptions("bert")
    options.use_multi_head_attention = False  # Attention has an int8 form, MultiHeadAttention has none
    options.enable_embed_layer_norm = False  # it would hide the word table, which has another form here
    fused = optimizer.optimize_model(
        str(source),
        model_type="bert",
        num_heads=encoder.heads,
        hidden_size=encoder.hidden,
        optimization_options=options,
        opt_level=0,
    )
    fused.save_model_to_file(str(target))


def restore_word_table(source: Path, target: Path, container: Container, kept: NDArray[np.int64]) -> None:
    """Replace the float word table by the container's own codes and scales: an eighth of the size, no loss."""
    model = onnx.load(str(source))
    graph = model.graph
    tables = {tensor.name: tensor for tensor in graph.initializer if list(tensor.dims)[:1] == [len(kept)]}
    nodes = []
    for node in graph.node:
        if node.op_type != "Gather" or node.input[0] not in tables:
            nodes.append(node)
            continue
        table, ids = node.input
        (out,) = node.output
        codes, scales = container.codes("emb.word", container.hidden)
        packed = codes[kept, 0::2] | (codes[kept, 1::2] << 4)
        graph.initializer.append(numpy_helper.from_array(packed, "word_q4"))
        graph.initializer.append(numpy_helper.from_array(scales[kept], "word_s"))
        graph.initializer.remove(tables.pop(table))
        nodes.append(
            helper.make_node(
                "GatherBlockQuantized",
                ["word_q4", ids, "word_s"],
                [f"{out}_f16"],
                name="word_gather_q4",
                domain="com.microsoft",
                gather_axis=0,
                quantize_axis=1,
                block_size=32,
                bits=4,
            )
        )
        nodes.append(helper.make_node("Cast", [f"{out}_f16"], [out], name="word_f32", to=TensorProto.FLOAT))
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    if "com.microsoft" not in {opset.domain for opset in model.opset_import}:
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, str(target))


def quantise(source: Path, target: Path) -> None:
    """Layers to int8, a scale per column; activations are quantised at run time."""
    quantize_dynamic(
        source,
        target,
        weight_type=QuantType.QInt8,
        per_channel=True,
        # 7 of 8 bits: on processors without VNNI, sums of two full products would not fit their 16 bits.
        reduce_range=True,
        op_types_to_quantize=["MatMul", "Attention"],
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
