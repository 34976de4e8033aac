"""Failures as vectors in which languages lie on top of each other.

An embedder of the E5 family puts everything into a narrow cone, and two texts of one language closer
together than two of one meaning. Subtracting the mean of each language (Libovický et al. 2020, "On the
Language Neutrality of Pre-trained Multilingual Representations") takes both away. The means are of a fixed
background of questions that say the same in each language, so that a failure's vector does not depend on
what else failed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.errors import StorageError
from ragheal.history.database import reading, writing
from ragheal.history.log import Failure
from ragheal.types import Lang

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragheal.models.base import Embedder

#: Texts in, rows of unit length out: shape (len(texts), dim), float32.
Embed = Callable[[Sequence[str]], "NDArray[np.float32]"]

_BACKGROUND: dict[Lang, tuple[str, ...]] = {
    "en": (
        "What time does the meeting start?", "Who wrote the report?", "How do I reset my password?",
        "Where is the head office?", "Why was the project delayed?", "What does the contract say about penalties?",
        "Which version was released last year?", "How much does the subscription cost?",
        "Is the warranty still valid?", "When was the bridge built?", "How many people work in the factory?",
        "What are the side effects of the drug?", "Which river flows through the town?",
        "Who is responsible for the budget?", "How is the data backed up?",
        "What is the difference between the two models?",
    ),
    "zh": (
        "会议几点开始？", "这份报告是谁写的？", "怎样重置密码？", "总部在哪里？", "项目为什么推迟了？",
        "合同对违约金是怎么规定的？", "去年发布的是哪个版本？", "订阅一年要多少钱？", "保修期还有效吗？",
        "这座桥是什么时候建成的？", "工厂里有多少人工作？", "这种药有哪些副作用？", "流经这座城镇的是哪条河？",
        "预算由谁负责？", "数据是怎样备份的？", "这两个型号有什么区别？",
    ),
}  # fmt: skip


def questions_of(embedder: Embedder) -> Embed:
    """An embedder as `vectors` wants it: questions are compared with questions, each embedded as one."""

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        return np.stack([embedder.embed_query(text) for text in texts])

    return embed


def vectors(
    failures: Sequence[Failure], embed: Embed, *, folder: Path | None = None, embedder: str = ""
) -> NDArray[np.float32]:
    """A unit vector for each failure, shape (len(failures), dim): of its question and of what it missed.

    With the `folder` of their history, vectors made before by the same `embedder` (its fingerprint) are read
    from there and new ones kept; where that cannot be written they are made again the next time.
    """
    import numpy as np

    made = _kept(failures, folder, embedder) if folder else {}
    new = [failure for failure in failures if failure.trace_id not in made]
    if new:
        rows = _made(new, embed)
        made |= {failure.trace_id: row for failure, row in zip(new, rows, strict=True)}
        if folder:
            with suppress(StorageError):
                _keep(folder, embedder, {f.trace_id: made[f.trace_id] for f in new})
    dim = len(next(iter(made.values()))) if made else 0
    return np.stack([made[f.trace_id] for f in failures]) if failures else np.zeros((0, dim), np.float32)


def _made(failures: Sequence[Failure], embed: Embed) -> NDArray[np.float32]:
    import numpy as np

    # What is asked again and again is embedded once.
    texts = list(dict.fromkeys(text for f in failures for text in (f.question, _wanted(f))))
    rows = dict(zip(texts, embed(texts), strict=True))
    means = {language: embed(texts).mean(axis=0) for language, texts in _BACKGROUND.items()}
    middle = np.stack([means[f.lang] for f in failures])
    asked = _unit(np.stack([rows[f.question] for f in failures]) - middle)
    wanted = _unit(np.stack([rows[_wanted(f)] for f in failures]) - middle)
    return _unit(asked + wanted)


def _wanted(failure: Failure) -> str:
    return "; ".join(missing.label for missing in failure.missing) or failure.question


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _kept(failures: Sequence[Failure], folder: Path, embedder: str) -> dict[str, NDArray[np.float32]]:
    import numpy as np

    query = "SELECT trace_id, vector FROM failures WHERE embedder = ? AND vector IS NOT NULL"
    wanted = {failure.trace_id for failure in failures}
    with reading(folder) as db:
        rows = db.execute(query, (embedder,)).fetchall()
    return {id_: np.frombuffer(blob, dtype="<f4").astype(np.float32) for id_, blob in rows if id_ in wanted}


def _keep(folder: Path, embedder: str, made: dict[str, NDArray[np.float32]]) -> None:
    values = [(embedder, row.astype("<f4").tobytes(), id_) for id_, row in made.items()]
    with writing(folder) as db:
        db.executemany("UPDATE failures SET embedder = ?, vector = ? WHERE trace_id = ?", values)
