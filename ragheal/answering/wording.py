"""The few sentences that ragheal says in its own words, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.types import Conflict, Draft, Lang, Status

_DISCLAIMER = {
    "en": "Not certain; the closest the documents come:",
    "zh": "不能确定，文档中最接近的内容是：",
}
_PARTIAL = {
    "en": "Only part of this is in the documents:",
    "zh": "文档只回答了一部分：",
}
_CONFLICT = {
    "en": "The sources disagree:",
    "zh": "各来源说法不一：",
}
_NEWEST = {"en": "The first is from the {}.", "zh": "第一条来自{}。"}
_REFUSAL = {
    "en": "Not in these documents: no passage answers this.",
    "zh": "文档中没有找到这个问题的答案。",
}
_MISSING = {"en": "Missing: {}.", "zh": "缺少：{}。"}
_NEAREST = {"en": "Nearest: {}.", "zh": "最接近的来源：{}。"}
_COMPOSED = {"en": "Not fully grounded; written from the documents:", "zh": "以下内容根据文档撰写，并非完全有据："}
_UNDOCUMENTED = {"en": "Not from the documents:", "zh": "以下内容不是来自文档："}
_INSPIRATION = {
    "en": "Not fully grounded: ideas from the documents, to write from:",
    "zh": "以下内容并非完全有据，仅供写作参考：",
}


def answer_text(
    draft: Draft, status: Status, missing: Sequence[str] = (), conflict: Conflict | None = None
) -> str:
    """The answer as it is printed: an opening where one is due, the quoted sentences with their marks."""
    language = draft.lang
    body = joined(draft)
    if status == "conflict":
        head = _CONFLICT[language]
        lines = [f"{head}", *(f"- {_marked(claim.text, claim.cites, language)}" for claim in draft.claims)]
        if conflict is not None and conflict.preferred >= 0 and conflict.reason:
            lines.append(_NEWEST[language].format(_reason(conflict.reason, language)))
        return "\n".join(lines)
    if status == "disclaimed":
        return f"{_DISCLAIMER[language]}\n{body}"
    if status == "partial":
        tail = "\n" + _MISSING[language].format("; ".join(missing)) if missing else ""
        return f"{_PARTIAL[language]}\n{body}{tail}"
    return body


def _reason(reason: str, language: Lang) -> str:
    return (
        reason.replace("newest source", "最新的来源").replace("(", "（").replace(")", "）")
        if language == "zh"
        else reason
    )


def joined(draft: Draft) -> str:
    """Lead and claims in one text."""
    gap = "" if draft.lang == "zh" else " "
    parts = [_marked(claim.text, claim.cites, draft.lang) for claim in draft.claims]
    # Long sentences and table rows stand on lines of their own.
    apart = any("\n" in part or len(part) > 160 or " | " in part for part in parts)
    text = ("\n" if apart else gap).join(parts)
    if draft.lead:
        stop = "。" if draft.lang == "zh" else "."
        return f"{draft.lead}{stop}{gap}{text}"
    return text


def _marked(text: str, cites: Sequence[int], language: Lang) -> str:
    marks = "".join(f"[{n}]" for n in cites)
    if not marks:
        return text
    if "\n" in text:
        return f"{text}\n{marks}"
    return f"{text}{marks}" if language == "zh" else f"{text} {marks}"


def refusal(language: Lang, missing: Sequence[str], nearest: Sequence[str]) -> str:
    """What is said instead of a guess."""
    lines = [_REFUSAL[language]]
    missing = [label for label in missing if label.strip(" –")]
    if missing:
        lines.append(_MISSING[language].format("; ".join(missing)))
    if nearest:
        lines.append(_NEAREST[language].format(", ".join(nearest)))
    return "\n".join(lines)


def inspiration(draft: Draft) -> str:
    """The opening of a generative answer, which never passes as a verified one."""
    lines = [f"- {_marked(claim.text, claim.cites, draft.lang)}" for claim in draft.claims]
    return "\n".join([_INSPIRATION[draft.lang], *lines])


def composed(draft: Draft) -> str:
    """What a model wrote from the documents, marked as not fully grounded."""
    return f"{_COMPOSED[draft.lang]}\n{joined(draft)}"


def undocumented(draft: Draft) -> str:
    """What a model says without documents."""
    return f"{_UNDOCUMENTED[draft.lang]}\n{joined(draft)}"
