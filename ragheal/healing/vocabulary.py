"""Phrases of questions and of the corpus: what a user might call something, and what the documents might.

Both come from the texts alone, without a model: runs of content words in English, of segmented words in
Chinese. A phrase of the documents counts for more when it is repeated or stands in a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ragheal.healing.wording import occurrences
from ragheal.retrieval.base import Doors
from ragheal.text.analyze import terms
from ragheal.text.script import HAN, fold, has_han, lang, simplified
from ragheal.text.stopwords import STOP_EN, STOP_ZH
from ragheal.text.values import numeric, values
from ragheal.types import Hit, Lang, Query, Value

#: Words that ask and that no document would call otherwise.
_FRAME_EN = frozenset(
    "often long fast many much old far big high soon happen happens happened need needs needed get gets got make "
    "makes made know keep kept use used possible allowed".split()
)
_FRAME_ZH = frozenset(
    "多久 多长 多长时间 多少 之前 之后 以前 以后 有没有 是不是 进行 发生 必须 准备 东西 事情".split()
)
_RUN_HAN = re.compile(f"[{HAN}]+")
_SENTENCE = re.compile(r"[^\w\s'’-]+|\n")
#: The same, analysed.
FRAME = frozenset(terms(" ".join(sorted(_FRAME_EN))))
#: Words of a phrase at most.
LONGEST = 3
#: A phrase in more than this share of the chunks at hand is no name for one thing.
_COMMON = 0.6


class Phrase(Value, frozen=True):
    """A phrase of the documents. `count` in the hits at hand; `heading`: it stands in one; `sources` of those."""

    text: str
    count: int
    heading: bool
    sources: tuple[str, ...]


class Span(Value, frozen=True):
    """A phrase of a question. `seen`: the documents use it too, so it may have another sense there."""

    text: str
    seen: bool
    words: int = 1


def spans(question: str, doors: Doors) -> tuple[Span, ...]:
    """What of a question the documents may call otherwise: phrases they do not use first, then the others."""
    found = [Span(phrase, used(phrase, doors), _words(phrase)) for phrase in _of_question(question)]
    new = [span for span in found if not span.seen]
    # The shortest phrase that the documents lack is the gap; the words around it are theirs.
    gaps = [span for span in new if not any(o != span and occurrences(span.text, o.text) for o in new)]
    return (*gaps, *(span for span in new if span not in gaps), *(span for span in found if span.seen))


def _words(phrase: str) -> int:
    if not has_han(phrase):
        return len(phrase.split())
    import rjieba

    return len(rjieba.cut(simplified(phrase), True))


def used(phrase: str, doors: Doors) -> bool:
    """Whether some document has the phrase, in whatever inflection."""
    wanted = list(dict.fromkeys(terms(phrase)))
    counts = doors.frequencies(wanted)
    if not wanted or any(not counts.get(term) for term in wanted):
        # A Chinese compound may be segmented otherwise where it stands in a sentence.
        return has_han(phrase) and _found(phrase, doors)
    return len(wanted) == 1 or _found(phrase, doors)


def _found(phrase: str, doors: Doors) -> bool:
    return any(
        occurrences(f"{hit.chunk.heading}\n{hit.chunk.text}", phrase) for hit in doors.search(Query(phrase))
    )


def phrases(hits: Sequence[Hit], language: Lang) -> dict[str, Phrase]:
    """Phrases of the hits in one language that can be names of things, by their folded form."""
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    sources: dict[str, list[str]] = {}
    headings: set[str] = set()
    for hit in hits:
        chunk = hit.chunk
        text = f"{chunk.heading}\n{chunk.text}"
        if lang(text) != language:
            continue
        taken = [span.text for span in values(simplified(text)) if numeric(span)]
        titles = {phrase for heading in chunk.headings for phrase in map(key, _of_text(heading))}
        for phrase in _of_text(text):
            name = key(phrase)
            if _is_value(phrase, taken):
                continue
            counts[name] += 1
            written[name] = min(written.get(name, phrase), phrase, key=_plainness)
            if chunk.source not in sources.setdefault(name, []):
                sources[name].append(chunk.source)
        headings |= titles
    several = len({hit.chunk.source for hit in hits}) >= 4
    limit = _COMMON * len(hits)
    return {
        name: Phrase(written[name], counts[name], name in headings, tuple(sources[name]))
        for name in _whole(counts)
        if not (several and len(sources[name]) > limit)
    }


def key(phrase: str) -> str:
    """A phrase as phrases are compared: inflection, case and Chinese script do not count."""
    if has_han(phrase):
        return simplified(phrase)
    return " ".join(terms(phrase)) or fold(phrase)


def _plainness(phrase: str) -> tuple[bool, int, str]:
    """Of several forms of a phrase the one written small and in the singular reads best in a question."""
    return phrase != phrase.lower() and not phrase.isupper(), len(phrase), phrase


def _whole(counts: Counter[str]) -> Iterable[str]:
    """Without phrases that never stand outside one and the same longer one."""
    inner = set()
    for name, count in counts.items():
        parts = name.split(" ")
        if len(parts) > 1:
            shorter = (" ".join(parts[:-1]), " ".join(parts[1:]))
            inner |= {part for part in shorter if counts.get(part) == count and count > 1}
    return [name for name in counts if name not in inner]


def _is_value(phrase: str, taken: Sequence[str]) -> bool:
    return any(phrase in value or (has_han(phrase) and value in phrase) for value in taken)


def _of_question(question: str) -> list[str]:
    found = []
    for phrase in _of_text(question):
        words = re.findall(r"[\w’'-]+", phrase.lower())
        if not has_han(phrase) and (FRAME & {*terms(words[0]), *terms(words[-1])}):
            continue
        found.append(phrase)
    return list(dict.fromkeys(found))


def _of_text(text: str) -> list[str]:
    return _chinese(text) if lang(text) == "zh" else _english(text)


def _english(text: str) -> list[str]:
    found = []
    for segment in _SENTENCE.split(text):
        run: list[str] = []
        for word in [*segment.split(), ""]:
            if word and fold(word) not in STOP_EN and not has_han(word) and not word[0].isdigit():
                run.append(word)
                continue
            found += _grams(run, " ")
            run = []
    return [phrase for phrase in found if len(phrase) > 2]


def _chinese(text: str) -> list[str]:
    import rjieba

    found = []
    for match in _RUN_HAN.finditer(text):
        run: list[str] = []
        start = match.start()
        # Segmented in one script, quoted as it is written.
        for word in [*rjieba.cut(simplified(match.group()), True), ""]:
            written = text[start : start + len(word)]
            start += len(word)
            if word and word not in STOP_ZH and word not in _FRAME_ZH:
                run.append(written)
                continue
            found += _grams(run, "")
            run = []
    return [phrase for phrase in found if 2 <= len(phrase) <= 8]


def _grams(run: Sequence[str], joint: str) -> list[str]:
    return [
        joint.join(run[start : start + length])
        for length in range(1, LONGEST + 1)
        for start in range(len(run) - length + 1)
    ]
