"""Sentence vectors from the shipped embedder, kept on disk by text: only for finding hard negatives."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from windows import load_tokenizer


class Embedder:
    """384-dimensional unit vectors, one text a call (the int8 graph takes one scale a call)."""

    def __init__(self, folder: Path, cache: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self.tokenizer = load_tokenizer(folder)
        self.tokenizer.enable_truncation(160)
        self.path = cache
        self.known: dict[str, Any] = {}
        if cache.exists():
            stored = np.load(cache)
            self.known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def __call__(self, texts: list[str], prefix: str) -> Any:
        """Vectors as float32 [len(texts), 384]; prefix "query: " or "passage: " goes in front."""
        keys = [hashlib.sha1((prefix + text).encode()).hexdigest()[:20] for text in texts]
        fresh = 0
        for key, text in zip(keys, texts, strict=True):
            if key in self.known:
                continue
            encoding = self.tokenizer.encode(prefix + text)
            feed = {
                "input_ids": np.array([encoding.ids], dtype=np.int64),
                "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
            }
            self.known[key] = self.session.run(None, feed)[0][0].astype(np.float16)
            fresh += 1
        if fresh:
            print(f"embedded {fresh} new of {len(texts)}", flush=True)
            self.save()
        return np.stack([self.known[key] for key in keys]).astype(np.float32)

    def save(self) -> None:
        partial = self.path.with_suffix(".part.npz")
        np.savez(partial, keys=np.array(list(self.known)), vectors=np.stack(list(self.known.values())))
        partial.replace(self.path)
