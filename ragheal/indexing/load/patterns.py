"""Markup within a line, for the formats that no parser at hand reads: a table of patterns resolves it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ragheal.indexing.load.parsed import Bit, Writer

_MOST_DEPTH = 12  # of markup within markup


class Rule(NamedTuple):
    """What is shown of a match: the group, read in turn when `inner`, or what `said` makes of it."""

    pattern: str
    group: int = 0  # 0: nothing of it
    inner: bool = True
    said: Callable[[re.Match[str]], str] | None = None


class Rules:
    """A set of rules, tried at each place in their order."""

    def __init__(self, *rules: Rule, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._rules = rules
        self._one = [re.compile(rule.pattern, flags) for rule in rules]
        self._any = re.compile("|".join(f"(?:{rule.pattern})" for rule in rules), flags)

    def bits(self, writer: Writer, start: int, end: int, depth: int = 0) -> list[Bit]:
        """The reading text of [start, end) of the writer's source."""
        bits: list[Bit] = []
        at, text = start, writer.source
        while at < end and (found := self._any.search(text, at, end)):
            bits += writer.cut(at, found.start())
            bits += self._shown(writer, found.start(), end, depth)
            at = max(found.end(), found.start() + 1)
            if found.end() == found.start():
                bits += writer.cut(found.start(), at)
        return bits + (writer.cut(at, end) if at < end else [])

    def _shown(self, writer: Writer, at: int, end: int, depth: int) -> list[Bit]:
        for rule, pattern in zip(self._rules, self._one, strict=True):
            found = pattern.match(writer.source, at, end)
            if found is None:
                continue
            if rule.said is not None:
                text = rule.said(found)
                return [writer.said(text, found.start(), found.end())] if text else []
            if not rule.group or found[rule.group] is None:
                return []
            low, high = found.span(rule.group)
            return self.bits(writer, low, high, depth + 1) if rule.inner and depth < _MOST_DEPTH else writer.cut(low, high)
        return []
