"""The shipped embedder: multilingual-e5-small for English and Chinese, int8, on ONNX Runtime.

The graph pools and normalises inside, so one run turns token ids into a finished vector. Its activations are
quantised with one scale per run: a vector would depend on the texts it shares a batch with. Hence one text
per run, always, and the same text has the same vector in whatever company; many texts are spread over
threads instead (bench/embed_threads.py compares the ways to do that).
"""

from __future__ import annotations

import hashlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from ragheal.errors import ModelError
from ragheal.models import onnx

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATA = Path(__file__).parent / "data"
SHIPPED = "e5-small-en-zh"
MODEL_FILE, TOKENIZER_FILE, WHAT = "model.onnx", "tokenizer.json", "embedder"
QUERY_PREFIX, PASSAGE_PREFIX = "query: ", "passage: "


#: Tokens the model reads at most, with prefix and special tokens.
CONTEXT = 512
#: Characters handed to the tokenizer for a vector. No piece of the vocabulary is longer than 16 characters, so
#: this is four times what can fill the context; it keeps a text of many megabytes from being read whole.
MAX_CHARS = 64 * CONTEXT
#: Longest wait for a vector before looking for Ctrl-C again (Windows cannot interrupt a wait), in seconds.
PATIENCE = 0.2


class OnnxEmbedder:
    """Embeds with a folder of `model.onnx`, `tokenizer.json` and `SHA256SUMS`. Satisfies `Embedder`.

    Nothing is loaded before `warm()` or the first use; then the hashes are checked as well. `threads` is how
    many texts are embedded at once, 0 for one per core. Any method but `warm` may raise `ModelError`.
    """

    dim = 384

    def __init__(
        self,
        folder: Path = DATA / SHIPPED,
        *,
        query_prefix: str = QUERY_PREFIX,
        passage_prefix: str = PASSAGE_PREFIX,
        threads: int = 0,
    ) -> None:
        self.name = folder.name
        self._folder = folder
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._threads = threads or onnx.cores()
        self._lock = threading.Lock()
        self._loading: Future[_Engine] | None = None
        # A question is embedded again by each search of the loop that keeps it in its pool.
        self._cached_query = lru_cache(maxsize=64)(self._query)

    @property
    def fingerprint(self) -> str:
        """Hash of the recorded sums (not of the files: no need to load for it) and of the prefixes."""
        sums = sorted(onnx.sums(self._folder, (MODEL_FILE, TOKENIZER_FILE), WHAT).items())
        scheme = ("onnx-1", sums, self._query_prefix, self._passage_prefix, CONTEXT)
        return hashlib.sha256(repr(scheme).encode()).hexdigest()[:16]

    @property
    def max_tokens(self) -> int:
        """Largest `count_tokens(text)` that is embedded whole: room for the prefix and <s>, </s> is kept."""
        word = self.count_tokens("a")  # a prefix alone would count the space at its end as a token
        prefixes = (self._query_prefix, self._passage_prefix)
        return CONTEXT - 2 - max(self.count_tokens(prefix + "a") - word for prefix in prefixes)

    def warm(self) -> None:
        """Begin to load in the background; reading the weights leaves the interpreter free for other work."""
        self._future()

    def count_tokens(self, text: str) -> int:
        """Number of tokens of `text` alone: without prefix and special tokens, never truncated."""
        return self._future().result().count(text)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, shape (384,), unit length."""
        return self._cached_query(text).copy()

    def embed_passages(
        self, texts: Sequence[str], on_done: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Vectors of passages, shape (len(texts), 384), in the order of `texts`; keeps `threads` cores busy.

        `on_done` is called in the calling thread with the number of texts finished so far. On Ctrl-C, or when
        a text fails, the texts in work are finished (0.1 s), the others are dropped.
        """
        import numpy as np

        rows = np.empty((len(texts), self.dim), np.float32)
        if not texts:
            return rows
        engine = self._future().result()
        # Longest first, so that no thread is left alone with a long text at the end. Bytes, because they
        # stand in the same relation to tokens for both languages.
        length = [len(text.encode("utf-8", "replace")) for text in texts]
        todo = deque(sorted(range(len(texts)), key=length.__getitem__, reverse=True))
        finished: SimpleQueue[BaseException | None] = SimpleQueue()
        stop = threading.Event()

        def work() -> None:
            while not stop.is_set():
                try:
                    i = todo.popleft()
                except IndexError:
                    return
                try:
                    rows[i] = engine.vector(self._passage_prefix, texts[i])
                except BaseException as exc:
                    finished.put(exc)
                    return
                finished.put(None)

        # Workers take the next text themselves: there is no queue of futures that grows with the corpus.
        workers = min(self._threads, len(texts))
        with ThreadPoolExecutor(workers, thread_name_prefix="embed") as pool:
            try:
                for _ in range(workers):
                    pool.submit(work)
                for done in range(1, len(texts) + 1):
                    failure = _next(finished)
                    if failure is not None:
                        raise failure
                    if on_done is not None:
                        on_done(done)
            finally:
                stop.set()
        return rows

    def _query(self, text: str) -> NDArray[np.float32]:
        return self._future().result().vector(self._query_prefix, text)

    def _future(self) -> Future[_Engine]:
        with self._lock:
            if self._loading is None:
                # A pool and not a daemon thread: the interpreter waits for it when it ends, where a thread
                # caught inside native code could crash it.
                pool = ThreadPoolExecutor(1, thread_name_prefix="embed-load")
                # Here, in one thread: ONNX Runtime and FAISS import it from native code, and two threads that
                # meet in it can fail ("cannot load module more than once") or wait for each other for ever.
                import numpy  # noqa: F401

                self._loading = pool.submit(_load, self._folder)
                pool.shutdown(wait=False)
            return self._loading


class _Engine(NamedTuple):
    """The loaded parts; safe to use from several threads."""

    session: Any  # onnxruntime.InferenceSession
    tokenizer: Any  # tokenizers.Tokenizer

    def count(self, text: str) -> int:
        return len(self.tokenizer.encode(onnx.utf8(text), add_special_tokens=False))

    def vector(self, prefix: str, text: str) -> NDArray[np.float32]:
        """Unit-length vector of shape (384,) of the first `CONTEXT` tokens."""
        import numpy as np

        ids = self.tokenizer.encode(onnx.utf8(prefix + text[:MAX_CHARS])).ids
        if len(ids) > CONTEXT:
            ids = [*ids[: CONTEXT - 1], ids[-1]]
        row = np.array([ids], np.int64)
        try:
            vectors = self.session.run(["embedding"], {"input_ids": row, "attention_mask": np.ones_like(row)})[0]
        except Exception as exc:
            raise ModelError(f"the embedder failed on a text of {len(text)} characters: {exc}") from exc
        vector: NDArray[np.float32] = vectors[0]
        return vector


def _load(folder: Path) -> _Engine:
    """Load the parts of `folder` and check their hashes. Raises `ModelError`."""
    files = (MODEL_FILE, TOKENIZER_FILE)
    return onnx.load(
        folder,
        files,
        WHAT,
        lambda: _Engine(onnx.session(folder / MODEL_FILE), onnx.tokenizer(folder / TOKENIZER_FILE)),
    )


def _next(queue: SimpleQueue[BaseException | None]) -> BaseException | None:
    while True:
        try:
            return queue.get(timeout=PATIENCE)
        except Empty:
            continue
