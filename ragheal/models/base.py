"""What every embedder offers: text in, unit-length vectors out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # numpy takes 0.1 s to import, and this file is read by commands that embed nothing
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns queries and passages into vectors whose inner product is their cosine similarity.

    Queries and passages are told apart because many models were trained with another prefix for each.
    Reading a property may load the model, so each of them can raise `ModelError` or `ConfigError`.
    """

    @property
    def name(self) -> str:
        """The name the user chose: a shipped model, a folder or a name on a hub."""
        ...

    @property
    def dim(self) -> int:
        """Length of every vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the weights, the tokenizer or the prefixes.

        Vectors are comparable only when their fingerprints agree; the index records it.
        """
        ...

    @property
    def max_tokens(self) -> int:
        """Largest `count_tokens(text)` that is embedded whole; what lies beyond is cut off."""
        ...

    def warm(self) -> None:
        """Begin to load in the background and return at once; a failure is raised by the first real use."""
        ...

    def count_tokens(self, text: str) -> int:
        """Number of tokens of `text` alone: without prefix and special tokens, never truncated."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (dim,), unit length. Raises `ModelError`."""
        ...

    def embed_passages(
        self, texts: Sequence[str], on_done: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Vectors of passages, shape (len(texts), dim), unit-length rows in the order of `texts`.

        `on_done` is called in the calling thread with the number of texts finished so far (1 … len(texts)).
        Raises `ModelError`.
        """
        ...
