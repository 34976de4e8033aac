"""The shipped reader: does a passage answer a question, and where; int8 on ONNX Runtime, English and Chinese.

A cross-encoder of six layers trained by `tools/train_reader`. Like the embedder's, its graph takes one activation
scale per run: a passage read beside others would come out differently. Hence one passage per run, always, spread
over threads; a question and a passage have one reading in whatever company.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragheal.errors import ModelError
from ragheal.models import onnx
from ragheal.types import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATA = Path(__file__).parent / "data"
SHIPPED = DATA / "reader"
TOKENIZER = DATA / "e5-small-en-zh" / "tokenizer.json"
MODEL_FILE, CALIBRATION_FILE, WHAT = "model.onnx", "calibration.json", "reader"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("answer_logit", "near_miss_logit", "start_logits", "end_logits")

#: Tokens kept of a question, of a heading, and of the whole: as in training.
MAX_QUESTION, MAX_HEADING, MAX_TOTAL = 48, 24, 192
#: Longest span, in tokens, and how many starts are tried.
MAX_SPAN, STARTS = 40, 10
#: Characters handed to the tokenizer of each part: more can't fill its share of tokens.
MAX_CHARS = 16 * MAX_TOTAL
_START, _SEPARATOR = 0, 2


class OnnxReader:
    """Reads with a folder of `model.onnx`, `calibration.json` and `SHA256SUMS`, and the embedder's tokenizer.

    `tokenizer` may be a `tokenizers.Tokenizer` without truncation or padding that others use too; without it the
    file is read. Nothing is loaded before `warm()` or the first use; then the hashes are checked as well.
    `threads` is how many passages are read at once, 0 for one per core. Any method but `warm` may raise
    `ModelError`.
    """

    def __init__(
        self, folder: Path = SHIPPED, *, tokenizer: Any = None, tokenizer_file: Path = TOKENIZER, threads: int = 0
    ) -> None:
        self.name = f"reader:{folder.name}"
        self._folder = folder
        self._tokenizer = tokenizer
        self._tokenizer_file = tokenizer_file
        self._threads = threads or onnx.cores()
        self._lock = threading.Lock()
        self._loading: Future[_Engine] | None = None

    @property
    def fingerprint(self) -> str:
        """Hash of the recorded sums and of how inputs are made: equal readings for equal fingerprints."""
        scheme = (
            "reader-1",
            sorted(onnx.sums(self._folder, (MODEL_FILE, CALIBRATION_FILE), WHAT).items()),
            MAX_QUESTION,
            MAX_HEADING,
            MAX_TOTAL,
            MAX_SPAN,
        )
        return hashlib.sha256(repr(scheme).encode()).hexdigest()[:16]

    def warm(self) -> None:
        """Begin to load in the background."""
        self._future()

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """One reading for each (heading, text), in their order; offsets count characters of the text."""
        if not passages:
            return []
        engine = self._future().result()
        front = engine.question(question)
        if len(passages) == 1 or self._threads == 1:
            return [engine.read(front, heading, text) for heading, text in passages]
        # Longest first, so that no thread is left alone with a long passage at the end.
        order = sorted(range(len(passages)), key=lambda i: -len(passages[i][1].encode("utf-8", "replace")))
        with ThreadPoolExecutor(min(self._threads, len(passages)), thread_name_prefix="read") as pool:
            readings = dict(zip(order, pool.map(lambda i: engine.read(front, *passages[i]), order), strict=True))
        return [readings[i] for i in range(len(passages))]

    def _future(self) -> Future[_Engine]:
        with self._lock:
            if self._loading is None:
                # A pool and not a daemon thread: the interpreter waits for it when it ends, where a thread
                # caught inside native code could crash it.
                pool = ThreadPoolExecutor(1, thread_name_prefix="read-load")
                # Here, in one thread: ONNX Runtime and FAISS import it from native code, and two threads that
                # meet in it can fail ("cannot load module more than once") or wait for each other for ever.
                import numpy  # noqa: F401

                self._loading = pool.submit(_load, self._folder, self._tokenizer, self._tokenizer_file)
                pool.shutdown(wait=False)
            return self._loading


class _Engine(NamedTuple):
    """The loaded parts; safe to use from several threads."""

    session: Any  # onnxruntime.InferenceSession
    tokenizer: Any  # tokenizers.Tokenizer
    answers: tuple[float, float]  # factor and offset of the logit
    near_miss: tuple[float, float]

    def question(self, text: str) -> list[int]:
        """Token ids of <s> question </s></s>."""
        ids: list[int] = self.tokenizer.encode(onnx.utf8(text[:MAX_CHARS]), add_special_tokens=False).ids[
            :MAX_QUESTION
        ]
        return [_START, *ids, _SEPARATOR, _SEPARATOR]

    def read(self, front: list[int], heading: str, text: str) -> Reading:
        """One passage. Token types: 0 question and separators at the ends, 1 heading, 2 text."""
        import numpy as np

        if not text.strip():
            return Reading(answers=0.0)
        head: list[int] = []
        if heading.strip():
            head = self.tokenizer.encode(onnx.utf8(heading[:MAX_CHARS]), add_special_tokens=False).ids[
                :MAX_HEADING
            ]
            head = [*head, _SEPARATOR]
        room = MAX_TOTAL - len(front) - len(head) - 1
        # `utf8` keeps the length: offsets of what is encoded are offsets of the given text.
        body = self.tokenizer.encode(onnx.utf8(text[:MAX_CHARS]), add_special_tokens=False)
        ids, offsets = body.ids[:room], body.offsets[:room]
        if not ids:
            return Reading(answers=0.0)
        row = np.array([[*front, *head, *ids, _SEPARATOR]], np.int64)
        types = np.array([[0] * len(front) + [1] * len(head) + [2] * len(ids) + [0]], np.int64)
        feed = dict(zip(INPUTS, (row, np.ones_like(row), types), strict=True))
        try:
            answer, near, start, end = self.session.run(list(OUTPUTS), feed)
        except Exception as exc:
            raise ModelError(f"the reader failed on a text of {len(text)} characters: {exc}") from exc
        first = len(front) + len(head)
        left, right, score = _best_span(start[0][first : first + len(ids)], end[0][first : first + len(ids)])
        return Reading(
            answers=_probability(float(answer[0]), self.answers),
            near_miss=_probability(float(near[0]), self.near_miss),
            start=_skip_space(text, offsets[left][0], offsets[right][1]),
            end=offsets[right][1],
            span_score=round(score, 6),
        )


def _best_span(start: NDArray[np.float32], end: NDArray[np.float32]) -> tuple[int, int, float]:
    """Tokens left <= right < left + MAX_SPAN of the highest sum; the first of equals."""
    import numpy as np

    best = (0, 0, -math.inf)
    for left in np.argsort(-start, kind="stable")[:STARTS].tolist():
        right = left + int(np.argmax(end[left : left + MAX_SPAN]))
        score = float(start[left]) + float(end[right])
        if score > best[2]:
            best = (left, right, score)
    return best


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end - 1 and text[start].isspace():
        start += 1
    return start


def _probability(logit: float, scaling: tuple[float, float]) -> float:
    """Rounded, so that the last digits of different processors do not reach a trace."""
    z = max(-30.0, min(30.0, scaling[0] * logit + scaling[1]))
    return round(1.0 / (1.0 + math.exp(-z)), 6)


def _load(folder: Path, tokenizer: Any, tokenizer_file: Path) -> _Engine:
    """Load the parts and check their hashes. Raises `ModelError`."""

    def make() -> _Engine:
        fitted = json.loads((folder / CALIBRATION_FILE).read_text("utf-8"))
        scale = {
            key: (float(fitted[key]["factor"]), float(fitted[key]["offset"])) for key in ("answers", "near_miss")
        }
        shared = tokenizer if tokenizer is not None else onnx.tokenizer(tokenizer_file)
        return _Engine(onnx.session(folder / MODEL_FILE), shared, scale["answers"], scale["near_miss"])

    return onnx.load(folder, (MODEL_FILE, CALIBRATION_FILE), WHAT, make)
