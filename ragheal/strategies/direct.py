"""`direct`: an answer without documents."""

from __future__ import annotations

import msgspec

from ragheal.answering import direct as replies
from ragheal.answering import wording
from ragheal.answering.kit import Kit
from ragheal.text.script import lang
from ragheal.types import Answer, DraftStep, Plan, Routing, Verdict


def direct(question: str, routing: Routing, kit: Kit) -> Answer:
    """Reply to a greeting or a sum; with a model, to whatever was sent here.

    Without one, a question forced onto this route gets no invented answer.
    """
    language = lang(question)
    text = replies.reply(routing.rule, question) or replies.arithmetic(question)
    if text is not None:
        return Answer(question, "direct", text, language, "direct", confidence=1.0)
    text = (
        "这个问题需要查阅文档，direct 策略不检索。"
        if language == "zh"
        else "This needs the documents, and the direct strategy looks nothing up."
    )
    return undocumented(Answer(question, "abstained", text, language, "direct"), kit)


def undocumented(refusal: Answer, kit: Kit) -> Answer:
    """What a model says without documents in place of a refusal, which stands where there is nothing to say."""
    if not kit.roles.explicit_hops:
        return refusal
    plan = Plan((), shape="direct", reason="nothing to look up")
    draft = kit.roles.generate(refusal.question, plan, (), Verdict(False, 0.0), strict=False)
    if draft is None or not draft.claims:
        return refusal
    kit.emit(DraftStep(draft))
    said = wording.undocumented(draft)
    return msgspec.structs.replace(refusal, status="direct", text=said, lang=draft.lang, claims=draft.claims)
