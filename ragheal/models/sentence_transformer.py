"""Any sentence-transformers model as an embedder: the optional extra `ragheal[models]`.

Nothing is downloaded unless the user named a model of a hub that is not yet in the local cache.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import re
import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragheal.errors import ConfigError, ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Texts handed over at once: enough for sentence-transformers to sort them by length and fill its batches,
#: few enough that progress shows and Ctrl-C is answered.
SLAB = 256
#: A model without a limit (static word vectors) is given this one: no passage should be longer.
NO_LIMIT = 8192

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
#: Names under which models save the prompt of their passages; sentence-transformers has no fixed one.
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


class SentenceTransformerEmbedder:
    """Embeds with a model folder or a hub name. Satisfies `Embedder`; loads at `warm()` or the first use.

    A prefix of None is taken from the model's saved prompts, else from `default_prefixes`.
    Raises `ConfigError` when sentence-transformers is not installed; its methods and properties raise
    `ModelError` when the model cannot be loaded or run.
    """

    def __init__(self, model: str, query_prefix: str | None = None, passage_prefix: str | None = None) -> None:
        if find_spec("sentence_transformers") is None:
            raise ConfigError(
                f'the embedder "{model}" needs the package sentence-transformers, which is not installed',
                hint='pip install "ragheal[models]", or leave embedding.model at e5-small-en-zh',
            )
        self.name = model
        self._wanted = (query_prefix, passage_prefix)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, str, str] | None = None

    @property
    def dim(self) -> int:
        """Length of every vector."""
        return len(self.embed_query(""))

    @property
    def fingerprint(self) -> str:
        """Hash over samples of every weight, the modules' settings, the vocabulary and the prefixes.

        It does not depend on where the model lies, so a copied folder keeps its index.
        """
        model, query_prefix, passage_prefix = self._load()
        digest = hashlib.sha256(repr((query_prefix, passage_prefix, model.max_seq_length)).encode())
        for module in model:
            config = module.get_config_dict() if hasattr(module, "get_config_dict") else {}
            digest.update(f"{type(module).__name__} {json.dumps(config, sort_keys=True, default=str)}".encode())
        for name, weight in sorted(model.state_dict().items()):
            if "pooler.dense" in name:  # BERT's unused head: random at every load where a model has none saved
                continue
            flat = weight.detach().reshape(-1)
            sample = flat[:: max(1, len(flat) // 64)].float().cpu().numpy()
            digest.update(f"{name} {tuple(weight.shape)}".encode() + sample.tobytes())
        vocabulary = sorted(model.tokenizer.get_vocab().items()) if hasattr(model.tokenizer, "get_vocab") else ()
        digest.update(repr(vocabulary).encode("utf-8", "replace"))
        return digest.hexdigest()[:16]

    @property
    def max_tokens(self) -> int:
        """Largest `count_tokens(text)` that is embedded whole."""
        model, query_prefix, passage_prefix = self._load()
        limit = model.max_seq_length
        if limit is None or math.isinf(limit) or limit > NO_LIMIT:
            limit = NO_LIMIT
        word = self.count_tokens("a")
        longest = max(self.count_tokens(prefix + "a") - word for prefix in (query_prefix, passage_prefix))
        return int(limit) - longest - 2  # <s> and </s>, or what the model calls them

    def warm(self) -> None:
        """Does nothing: importing torch holds the interpreter, so a thread would win no time."""

    def count_tokens(self, text: str) -> int:
        """Number of tokens of `text` alone: without prefix and special tokens, never truncated."""
        tokenizer = self._load()[0].tokenizer
        text = text.encode("utf-8", "replace").decode()
        if callable(tokenizer):
            return len(tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"])
        return len(tokenizer.encode(text, add_special_tokens=False))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (dim,), unit length."""
        model, query_prefix, _ = self._load()
        vector: NDArray[np.float32] = self._encode(model, [query_prefix + text])[0]
        return vector

    def embed_passages(
        self, texts: Sequence[str], on_done: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Vectors of passages, shape (len(texts), dim), in the order of `texts`."""
        import numpy as np

        model, _, passage_prefix = self._load()
        if not texts:
            return np.empty((0, self.dim), np.float32)
        slabs = []
        for start in range(0, len(texts), SLAB):
            slab = texts[start : start + SLAB]
            slabs.append(self._encode(model, [passage_prefix + text for text in slab]))
            if on_done is not None:
                on_done(start + len(slab))
        return np.concatenate(slabs)

    def _encode(self, model: Any, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        texts = [text.encode("utf-8", "replace").decode() for text in texts]
        try:
            # An empty prompt: else a model with a default prompt would add it to our prefix.
            rows = model.encode(
                texts, prompt="", normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        except Exception as exc:
            raise ModelError(f'the embedder "{self.name}" failed: {exc}') from exc
        return np.ascontiguousarray(rows, np.float32)

    def _load(self) -> tuple[Any, str, str]:
        """(model, query prefix, passage prefix)."""
        with self._lock:
            if self._loaded is None:
                model = _open(self.name)
                query, passage = default_prefixes(self.name, getattr(model, "prompts", None) or {})
                wanted_query, wanted_passage = self._wanted
                self._loaded = (
                    model,
                    query if wanted_query is None else wanted_query,
                    passage if wanted_passage is None else wanted_passage,
                )
            return self._loaded


def default_prefixes(model: str, prompts: dict[str, str]) -> tuple[str, str]:
    """(query prefix, passage prefix): the model's own prompts, those of the e5 family, or none.

    "e5" counts as a word of the last part of the name only: base512 is no e5. Its instruct models are trained
    with a task for queries and nothing for passages, and save that as a prompt.
    """
    query = prompts.get("query") or ""
    passage = next((prompts[key] for key in _PASSAGE_PROMPTS if prompts.get(key)), "")
    if query or passage:
        return query, passage
    words = re.split(r"[-_.\s]", Path(model).name.lower())
    if "e5" in words and not {"instruct", "mistral"} & set(words):
        return "query: ", "passage: "
    return "", ""


def _open(name: str) -> Any:
    """The loaded model: from a folder, else the local cache of the hub, else the hub. Raises `ModelError`."""
    try:
        from sentence_transformers import SentenceTransformer
    except Exception as exc:  # installed, but torch or another part of it is broken
        raise ModelError(
            f"sentence-transformers cannot be imported: {exc}", hint='pip install --upgrade "ragheal[models]"'
        ) from exc
    _silence()
    folder = Path(name).expanduser()
    if folder.is_dir():
        try:
            return SentenceTransformer(str(folder), local_files_only=True)
        except Exception as exc:
            raise ModelError(
                f"the folder {folder} cannot be loaded as a sentence-transformers model: {_first_line(exc)}",
                hint="it should hold modules.json, or config.json with the weights and the tokenizer",
            ) from exc
    if not _HUB_NAME.fullmatch(name) or name in {".", ".."}:
        raise ModelError(
            f'there is no embedder "{name}": no such folder, and not a name of a hub',
            hint="give a model folder, a hub name such as intfloat/e5-base-v2, or e5-small-en-zh",
        )
    try:
        return SentenceTransformer(name, local_files_only=True)
    except Exception:
        pass  # not in the cache, or only in part: ask the hub
    try:
        return SentenceTransformer(name)
    except Exception as exc:
        raise ModelError(
            f'there is no embedder "{name}": tried the shipped models, the folder {folder.absolute()}, '
            f"the local model cache and the hub ({_first_line(exc)})",
            hint="check the name and the connection, or give the path of a model folder",
        ) from exc


def _silence() -> None:
    """Keep loading bars and reports off stderr, which belongs to the story of the answer."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)


def _first_line(exc: BaseException) -> str:
    return (str(exc).strip() or type(exc).__name__).splitlines()[0]
