"""The roles played by a chat model, which is reached through the door `chat` alone.

roles.py       ModelRoles: each role, and the embedded one behind it
ask.py         request -> reply -> value; asked once more when malformed; faults told; calls counted
prompts.py     prompts/*.md, one for each role and language
fence.py       passages as the model sees them: numbered, cut to a bound, fenced
parse.py       reply -> one JSON object;  coerce.py and shapes.py make typed values of it
planning.py    classifier and planner;  judging.py, rewriting.py, generating.py, verifying.py
draft.py       cited prose -> claims with quotations;  support.py finds them
orders.py      sentences that speak to a model: never evidence
"""

from ragheal.answering.model.roles import ModelRoles

__all__ = ["ModelRoles"]
