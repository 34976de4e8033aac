"""The veto: what in a draft does not stand in what it cites."""

from __future__ import annotations

from collections.abc import Mapping

from ragheal.answering.verification.claims import states, without_marks
from ragheal.answering.verification.quotations import altered, plain, quotes
from ragheal.text.analyze import terms
from ragheal.text.script import lang
from ragheal.types import Draft

# A claim may be worded anew, but a passage that shares none of its words is not its source.
_SHARED = 0.2
_ENOUGH_TERMS = 3


def veto(draft: Draft, cited: Mapping[int, str], question: str) -> tuple[str, ...]:
    """Problems found by code, one line each ("claim 2: 5 GB is not in the cited text"); empty when there are none.

    `cited` holds, for each citation number, the text it stands for. Every claim that states something cites;
    its numbers with their units, dates, times, versions and identifiers stand in the text it cites or in the
    question, in either language and any common spelling; its quotations are verbatim; and the cited text
    shares its content words, where both are in one language.
    """
    problems: list[str] = []
    for index, claim in enumerate(draft.claims, 1):
        text = without_marks(claim.text)
        unknown = [n for n in claim.cites if n not in cited]
        if unknown:
            problems.append(f"claim {index}: cites [{unknown[0]}], which does not exist")
        elif claim.cites:
            source = "\n".join(cited[n] for n in claim.cites)
            problems += [f"claim {index}: {problem}" for problem in unsupported(text, source, question)]
        elif states(text):
            problems.append(f"claim {index}: no citation")
    if draft.lead and plain(draft.lead) not in plain(question):
        from ragheal.answering.verification.held import missing

        everything = "\n".join([*cited.values(), *(claim.text for claim in draft.claims)])
        problems += [
            f"lead: {fact} is not in the cited text" for fact in missing(draft.lead, everything, question)
        ]
    return tuple(problems)


def unsupported(claim: str, source: str, question: str) -> list[str]:
    """What one claim says that its source does not, each in words."""
    if quotes(claim, source):
        return []
    # Late: a quotation, which is what the embedded back end answers with, needs none of it.
    from ragheal.answering.verification.held import missing
    from ragheal.text.facts import facts

    problems = [f"{fact} is not in the cited text" for fact in dict.fromkeys(missing(claim, source, question))]
    quotations = altered(claim, f"{source}\n{question}")
    problems += [f"the quotation {quotation} is not verbatim in the cited text" for quotation in quotations]
    # A number that both have, with its unit, ties them as well as a word does.
    if not problems and not facts(claim) and states(claim) and not _shares(claim, source):
        problems.append("the cited text does not speak of this")
    return problems


def _shares(claim: str, source: str) -> bool:
    said = {term for term in terms(claim) if not term[0].isdigit()}
    if len(said) < _ENOUGH_TERMS or lang(claim) != lang(source):
        return True
    return len(said & set(terms(source))) >= _SHARED * len(said)
