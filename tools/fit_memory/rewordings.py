"""Rewordings by rule: what people change when they ask the same again, in both languages.

Frames ("could you tell me …"), other question words, common synonyms, keywords alone. Nothing here is
specific to a document; a rule that does not apply leaves the question as it is.
"""

from __future__ import annotations

import random
import re

_EN_WORDS = (
    (r"^when (did|was|were|is)\b", r"in what year \1"),
    (r"^in (?:what|which) year\b", "when"),
    (r"^who (is|was|were|are)\b", r"which person \1"),
    (r"^how many\b", "what number of"),
    (r"^where (is|was|are|were)\b", r"in what place \1"),
    (r"^why\b", "for what reason"),
    (r"^what kind of\b", "which type of"),
    (r"^what type of\b", "which kind of"),
    (r"^what (is|was) the name of\b", r"how \1 one called:"),
    (r"^what (is|are|was|were)\b", r"which \1"),
    (r"^which\b", "what"),
    (r"^how (long|often|much|large|big|far|old)\b", r"roughly how \1"),
    (r"^what percentage\b", "what share"),
)
_EN_SYNONYMS = (
    ("located", "situated"), ("begin", "start"), ("began", "started"), ("created", "made"), ("built", "constructed"),
    ("required", "needed"), ("biggest", "largest"), ("largest", "biggest"), ("used", "employed"), ("people", "persons"),
    ("called", "named"), ("named", "called"), ("important", "significant"), ("usually", "typically"), ("cause", "lead to"),
    ("caused", "led to"), ("happened", "took place"), ("founded", "established"), ("established", "founded"),
    ("country", "nation"), ("job", "occupation"), ("purpose", "aim"), ("goal", "aim"), ("amount", "quantity"),
    ("allow", "permit"), ("died", "passed away"), ("help", "assist"), ("show", "display"), ("wrote", "authored"),
    ("type", "kind"), ("area", "region"), ("city", "town"), ("main", "principal"), ("kept", "stored"), ("produce", "make"),
)  # fmt: skip
_EN_FRAMES = (
    "could you tell me {}",
    "I would like to know: {}",
    "please, {}",
    "quick question: {}",
    "{} any idea",
)
_EN_EMPTY = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|the|a|an|of|to|in|on|for|by|that|"
    r"can|could|will|would|has|have|had|be|been|it|its|there)\b\s*",
    re.IGNORECASE,
)
_ZH_WORDS = (
    ("什么时候", "哪一年"), ("何时", "什么时候"), ("哪一年", "何时"), ("哪年", "什么时候"), ("多少", "几"), ("为什么", "为何"), ("为何", "什么原因"),
    ("哪里", "什么地方"), ("何处", "哪里"), ("是谁", "是哪一位"), ("谁", "什么人"), ("哪些", "什么"), ("有哪些", "都包括什么"),
    ("什么", "何种"), ("怎么", "如何"), ("如何", "怎样"), ("哪个", "哪一个"), ("哪种", "什么"), ("叫什么", "名字是什么"),
)  # fmt: skip
_ZH_SYNONYMS = (
    ("位于", "坐落在"), ("建立", "创立"), ("成立", "创办"), ("主要", "最主要"), ("因为", "由于"), ("开始", "起初"), ("名称", "名字"),
    ("使用", "采用"), ("负责", "主管"), ("包含", "包括"), ("包括", "含有"), ("需要", "须要"), ("导致", "造成"), ("造成", "引起"), ("认为", "觉得"),
    ("目的", "用意"), ("作用", "功能"), ("特点", "特色"), ("大约", "大概"), ("总共", "一共"), ("担任", "出任"), ("去世", "过世"), ("出生", "诞生"),
)  # fmt: skip
_ZH_FRAMES = ("请问{}", "想了解一下，{}", "能不能告诉我{}", "麻烦问一下{}", "{}谢谢")
_ZH_EMPTY = re.compile(r"什么|哪些|哪个|哪里|谁|多少|如何|怎么|为何|吗|呢|请问|的|是|了")


def rewordings(question: str, lang: str, draw: random.Random) -> list[str]:
    """Up to four different rewordings of a question, each by other means; equal ones are left out."""
    made = _chinese(question, draw) if lang == "zh" else _english(question, draw)
    return [text for text in dict.fromkeys(made) if text != question]


def _english(question: str, draw: random.Random) -> list[str]:
    bare = question.strip().rstrip("?").strip()
    low = bare[:1].lower() + bare[1:]
    asked = low
    for pattern, other in _EN_WORDS:
        changed = re.sub(pattern, other, low, count=1, flags=re.IGNORECASE)
        if changed != low:
            asked = changed
            break
    swapped = low
    for word, other in draw.sample(_EN_SYNONYMS, len(_EN_SYNONYMS)):
        swapped = re.sub(rf"\b{word}\b", other, swapped)
    keywords = _EN_EMPTY.sub("", bare).strip()
    framed = draw.choice(_EN_FRAMES).format(low)
    return [asked + "?", swapped + "?", framed + "?", keywords]


def _chinese(question: str, draw: random.Random) -> list[str]:
    bare = question.strip().rstrip("？?").strip()
    asked = bare
    for word, other in _ZH_WORDS:
        if word in bare:
            asked = bare.replace(word, other, 1)
            break
    swapped = bare
    for word, other in _ZH_SYNONYMS:
        if word in bare:
            swapped = swapped.replace(word, other, 1)
    keywords = _ZH_EMPTY.sub(" ", bare).strip()
    framed = draw.choice(_ZH_FRAMES).format(bare)
    return [asked + "？", swapped + "？", framed + "？", " ".join(keywords.split())]
