"""An answer that quotes, on a terminal: a quotation a line, links that can be clicked, code and records as such.

The text of an answer is its claims with their marks, and what stands before and behind them. Where every claim is
found in what it cites, each gets a line of its own; what a model wrote stays running text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from ragheal.types import Chunk, Citation, Claim, DraftStep, SearchStep, Trace

from .layout import Row, paragraph
from .text import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARKS = re.compile(r"\s*((?:\[\d+\])+)")
_URL = re.compile(r"https?://[^\s<>\"'）」』，。；]+[^\s<>\"'）」』，。；.,;:!?)\]]")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)[ \t]*(\S*)", re.MULTILINE)
#: Where a record ("header: value; header: value") has its next header, and where that ends.
_FIELD = re.compile(r"(?:; |；)(?=[^;；:：]{1,60}(?:: |：))")
_COLON = re.compile(r": |：")


class Piece(NamedTuple):
    """A claim in the text of an answer: what stands before it, its marks, the passage it is from."""

    before: str
    claim: Claim
    marks: str
    citation: Citation | None
    chunk: Chunk | None


def blocks(trace: Trace) -> Iterator[RenderableType]:
    """The text of an answer."""
    pieces, tail = _pieces(trace)
    if not pieces or (len(pieces) > 1 and not all(map(_quoted, pieces))):
        yield paragraph(_running(trace, pieces))
        return
    at, apart = 0, False  # whether the block before was a code or a record, which stand by themselves
    while at < len(pieces):
        piece, rows = pieces[at], [record(pieces[at])]
        before = clean(piece.before).strip()
        bullet = before.endswith("-") and len(pieces) > 1
        if before := before.removesuffix("-").strip() if bullet else before:
            yield paragraph(_lead(trace, before))
        at += 1
        while rows[0] and at < len(pieces) and _headers(record(pieces[at])) == _headers(rows[0]):
            rows.append(record(pieces[at]))
            at += 1
        block = _block(rows, pieces[at - len(rows) : at])
        if at > len(rows) and (apart or block):
            yield ""
        if apart := bool(block):
            yield from block
            continue
        words = said(piece)
        words.append(
            f" {piece.marks}" if piece.marks and _latin(piece.claim.text) else piece.marks, "not bold cyan"
        )
        yield Row("- " if bullet else "", words, cells=2 if bullet else 0)
    if rest := clean(tail).strip():
        yield paragraph(Text(rest))


def _block(rows: Sequence[Sequence[tuple[str, str, int]]], pieces: Sequence[Piece]) -> list[RenderableType]:
    """Records or code as such; nothing for a claim in words."""
    if len(rows) > 1:
        return [_table(rows, pieces)]
    if rows[0]:
        return list(_fields(rows[0], pieces[0]))
    code = _code(pieces[0])
    return [code, Text(f"  {pieces[0].marks}", "cyan")] if code is not None else []


def plain(trace: Trace) -> str:
    """The text of an answer for a pipe: as it is, but several quotations on a line each."""
    pieces, tail = _pieces(trace)
    if len(pieces) < 2 or not all(map(_quoted, pieces)):
        return trace.answer.text
    lines = []
    for piece in pieces:
        before = piece.before.strip()
        bullet = "- " if before.endswith("-") else ""
        gap = " " if piece.marks and _latin(piece.claim.text) else ""
        lines += [before.removesuffix("-").strip(), f"{bullet}{piece.claim.text}{gap}{piece.marks}"]
    return "\n".join(line for line in [*lines, tail.strip()] if line)


def said(piece: Piece) -> Text:
    """The words of a claim: the answer proper in bold, links as the source has them."""
    words = Text(clean(piece.claim.text), overflow="fold")
    if piece.claim.span is not None:
        words.stylize("bold", *piece.claim.span)
    link(words, targets(piece.citation.quote) if piece.citation is not None else {})
    return words


def link(words: Text, found: Mapping[str, str]) -> None:
    """Make the words of links, and addresses written out, lead where they lead. Only to the web."""
    for match in _URL.finditer(words.plain):
        words.stylize(f"underline link {match.group()}", *match.span())
    for label, url in found.items():
        at = words.plain.find(label)
        if label and at >= 0:
            words.stylize(f"underline link {url}", at, at + len(label))


def targets(quote: str) -> dict[str, str]:
    """The links of a quotation as its file has it, in Markdown or HTML: words → address."""
    found, quote = dict[str, str](), clean(quote)
    if "](" in quote or "][" in quote:
        from markdown_it import MarkdownIt

        label, url = "", ""
        for token in MarkdownIt().parseInline(quote)[0].children or ():
            if token.type == "link_open":
                label, url = "", str(token.attrs.get("href", ""))
            elif token.type == "link_close":
                found[label] = url
            else:
                label += token.content
    if "<a " in quote:
        from lxml import html

        found |= {
            node.text_content(): node.get("href", "") for node in html.fragment_fromstring(quote, "p").iter("a")
        }
    return {" ".join(clean(label).split()): url for label, url in found.items() if _URL.fullmatch(clean(url))}


def record(piece: Piece) -> list[tuple[str, str, int]]:
    """A row of a table as (header, value, offset of the value); empty when the claim is none."""
    text = piece.claim.text
    if piece.chunk is None or piece.chunk.kind not in {"record", "table"} or "\n" in text:
        return []
    fields, start = [], 0
    for end, following in [*(match.span() for match in _FIELD.finditer(text)), (len(text), len(text))]:
        colon = _COLON.search(text, start, end)
        if colon is None:
            return []
        fields.append((text[start : colon.start()], text[colon.end() : end], colon.end()))
        start = following
    return fields if len(fields) > 1 else []


def _pieces(trace: Trace) -> tuple[list[Piece], str]:
    """The claims of an answer as they stand in its text, and what follows the last; none when one is not there."""
    answer, cursor, found = trace.answer, 0, []
    citations = {citation.n: citation for citation in answer.citations}
    chunks = {hit.chunk.id: hit.chunk for step in trace.steps if isinstance(step, SearchStep) for hit in step.hits}
    for claim in answer.claims:
        at = answer.text.find(claim.text, cursor)
        if at < 0:
            return [], answer.text
        marks = _MARKS.match(answer.text, at + len(claim.text))
        citation = citations.get(claim.cites[0]) if claim.cites else None
        chunk = chunks.get(citation.chunk_id) if citation is not None else None
        before = answer.text[cursor:at]
        found.append(Piece(before, claim, marks.group(1) if marks else "", citation, chunk))
        cursor = marks.end() if marks else at + len(claim.text)
    return found, answer.text[cursor:]


def _quoted(piece: Piece) -> bool:
    """Whether a claim stands in what it cites."""
    return piece.chunk is not None and "".join(piece.claim.text.split()) in "".join(piece.chunk.text.split())


def _running(trace: Trace, pieces: Sequence[Piece]) -> Text:
    """The text as it is, with the answer proper in bold and the marks in colour."""
    text = _lead(trace, clean(trace.answer.text).strip())
    cursor = 0
    for piece in pieces:
        words = said(piece)
        at = text.plain.find(words.plain, cursor)
        if at >= 0:
            cursor = at + len(words.plain)
            for span in words.spans:
                text.stylize(span.style, at + span.start, at + span.end)
    link(text, {})
    text.highlight_regex(r"\[\d+\]", "cyan")
    return text


def _lead(trace: Trace, words: str) -> Text:
    """What stands before the claims: a computed "Yes" or the winner's name in bold."""
    text = Text(words, overflow="fold")
    lead = next((step.draft.lead for step in reversed(trace.steps) if isinstance(step, DraftStep)), "")
    if lead and words.startswith(lead):
        text.stylize("bold", 0, len(lead))
    return text


def _code(piece: Piece) -> RenderableType | None:
    """A quotation out of a fence or a source file, its lines as they are; None for any other."""
    if piece.citation is None or piece.chunk is None or "\n" not in piece.citation.quote:
        return None
    from pygments.token import Comment, Keyword, Name, String
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme, Syntax

    fences = [found.group(1) for found in _FENCE.finditer(piece.chunk.raw.partition(piece.citation.quote)[0])]
    if len(fences) % 2:
        lexer = fences[-1] or "text"
    elif piece.chunk.kind == "code" and not fences:
        lexer = Syntax.guess_lexer(piece.citation.source)
    else:
        return None
    base = {Comment: "dim", Keyword: "magenta", Name.Builtin: "cyan", Name.Tag: "cyan", String: "green"}
    theme = ANSISyntaxTheme({token: Style.parse(style) for token, style in base.items()})
    code = Syntax("", lexer, theme=theme).highlight(clean(piece.citation.quote).rstrip())
    code.rstrip()
    return Row("", code, cells=2)


def _fields(fields: Sequence[tuple[str, str, int]], piece: Piece) -> Iterator[Row]:
    """One record: a line for each header."""
    cells = min(max(cell_len(header) for header in _headers(fields)) + 2, 24)
    for n, field in enumerate(fields, start=1):
        words = _value(field, piece.claim)
        if n == len(fields):
            words.append(f" {piece.marks}", "not bold cyan")
        yield Row(clean(field[0]), words, cells=cells)


def _table(rows: Sequence[Sequence[tuple[str, str, int]]], pieces: Sequence[Piece]) -> RenderableType:
    """Records with the same headers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, pad_edge=False, header_style="cyan")
    for header in (*_headers(rows[0]), ""):
        table.add_column(clean(header), overflow="fold")
    for row, piece in zip(rows, pieces, strict=True):
        table.add_row(*(_value(field, piece.claim) for field in row), Text(piece.marks, "cyan"))
    return table


def _value(field: tuple[str, str, int], claim: Claim) -> Text:
    """The value of a field, in bold what of it is the answer proper."""
    _, value, offset = field
    words = Text(clean(value), overflow="fold")
    if claim.span is not None:
        start, end = (min(max(place - offset, 0), len(value)) for place in claim.span)
        words.stylize("bold", start, end)
    link(words, {})
    return words


def _headers(fields: Sequence[tuple[str, str, int]]) -> list[str]:
    return [header for header, _, _ in fields]


def _latin(text: str) -> bool:
    return text[-1:] < "⺀"
