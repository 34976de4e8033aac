"""Quotations must be verbatim; white space, width, script and the closing stop do not count."""

from __future__ import annotations

import re

from ragheal.text.script import narrow

# 《…》 names a work and quotes nothing.
_QUOTED = re.compile(r"“([^”\n]{2,400})”|「([^」\n]{2,400})」|『([^』\n]{2,400})』|(?<![\w])\"([^\"\n]{2,400})\"")
_DOTS = re.compile(r"\s*(?:…+|\.{3,}|\[…\]|\[\.\.\.\])\s*")
_ENDS = " \t.,;:!?。，；：！？、'’‘"
_WORD, _CUT_BEFORE, _CUT_AFTER = re.compile(r"[a-z\d]"), re.compile(r"[a-z\d.,-]"), re.compile(r"[a-z\d%]|[.,]\d")
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "「": '"', "」": '"', "『": '"', "』": '"'})


def plain(text: str) -> str:
    """A text as it is compared: narrow, lower case, one kind of quotation marks, no white space."""
    return re.sub(r"\s+", "", narrow(text).translate(_QUOTES)).lower()


def quotes(claim: str, source: str) -> bool:
    """Whether a claim stands in the source word for word, not cut within a word or a number."""
    wanted = plain(claim)
    spaced = narrow(source).translate(_QUOTES).lower()
    places = [place for place, char in enumerate(spaced) if not char.isspace()]
    held = "".join(spaced[place] for place in places)
    start = held.find(wanted) if wanted else -1
    while start >= 0:
        first, last = places[start], places[start + len(wanted) - 1]
        before, after = spaced[max(0, first - 1) : first], spaced[last + 1 : last + 3]
        if not (_WORD.match(wanted) and _CUT_BEFORE.match(before)) and not (
            _WORD.match(wanted[-1]) and _CUT_AFTER.match(after)
        ):
            return True
        start = held.find(wanted, start + 1)
    return False


def altered(claim: str, source: str) -> list[str]:
    """The quotations of a claim that do not stand in the source word for word."""
    held = plain(source)
    wrong = []
    for match in _QUOTED.finditer(claim):
        quoted = next(group for group in match.groups() if group is not None)
        parts = [plain(part.strip(_ENDS)) for part in _DOTS.split(quoted)]
        if not all(part in held for part in parts if part):
            wrong.append(match.group())
    return wrong
