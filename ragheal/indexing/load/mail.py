"""Mail (`.eml`, mailboxes): who wrote what to whom and when; what is quoted from others is marked as such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from ragheal.errors import LoadError
from ragheal.indexing.load.html import parse_html
from ragheal.indexing.load.parsed import Bit, Parsed, Writer, line_spans
from ragheal.indexing.load.plain import groups

_FROM = re.compile(r"^From \S+.*\d{4}\r?$", re.MULTILINE)
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_SIGNATURE = re.compile(r"--[ \t]*\Z")
_MOST_PARTS = 200
_BLANKS = re.compile(r"\s+")


def parse_mail(text: str, source: str = "") -> Parsed:
    """Raises LoadError for what is no mail."""
    writer = Writer(text)
    subject, metadata = _message(writer, 0, len(text))
    if not writer:
        raise LoadError("empty", skipped=True)
    return writer.parsed(subject, metadata)


def parse_mbox(text: str, source: str = "") -> Parsed:
    """Every message under its subject."""
    writer = Writer(text)
    begins = [found.start() for found in _FROM.finditer(text)] or [0]
    for low, high in zip(begins, [*begins[1:], len(text)], strict=True):
        start = text.find("\n", low) + 1 if text.startswith("From ", low) else low
        _message(writer, start, high)
        writer.path.clear()
    return writer.parsed()


def _message(writer: Writer, low: int, high: int) -> tuple[str, dict[str, str]]:
    """Write one message; returns its subject and its date and sender."""
    raw = writer.source[low:high]
    try:
        message = message_from_bytes(raw.encode("utf-8", "surrogateescape"), policy=policy.default)
    except (MessageError, ValueError, LookupError, RecursionError):
        raise LoadError("damaged mail") from None
    assert isinstance(message, EmailMessage)  # by the policy
    subject = _header(message, "Subject")
    metadata = {"author": _header(message, "From")} if _header(message, "From") else {}
    with suppress(ValueError, TypeError, IndexError):
        metadata["date"] = parsedate_to_datetime(_header(message, "Date")).date().isoformat()
    lines: list[list[Bit]] = []
    at = 0
    for start, end in line_spans(raw, 0, len(raw)):
        line = raw[start:end].rstrip("\r\n")
        if not line:
            at = end
            break
        name = line.partition(":")[0].strip().title()
        if name in _SHOWN and not line[0].isspace() and (value := _header(message, name)):
            if name == "Subject":
                writer.block("heading", [writer.said(value, low + start, low + start + len(line))], level=1)
            lines.append(
                [Bit(f"{name}: "), writer.said(value, low + start + len(name) + 1, low + start + len(line))]
            )
    writer.rows("record", lines)
    for words, is_html, attached in _parts(message):
        if attached:
            writer.block("paragraph", [writer.said(f"Attachment: {words}", low + at, low + at + 1)])
        elif is_html:
            _html(writer, words, low + at, high)
        else:
            _text(writer, words, low + at, high)
    return subject, metadata


def _header(message: EmailMessage, name: str) -> str:
    try:
        return _BLANKS.sub(" ", str(message.get(name, ""))).strip()
    except (ValueError, LookupError, AttributeError, IndexError, TypeError):
        return ""  # the library trips over some headers as they are found


def _parts(message: EmailMessage) -> Iterator[tuple[str, bool, bool]]:
    """(text, whether it is HTML, whether it is the name of an attachment) of the parts that a reader is shown."""
    texts: list[tuple[str, bool, bool]] = []
    plain = False
    for number, part in enumerate(message.walk()):
        if number > _MOST_PARTS:
            break
        if part.is_multipart():
            continue
        try:
            name, kind = part.get_filename(), part.get_content_type()
            if name or part.get_content_disposition() == "attachment":
                texts.append((str(name or kind), False, True))
            elif kind in {"text/plain", "text/html"}:
                content = part.get_content()
                if isinstance(content, str) and content.strip():
                    plain = plain or kind == "text/plain"
                    texts.append((content, kind == "text/html", False))
        except (ValueError, LookupError, KeyError, AttributeError, TypeError):
            continue
    yield from (part for part in texts if not (part[1] and plain))  # the same said twice: the plain one


class _Lines:
    """Finds the lines of a decoded part in the file, in order; for one that is encoded, where the part begins."""

    def __init__(self, writer: Writer, low: int, high: int) -> None:
        self.writer, self.at, self.high = writer, low, high
        self.misses = 0

    def bit(self, line: str) -> Bit:
        bare = line.strip()
        place = self.writer.source.find(bare, self.at, self.high) if bare and self.misses < 50 else -1
        if place != -1:
            self.at = place + len(bare)
            return Bit(bare, place, len(bare), self.writer.line(place))
        self.misses += 1
        # Quoted-printable breaks lines and spells letters: the beginning leads to the line.
        head = re.match(r"[\x20-<>-\x7e]{6,}", bare)
        place = (
            self.writer.source.find(head.group()[:40], self.at, self.high) if head and self.misses < 2000 else -1
        )
        if place != -1:
            self.at, self.misses = place, self.misses - 1
        return self.writer.said(bare, self.at, min(self.at + 1, self.high)) if bare else Bit("")


def _text(writer: Writer, words: str, low: int, high: int) -> None:
    lines = _Lines(writer, low, high)
    words = words.replace("\r\n", "\n")
    for group in groups(words):
        bits: list[Bit] = []
        quoted = False
        for start, end in group:
            line = words[start:end]
            if _SIGNATURE.match(line):
                break
            mark = _QUOTE.match(line)
            if bits and bool(mark) != quoted:
                writer.block("paragraph", bits)
                bits = []
            quoted = bool(mark)
            bit = lines.bit(line[mark.end() :] if mark else line)
            if not bit.text:
                continue
            listed = re.match(r"(?:[-*•]|\d+[.)])\s", bit.text)
            if not bits and quoted:
                bits.append(Bit("Quoted: "))
            elif bits:
                bits.append(Bit("\n" if listed or len(bits[-1].text) < 40 else " "))
            bits.append(bit)
        writer.block("paragraph", bits)


def _html(writer: Writer, words: str, low: int, high: int) -> None:
    parsed = parse_html(words)
    lines = _Lines(writer, low, high)
    for block in parsed.blocks:
        text = parsed.text[block.start : block.end]
        writer.rows(
            "paragraph" if block.kind == "heading" else block.kind,
            [[lines.bit(line)] for line in text.split("\n")],
        )
