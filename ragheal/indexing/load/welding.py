"""Words that broke at the end of a line: whole again, or the compound that broke at its own hyphen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"[^\W\d_]+\Z")
_FIRST = re.compile(r"[^\W\d_]+")
# Beginnings and ends that are no words of their own, though they may look like one.
_BEGINS = frozenset("re un in im con com de pre pro ex dis per sub trans ad en em ac ap as at be an ob op".split())
_ENDS = re.compile(
    r"(?:[a-z]{0,3}(?:tion|sion|ment|ments|tions|sions|ness|able|ible|ably|ibly|ance|ence|ities|ity|ically|ously)"
    r"|[a-z]?(?:ing|ings|ated|ates|ally|ous|ive|ical|ism|ist|ists|ize|ized|ise|ised|ers|ures|ary|ory|ial))\Z"
)


class Welder:
    """Decides by the document's own words, then by those of the shipped tokenizer, then by what the halves are."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._own = {word.casefold() for line in lines for word in _WORD.findall(line)}

    def mark(self, before: str, after: str) -> str:
        """What belongs between the end of one line, its hyphen taken off, and the next: "" or "-"."""
        left, right = _LAST.search(before), _FIRST.match(after)
        if left is None or right is None:
            return "-"
        first, second = left.group().casefold(), right.group().casefold()
        if first + second in self._own:
            return ""
        if f"{first}-{second}" in self._own or after[:1].isupper():
            return "-"
        known = _words()
        if first + second in known or first in _BEGINS or len(second) < 4:
            return ""
        if second in known:
            return "-" if first in known or first in self._own else ""
        return "-" if first in known and len(first) > 2 and not _ENDS.match(second) else ""


@cache
def _words() -> frozenset[str]:
    """What the shipped tokenizer knows as whole words."""
    import json

    from ragheal.models.embed import DATA, SHIPPED, TOKENIZER_FILE

    tree = json.loads((DATA / SHIPPED / TOKENIZER_FILE).read_text(encoding="utf-8"))
    pieces = (piece for piece, _ in tree["model"]["vocab"])
    return frozenset(piece[1:] for piece in pieces if piece.startswith("▁") and len(piece) > 3)
