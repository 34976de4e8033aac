"""Sentences of a document, and windows of one to four of them with the headings they stand under."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

MAX_TOKENS = 110
MAX_SENTENCES = 4

_BREAK = re.compile(
    r"(?<=[。！？；!?])[”’」』）)]*"
    r"|(?<=[.!?])[\"”’)]*(?=\s+[\"“‘(]?[A-Z0-9一-鿿])"
    r"|\n+"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|No|vs|Jr|Sr|Inc|Ltd|Co|Mt|Gen|Col|Lt|Prof|Rev|etc|ca|[A-Z]))\.$"
)
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")


@dataclass(frozen=True)
class Sentence:
    """Characters [start, end) of the document's text, how many tokens, under which headings."""

    start: int
    end: int
    tokens: int
    heading: str


def load_tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _pieces(text: str) -> list[tuple[int, int]]:
    """Sentence borders; an abbreviation's full stop or a decimal point is none."""
    cuts = [0]
    for match in _BREAK.finditer(text):
        before = text[max(match.start() - 8, 0) : match.start()]
        if "\n" not in match.group() and before.endswith(".") and _ABBREVIATION.search(before):
            continue
        cuts.append(match.end())
    cuts.append(len(text))
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            spans.append((start, end))
    return spans


def split_sentences(text: str, tokenizer: Any) -> list[Sentence]:
    """Sentences in order; heading lines become the `heading` of what follows; over-long ones are cut by tokens."""
    trail: list[tuple[int, str]] = []
    kept: list[tuple[int, int, str]] = []
    for start, end in _pieces(text):
        mark = _HEADING.match(text[start:end]) if text[start] == "#" else None
        if mark:
            level = len(mark.group(1))
            trail = [t for t in trail if t[0] < level] + [(level, mark.group(2))]
            continue
        if not re.search(r"\w", text[start:end]):
            continue
        kept.append((start, end, " > ".join(name for level, name in trail if level > 1)))
    sentences: list[Sentence] = []
    encoded = tokenizer.encode_batch([text[a:b] for a, b, _ in kept], add_special_tokens=False)
    for (start, end, heading), encoding in zip(kept, encoded, strict=True):
        count = len(encoding.ids)
        if count <= MAX_TOKENS:
            sentences.append(Sentence(start, end, count, heading))
            continue
        for at in range(0, count, MAX_TOKENS):
            part = encoding.offsets[at : at + MAX_TOKENS]
            sentences.append(Sentence(start + part[0][0], start + part[-1][1], len(part), heading))
    return sentences


def grow(
    sentences: list[Sentence],
    first: int,
    last: int,
    budget: int,
    rng: Random,
    barred: frozenset[int] = frozenset(),
) -> tuple[int, int]:
    """Widen [first, last] by neighbours under the same heading, in random order, while it fits `budget` tokens."""
    total = sum(s.tokens for s in sentences[first : last + 1])
    while last - first + 1 < MAX_SENTENCES:
        options = [
            i
            for i in (first - 1, last + 1)
            if 0 <= i < len(sentences)
            and i not in barred
            and sentences[i].heading == sentences[first].heading
            and total + sentences[i].tokens <= budget
        ]
        if not options:
            break
        pick = rng.choice(options)
        total += sentences[pick].tokens
        first, last = min(first, pick), max(last, pick)
    return first, last


def heading_of(title: str, sentence: Sentence) -> str:
    return " > ".join(part for part in (title, sentence.heading) if part)
