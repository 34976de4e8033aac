"""Sentences that address whoever answers, or lack their value, instead of stating something: never quoted.

They are recognised so that they are not quoted as if they were facts. Nothing in the program obeys them
anyway; an extractive answer could still repeat them.
"""

from __future__ import annotations

import re

from ragheal.text.script import has_han, simplified

_ENGLISH = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |these |those )*(?:previous|prior|above|earlier|other|system)\b"
    r"|\b(?:system|assistant|developer) (?:prompt|message|instruction)s?\b\s*[:：]"
    r"|^\s*(?:user|human|assistant|ai|bot|chatbot|(?-i:SYSTEM))\s*[:：]"
    r"|\byou are (?:now )?(?:an? |the )?(?:ai|assistant|language model|chat ?bot|helpful)\b"
    r"|\b(?:ai|language) (?:models?|assistants?)\b.{0,40}\b(?:must|should|shall|have to|are to)\b"
    r"|\bwhen(?:ever)? (?:some(?:one|body)|any(?:one|body)|people|users?|the user|asked)\b.{0,80}\b(?:answer|reply|respond|say|tell|state)\b"
    r"|\b(?:always|only|simply|just) (?:answer|reply|respond)\b.{0,40}\b(?:that|with|by)\b"
    r"|\b(?:answer|reply|respond) (?:every|any|all) (?:question|request|query)"
    r"|\bdo not (?:tell|reveal|mention|cite)\b.{0,40}\b(?:user|source|prompt|instruction)",
    re.IGNORECASE | re.DOTALL,
)
_CHINESE = re.compile(
    r"(?:忽略|无视|忘记|不要理会)(?:掉)?(?:所有|全部|之前|以上|此前|先前|上述|前面|上面)"
    r"|系统(?:提示|指令|消息)[:：]|^\s*(?:用户|助手|机器人|客服机器人)[:：]|你(?:现在)?是(?:一个|一名)?(?:AI|人工智能|智能助手|语言模型|助手|机器人)"
    r"|(?:人工智能|AI|语言模型|助手)(?:必须|应当|应该|务必|一律)"
    r"|(?:凡是|每当|只要|如果|若)?(?:有人|用户|任何人|被)(?:询?问|提问|咨询).{0,40}(?:一律|必须|都要|务必|请|统一)?(?:回答|回复|答复|告知)"
    r"|(?:一律|必须|务必)(?:回答|回复|答复)|不要(?:告诉|透露|引用).{0,10}(?:用户|来源|提示)",
    re.DOTALL,
)


#: Around the name of a value that another program fills in and that stands nowhere in the document.
OPEN, CLOSE = "⟪", "⟫"


def addresses_reader(text: str) -> bool:
    """Whether a sentence must not be quoted: it gives orders to a model or to whoever answers questions, or its
    value is yet to be filled in."""
    if OPEN in text and CLOSE in text:
        return True
    if has_han(text) and _CHINESE.search(simplified(text)):
        return True
    return _ENGLISH.search(text) is not None
