"""Manual pages (roff with the macros man and mdoc): what a terminal shows of them."""

from __future__ import annotations

import re

from ragheal.indexing.load.parsed import Bit, Parsed, Writer, line_spans
from ragheal.indexing.load.patterns import Rule, Rules

#: How a manual page begins, whatever its name.
BEGINS = re.compile(r"(?:[.']\\\".*\n|\s*\n|\.ig\n)*\.(?:TH|Dd|Dt|SH|Sh)\s")
_REQUEST = re.compile(r"[.'][ \t]*([A-Za-z]{1,3}\d?|\\\"|\\\}|%\w)?[ \t]*")
_CHARS = {
    "em": "—", "en": "–", "hy": "-", "bu": "•", "co": "©", "rg": "®", "tm": "™", "aq": "'", "dq": '"', "lq": "“",
    "rq": "”", "oq": "‘", "cq": "’", "mi": "-", "rs": "\\", "ti": "~", "ha": "^", "ga": "`", "->": "→", "<-": "←",
    "de": "°", "mu": "×", "+-": "±", "<=": "≤", ">=": "≥", "!=": "≠", "sc": "§", "Eu": "€", "Po": "£",
}  # fmt: skip
_TEXT = Rules(
    Rule(r'\\".*'),
    Rule(r"\\f(?:\[[^\]]*\]|\(..|.)"),
    Rule(r"\\(?:s[-+]?\d+|[mFMgkYV](?:\[[^\]]*\]|\(..|.)|[*n](?:\[[^\]]*\]|\(..|.)|[hvwlLbDoxXZN]'[^']*')"),
    Rule(r"\\\((..)|\\\[([^\]]+)\]", said=lambda found: _CHARS.get(found[1] or found[2], "")),
    Rule(r"\\-", said=lambda _: "-"),
    Rule(r"\\[&|^%:/,cpd}{)]"),
    Rule(r"\\[ ~0t]", said=lambda _: " "),
    Rule(r"\\e|\\\\", said=lambda _: "\\"),
    Rule(r"\\(.)", group=1, inner=False),
)
_WORD = re.compile(r'"((?:[^"]|"")*)"?|(\S+)')
_MORE = re.compile(r"\s\S*")
_ALTERNATING = frozenset("BR RB BI IB IR RI SB".split())
_JOINED = frozenset("B I SM R".split())
_PARAGRAPH = frozenset("PP P LP Pp HP sp Bl El RS RE br Ed bp".split())
_CODE = frozenset("nf EX Bd".split())
_CODE_END = frozenset("fi EE Ed".split())
# What mdoc's macros put before their words; they may be called within a line as well.
_MDOC = {
    "Fl": "-", "Ar": "", "Nm": "", "Cm": "", "Pa": "", "Ev": "$", "Xr": "", "Dv": "", "Em": "", "Sy": "", "Li": "",
    "Ql": "", "Dq": "", "Sq": "", "Pq": "", "Op": "", "Oo": "", "Oc": "", "Ns": "", "No": "", "Va": "", "Fn": "", "Ic": "",
    "Ad": "", "Er": "", "Tn": "", "Bx": "BSD ", "Nx": "NetBSD ", "Fx": "FreeBSD ", "Ox": "OpenBSD ", "St": "", "Lk": "",
    "Mt": "", "An": "", "Aq": "", "Brq": "", "Vt": "", "Ft": "", "In": "", "Ux": "Unix ",
}  # fmt: skip


def parse_roff(text: str, source: str = "") -> Parsed:
    """Sections are headings; a tagged paragraph is read as "tag: what is said of it". Comments are left out."""
    reader = _Reader(text)
    for low, high in line_spans(text, 0, len(text)):
        end = high
        while end > low and text[end - 1] in "\r\n":
            end -= 1
        reader.line(low, end)
    reader.end()
    return reader.writer.parsed(reader.title)


class _Reader:
    def __init__(self, text: str) -> None:
        self.writer = Writer(text)
        self.title = ""
        self.bits: list[Bit] = []
        self.code = False
        self.tag = False  # the next line is the tag of a paragraph
        self.tagged = False  # the block began with one
        self.skipping = ""  # the request that ends what is skipped
        self.name = ""

    def line(self, low: int, high: int) -> None:
        text = self.writer.source
        if self.skipping:
            if text[low:high].strip() == self.skipping:
                self.skipping = ""
            return
        if low == high:
            self.end()
        elif text[low] in ".'" and (found := _REQUEST.match(text, low, high)):
            self._request(found[1] or "", found.end(), high)
        else:
            self._say(_TEXT.bits(self.writer, low, high))

    def _request(self, name: str, low: int, high: int) -> None:
        if name in {"TH", "Dt"}:
            words = self._words(low, high)
            self.title = self.title or (f"{_said(words[0]).lower()}({_said(words[1])})" if len(words) > 1 else "")
        elif name in {"SH", "SS", "Sh", "Ss"}:
            self.end()
            self.code = False
            self.writer.block("heading", _spaced(self._words(low, high)), level=1 if name[1] in "Hh" else 2)
        elif name in {"TP", "TQ"}:
            self.end()
            self.tag = True
        elif name in {"IP", "It"}:
            self.end()
            tag = self._mdoc(low, high) if name == "It" else _spaced(self._words(low, high)[:1])
            if tag and _said(tag) not in {"•", "*", "-", "o"}:
                self.tag = True
                self._say(tag)
            elif tag:
                self.bits.append(Bit("- "))
        elif name in _CODE or name in _CODE_END:
            self.end()
            self.code = name in _CODE
        elif name in _PARAGRAPH:
            if name in {"br", "sp"} and self.tagged:
                return
            self.end()
        elif name in _ALTERNATING:
            self._say([bit for word in self._words(low, high) for bit in word])
        elif name in _JOINED:
            self._say(_spaced(self._words(low, high)))
        elif name in {"Nd"}:
            self._say([Bit("- "), *self._mdoc(low, high)])
        elif name in _MDOC:
            if name == "Nm":
                self.name = self.name or _said(self._mdoc(low, high))
            self._say(self._mdoc(low, high, name))
        elif name in {"ig", "de", "am"}:
            self.skipping = ".."
        elif name in {"UR", "MT"}:
            pass

    def _say(self, bits: list[Bit]) -> None:
        if not any(bit.text.strip() for bit in bits):
            return
        if self.code:
            self.bits += [*([Bit("\n")] if self.bits else []), *bits]
            return
        if self.bits and self.bits[-1].text[-1:] not in {" ", "\n"}:
            self.bits.append(Bit(" "))
        self.bits += bits
        if self.tag:
            self.bits.append(Bit(": "))
            self.tag, self.tagged = False, True

    def end(self) -> None:
        if self.tag:
            self.tag = bool(self.bits) and self.tag
        kind = "code" if self.code else "record" if self.tagged else "paragraph"
        if self.bits and not _said(self.bits).endswith(":"):
            self.writer.block(kind, self.bits)
            self.bits, self.tagged = [], False
        elif self.bits and not self.tagged:
            self.writer.block(kind, self.bits)
            self.bits = []

    def _words(self, low: int, high: int) -> list[list[Bit]]:
        """The arguments of a request, each without its quotation marks."""
        words, at, text = [], low, self.writer.source
        while at < high and (found := _WORD.search(text, at, high)):
            if found.group().startswith('\\"'):
                break
            span = found.span(1) if found[1] is not None else found.span(2)
            at = found.end()
            while found[1] is None and text[at - 1 : at] == "\\" and at < high:  # a space that belongs to the word
                more = _MORE.match(text, at, high)
                if more is None:
                    break
                at = more.end()
                span = span[0], at
            words.append(_TEXT.bits(self.writer, *span))
        return words

    def _mdoc(self, low: int, high: int, name: str = "") -> list[Bit]:
        """A line of mdoc: its macros do their work within it."""
        bits: list[Bit] = []
        lead = _MDOC.get(name, "")
        words = self._words(low, high)
        if name == "Nm" and not words:
            return [Bit(self.name)]
        if name == "Fl" and not words:
            return [Bit("-")]
        glued = True
        for word in words:
            said = _said(word)
            if said in _MDOC:
                lead, glued = _MDOC[said], glued or said == "Ns"
                continue
            if bits and not (said in {".", ",", ";", ":", ")", "]", "?", "!"} or glued):
                bits.append(Bit(" "))
            bits += [*([Bit(lead)] if lead else []), *word]
            lead, glued = "", False
        return bits


def _said(bits: list[Bit]) -> str:
    return "".join(bit.text for bit in bits).strip()


def _spaced(words: list[list[Bit]]) -> list[Bit]:
    bits: list[Bit] = []
    for word in words:
        bits += [*([Bit(" ")] if bits else []), *word]
    return bits
