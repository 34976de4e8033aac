"""Why a sentence that looks like an answer is none: it asks, it labels, it tells of a proposal, of another thing
or time, or has a gap where the value should stand."""

from __future__ import annotations

import re

from ragheal.text.analyze import terms
from ragheal.text.mentions import other_thing
from ragheal.text.questions import Question
from ragheal.text.script import fold, has_han, narrow
from ragheal.text.sentences import sentences
from ragheal.text.tenses import other_time
from ragheal.text.values import ANSWERS, Span, numeric, values


def objection(question: Question, sentence: str, heading: str = "") -> str | None:
    """The reason, in a few plain words, why a sentence is no answer to a question; None when nothing speaks against it.

    `heading` is the path of headings above it. The reasons: "a question", "a label", "a placeholder",
    "rejected", "other number", "other identifier", "former", "current", "other year".
    """
    if _asks(sentence):
        return "a question"
    if _labels(question, sentence, heading):
        return "a label"
    if _has_gap(question, sentence):
        return "a placeholder"
    if proposed(sentence) and not _PROPOSALS.search(narrow(question.text).lower()):
        return "rejected"
    return other_thing(question, sentence, heading) or other_time(question, sentence, heading)


# --- questions and labels --------------------------------------------------------------------------------

_CLOSERS = "\"'”’」』）)】》*_ "


def _asks(sentence: str) -> bool:
    """Whether all of a text asks; a question with its answer behind it does not."""
    parts = [sentence[start:end].rstrip(_CLOSERS) for start, end in sentences(sentence)]
    return bool(parts) and all(
        part.endswith("？") or (part.endswith("?") and (has_han(part) or _OPENS_QUESTION.match(part) is not None))
        for part in parts
    )


# Not every mark at the end asks: a title may end in one.
_OPENS_QUESTION = re.compile(
    r"^\W*(?:q\d*[:.]\s*)?(?:(?:so|and|but|then|now)\s+|(?:[\w'’]+\s+){0,3}[\w'’]+,\s+)?(?:(?:in|on|at|by|to|from|for|of|with|until)\s+)?(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can"
    r"|could|may|might|shall|should|will|would|has|have|had|must|isn['’]t|aren['’]t|don['’]t|doesn['’]t)\b",
    re.IGNORECASE,
)


_MARKS = re.compile(r"^[\s>#*_=\-+•|]+|[\s*_=|]+$")


def _labels(question: Question, sentence: str, heading: str) -> bool:
    text = sentence.strip()
    bare = _MARKS.sub("", text)
    if not bare:
        return True
    own = terms(bare)
    if bare.endswith((":", "：")) and "\n" not in bare and len(own) < 9:
        return True
    if question.yes_no or question.options or question.kind == "choice":
        return False
    new = _new(question, bare)
    if not new and set(own) <= set(question.terms):
        return True  # the question's own words
    cells = [cell for cell in bare.split("|") if cell.strip(" -:")]
    if "|" in text.strip("|") and "\n" not in text and len(cells) > 1:
        return question.kind in _MEASURED and not any(span.kind in _MEASURED[question.kind] for span in new)
    last = heading.rsplit(">", 1)[-1]
    if text.startswith("#") or (fold(bare) == fold(_MARKS.sub("", last)) and not re.search(r"[.。!！]$", bare)):
        return not any(span.kind in ANSWERS.get(question.kind, frozenset()) for span in new)
    return False


#: Kinds of question that only digits answer.
_MEASURED = {kind: held for kind, held in ANSWERS.items() if kind not in {"person", "place", "name", "choice"}}


def _new(question: Question, text: str) -> list[Span]:
    """The values of a text that the question does not hold."""
    asked = fold(narrow(question.text))
    return [
        span
        for span in values(text)
        if (span.norm not in question.numbers if numeric(span) else fold(narrow(span.text)) not in asked)
    ]


# --- gaps ------------------------------------------------------------------------------------------------

_GAP = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\$\{[^}\n]*\}|\$\([A-Z_]+\)|%\([a-z_]+\)s"
    r"|(?<![|\w])\|[A-Za-z][\w.-]*\|(?![|\w])"
    r"|(?<![\w/`$\"'{])\{[a-z][a-z\d_]*(?:-[a-z\d_]+)*\}(?![\w/`])"
    r"|<(?!/)(?:[a-z\d]+(?:[-_ ][a-z\d]+)+|[A-Z][A-Z\d_-]+|token|name|value|url|path|host|port|user|username|password|number|date|version|id|insert[^>]*)>"
    r"|\b(?:YOUR|MY)_[A-Z_]+\b|\bX{3,}\b|_{4,}"
    r"|\b(?:TODO|TBD|TBC|TBA|FIXME|N\.N\.)\b|\bto be (?:decided|determined|defined|confirmed|announced|completed|filled in)\b|\blorem ipsum\b"
    r"|待定|待补充?|待确认|待填|待公布|暂缺|尚未确定|【[^】]{0,12}(?:填写|填入|补充|替换)[^】]{0,8}】|[Ｘ×]{2,}"
)


def placeholder(text: str) -> bool:
    """Whether a text holds a gap that a template, a substitution or an author was to fill."""
    return any(True for _ in _gaps(text))


def _gaps(text: str) -> list[re.Match[str]]:
    row = text.lstrip().startswith("|") and text.count("|") > 2  # cells of a table look like substitutions
    return [match for match in _GAP.finditer(text) if not (row and match.group().startswith("|"))]


def _has_gap(question: Question, sentence: str) -> bool:
    """Whether a gap stands where the value asked for should."""
    gaps = _gaps(sentence)
    if not gaps or any(match.group() in question.text for match in gaps):
        return False
    filled = sentence
    for match in reversed(gaps):
        filled = f"{filled[: match.start()]} {filled[match.end() :]}"
    if question.kind in ANSWERS:
        return not any(span.kind in ANSWERS[question.kind] for span in _new(question, filled))
    if question.kind in {"manner", "reason", "definition", "yesno"}:
        return len(set(terms(filled)) - set(question.terms)) < 2
    return not _new(question, filled)


# --- proposals -------------------------------------------------------------------------------------------

_IDEA = r"(?:proposal|motion|idea|amendment|suggestion|draft|bid|request|plan|increase|reduction|change|raise|option|move)"
_NO = r"(?:rejected|turned down|voted down|refused|dismissed|withdrawn|dropped|abandoned|shelved|ruled out|defeated|declined|overruled)"
_PROPOSED = re.compile(
    rf"\b{_IDEA}s?\b[^.;]{{0,60}}\b(?:was|were|has been|have been|had been|got|is|are) {_NO}\b"
    rf"|\b(?:rejected|turned down|voted down|refused|dismissed|declined)\b (?:a|an|the|this|that|his|her|their)\b[^.;]{{0,30}}\b{_IDEA}\b"
    r"|\b(?:decided|voted|ruled|opted) against\b|\b(?:was|were) (?:not|never) (?:adopted|approved|accepted|agreed|implemented|taken up|put into force|carried)\b"
    r"|\bdid not (?:pass|carry|find a majority)\b|\bfailed to (?:pass|find a majority)\b"
    r"|\b(?:it|there) (?:was|were|had been|has been) (?:\w+ )?(?:proposed|suggested|discussed|mooted)\b"
    r"|\b(?:was|were|had been) (?:proposed|mooted|floated)\b|\b(?:has|have|had)? ?proposed (?:to|that|a|an|raising|lowering|cutting|extending|moving|changing|using|making)\b"
    r"|\bproposes (?:to|that|a|an)\b|\b(?:we|they|board|council|committee|team|management|group|he|she|i)\b (?:had |have |has |first |also |briefly )?(?:considered|discussed|debated|weighed) (?!(?:to be|that|it)\b)"
    r"|\b(?:a|an|the|one|this) (?:\w+ )?(?:proposal|motion|draft|suggestion)\b[^.;]{0,30}\b(?:foresaw|foresees|would|calls? for|called for|asked for|said|named|envisaged|envisages|provided for|set|put)\b"
    r"|\b(?:alternative|option)s? (?:that )?(?:was|were|we) (?:considered|rejected)\b"
)
_PROPOSED_HAN = re.compile(
    r"(?:曾|有人|会上|委员|代表|经理|部门|公司)[^，。；]{0,8}(?:提议|提出|建议|考虑|讨论|主张)(?!零售价)|提议(?:将|把|改|提高|降低|增加|减少|设|采用)|(?:提案|动议|草案|方案|议案|建议|提议|申请|意见)[^。；]{0,20}(?:未获?(?:得)?(?:通过|批准|采纳|同意|接受)|没有(?:通过|获批|被采纳)|未被(?:采纳|接受|通过)|被(?:否决|驳回|拒绝|撤回|搁置|放弃)|遭(?:否决|拒绝))"
    r"|(?:未获|未予|不予|没有|未被)(?:通过|批准|采纳)|但未(?:通过|采纳|实施|执行)|(?:否决|驳回|放弃|搁置)了|(?:提案|动议|草案|征求意见稿)(?:中)?(?:规定|提出|建议|要求|原定|拟)"
)
_ADOPTED = re.compile(
    r"(?<!not )(?<!never )\b(?:(?:was|were|been) (?:\w+ )?(?:adopted|approved|accepted|agreed|carried|passed)|took effect|came into force|in force|adopted (?:it|the)|approved (?:it|the))\b"
    r"|(?<!未)(?<!未获)(?<!没有)(?<!未被)(?<!获得)(?:获得?|一致|予以|已|经)(?:通过|批准|采纳)|已?生效|已实施|决定(?:采用|采纳|实行)"
)
_PROPOSALS = re.compile(
    r"propos|reject|suggest|consider|discuss|turned? down|declin|refus|draft|motion|idea|alternative|against|amend|vote"
    r"|提议|提出|建议|提案|动议|草案|否决|驳回|拒绝|考虑|讨论|方案|未通过|放弃|主张"
)


_CONCESSION = re.compile(r"^\W*(?:although|though|while|虽然|尽管)[^,，]*[,，]", re.IGNORECASE)


def proposed(sentence: str) -> bool:
    """Whether a sentence tells of what was only proposed, considered or refused, not of what holds."""
    plain = _CONCESSION.sub("", narrow(sentence))
    lowered = plain.lower()
    return bool(_PROPOSED.search(lowered) or _PROPOSED_HAN.search(plain)) and not _ADOPTED.search(lowered)


# --- exceptions ------------------------------------------------------------------------------------------

_EXCEPTS = re.compile(
    r"^\W*(?:except(?:ion)?s?\b|excluded|not included|unless|only if|the (?:only )?exceptions?\b|other than|apart from|(?:this|that|it|the (?:rule|same)) (?:does|do) not (?:apply|hold|cover)|exempt(?:ed)?\b|excluding)"
    r"|^\W*(?:除非|例外|但?除[^。]{1,40}(?:外|以外)|下列情[况形]除外|不包括|不适用|(?:上述|以上|本|该|此)[^。，]{0,12}不适用|唯一的?例外)"
)
_BUT = re.compile(
    r"^\W*(?:however|but|yet|though|still|only|nevertheless)\b|^\W*(?:但是?|不过|然而|可是|只是|惟|唯)"
)
_LIMITS = re.compile(
    r"\b(?:not|no|never|only|except|unless|if|when|must|cannot|can't|may|limited|excluded|exempt|different|instead|longer|shorter|higher|lower|extra|must|without)\b|n't\b"
    r"|不|除外|例外|仅|只|须|必须|如果|若|限|另|免|需"
)


def needs_next(sentence: str, following: str) -> bool:
    """Whether the following sentence limits what this one says, or says what became of its proposal."""
    after = narrow(following).strip().lower()
    if not after or _asks(following):
        return False
    if _EXCEPTS.search(after) or (_BUT.search(after) and _LIMITS.search(after)):
        return True
    return proposed(sentence) and (proposed(following) or bool(_ADOPTED.search(after)))
