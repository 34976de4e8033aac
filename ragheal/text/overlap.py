"""Does a text speak of a thing? By its words, whatever stands between them."""

from __future__ import annotations

import re
from functools import lru_cache

from ragheal.text.analyze import terms
from ragheal.text.script import fold, simplified


@lru_cache(maxsize=8192)
def term_set(text: str) -> frozenset[str]:
    """The distinct terms of a text."""
    return frozenset(terms(text))


def speaks_of(text: str, name: str, share: float = 0.6) -> bool:
    """Whether a text speaks of a name: it holds the name as written, or that share of its terms.

    The segmenter cuts an unknown Chinese name by its neighbours, so that terms alone would miss it.
    """
    if _squeeze(name) in _squeeze(text):
        return True
    wanted = term_set(name)
    return bool(wanted) and len(wanted & term_set(text)) >= share * len(wanted)


@lru_cache(maxsize=8192)
def _squeeze(text: str) -> str:
    """Script, case, width, spaces and punctuation taken off."""
    return re.sub(r"[\W_]+", "", fold(simplified(text))) or text
