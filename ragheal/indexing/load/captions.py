"""Transcripts (WebVTT, SRT): what was said, the cues of one speaker joined, times and numbers left out."""

from __future__ import annotations

import re

from ragheal.indexing.load.parsed import Bit, Parsed, Writer
from ragheal.indexing.load.patterns import Rule, Rules
from ragheal.indexing.load.plain import groups

_TIME = re.compile(r"\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->")
_VOICE = re.compile(r"\s*<v(?:\.[\w.-]+)?\s+([^<>\r\n]{1,80})>")
_NAMED = re.compile(r"\s*(?:-\s*)?([A-Z\u3400-\u9fff][\w .'\u3400-\u9fff-]{0,40}?)\s*[:：]\s+")
_TEXT = Rules(
    Rule(r"</?[a-zA-Z0-9][^<>\n]{0,120}>"),
    Rule(r"\{\\[^{}\n]{0,60}\}"),
    Rule(r"&(?:nbsp|lrm|rlm);", said=lambda found: " " if found.group() == "&nbsp;" else ""),
    Rule(r"&amp;", said=lambda _: "&"),
    Rule(r"&lt;", said=lambda _: "<"),
    Rule(r"&gt;", said=lambda _: ">"),
)
_ENDS = tuple('.!?。！？…"”」)')
_LONG = 700  # characters of one speaker's turn, after which it is cut at the end of a sentence
_PAUSE = 8.0  # seconds of silence that end a turn where no speakers are told
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})")


def parse_captions(text: str, source: str = "") -> Parsed:
    """A paragraph for each turn, the speaker named once at its head."""
    writer = Writer(text)
    turn: list[Bit] = []
    speaker, until, length = "", 0.0, 0

    def end() -> None:
        nonlocal length
        writer.block("paragraph", turn)
        turn.clear()
        length = 0

    for group in groups(text):
        at = next((n for n, (low, high) in enumerate(group[:3]) if _TIME.match(text, low, high)), -1)
        if at < 0:
            continue  # the head of the file, notes, styles
        clock = _CLOCK.findall(text[group[at][0] : group[at][1]])
        start = _seconds(clock[0]) if clock else until
        for low, high in group[at + 1 :]:
            voice = _VOICE.match(text, low, high) or _NAMED.match(text, low, high)
            name = " ".join(voice[1].split()) if voice else ""
            said = _TEXT.bits(writer, voice.end() if voice else low, high)
            if not any(bit.text.strip() for bit in said):
                continue
            done = turn and turn[-1].text.rstrip().endswith(_ENDS)
            if (name and name != speaker) or (done and (length > _LONG or start - until > _PAUSE)):
                end()
            if not turn and (name or speaker):
                speaker = name or speaker
                turn.append(Bit(f"{speaker}: "))
            elif turn:
                wide = turn[-1].text[-1:] >= "\u2e80" and said[0].text[:1] >= "\u2e80"
                turn.append(Bit("" if wide else " "))
            turn += said
            length += sum(len(bit.text) for bit in said)
        until = _seconds(clock[-1]) if clock else until
    end()
    return writer.parsed()


def _seconds(clock: tuple[str, ...]) -> float:
    hours, minutes, seconds, part = (int(one or 0) for one in clock)
    return hours * 3600 + minutes * 60 + seconds + part / 1000
