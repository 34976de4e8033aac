"""Failures grouped by what was missing, each group with a label in the words of its questions.

Average-link agglomeration (UPGMA; Sokal and Michener 1958) by the nearest-neighbour chain (Murtagh 1983):
O(n²) time and memory, no number of clusters to guess, and, unlike density clustering, no chaining of one
topic into the next over a few neighbours in between. Ties go to the earlier failure: the same failures give
the same clusters. Labels are the terms that set a cluster apart from the others (class-based TF-IDF;
Grootendorst 2022).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.history.log import Failure
from ragheal.history.vectors import Embed, vectors
from ragheal.text.questions import analyze
from ragheal.types import Lang, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Mean cosine of two groups from which on they are one. Fitted to multilingual-e5-small, centred as in
#: `vectors.py`: questions after one thing average 0.35 there, over languages too, others 0.12. Of 51 made-up
#: failures, 20 of them in 6 topics and 31 like no other, 0.28 found every pair of a topic, and four of five
#: pairs that it put together belong together; 0.22 three of five; 0.30 lost every sixth pair.
SIMILAR = 0.28
#: The newest failures that are looked at: to embed more takes long and tells little more.
MOST = 1000
_LABEL_TERMS = 3
_EXAMPLES = 3


class Cluster(Value, frozen=True):
    """Failures that miss the same. `questions` are examples, the most typical first; `cohesion` a mean cosine.

    `missing` and `documents` are the most frequent ones, as (label or source, number of failures).
    """

    label: str
    terms: tuple[str, ...]
    size: int
    failed: int  # the others healed
    langs: tuple[Lang, ...]
    questions: tuple[str, ...]
    missing: tuple[tuple[str, int], ...]
    documents: tuple[tuple[str, int], ...]
    trace_ids: tuple[str, ...]
    first: str  # when the oldest and the newest happened
    last: str
    cohesion: float


def cluster(
    failures: Sequence[Failure],
    embed: Embed,
    *,
    folder: Path | None = None,
    embedder: str = "",
    similar: float = SIMILAR,
) -> tuple[Cluster, ...]:
    """Clusters of the first `MOST` failures, the largest first; a failure like no other is one of its own.

    `folder` and `embedder` (a fingerprint) let vectors be kept from one time to the next. Raises what
    `embed` does.
    """
    failures = failures[:MOST]
    if not failures:
        return ()
    rows = vectors(failures, embed, folder=folder, embedder=embedder)
    groups = agglomerate(rows, similar)
    labels = _labels([[failures[i] for i in group] for group in groups])
    found = [
        _cluster([failures[i] for i in group], rows[group], terms)
        for group, terms in zip(groups, labels, strict=True)
    ]
    return tuple(sorted(found, key=lambda c: (-c.size, -c.failed, c.label, c.trace_ids)))


def agglomerate(rows: NDArray[np.float32], similar: float) -> list[list[int]]:
    """Groups of row numbers, each in order, whose mean cosine is at least `similar`.

    `rows`: shape (n, dim), unit length.
    """
    import numpy as np

    count = len(rows)
    likeness = (rows @ rows.T).astype(np.float64)
    np.fill_diagonal(likeness, -np.inf)
    members = {i: [i] for i in range(count)}
    merges: list[tuple[float, int, int]] = []
    chain: list[int] = []
    sizes = np.ones(count)
    for _ in range(count - 1):
        if not chain:
            chain.append(next(i for i in range(count) if sizes[i] > 0))
        while True:
            nearest = int(np.argmax(likeness[chain[-1]]))
            # The one before in the chain wins a tie, or the chain would never end.
            if len(chain) > 1 and likeness[chain[-1], chain[-2]] >= likeness[chain[-1], nearest]:
                break
            chain.append(nearest)
        one, other = chain.pop(), chain.pop()
        keep, drop = min(one, other), max(one, other)
        merges.append((float(likeness[one, other]), keep, drop))
        total = sizes[keep] + sizes[drop]
        merged = (sizes[keep] * likeness[keep] + sizes[drop] * likeness[drop]) / total
        merged[[keep, drop]] = -np.inf
        likeness[keep], likeness[:, keep] = merged, merged
        likeness[drop], likeness[:, drop] = -np.inf, -np.inf
        sizes[keep], sizes[drop] = total, 0
    # The chain finds the merges out of order, but an average never rises: those above the bar stand alone.
    home = list(range(count))

    def root(i: int) -> int:
        while home[i] != i:
            i = home[i]
        return i

    for value, keep, drop in merges:
        if value >= similar:
            one, other = root(keep), root(drop)
            home[max(one, other)] = min(one, other)
            members[min(one, other)] += members.pop(max(one, other))
    return [sorted(group) for _, group in sorted(members.items())]


def _labels(groups: Sequence[Sequence[Failure]]) -> list[tuple[str, ...]]:
    """The most telling terms of each group as its questions write them, in their order."""
    counts: list[Counter[str]] = []
    written: list[dict[str, str]] = []
    for group in groups:
        seen: Counter[str] = Counter()
        words: dict[str, str] = {}
        for failure in group:
            # What was missing tells more than the rest of the question, so its terms count twice.
            wanted = "; ".join(missing.label for missing in failure.missing)
            for asked in (analyze(failure.question), *([analyze(wanted)] if wanted else [])):
                seen.update(asked.terms)
                for term, word in zip(asked.terms, asked.written(asked.terms), strict=True):
                    words.setdefault(term, word)
        counts.append(seen)
        written.append(words)
    everywhere: Counter[str] = Counter()
    for seen in counts:
        everywhere.update(seen)
    mean = sum(everywhere.values()) / max(1, len(groups))
    labels = []
    for group, seen, words in zip(groups, counts, written, strict=True):
        # A term of one question of several tells less of the group than one that they share.
        def worth(term: str, seen: Counter[str] = seen) -> tuple[float, str]:
            return -seen[term] * math.log(1 + mean / everywhere[term]), term

        shared = [term for term in seen if seen[term] > 1] if len(group) > 1 else []
        best = set(sorted(shared or seen, key=worth)[:_LABEL_TERMS])
        labels.append(tuple(words[term] for term in words if term in best))
    return labels


def _cluster(group: Sequence[Failure], rows: NDArray[np.float32], terms: tuple[str, ...]) -> Cluster:
    import numpy as np

    likeness = rows @ rows.T
    typical = sorted(range(len(group)), key=lambda i: (-float(likeness[i].sum()), i))
    pairs = likeness[np.triu_indices(len(group), 1)]
    missing = Counter(label for f in group for label in dict.fromkeys(m.label for m in f.missing))
    documents = Counter(document.source for f in group for document in f.documents)
    times = sorted(failure.created for failure in group)
    questions = tuple(dict.fromkeys(group[i].question for i in typical))
    return Cluster(
        label=" ".join(terms) or questions[0],
        terms=terms,
        size=len(group),
        failed=sum(failure.failed for failure in group),
        langs=tuple(sorted({failure.lang for failure in group})),
        questions=questions[:_EXAMPLES],
        missing=_most(missing),
        documents=_most(documents),
        trace_ids=tuple(failure.trace_id for failure in group),
        first=times[0],
        last=times[-1],
        cohesion=round(float(pairs.mean()), 3) if len(pairs) else 1.0,
    )


def _most(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5])
