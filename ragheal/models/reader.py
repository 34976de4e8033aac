"""The shipped readers: does a passage answer a question, and where; int8 on ONNX Runtime, one for each language.

Cross-encoders of six layers trained by `tools/train_models`: one that read much English, and one of both languages
for whatever holds Chinese. Like the embedder's, their graphs take one activation scale per run: a passage read
beside others would come out differently. Hence one passage per run, always, spread over threads; a question and a
passage have one reading in whatever company.
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
from ragheal.text.script import has_han
from ragheal.types import Lang, Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATA = Path(__file__).parent / "data"
#: The folder of the reader for each language.
SHIPPED: dict[Lang, Path] = {"en": DATA / "reader-en", "zh": DATA / "reader-zh"}
#: The reader of both languages has the embedder's vocabulary, and shares its tokenizer.
TOKENIZERS: dict[Lang, Path] = {
    "en": DATA / "reader-en" / "tokenizer.json",
    "zh": DATA / "e5-small-en-zh" / "tokenizer.json",
}
MODEL_FILE, CALIBRATION_FILE, WHAT = "model.onnx", "calibration.json", "reader"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("answer_logit", "near_miss_logit", "start_logits", "end_logits")

#: Tokens kept of a question, of a context, and of the whole: as in training.
MAX_QUESTION, MAX_CONTEXT, MAX_TOTAL = 48, 80, 240
#: Longest span, in tokens, and how many starts are tried.
MAX_SPAN, STARTS = 40, 10
#: Characters handed to the tokenizer of each part: more can't fill its share of tokens.
MAX_CHARS = 16 * MAX_TOTAL


class OnnxReader:
    """Reads with the folders of `SHIPPED`, each with `model.onnx`, `calibration.json` and `SHA256SUMS`.

    Whatever holds Chinese, in the question or in the passage, goes to the reader of both languages. Nothing is
    loaded before `warm()` or the first use; then the hashes are checked as well. `threads` is how many passages
    are read at once, 0 for one per core. Any method but `warm` may raise `ModelError`.
    """

    def __init__(self, folders: dict[Lang, Path] = SHIPPED, *, threads: int = 0) -> None:
        self._folders = folders
        self._threads = threads or onnx.cores()
        self._lock = threading.Lock()
        self._loading: dict[Lang, Future[_Engine]] = {}

    @property
    def fingerprint(self) -> str:
        """Hash of the recorded sums and of how inputs are made: equal readings for equal fingerprints."""
        sums = [
            sorted(onnx.sums(folder, (MODEL_FILE, CALIBRATION_FILE), WHAT).items())
            for _, folder in sorted(self._folders.items())
        ]
        scheme = ("reader-2", sums, MAX_QUESTION, MAX_CONTEXT, MAX_TOTAL, MAX_SPAN)
        return hashlib.sha256(repr(scheme).encode()).hexdigest()[:16]

    def warm(self, lang: Lang) -> None:
        """Begin to load the reader of a language in the background."""
        self._future(lang)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """One reading for each (context, text), in their order; offsets count characters of the text."""
        chinese = has_han(question)
        langs: list[Lang] = ["zh" if chinese or has_han(text) else "en" for _, text in passages]
        engines = {lang: self._future(lang).result() for lang in sorted(set(langs))}
        fronts = {lang: engine.question(question) for lang, engine in engines.items()}

        def one(i: int) -> Reading:
            return engines[langs[i]].read(fronts[langs[i]], *passages[i])

        if len(passages) < 2 or self._threads == 1:
            return [one(i) for i in range(len(passages))]
        # Longest first, so that no thread is left alone with a long passage at the end.
        order = sorted(range(len(passages)), key=lambda i: -len(passages[i][1].encode("utf-8", "replace")))
        with ThreadPoolExecutor(min(self._threads, len(passages)), thread_name_prefix="read") as pool:
            readings = dict(zip(order, pool.map(one, order), strict=True))
        return [readings[i] for i in range(len(passages))]

    def _future(self, lang: Lang) -> Future[_Engine]:
        with self._lock:
            if lang not in self._loading:
                # A pool and not a daemon thread: the interpreter waits for it when it ends, where a thread
                # caught inside native code could crash it.
                pool = ThreadPoolExecutor(1, thread_name_prefix="read-load")
                # Here, in one thread: ONNX Runtime and FAISS import it from native code, and two threads that
                # meet in it can fail ("cannot load module more than once") or wait for each other for ever.
                import numpy  # noqa: F401

                self._loading[lang] = pool.submit(_load, self._folders[lang], TOKENIZERS[lang])
                pool.shutdown(wait=False)
            return self._loading[lang]


class _Engine(NamedTuple):
    """The loaded parts; safe to use from several threads."""

    session: Any  # onnxruntime.InferenceSession
    tokenizer: Any  # tokenizers.Tokenizer
    start: int  # ids of the marks before, and between, the parts of an input
    separator: int
    answers: tuple[float, float]  # factor and offset of the logit
    near_miss: tuple[float, float]

    def ids(self, text: str, limit: int) -> tuple[list[int], list[tuple[int, int]]]:
        """Token ids of a text and their offsets. `utf8` keeps the length: they are offsets of the given text."""
        encoded = self.tokenizer.encode(onnx.utf8(text[:MAX_CHARS]), add_special_tokens=False)
        return encoded.ids[:limit], encoded.offsets[:limit]

    def question(self, text: str) -> list[int]:
        return [self.start, *self.ids(text, MAX_QUESTION)[0], self.separator, self.separator]

    def read(self, front: list[int], context: str, text: str) -> Reading:
        """One passage. Token types: 0 question and separators at the ends, 1 context, 2 text."""
        import numpy as np

        before = self.ids(context, MAX_CONTEXT)[0] if context.strip() else []
        before = [*before, self.separator] if before else []
        ids, offsets = self.ids(text, MAX_TOTAL - len(front) - len(before) - 1)
        if not ids or not text.strip():
            return Reading(answers=0.0)
        row = np.array([[*front, *before, *ids, self.separator]], np.int64)
        types = np.array([[0] * len(front) + [1] * len(before) + [2] * len(ids) + [0]], np.int64)
        feed = dict(zip(INPUTS, (row, np.ones_like(row), types), strict=True))
        try:
            answer, near, start, end = self.session.run(list(OUTPUTS), feed)
        except Exception as exc:
            raise ModelError(f"the reader failed on a text of {len(text)} characters: {exc}") from exc
        first = len(front) + len(before)
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


def _load(folder: Path, tokenizer_file: Path) -> _Engine:
    """Load the parts and check their hashes. Raises `ModelError`."""

    def make() -> _Engine:
        fitted = json.loads((folder / CALIBRATION_FILE).read_text("utf-8"))
        scale = {
            key: (float(fitted[key]["factor"]), float(fitted[key]["offset"])) for key in ("answers", "near_miss")
        }
        tokenizer = onnx.tokenizer(tokenizer_file)
        start, separator = (
            next(i for i in map(tokenizer.token_to_id, names) if i is not None)
            for names in (("<s>", "[CLS]"), ("</s>", "[SEP]"))
        )
        session = onnx.session(folder / MODEL_FILE)
        return _Engine(session, tokenizer, start, separator, scale["answers"], scale["near_miss"])

    return onnx.load(folder, (MODEL_FILE, CALIBRATION_FILE), WHAT, make)
