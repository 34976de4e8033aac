"""The word table in codes of 4 or 8 bits, as ONNX Runtime's GatherBlockQuantized reads them.

A scale for every 32 columns of a row; half the range (8 or 128) stands for zero; of two 4-bit codes in a byte the
low one comes first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

BLOCK = 32
CODES, SCALES = "word_q{bits}", "word_s"

Table = NDArray[np.float32]
Codes = tuple[NDArray[np.uint8], NDArray[Any]]


def unpack(codes: Codes) -> Table:
    """Codes and scales -> float32 table."""
    packed, scales = codes
    rows, blocks = packed.shape[0], scales.size // packed.shape[0]
    wide = scales.astype(np.float32).reshape(rows, blocks, 1)
    if packed.shape[1] == blocks * BLOCK:
        values, zero = packed, 128
    else:
        values, zero = np.stack((packed & 15, packed >> 4), -1), 8
    table = (values.reshape(rows, blocks, BLOCK).astype(np.float32) - zero) * wide
    return np.ascontiguousarray(table.reshape(rows, -1))


def pack(table: Table, bits: int) -> Codes:
    """Float table -> codes; of several scales, each block gets the one that loses least."""
    zero = 1 << (bits - 1)
    x = table.reshape(table.shape[0], -1, BLOCK)
    peak = np.take_along_axis(x, np.abs(x).argmax(-1)[..., None], -1)
    least = np.full(peak.shape, np.inf, np.float32)
    best, scales = np.zeros(x.shape, np.uint8), np.zeros(peak.shape, np.float16)
    # The largest number gets the lowest code, as there is one more below zero than above; or it is cut a little.
    for part in np.linspace(0.8, 1.15, 15) if bits == 4 else (1.0,):
        scale = np.where(peak == 0, 1, -peak / zero * part).astype(np.float16)
        scale[scale == 0] = np.float16(6e-8)  # the smallest there is
        wide = scale.astype(np.float32)
        codes = np.clip(np.rint(x / wide) + zero, 0, 2 * zero - 1)
        loss = (((codes - zero) * wide - x) ** 2).sum(-1, keepdims=True)
        better = loss < least
        least, scales = np.where(better, loss, least), np.where(better, scale, scales)
        best = np.where(better, codes, best).astype(np.uint8)
    flat: NDArray[np.uint8] = best.reshape(table.shape[0], -1)
    if bits == 4:
        flat = np.asarray(flat[:, 0::2] | (flat[:, 1::2] << 4), np.uint8)
    return flat, scales[..., 0]


def codes_of(graph: Path) -> Codes:
    """The codes that a shipped graph holds."""
    tensors = onnx.load(str(graph)).graph.initializer
    held = {t.name: numpy_helper.to_array(t) for t in tensors if t.name.startswith("word_")}
    return next(v for k, v in held.items() if k.startswith("word_q")), held[SCALES]


def put(source: Path, target: Path, codes: Codes) -> None:
    """Replace a graph's float word table by codes; ValueError when there is none of as many rows."""
    packed, scales = codes
    model = onnx.load(str(source))
    graph = model.graph
    tables = {t.name: t for t in graph.initializer if t.dims and t.dims[0] == packed.shape[0]}
    bits = 8 * packed.shape[1] // (scales.size // packed.shape[0] * BLOCK)
    name, nodes = CODES.format(bits=bits), []
    for node in graph.node:
        if node.op_type != "Gather" or node.input[0] not in tables:
            nodes.append(node)
            continue
        graph.initializer.remove(tables.pop(node.input[0]))
        graph.initializer.append(numpy_helper.from_array(packed, name))
        graph.initializer.append(numpy_helper.from_array(scales.reshape(packed.shape[0], -1), SCALES))
        (out,) = node.output
        nodes.append(helper.make_node("GatherBlockQuantized", [name, node.input[1], SCALES], [out + "_f16"],
                                      name="word_gather", domain="com.microsoft", gather_axis=0, quantize_axis=1,
                                      block_size=BLOCK, bits=bits))  # fmt: skip
        nodes.append(helper.make_node("Cast", [out + "_f16"], [out], name="word_cast", to=TensorProto.FLOAT))
    if len(nodes) == len(graph.node):
        raise ValueError(f"no word table of {packed.shape[0]} rows in the graph")
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    if "com.microsoft" not in {o.domain for o in model.opset_import}:
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, str(target))
