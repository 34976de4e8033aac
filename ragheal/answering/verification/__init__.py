"""Checks of a draft that are code, not a model: they can veto whatever a model says of its own answer.

claims.py      text with [n] marks -> claims
held.py        does a fact of a claim stand in the text it cites?
quotations.py  is a quotation verbatim?
veto.py        all of it for one draft
"""

from ragheal.answering.verification.claims import split_claims
from ragheal.answering.verification.veto import veto

__all__ = ["split_claims", "veto"]
