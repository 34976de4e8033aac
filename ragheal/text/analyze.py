"""The one analyzer: text -> terms, the same for the word index, the queries and the judge.

English words are folded, stop-worded and stemmed (Snowball); Chinese is simplified and segmented in
jieba's search mode, so that a compound also yields its parts; numbers lose their thousands separators;
identifiers (`max_rounds`, `v2.3.1`, `api/keys`) are kept whole and also yield their parts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ragheal.text.script import HAN, fold, simplified
from ragheal.text.stopwords import STOP_EN, STOP_ZH

#: Recorded in an index; a change here means the word index must be built again.
ANALYZER = "ragheal-terms-1"

_TOKEN = re.compile(
    rf"(?P<han>[{HAN}]+)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.:]\d+)+|\d+)(?![^\W_])"
    r"|(?P<word>[^\W_]+(?:[-_./:@'’+#][^\W_]+)*[+#]{0,2})"
)
_JOINT = re.compile(r"[-_./:@+#]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats kept. Stop words are dropped."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        token = match.group()
        if kind == "han":
            found.extend(_chinese(token))
        elif kind == "number":
            found.append(fold(token).replace(",", ""))
        else:
            found.extend(_word(token))
    return found


@lru_cache(maxsize=100_000)
def _word(token: str) -> tuple[str, ...]:
    token = _POSSESSIVE.sub("", token)
    if any(char in token for char in "-_./:@+#") or _CAMEL.search(token):
        # An identifier: whole, then its parts, so that `maxRounds` is found by "max rounds" too.
        # Single digits ("v2.3.1") are no parts worth finding.
        whole = fold(token).strip("-_./:@")
        parts = [part for piece in _JOINT.split(token) for part in _CAMEL.split(piece) if part]
        if len(parts) < 2:
            return (whole,)
        return (whole, *(stem for part in parts if len(part) > 1 or part.isalpha() for stem in _mixed(part)))
    return tuple(_mixed(token))


def _mixed(token: str) -> list[str]:
    """A word without joints; Han that was caught inside it ("T恤") is segmented on its own."""
    found: list[str] = []
    for piece in re.findall(rf"[{HAN}]+|[^{HAN}]+", token):
        if re.match(rf"[{HAN}]", piece):
            found.extend(_chinese(piece))
            continue
        folded = fold(piece).replace("'", "").replace("’", "")
        if folded and folded not in STOP_EN:
            found.append(stem(folded))
    return found


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The Snowball stem of a folded English word; a word with digits stays as it is."""
    if not word.isalpha():
        return word
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


@lru_cache(maxsize=50_000)
def _chinese(run: str) -> tuple[str, ...]:
    import rjieba

    return tuple(word for word in rjieba.cut_for_search(simplified(run), True) if word not in STOP_ZH)
