"""Models: text in, vectors out. `load_embedder` turns a name into an `Embedder`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ragheal.models.base import Embedder

__all__ = ["SHIPPED_EMBEDDERS", "Embedder", "load_embedder"]


# ONNX Runtime keeps a device id and a log of events in the home folder, and sends them, unless it is told not to
# before it is imported; its own `disable_telemetry_events` comes too late for the files.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def load_embedder(
    model: str, query_prefix: str | None = None, passage_prefix: str | None = None, *, threads: int = 0
) -> Embedder:
    """The embedder called `model`: a shipped one, or else a sentence-transformers folder or hub name.

    A prefix of None means the model's own. `threads`: texts embedded at once by a shipped model, 0 for one
    per core. Returns at once: files are read at the first use, which is when `ModelError` can be raised.
    Raises `ConfigError` when the model needs a package that is not installed.
    """
    make = SHIPPED_EMBEDDERS.get(model, _sentence_transformer)
    return make(model, query_prefix, passage_prefix, threads)


def _onnx(model: str, query_prefix: str | None, passage_prefix: str | None, threads: int) -> Embedder:
    from ragheal.models.embed import DATA, PASSAGE_PREFIX, QUERY_PREFIX, OnnxEmbedder

    return OnnxEmbedder(
        Path(DATA, model),
        query_prefix=QUERY_PREFIX if query_prefix is None else query_prefix,
        passage_prefix=PASSAGE_PREFIX if passage_prefix is None else passage_prefix,
        threads=threads,
    )


def _sentence_transformer(
    model: str, query_prefix: str | None, passage_prefix: str | None, threads: int
) -> Embedder:
    from ragheal.models.sentence_transformer import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(model, query_prefix, passage_prefix)


#: Models that come with the installation, and what runs them.
SHIPPED_EMBEDDERS: dict[str, Callable[[str, str | None, str | None, int], Embedder]] = {"e5-small-en-zh": _onnx}
