"""A checkpoint -> one int8 ONNX file that onnxruntime runs without torch, and SHA256SUMS beside it.

python export.py reader --checkpoint final.pt --words FILE --out model.onnx
python export.py embedder --checkpoint final.pt --shipped model.onnx --out model.onnx

A reader whose word table is the one in --words (the shipped embedder's graph) takes over its 4-bit codes; any
other table gets codes of its own. The layers become int8, a scale per column; the heads stay float. An embedder is
the shipped graph with other weights in its layers. With --pairs (and --tokenizer), real texts are compared.
"""

from __future__ import annotations

import argparse
import copy
import os
import tempfile
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import torch
import words
from measure import Feed, logits, milliseconds, random_inputs, real_inputs, session_of, spread, vectors
from network import Embedder, Encoder, Layer, Reader
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper
from sums import write_sums
from train_reader import load_model

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
OUTPUTS = ["answer_logit", "near_miss_logit", "start_logits", "end_logits"]
#: What 4 bits for a word may cost of the logits' correlation; and how far two tables that are the same may differ.
MAY_COST, SAME = 0.02, 1e-2
#: The share of codes that may lie one step off in a matrix that was not trained.
MOVED = 0.003
#: A part of a layer in the shipped embedder's graph -> in `network.Layer`.
PARTS = {"ao": "o", "aln": "norm1", "fi": "up", "fo": "down", "oln": "norm2"}


def write_float(model: Reader, target: Path) -> None:
    """The float graph, for any batch size and length."""
    layers = cast("list[Layer]", list(model.encoder.layers))
    for layer in layers:
        layer.plain = True
    ids = torch.tensor([[0, 5, 6, 2, 2, 7, 8, 2], [0, 8, 2, 2, 9, 2, 1, 1]])
    mask = (ids != 1).long()
    types = torch.tensor([[0, 0, 0, 0, 0, 2, 2, 0], [0, 0, 0, 0, 2, 0, 0, 0]])
    per_token = {0: "batch", 1: "seq"}
    axes = dict.fromkeys([*INPUTS, *OUTPUTS[2:]], per_token) | {name: {0: "batch"} for name in OUTPUTS[:2]}
    torch.onnx.export(model, (ids, mask, types), str(target), input_names=INPUTS, output_names=OUTPUTS,
                      dynamic_axes=axes, opset_version=17, dynamo=False)  # fmt: skip
    for layer in layers:
        layer.plain = False


def fuse(source: Path, target: Path, heads: int, width: int) -> None:
    """Attention, layer normalisation and GELU become one node each."""
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    options = FusionOptions("bert")
    options.use_multi_head_attention = False  # Attention has an int8 form, MultiHeadAttention has none
    options.enable_embed_layer_norm = False
    merged = optimizer.optimize_model(str(source), model_type="bert", num_heads=heads, hidden_size=width,
                                      optimization_options=options, opt_level=0)  # fmt: skip
    merged.save_model_to_file(str(target))


def quantise(source: Path, target: Path) -> None:
    """7-bit weights: without VNNI, sums of two full products do not fit their 16 bits."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    graph = onnx.load(str(source)).graph
    heads = [n.name for n in graph.node if any(part in n.name for part in ("/span/", "/pool/", "/verdict/"))]
    heads += [name + "_MatMul" for name in heads]  # what the quantiser makes of a Gemm
    quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
                     op_types_to_quantize=["MatMul", "Attention"], nodes_to_exclude=heads,
                     extra_options={"DefaultTensorType": TensorProto.FLOAT})  # fmt: skip


def word_codes(model: Reader, shipped: Path | None, feeds: list[Feed]) -> words.Codes:
    """The shipped codes when they are of the same table, else 4 bits, or 8 when 4 cost too much."""
    table = model.encoder.word.weight.detach().numpy()
    if shipped:
        codes = words.codes_of(shipped)
        if codes[0].shape[0] == table.shape[0]:
            apart = float(np.abs(words.unpack(codes) - table).max())
            if apart <= SAME:
                print(f"word table: the shipped codes, {apart:.1e} apart at most")
                return codes
        print("word table: not the shipped one")
    whole = logits(model, feeds)
    for bits in (4, 8):
        codes = words.pack(table, bits)
        coarse = copy.deepcopy(model)
        coarse.encoder.word.weight.data = torch.from_numpy(words.unpack(codes))
        cost = 1 - float(np.corrcoef(whole, logits(coarse, feeds))[0, 1])
        print(f"word table in {bits} bits: costs {cost:.4f} of the logits' correlation")
        if cost < MAY_COST:
            break
    return codes


def export_reader(args: argparse.Namespace) -> None:
    model = load_model(args.checkpoint)
    rows, width = model.encoder.word.weight.shape
    drawn = random_inputs(rows, args.count)
    sets = {"random": drawn}
    if args.pairs and args.tokenizer:
        sets["real"] = real_inputs(args.pairs, args.tokenizer, args.count)
    with tempfile.TemporaryDirectory() as folder:
        raw, fused, packed = (Path(folder) / f"{n}.onnx" for n in ("raw", "fused", "packed"))
        write_float(model, raw)
        fuse(raw, fused, cast("Layer", model.encoder.layers[0]).heads, width)
        words.put(
            fused, packed, word_codes(model, Path(args.words) if args.words else None, sets.get("real", drawn))
        )
        quantise(packed, args.out)
    session = session_of(args.out)
    for name, feeds in sets.items():
        mine, theirs = logits(model, feeds), logits(session, feeds)
        alike = np.corrcoef(mine, theirs)[0, 1]
        print(f"{len(feeds)} {name} inputs, float against int8: correlation {alike:.4f}, largest difference "
              f"{np.abs(mine - theirs).max():.3f}, spread {mine.std():.3f}")  # fmt: skip
    finish(args.out, session)


def load_embedder(path: Path) -> Embedder:
    """The weights of a checkpoint of `train_embedder.py`."""
    state = torch.load(path, weights_only=True)["model"]
    layers = 1 + max(int(k.split(".")[2]) for k in state if k.startswith("encoder.layers."))
    rows, width = state["encoder.word.weight"].shape
    model = Embedder(Encoder(rows, layers, 1, width))
    model.load_state_dict(state)
    return model.eval()


def columns(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Weights (out, in) -> 7-bit codes (in, out) and a scale per column, as `quantise` makes them."""
    scale = np.maximum(np.abs(weight).max(1), 1e-30).astype(np.float32) / np.float32(64)
    return np.clip(np.rint(weight.T / scale), -64, 64).astype(np.int8), scale


def replace_layers(shipped: Path, model: Embedder, target: Path) -> int:
    """The shipped graph with this network's layers; returns how many tensors changed.

    Raises ValueError when a part that training leaves alone is not the shipped one.
    """
    made = onnx.load(str(shipped))
    tensors = {t.name: t for t in made.graph.initializer}
    state = {k.removeprefix("encoder."): v.numpy() for k, v in model.state_dict().items()}
    frozen = {"pos.weight": state["position.weight"] + state["kind.weight"][0], "ln.weight": state["norm.weight"],
              "ln.bias": state["norm.bias"]}  # fmt: skip
    apart = {n: float(np.abs(numpy_helper.to_array(tensors[n]) - value).max()) for n, value in frozen.items()}
    apart["words"] = float(np.abs(words.unpack(words.codes_of(shipped)) - state["word.weight"]).max())
    if max(apart.values()) > SAME:
        raise ValueError(f"not the shipped embedder's: {apart}")
    fresh: dict[str, NDArray[Any]] = {}

    def held(name: str) -> NDArray[Any]:
        return numpy_helper.to_array(tensors[name])

    def weights(codes_name: str, scale_name: str, weight: NDArray[np.float32]) -> None:
        codes, scale = columns(weight)
        moved = np.abs(codes.astype(np.int16) - held(codes_name))
        # A layer that was frozen keeps its very codes: its float weights went through 16 bits, which moves one in
        # a thousand by one step.
        if moved.max() > 1 or (moved > 0).mean() > MOVED:
            fresh[codes_name], fresh[scale_name] = codes, scale

    for name in tensors:
        if name.startswith("layers."):
            _, layer, part, kind = name.split(".")
            fresh[name] = state[f"layers.{layer}.{PARTS[part]}.{kind}"]
    attention = 0
    for node in made.graph.node:
        if node.op_type == "MatMulInteger":  # /layers.3/fo/MatMul_quant
            _, layer, part, _ = node.name.split("/")
            scale_name = node.input[1].removesuffix("_quantized") + "_scale"
            weights(node.input[1], scale_name, state[f"{layer}.{PARTS[part]}.weight"])
        elif node.op_type == "QAttention":  # in the order of the layers
            three = [f"layers.{attention}.{key}" for key in "qkv"]
            weights(node.input[1], node.input[4], np.concatenate([state[f"{k}.weight"] for k in three]))
            fresh[node.input[2]] = np.concatenate([state[f"{k}.bias"] for k in three])
            attention += 1
    changed = 0
    for name, value in fresh.items():
        if held(name).shape != value.shape or held(name).dtype != value.dtype:
            raise ValueError(f"{name}: {held(name).shape} in the graph, {value.shape} in the checkpoint")
        if not np.array_equal(held(name), value):
            tensors[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), name))
            changed += 1
    onnx.save(made, str(target))
    return changed


def export_embedder(args: argparse.Namespace) -> None:
    model = load_embedder(args.checkpoint)
    print(f"{replace_layers(args.shipped, model, args.out)} tensors differ from the shipped graph")
    feeds = [{k: f[k] for k in INPUTS[:2]} for f in random_inputs(model.encoder.word.weight.shape[0], args.count)]
    if args.pairs:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str((args.tokenizer or args.shipped.parent) / "tokenizer.json"))
        tokenizer.enable_truncation(192)
        rows = spread(args.pairs, args.count)
        texts = [f"passage: {r['passage']}" if i % 2 else f"query: {r['question']}" for i, r in enumerate(rows)]
        ids = [torch.tensor([tokenizer.encode(text).ids]) for text in texts]
        feeds = [{"input_ids": i, "attention_mask": torch.ones_like(i)} for i in ids]
    session = session_of(args.out)
    made = vectors(session, feeds)
    for name, other in {"its float form": model, "the shipped one": session_of(args.shipped)}.items():
        cosine = (made * vectors(other, feeds)).sum(1)
        print(f"{len(feeds)} inputs, cosine to {name}: at least {cosine.min():.4f}, mean {cosine.mean():.4f}")
    finish(args.out, session)


def finish(path: Path, session: Any) -> None:
    """Print size and time, write SHA256SUMS for the model and what else lies there."""
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB, {milliseconds(session):.1f} ms for 130 tokens")
    print(write_sums(path.parent), end="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, does in (("reader", export_reader), ("embedder", export_embedder)):
        one = kinds.add_parser(kind)
        one.set_defaults(does=does)
        one.add_argument("--checkpoint", type=Path, required=True)
        one.add_argument("--out", type=Path, required=True)
        one.add_argument("--pairs", type=Path, help="folder of pairs, to compare on real texts")
        one.add_argument("--tokenizer", type=Path, help="folder of tokenizer.json")
        one.add_argument("--count", type=int, default=60, help="inputs to compare on")
    kinds.choices["reader"].add_argument("--words", default="", help="graph that holds word codes, if any")
    kinds.choices["embedder"].add_argument("--shipped", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.does(args)


if __name__ == "__main__":
    main()
