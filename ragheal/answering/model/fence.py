"""Passages as a model sees them: numbered, cut to a bound, and fenced so that no text can leave the fence.

The fence is a pair of tags. What could open or close one, or the tags by which chat templates mark who speaks,
is written with other characters inside. Quotations are taken from the chunks, never from what is shown here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ragheal.text.overlap import term_set
from ragheal.text.questions import Question, wanted_values
from ragheal.text.script import HAN
from ragheal.text.sentences import sentences
from ragheal.types import Hit

#: Tags of the fences; text in documents cannot write them.
TAGS = ("hits", "hit", "passages", "passage", "claims", "claim", "notes", "steps", "question")
_TAG = re.compile(rf"[<＜﹤]\s*([/／]?)\s*({'|'.join(TAGS)})\b", re.IGNORECASE)
_TURN = re.compile(
    r"<(?=[|｜])|(?<=[|｜])>|<(?=/?(?:s|start_of_turn|end_of_turn|bos|eos|think|thinking|system|user|assistant|tool_call|tool_response)\s*>)|<<(?=/?SYS>>)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\[(/?)(INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]", re.IGNORECASE)
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_HAN = re.compile(f"[{HAN}]")
_LEAST = 240  # a hit that is shown gets this much, in characters
_HEADING = 120


def inert(text: str) -> str:
    """Text that can neither open nor close a fence nor speak as another."""
    text = _CONTROL.sub("", text)
    text = _TAG.sub(lambda match: f"‹{match[1]}{match[2]}", text)
    text = _TURN.sub(lambda match: "‹" * len(match[0]) if match[0][0] == "<" else "›", text)
    return _BRACKET.sub(lambda match: f"［{match[1]}{match[2]}］", text)


def line(text: str, limit: int = 300) -> str:
    """A short text on one line, inert."""
    text = " ".join(inert(text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def fenced(tag: str, lines: Sequence[str]) -> str:
    """Lines of data between a pair of tags; each must be inert already."""
    return "\n".join([f"<{tag}>", *lines, f"</{tag}>"])


def width(text: str) -> int:
    """Characters, Han ones counted twice: they take about twice the tokens."""
    return len(text) + len(_HAN.findall(text))


def shown(hits: Mapping[int, Hit], question: Question, limit: int) -> str:
    """Numbered hits in the order given, their texts cut to `limit` together, each to its best part."""
    fitted = fit(list(hits.values()), question, limit)
    lines = []
    for (n, hit), text in zip(hits.items(), fitted, strict=False):
        heading = f"{hit.chunk.source} | {hit.chunk.heading}" if hit.chunk.heading else hit.chunk.source
        place = line(heading, _HEADING).replace('"', "'")
        dated = f' date="{line(hit.chunk.date, 20)}"' if hit.chunk.date else ""
        lines.append(f'<hit n="{n}" from="{place}"{dated}>\n{inert(text)}\n</hit>')
    return fenced("hits", lines)


def room(limit: int) -> int:
    """How many hits can be shown."""
    return max(1, limit // _LEAST)


def fit(hits: Sequence[Hit], question: Question, limit: int) -> list[str]:
    """The texts of as many hits as have room for something, each cut to its fair share of `limit`.

    Short hits leave what they do not need to the others. The last hits go first when there are too many.
    """
    count = min(len(hits), room(limit))
    wide = [width(hit.chunk.text) for hit in hits[:count]]
    shares = _shares(wide, limit)
    return [best_part(hit.chunk.text, question, share) for hit, share in zip(hits[:count], shares, strict=True)]


def _shares(wide: Sequence[int], limit: int) -> list[int]:
    """Each its need, or an equal part of what the smaller ones leave."""
    shares = [0] * len(wide)
    left, rest = limit, len(wide)
    for index in sorted(range(len(wide)), key=lambda i: (wide[i], i)):
        shares[index] = min(wide[index], left // rest)
        left -= shares[index]
        rest -= 1
    return shares


def best_part(text: str, question: Question, limit: int) -> str:
    """The run of sentences around the one nearest to the question, at most `limit` wide; cuts are marked …"""
    if width(text) <= limit:
        return text
    spans = sentences(text)
    if not spans:
        return text[:limit]
    wanted = frozenset(question.terms)
    scores = [
        len(wanted & term_set(text[start:end])) + (0.5 if wanted_values(question, text[start:end]) else 0.0)
        for start, end in spans
    ]
    best = max(range(len(spans)), key=lambda i: (scores[i], -i))
    first = last = best
    while True:
        grown = False
        for low, high in ((first, last + 1), (first - 1, last)):
            if low >= 0 and high < len(spans) and width(text[spans[low][0] : spans[high][1]]) <= limit:
                first, last, grown = low, high, True
                break
        if not grown:
            break
    start, end = spans[first][0], spans[last][1]
    part = text[start:end]
    while width(part) > limit:  # one monster sentence
        part = part[: max(1, int(len(part) * limit / width(part)) - 1)]
        end = start + len(part)
    return ("… " if start > 0 else "") + part + (" …" if end < len(text.rstrip()) else "")
