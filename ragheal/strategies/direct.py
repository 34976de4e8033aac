"""`direct`: an answer without documents."""

from __future__ import annotations

from ragheal.answering import direct as replies
from ragheal.answering.kit import Kit
from ragheal.text.script import lang
from ragheal.types import Answer, Routing


def direct(question: str, routing: Routing, kit: Kit) -> Answer:
    """Reply to a greeting or a sum. A question forced onto this route gets no invented answer."""
    language = lang(question)
    text = replies.reply(routing.rule, question) or replies.arithmetic(question)
    if text is None:
        text = (
            "这个问题需要查阅文档，direct 策略不检索。"
            if language == "zh"
            else "This needs the documents, and the direct strategy looks nothing up."
        )
        return Answer(question, "abstained", text, language, "direct")
    return Answer(question, "direct", text, language, "direct", confidence=1.0)
