"""How a call through a door is written down, so that a replay can tell whether it is the same call.

What is short is written whole and stays readable in the trace; what is long (the texts of a batch) is
named by a digest, with its beginning for people.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from ragheal.types import ChatRequest, Query

_DIGEST = 16  # hex digits, 64 bits
_HEAD = 80  # characters of the question shown next to a digest


def search(query: Query) -> str:
    return msgspec.json.encode(query).decode()


def vocabulary(terms: Sequence[str]) -> str:
    return msgspec.json.encode(list(terms)).decode()


def similarity(query: str, texts: Sequence[str]) -> str:
    return _digested(query, list(texts), len(texts), "texts")


def reader(question: str, passages: Sequence[tuple[str, str]]) -> str:
    return _digested(question, [list(passage) for passage in passages], len(passages), "passages")


def chat(request: ChatRequest) -> str:
    """Role, prompt and attempt stay readable; the texts are named by a digest, for hits make them long."""
    texts = [request.system, request.user, request.schema, request.max_tokens]
    digest = hashlib.sha256(msgspec.json.encode(texts)).hexdigest()[:_DIGEST]
    return f"{digest} {request.role} {request.prompt} #{request.attempt}"


def chat_parts(request: str) -> tuple[str, str, str] | None:
    """Role, prompt and attempt of what `chat` wrote; None when it is not of its form."""
    _, _, rest = request.partition(" ")
    role, _, rest = rest.partition(" ")
    prompt, mark, attempt = rest.rpartition("#")
    return (role, prompt.strip(), attempt) if mark and role else None


def _digested(question: str, rest: object, count: int, noun: str) -> str:
    digest = hashlib.sha256(msgspec.json.encode([question, rest])).hexdigest()[:_DIGEST]
    head = " ".join(question.split())
    head = head if len(head) <= _HEAD else head[: _HEAD - 1] + "…"
    return f"{digest} {count} {noun}: {head}"
