"""What is within a line of Markdown, as a reader sees it, each piece with its place in the file.

markdown-it-py tells no places within a line. A state of its own notes for every token where the parser stood.
"""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ragheal.indexing.load.parsed import Bit, Writer, line_spans
from ragheal.indexing.load.templates import RAW, TEMPLATE, filled, shown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_WIKI = re.compile(r"!?\[\[([^\[\]|\n]{1,300})(?:\\?\|([^\[\]\n]{1,300}))?\]\]")
_NOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
# Attribute lists ({: .note }, {#id}, { .button }), roles ({ref}`x`), icons (:material-x:), hidden remarks (%%x%%).
_GONE = re.compile(
    r"\{:[^{}\n]{0,300}\}|\{\s*[#.][\w-][^{}\n]{0,300}\}|\{[\w:+-]{1,40}\}(?=`)|%%(?:(?!%%).){0,2000}%%"
    r"|:(?:material|octicons|fontawesome|simple)-[\w-]{1,60}:(?:\{[^{}\n]{0,200}\})?|!?!?\[[xX ]\](?=\s)(?<=^...)",
    re.DOTALL,
)
_MARKED = re.compile(r"==(?=[^\s=])(?:(?!==)[^\n]){1,500}(?<=[^\s=])==")
_BADGE = re.compile(r"shields\.io|badge|codecov\.io|travis-ci|/workflows/|\.svg\?branch", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)")
_HAN = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_STRUCK = frozenset({"s", "del", "strike"})
_LONG = 20_000  # characters of one paragraph: nobody wrote it by hand, and inline rules are not all linear
# Liquid within a link's target or a tag: its white space and quotation marks are none of Markdown's.
_TARGET = re.compile(r"(?:\{\{.{0,400}?\}\}|\{%.{0,400}?%\}|<%.{0,400}?%>|[^\s()<>{}]+){1,60}")
_TEMPLATED_TAG = re.compile(
    r"</?[A-Za-z][\w-]{0,40}(?:\s[^<>{}]{0,400})?(?:(?:\{\{[^{}]{0,400}\}\}|\{%[^{}]{0,400}%\})[^<>{}]{0,400}){1,9}>"
)
_TASK = re.compile(r"\[([ xX])\]\s+")


def _dialect(state: StateInline, silent: bool) -> bool:
    """The inline rule for what other dialects add to CommonMark."""
    char, at, src = state.src[state.pos], state.pos, state.src
    kind, text, inner = "gone", "", 0
    found: re.Match[str] | None = None
    if char in "[!":
        if found := _WIKI.match(src, at):
            group = 2 if found[2] else 1
            kind, inner = "words", found.start(group) - at
            text = found[group] if found[2] else found[1].rpartition("#")[0] or found[1].lstrip("#")
            if char == "!" and not found[2]:
                kind = "gone"  # the name of an embedded file
        else:
            found = _NOTE.match(src, at)
    elif char == "<":
        found = _TEMPLATED_TAG.match(src, at)
        kind, text = "html_inline", found.group() if found else ""
    elif char in "{$":
        raw = state.env.setdefault("raw", {})  # of each text, up to where templates are meant as they stand
        if at < raw.get(src, 0):
            return False
        if opened := RAW.match(src, at):
            raw[src] = opened.end(1)
        if found := TEMPLATE.match(src, at):
            line = src[src.rfind("\n", 0, at) + 1 : at], src[found.end() :].partition("\n")[0]
            text = filled(found.group(), within=all(part.strip() for part in line))
            kind = "template" if text else "gone"
        else:
            found = _GONE.match(src, at)
    elif char in "%:":
        found = _GONE.match(src, at)
    elif src.startswith("==", at):
        closers = state.env.setdefault("marks", set())
        if (id(state), at) in closers or (found := _MARKED.match(src, at)):
            if found:
                closers.add((id(state), found.end() - 2))
            if not silent:
                state.push("gone", "", 0)
            state.pos += 2
            return True
    if found is None:
        return False
    if not silent:
        token = state.push(kind, "", 0)
        token.content, token.markup = text, found.group()
        token.meta["at"] = at + inner
    state.pos = found.end()
    return True


@cache
def parser() -> MarkdownIt:
    """The parser of all Markdown files. `meta["at"]` of its inline tokens is the offset in the line's content."""
    from markdown_it import MarkdownIt, helpers
    from markdown_it.parser_inline import ParserInline
    from markdown_it.rules_inline import StateInline
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote.index import footnote_def

    class Placed(StateInline):
        begun = 0

        def append_pending(self, text: str) -> None:
            if not self._pending and not self._pending_buffer:
                self.begun = self.pos
            super().append_pending(text)

        def pushPending(self) -> Any:  # noqa: N802  (the library's name)
            token = super().pushPending()
            token.meta["at"] = self.begun
            return token

        def push(self, ttype: str, tag: str, nesting: Any) -> Any:
            token = super().push(ttype, tag, nesting)
            token.meta["at"] = self.pos
            token.meta["raw"] = self.pos < self.env.get("raw", {}).get(self.src, 0)
            return token

    class Inline(ParserInline):
        def parse(self, src: str, md: Any, env: Any, tokens: list[Any]) -> list[Any]:
            state = Placed(src, md, env, tokens)
            if len(src) > _LONG:
                state.pending, state.pos, state.begun = src, len(src), 0
                state.pushPending()
                return state.tokens
            self.tokenize(state)
            for rule in self.ruler2.getRules(""):
                rule(state)
            return state.tokens

    def target(text: str, at: int, end: int) -> Any:
        """A link's target, one that a template fills in included."""
        found = _TARGET.match(text, at, end)
        if found is None or not any(sign in found.group() for sign in ("{{", "{%", "<%")):
            return helpers.parseLinkDestination(text, at, end)
        result = helpers.parseLinkDestination("<>", 0, 2)
        result.pos = found.end()
        return result

    made = MarkdownIt("commonmark")
    made.inline = Inline()
    made.helpers = SimpleNamespace(  # type: ignore[assignment]  # a module there, and only looked into
        parseLinkDestination=target,
        parseLinkLabel=helpers.parseLinkLabel,
        parseLinkTitle=helpers.parseLinkTitle,
    )
    made.enable(["table", "strikethrough"]).use(deflist_plugin)
    made.block.ruler.before("reference", "footnote_def", footnote_def, {"alt": ["paragraph", "reference"]})
    made.inline.ruler.before("link", "dialect", _dialect)
    # Pieces that are joined would lose their places.
    made.inline.ruler2.disable("fragments_join")
    made.disable("linkify", ignoreInvalid=True).disable("text_join", ignoreInvalid=True)
    return made


class Anchor:
    """Leads from the content of an inline token back to the file, line by line."""

    def __init__(self, writer: Writer, content: str, top: int, within: tuple[int, int] | None = None) -> None:
        """`top` is the line, from 0, on which the content begins; `within` the only part of it to look at."""
        self.writer = writer
        self.spans: list[tuple[int, int, int]] = []  # offset in the content, in the file, length
        source, starts, at = writer.source, writer.starts, 0
        for number, line in enumerate(content.split("\n"), top):
            low = starts[min(number, len(starts) - 1)]
            high = starts[min(number + 1, len(starts) - 1)]
            if within:
                low, high = within
            found = source.rfind(line, low, high)
            self.spans.append((at, found if found != -1 else low, len(line) if found != -1 else 0))
            at += len(line) + 1

    @classmethod
    def over(cls, writer: Writer, low: int, high: int) -> tuple[str, Anchor]:
        """The content that stands at [low, high) of the file, line for line, and its anchor."""
        anchor, lines, at = cls(writer, "", 0), [], 0
        anchor.spans = []
        for start, end in line_spans(writer.source, low, high):
            line = writer.source[start:end].rstrip("\r\n")
            anchor.spans.append((at, start, len(line)))
            lines.append(line)
            at += len(line) + 1
        if writer.source[high - 1 : high] in {"\r", "\n"}:
            lines.append("")
        return "\n".join(lines), anchor

    def bit(self, text: str, at: int, size: int) -> Bit:
        """A text for the content [at, at + size)."""
        for begin, raw, length in reversed(self.spans):
            if begin <= at:
                if length:
                    raw += min(at - begin, length)
                    size = min(size, begin + length - at) if at - begin < length else 1
                else:
                    size = len(text) + 1  # not found as it stands: the line is right, the characters are not told
                return Bit(text, raw, max(0, size), self.writer.line(raw))
        return Bit(text)


def bits_within(writer: Writer, low: int, high: int) -> list[Bit]:
    """The reading text of Markdown that stands within the HTML of a Markdown file."""
    content, anchor = Anchor.over(writer, low, high)
    return bits_of(parser().parseInline(content)[0], anchor)


def bits_of(token: Token, anchor: Anchor) -> list[Bit]:
    """The reading text of an inline token; an end of line in it is one that a reader sees."""
    reader = _Reader(anchor)
    reader.take(token.children or [], token.content, 0)
    return _joined(reader.bits)


class _Reader:
    def __init__(self, anchor: Anchor) -> None:
        self.anchor = anchor
        self.bits: list[Bit] = []

    def take(self, tokens: list[Token], content: str, base: int) -> None:
        task = _TASK.match(content) if not base else None
        for number, token in enumerate(tokens):
            at = base + token.meta.get("at", 0)
            if token.type in {"text", "code_inline", "words"} and token.content:
                text = token.content
                if task and not self.bits and text.startswith("["):
                    self.add("☐ " if task[1] == " " else "☑ ", base, task.end())
                    rest = text[task.end() :]
                    if rest:
                        self.add(rest, base + task.end(), len(rest))
                    continue
                if self.bits and self.bits[-1].text in {"☐ ", "☑ "} and text.strip() in {"]", "x", " ", "] "}:
                    continue
                place = content.find(text, at - base, at - base + len(text) + 40)
                at = at if place == -1 else base + place
                if token.type == "code_inline" and not token.meta.get("raw"):
                    for said, low, high in shown(text, code=True):
                        self.add(said, at + low, high - low)
                    continue
                for line in text.split("\n"):  # of a paragraph too long to be parsed
                    self.add(line if at == base + place else f" {line}", at, len(line))
                    at += len(line) + 1
            elif token.type == "text_special":
                self.add(token.content.replace("\xa0", " "), at, len(token.markup) or len(token.content))
            elif token.type == "softbreak":
                before = self.bits[-1].text[-1:] if self.bits else ""
                after = next((one.content[:1] for one in tokens[number + 1 :] if one.content), "")
                wide = _HAN.match(before) and _HAN.match(after)
                self.add("" if wide else " ", at, 1)
            elif token.type == "hardbreak":
                self.add("\n", at, 1)
            elif token.type == "image":
                self._image(token, tokens, number, at)
            elif token.type in {"s_open", "s_close"}:
                self.add("~~", at, 2)
            elif token.type == "html_inline":
                self._tag(token.content, at)
            elif token.type == "template":
                self.add(token.content, at, len(token.markup))

    def add(self, text: str, at: int, size: int) -> None:
        if text:
            self.bits.append(self.anchor.bit(text, at, size))

    def _image(self, token: Token, tokens: list[Token], number: int, at: int) -> None:
        """The words that stand for a picture; none for a badge."""
        if _BADGE.search(str(token.attrs.get("src", ""))):
            return
        if number and tokens[number - 1].type == "link_open" and not token.content.strip(" "):
            return
        if token.content:
            self.take(token.children or [], token.content, at + 2)  # after "!["

    def _tag(self, tag: str, at: int) -> None:
        found = _TAG.match(tag)
        if found is None:
            return
        name, closing = found[2].lower(), bool(found[1])
        if name == "br":
            self.add("\n", at, len(tag))
        elif name in _STRUCK:
            self.add("~~", at, len(tag))
        elif name == "sup" and not closing:
            self.add("^", at, len(tag))
        elif name == "sub" and not closing and self.bits and self.bits[-1].text[-1:].isdigit():
            self.add("_", at, len(tag))


def _joined(bits: list[Bit]) -> list[Bit]:
    """Without doubled spaces where something was taken out, and without the ends of entities."""
    kept: list[Bit] = []
    for bit in bits:
        text = bit.text
        if kept and text[0] in " \n" and kept[-1].text[-1] in " \n":
            if text[0] == "\n" and kept[-1].text == " ":
                kept.pop()
            else:
                text = text.lstrip(" ") if text[0] == " " else text
                if not text:
                    continue
                cut = len(bit.text) - len(text)
                exact = bit.size == len(bit.text)
                bit = bit._replace(
                    text=text, raw=bit.raw + cut if exact else bit.raw, size=len(text) if exact else bit.size
                )
        kept.append(bit)
    return kept
