"""A document's blocks to chunks: the pieces that are embedded, found and cited.

A chunk stays under one heading. Short blocks are joined up to `chunk_tokens`, long ones cut where their kind
allows (`pieces.py`). The line of a heading is not part of the text below it: it stands in `headings`; only a
heading with nothing below it is a chunk of its own, and one that names a release begins the text below it, or is
a chunk where other headings follow: its day stands nowhere else.
Records are read line by line and prose by sentences, so a chunk holds one or the other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ragheal.indexing.load.parsed import is_blank, is_release, trim
from ragheal.indexing.pieces import cut, tokens
from ragheal.settings import IndexSettings
from ragheal.text.sentences import sentences
from ragheal.types import Block, Chunk, Document, Place
from ragheal.types.places import pack

#: Changes whenever other chunks or other embedded texts would come out; an index records it.
CHUNKER = "reading-2"

_MOST_TOKENS = 480  # of text and headings together; the shipped embedder reads 512
_HEADING_CHARS = 240  # of headings that are embedded with a chunk
_LONE = 40  # tokens up to which a paragraph before a list or table is its introduction
_DATES = ("updated", "last_updated", "lastmod", "last_modified", "modified", "date", "更新日期", "日期")
_DATE = re.compile(r"\s*(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})")
_LEADS = (":", "：", "**", "__")


class _Piece(NamedTuple):
    start: int
    end: int
    kind: str
    tokens: float


def embed_text(chunk: Chunk) -> str:
    """What is embedded of a chunk: its headings on one line, shortened when they are long, then its text."""
    heading = _shortened(chunk.headings)
    return f"{heading}\n{chunk.text}" if heading else chunk.text


def lexical_text(chunk: Chunk) -> str:
    """What the word index reads of a chunk: all headings and the text."""
    return f"{chunk.heading}\n{chunk.text}" if chunk.headings else chunk.text


def split(document: Document, settings: IndexSettings) -> list[Chunk]:
    """The chunks of a document, in order; without `chunk_overlap` they do not overlap."""
    text = document.text
    chunks: list[Chunk] = []
    for headings, blocks in _sections(document):
        path = _path(document.title, headings)
        room = _MOST_TOKENS - tokens(_shortened(path)) - 1
        limit = max(16.0, min(2.0 * settings.chunk_tokens, room))
        target = min(float(settings.chunk_tokens), limit)
        previous_end = -1
        for pieces in _packed(_pieces(text, blocks, target, limit), target, limit, text):
            start, end = _tight(text, pieces[0].start, pieces[-1].end)
            if not any(map(str.isalnum, text[start:end])):
                continue  # a rule, brackets: nothing that could be asked for
            begin = start
            if settings.chunk_overlap and previous_end >= 0:
                begin = _overlapping(text, chunks[-1].start_char, previous_end, settings.chunk_overlap)
                begin = start if tokens(text[begin:end]) > limit else begin
            previous_end = end
            chunks.append(_chunk(document, len(chunks), begin, end, path, _kind(pieces)))
    return chunks


def _sections(document: Document) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Runs of blocks under the same headings. A heading is left out when anything follows under it."""
    run: list[Block] = []
    lone: Block | None = None  # a heading that nothing has followed yet
    for block in document.blocks:
        if block.kind == "heading":
            if run:
                yield run[0].headings, run
                run = []
            elif lone and (is_release(lone.headings[-1]) or block.headings[: len(lone.headings)] != lone.headings):
                yield _alone(lone)
            lone = block
            continue
        if lone and block.headings[: len(lone.headings)] != lone.headings:
            yield _alone(lone)
            lone = None
        if run and run[0].headings != block.headings:
            yield run[0].headings, run
            run = []
        if lone and is_release(lone.headings[-1]) and lone.headings == block.headings:
            run.append(Block("paragraph", lone.start, lone.end, lone.headings))
        lone = None
        run.append(block)
    if run:
        yield run[0].headings, run
    if lone:
        yield _alone(lone)


def _alone(heading: Block) -> tuple[tuple[str, ...], list[Block]]:
    return heading.headings, [Block("paragraph", heading.start, heading.end, heading.headings)]


def _pieces(text: str, blocks: Sequence[Block], target: float, limit: float) -> Iterator[_Piece]:
    for block in blocks:
        if is_blank(text, block.start, block.end):
            continue
        # A block a little over the target stays whole: where it would be cut is worse than its length.
        if block.end - block.start <= 16 * target:
            whole = tokens(text[block.start : block.end])
            if whole <= min(limit, 1.25 * target):
                yield _Piece(block.start, block.end, block.kind, whole)
                continue
        for start, end, weight in cut(text, block.start, block.end, block.kind, target, limit):
            yield _Piece(start, end, block.kind, weight)


def _packed(pieces: Iterator[_Piece], target: float, limit: float, text: str) -> Iterator[list[_Piece]]:
    """Neighbours joined up to the target; a short end joins what is before, an introduction what follows."""
    held: list[_Piece] = []
    weight = 0.0  # of what is held
    ready: list[_Piece] = []  # complete, but may yet take in a short end
    for piece in pieces:
        # What stands between two pieces, such as a comma, becomes part of the chunk.
        between = text[held[-1].end : piece.start] if held else ""
        gap = tokens(between)
        apart = bool(held) and (held[-1].kind == "record") != (piece.kind == "record")
        if held and (weight + gap + piece.tokens > target or _parts(between) or apart):
            carried = held[-1:] if not _parts(between) and _introduces(text, held[-1], piece, limit) else []
            rest = held[: len(held) - len(carried)]
            if rest:
                if ready:
                    yield ready
                ready = rest
            held, weight = carried, sum(one.tokens for one in carried)
            gap = gap if carried else 0.0
        held.append(piece)
        weight += gap + piece.tokens
    alike = ready and held and (ready[-1].kind == "record") == (held[0].kind == "record")
    if alike and weight < target / 4 and not _parts(text[ready[-1].end : held[0].start]):
        joined = tokens(text[ready[0].start : held[-1].end])
        if joined <= min(1.5 * target, limit):
            yield ready + held
            return
    if ready:
        yield ready
    if held:
        yield held


def _parts(between: str) -> bool:
    """Whether something that is no block, such as a comment, stands between two pieces: it is not to be read."""
    return "<!--" in between or len(between.strip()) > 40


def _introduces(text: str, piece: _Piece, following: _Piece, limit: float) -> bool:
    """Whether a piece is a line such as "The limits are:" that says nothing without what follows."""
    if piece.kind != "paragraph" or piece.tokens > _LONE or piece.tokens + following.tokens > limit:
        return False
    return text[piece.start : piece.end].rstrip().endswith(_LEADS)


def _kind(pieces: Sequence[_Piece]) -> str:
    """The kind of most of a chunk's text."""
    weights: dict[str, float] = {}
    for piece in pieces:
        weights[piece.kind] = weights.get(piece.kind, 0.0) + piece.tokens
    return max(weights, key=lambda kind: weights[kind])


def _tight(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space around it; only the indent of a line that begins in it stays."""
    first, end = trim(text, start, end)
    if first == start and start and text[start - 1] not in "\r\n":
        while first < end and text[first].isspace():
            first += 1
    return first, end


def _overlapping(text: str, low: int, start: int, count: int) -> int:
    """Where the last `count` sentences before `start` begin."""
    low = max(low, start - 4000)
    spans = sentences(text[low:start])[-count:]
    return low + spans[0][0] if spans else start


def _path(title: str, headings: Sequence[str]) -> tuple[str, ...]:
    """Title and headings, outermost first, each once and none empty."""
    seen: dict[str, str] = {}
    for name in (title, *headings):
        if name.strip():
            seen.setdefault(" ".join(name.casefold().split()), name)
    return tuple(seen.values())


def _shortened(headings: Sequence[str]) -> str:
    whole = " > ".join(headings)
    if len(whole) <= _HEADING_CHARS:
        return whole
    most = _HEADING_CHARS // min(3, len(headings))
    ends = headings if len(headings) <= 3 else (headings[0], *headings[-2:])
    return " > ".join(name if len(name) <= most else name[:most].rstrip() + "…" for name in ends)


def _chunk(document: Document, ordinal: int, start: int, end: int, path: tuple[str, ...], kind: str) -> Chunk:
    text = document.text[start:end]
    identity = f"{document.source}\0{ordinal}\0{text}".encode("utf-8", "surrogatepass")
    place = document.runs.place(start, end) or Place(1, 1)
    low, high = document.runs.within(start, end)
    raw, shift = _raw(document, start, end)
    return Chunk(
        id=hashlib.sha256(identity).hexdigest()[:16],
        source=document.source,
        ordinal=ordinal,
        text=text,
        headings=path,
        kind=kind,
        start_line=place.start_line,
        end_line=place.end_line,
        start_char=start,
        end_char=end,
        page=place.page,
        date=date_of(document.metadata),
        raw=raw,
        places=pack(document.runs, len(document.text), low, high, start, shift),
    )


def _raw(document: Document, start: int, end: int) -> tuple[str, int | None]:
    """What of the file stands for text[start:end], and where it begins; ("", None) when the text says it all."""
    span = document.runs.span(start, end, len(document.text)) if document.raw else None
    # Pictures and scripts between two paragraphs may be a hundred times their words.
    if span is None or span[1] - span[0] > 8 * (end - start) + 4000:
        return "", None
    raw = document.raw[span[0] : span[1]]
    return ("", None) if raw == document.text[start:end] else (raw, span[0])


def date_of(metadata: Mapping[str, str]) -> str:
    """When a document was last true by its own metadata, as YYYY-MM-DD; "" when it does not say."""
    for key in _DATES:
        found = _DATE.match(metadata.get(key, ""))
        if found and 1 <= int(found[2]) <= 12 and 1 <= int(found[3]) <= 31:
            return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"
    return ""
