"""Sentences of documents that speak to a model. They are data, and no evidence: no claim may rest on them.

`text/instructions.py` knows those that would spoil a quotation; a model can be led by more: tags of chat
templates, made-up verdicts, hidden comments, encoded text. Recognition is a help, not the defence: the fence
keeps them data, and a claim is checked against the other sentences of what it cites.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache

from ragheal.text.analyze import terms
from ragheal.text.instructions import addresses_reader
from ragheal.text.script import has_han, simplified
from ragheal.text.sentences import sentences

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
# Tags of chat templates: no document says anything to its readers with them.
_NARROW = str.maketrans("＜＞﹤﹥／｜", "<><>/|")
_TEMPLATE = re.compile(
    r"<\s*/?\s*[|｜]|<(?:start_of_turn|end_of_turn|eot_id|start_header_id)>|\[/?(?:INST|SYS|ADMIN)\]|<</?SYS>>|<!--"
    r"|^\s*\[//\]:\s*#|[\"“']\s*(?:sufficient|relevance|verdict|grounded)\s*[\"”']\s*[:：]"
    r"|^\W*(?:assistant|ai|llm|chatbot)\s*[:：]"
    r"|^\W*(?:system|developer|admin)\s*(?:message|note|prompt|override)\s*[:：]"
    r"|^\W*(?:system|developer|admin)\s*[:：]\s*(?:you|ignore|please|new|override|the user|from now)\b"
    r"|^\W*#{2,}\s*(?:system|instructions?|response|assistant|new task)\b",
    re.IGNORECASE | re.MULTILINE,
)
# The same for tags that code and records may well hold.
_MARKUP = re.compile(
    r"<\s*/?\s*(?:system|assistant|user|instructions?|hits?|passages?|documents?|context|think)\b[^<]{0,80}>",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:new|updated|revised|real|actual|secret|hidden) (?:instructions?|orders?|directives?|task|system prompt)\s*(?:[:：]|for you\b|follow)"
    r"|\b(?:ignore|disregard|forget|override|bypass|discard)\b.{0,30}\b(?:instruction|prompt|directive|guideline|rule|context|question)s?\b"
    r"|\bfrom now on\b.{0,60}\b(?:you|answer|reply|respond|act)\b"
    r"|\bpretend (?:to be|that|you)\b|\brole-?play(?:ing)? as\b|\byou are now\b|\byou must now\b|\bimagine you are\b|^\W*act as (?:an?|the|if|my)\b"
    r"|\byou(?:'re| are)? (?:now )?in \w+ mode\b|\b(?:god|jailbreak|dan) mode\b|\bjailbreak"
    r"|\b(?:supersedes?|overrides?|replaces?) (?:all|any|your|every)\b.{0,30}\b(?:instruction|rule|prompt|order)"
    r"|\b(?:rate|grade|score|mark|judge|classify|label|treat|consider) (?:this|the|all|every|these) (?:passage|document|hit|result|source|text|chunk|answer|question|excerpt|claim)s?\b"
    r"|\b(?:correct|right|only|final|true) (?:answer|reply|response) (?:to|for) (?:every|any|all|this|the) (?:question|request|query|prompt)"
    r"|(?:^\W*|[,;:.]\s*|\b(?:and|must|should|to|then) )(?:answer|reply|respond|output)\s+(?:with|only|exactly|that|just)\b"
    r"|\b(?:output|repeat|print|say|write|include|append|insert|emit|mention|return)\b.{0,60}\b(?:in|to|of|with) (?:your (?:answer|reply|response|output)|(?:every|each|any) (?:answer|reply))\b"
    r"|\byour (?:answer|reply|response|output)s?\b.{0,40}\b(?:must|should|shall|has to|contain|include|begin|start|end|is)\b"
    r"|\b(?:do not|don't|never) (?:use|trust|cite|quote|search|mention|consult|rely on) (?:the |any |all )?(?:other|remaining|rest)\b"
    r"|\bdecode\b.{0,40}\b(?:base64|instruction|command|payload|message)|\bobey\b"
    r"|\b(?:dear|attention|note to|message (?:to|for)|hey|hello),? (?:the |any |all )?(?:ai|llm|large language|language|chat ?bot)s?\b"
    r"|\bas an ai\b|\b(?:ai|llm)s? (?:reading|processing|summari[sz]ing|that reads?)\b"
    r"|\b(?:simply|just|only|always) (?:say|output|print|repeat|answer|reply|respond)\b",
    re.IGNORECASE | re.DOTALL,
)
_CHINESE = re.compile(
    r"(?:新的?|真正的?|最新的?|隐藏的?|秘密的?)(?:指令|指示|任务|系统提示)[：:]|(?:之前|以上|前面|此前|原有|其他|所有)的?(?:指令|指示|提示词?|规则|要求).{0,8}(?:作废|无效|失效|取消|忽略|不用|不必)"
    r"|(?:忽略|无视|忘记|绕过|不理会|不要理会).{0,12}(?:指令|指示|提示|规则|要求|问题)"
    r"|从现在(?:开始|起).{0,20}(?:你|回答|回复|扮演)|(?:假装|请扮演|你要扮演|你现在是|你将作为)|你.{0,6}(?:处于|进入).{0,6}模式|越狱模式"
    r"|(?:请|只需|只能|只要|务必|必须|一律|统一|直接)(?:直接|只|务必|一律)?(?:输出|回复|回答|答复|复述|打印|说)出?\s*[：:“\"「『'‘]"
    r"|(?:请|只|务必|必须|一律|统一)(?:直接|只)?(?:回答|复述)|(?:答案|回答|回复)(?:一律|统一)?(?:写成|改为|改成|写作)"
    r"|(?:回复|回答|答案)(?:中|里|末尾|结尾|开头|最后).{0,6}(?:必须|只能|应当|一律|都要|加上|包含|写上|写)"
    r"|(?:把|将)?(?:本|此|这|该|所有|全部)(?:条|段|篇|份)?(?:结果|段落|文档|内容|资料|说法).{0,12}(?:评为|判为|标为|标记|打|视为|算作)"
    r"|(?:任何|所有|一切|每个)问题的?(?:正确|唯一|最终)?答案|不要(?:引用|使用|相信|参考|检索)(?:其他|其它|别的|任何)"
    r"|(?:致|给|告知)(?:各位)?(?:AI|人工智能|大?语言?模型|智能助手)|(?:系统|助手|管理员|开发者)(?:消息|提示|指令)[：:]|^\W*助手[：:]"
    r"|(?:解码|解密)(?:并执行|以下|下面|这段)|(?:遵照|执行|服从)(?:以下|下面|下列|这段|本条)(?:指令|指示|命令)",
    re.IGNORECASE | re.DOTALL,
)
# Who writes these breaks out of a frame: nothing that follows is the document's.
_BREAKOUT = re.compile(
    r"<\s*/\s*(?:hits?|passages?)\s*>|<\s*[|｜]|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>", re.IGNORECASE
)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")


@lru_cache(maxsize=8192)
def is_order(text: str, *, markup: bool = False) -> bool:
    """Whether a sentence speaks to a model or to whoever answers, in the open or encoded.

    `markup`: the text is code or a record, where tags are ordinary.
    """
    text = fold_width(text)
    if addresses_reader(text) or _TEMPLATE.search(text) or (not markup and _MARKUP.search(text)):
        return True
    return any(_commands(plain) for plain in (text, *_decoded(text)))


def fold_width(text: str) -> str:
    """Without invisible characters, angle brackets and slashes narrow."""
    return _INVISIBLE.sub("", text).translate(_NARROW)


def _commands(text: str) -> bool:
    if _ENGLISH.search(text) or addresses_reader(text):
        return True
    return has_han(text) and _CHINESE.search(simplified(text)) is not None


def _decoded(text: str) -> list[str]:
    found = []
    for match in _ENCODED.finditer(text):
        run = match[0].rstrip("=")
        try:
            found.append(base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode())
        except (binascii.Error, ValueError):
            continue
    return found


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE = re.compile(r"\S(?:.*\S)?")
_RULER = re.compile(r"[\s|:+=_*-]*")
_BY_LINE = frozenset({"record", "code"})


@lru_cache(maxsize=2048)
def split(text: str, kind: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """A chunk's sentences as offsets: those that may be evidence, and those that may not.

    What follows an order within its paragraph is the order's own; a comment is no text for readers.
    """
    spans = [match.span() for match in _LINE.finditer(text)] if kind in _BY_LINE else sentences(text)
    hidden = [match.span() for match in _COMMENT.finditer(text)]
    clean: list[tuple[int, int]] = []
    orders: list[tuple[int, int]] = []
    ordered_until = -1
    for start, end in spans:
        commented = any(low < end and start < high for low, high in hidden)
        if commented or start < ordered_until or is_order(text[start:end], markup=kind in _BY_LINE):
            orders.append((start, end))
            if not commented and start >= ordered_until:
                paragraph = text.find("\n\n", end)
                line_end = text.find("\n", end)
                stop = line_end if kind in _BY_LINE or text[start:end].lstrip()[:1] in "|-*" else paragraph
                ordered_until = stop if stop >= 0 else len(text)
                if _BREAKOUT.search(fold_width(text[start:end])):
                    ordered_until = len(text)
        elif not _RULER.fullmatch(text, start, end):
            clean.append((start, end))
    return tuple(clean), tuple(orders)


def tainted(text: str, kind: str) -> frozenset[str]:
    """The terms of a chunk that stand in its orders alone."""
    clean, orders = split(text, kind)
    held = {term for start, end in clean for term in terms(text[start:end])}
    told = [piece for start, end in orders for piece in (text[start:end], *_decoded(text[start:end]))]
    return frozenset(term for piece in told for term in terms(piece)) - held
