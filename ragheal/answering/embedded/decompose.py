"""Taking a question with an unnamed middle apart: "the birthplace of the director of X".

The inner question finds the middle ("who is the director of X?"); the outer one has a hole, written #1,
for it ("what is the birthplace of #1?").
"""

from __future__ import annotations

import re

from ragheal.text.script import lang, simplified
from ragheal.types import Value

HOLE = "#1"


class Chain(Value, frozen=True):
    """An inner question and an outer one with a hole for its answer."""

    inner: str
    outer: str

    def fill(self, bridge: str) -> str:
        return self.outer.replace(HOLE, bridge)


def chain(question: str) -> Chain | None:
    """The two halves of a nested question, or None when no pattern shows where it comes apart."""
    text = question.strip().rstrip("?？.。 ")
    found = _chinese(simplified(text)) if lang(text) == "zh" else _english(text)
    if found is None:
        return None
    # A half that says nothing beyond its frame would only widen the search.
    return found if len(found.inner) >= 4 and len(found.outer) > len(HOLE) + 1 else None


_PERSON = (
    r"(?:director|author|writer|composer|performer|singer|founder|creator|father|mother|spouse|wife|husband|parent"
    r"|brother|sister|son|daughter|lead|leader|head|manager|designer|developer|producer|owner|president|king|queen"
    r"|star|actor|actress|editor|inventor|artist|screenwriter|architect|captain|coach|ceo|chair(?:man|person)?)"
)
_OF_THE = re.compile(
    r"^(?P<head>.+\b(?:of|by|for|from|to|with|in|at|on|did|does|do|is|was|are|were|has|had)) "
    rf"(?P<middle>(?:the|a|an) (?:[\w-]+ ){{0,3}}?(?:{_PERSON}|[\w-]+) (?:of|for|behind) (?:the )?.+)$",
    re.IGNORECASE,
)
_TAIL_VERB = re.compile(
    r" (?P<tail>(?:die|died|born|live|lived|work|worked|graduate|graduated|study|studied|come|came|start|begin|end"
    r"|located|based|founded|built|made|released|published|play|played|use|used|cost|change|changed|pass|passed)\b.*)$",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(
    rf"^(?P<head>.*?)(?P<middle>(?P<owner>(?:the )?[A-Z0-9][\w.&-]*(?: (?:[A-Z0-9(][\w.&)-]*|of|the|and|de|la|von|van))*)"
    rf"['’]s? (?P<relation>(?:[\w-]+ ){{0,3}}?{_PERSON}))(?P<tail>(?:['’]s? .*|\b.*))$"
)
_RELATIVE = re.compile(
    r"^(?P<head>.*?)\b(?P<middle>(?:the|an?|this|that) (?P<noun>(?:[\w'’-]+ ){0,4}?[\w'’-]+) "
    r"(?:(?:that|which|who|whom|whose|where) |(?=(?:starring|featuring|directed|written|founded|born|located|known"
    r"|owned|created|designed|developed|published|produced|released|played|led|managed|built|used|named|called)\b))"
    r"(?P<clause>.+))$",
    re.IGNORECASE,
)


def _english(text: str) -> Chain | None:
    match = _POSSESSIVE.match(text)
    if match and (match["head"].strip() or match["tail"].strip()):
        return Chain(f"Who is {match['middle']}?", f"{match['head']}{HOLE}{match['tail']}?")
    match = _OF_THE.match(text)
    if match and re.match(r"(?i)(who|what|where|when|which|how|in|at|on|from)\b", text):
        middle, tail = match["middle"], ""
        cut = _TAIL_VERB.search(middle)
        if cut:
            middle, tail = middle[: cut.start()], " " + cut["tail"]
        word = "Who" if re.search(rf"\b{_PERSON}\b", middle, re.IGNORECASE) else "What"
        return Chain(f"{word} is {middle}?", f"{match['head']} {HOLE}{tail}?")
    match = _RELATIVE.match(text)
    if match and len(match["head"].split()) >= 2 and len(match["clause"].split()) >= 2:
        return Chain(f"Which {match['noun']} {match['clause']}?", f"{match['head']}{HOLE}?")
    return None


_ZH_SECOND = re.compile(
    r"^(?P<first>.+?(?:哪|谁|什么|多少|几|何)[^？?，,；;]*)[？?，,；;]\s*(?:而|那么)?"
    r"(?P<pronoun>(?:那|该|这|此)(?:一)?(?:个|座|位|家|部|所|条|场|种|款|名|支|只|首|本|间|项)?[^的是在有，,？?]{0,6}|它|他|她|其)(?P<rest>.+)$"
)
_ZH_THAT = re.compile(
    r"^(?P<clause>.+?)(?P<noun>(?:的)?(?:那|这|该)(?:个|座|位|家|部|所|条|场|种|款|名|支|只|首|本|间|项)"
    r"[^的是在有，,？?位建]{1,8})[，,]?(?P<rest>.+)$"
)
_ZH_NESTED = re.compile(r"^(?P<middle>.+的[^的，,？?]{1,12}?)的(?P<rest>[^的，,？?]{1,20})$")
_ZH_RELATION = (
    "负责人|组长|主管|经理|作者|导演|编剧|主演|演唱者|作曲者|创始人|创办人|创建者|发明者|设计师"
    "|母公司|子公司|总部|父亲|母亲|妻子|丈夫|儿子|女儿|首都|前身"
)
_ZH_HELD = re.compile(
    rf"^(?P<middle>[^，,？?]{{2,30}}?(?:{_ZH_RELATION}))(?P<rest>(?:的|最近|最新|最后|毕业|出生|来自|所在|在哪|曾|还).+)$"
)


def _chinese(text: str) -> Chain | None:
    match = _ZH_SECOND.match(text)
    if match:
        return Chain(f"{match['first']}？", f"{HOLE}{match['rest']}？")
    match = _ZH_THAT.match(text)
    if match and len(match["clause"]) >= 3:
        noun = re.sub(r"^的?(?:那|这|该)", "", match["noun"])
        return Chain(f"{match['clause']}的是哪{noun}？", f"{HOLE}{match['rest']}？")
    match = _ZH_HELD.match(text)
    if match:
        return Chain(f"{match['middle']}是谁？", f"{HOLE}{match['rest']}？")
    match = _ZH_NESTED.match(text)
    if match:
        rest = match["rest"]
        return Chain(f"{match['middle']}是什么？", f"{HOLE}的{rest}？")
    # "A的B毕业于哪所大学": one 的, and a predicate of its own behind it.
    single = re.match(
        r"^(?P<middle>[^的，,]+的[^的，,]{1,10}?)(?P<rest>(?:是|在|毕业|出生|位于|来自|属于|于|何时|什么时候|哪).+)$",
        text,
    )
    if single and not re.match(r"是(?:谁|什么|哪|多少|几|何)", single["rest"]):
        return Chain(f"{single['middle']}是什么？", f"{HOLE}{single['rest']}？")
    return None
