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
        self._rules = [(rule, re.compile(rule.pattern, flags)) for rule in rules]

    def bits(self, writer: Writer, start: int, end: int, depth: int = 0) -> list[Bit]:
        """The reading text of [start, end) of the writer's source."""
        bits: list[Bit] = []
        at, text = start, writer.source
        ahead = [pattern.search(text, start, end) for _, pattern in self._rules]
        while at < end:
            first: re.Match[str] | None = None
            which = 0
            for number, found in enumerate(ahead):
                if found is not None and found.start() < at:
                    found = ahead[number] = self._rules[number][1].search(text, at, end)
                if found is not None and (first is None or found.start() < first.start()):
                    first, which = found, number
            if first is None:
                break
            bits += writer.cut(at, first.start())
            bits += self._shown(writer, self._rules[which][0], first, depth)
            at = first.end()
            if first.end() == first.start():
                bits += writer.cut(at, at + 1)
                at += 1
        return bits + (writer.cut(at, end) if at < end else [])

    def _shown(self, writer: Writer, rule: Rule, found: re.Match[str], depth: int) -> list[Bit]:
        if rule.said is not None:
            text = rule.said(found)
            return [writer.said(text, found.start(), found.end())] if text else []
        if not rule.group or found[rule.group] is None:
            return []
        low, high = found.span(rule.group)
        return (
            self.bits(writer, low, high, depth + 1)
            if rule.inner and depth < _MOST_DEPTH
            else writer.cut(low, high)
        )
