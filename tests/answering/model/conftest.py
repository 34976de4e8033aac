"""Doors whose chat answers from canned replies, in front of the word-overlap corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from shipped_reader import shipped_reader

from ragheal.answering.embedded import EmbeddedRoles
from ragheal.answering.kit import Kit
from ragheal.answering.model import ModelRoles
from ragheal.settings import Settings, load
from ragheal.types import ChatReply, ChatRequest, FaultStep, Hit, Query, Reading, Step, Tokens

Reply = str | dict[str, Any] | ChatReply | Callable[[ChatRequest], str]


class ChatDoors:
    """The doors of a corpus, with a model that says what it was told to say, role by role.

    A role whose list is used up repeats its last reply; a role without a list is a test's mistake.
    """

    def __init__(self, world: Any, replies: Mapping[str, Reply | Sequence[Reply]]) -> None:
        self.world = world
        self.requests: list[ChatRequest] = []
        self._replies = {role: list(r) if isinstance(r, list | tuple) else [r] for role, r in replies.items()}

    @property
    def fingerprints(self) -> Mapping[str, str]:
        return self.world.fingerprints

    def search(self, query: Query) -> tuple[Hit, ...]:
        return self.world.search(query)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        return self.world.frequencies(terms)

    def similarity(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        return self.world.similarity(query, texts)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> tuple[Reading, ...]:
        return tuple(shipped_reader().read(question, passages))

    def chat(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        left = self._replies.get(request.role)
        assert left, f"nobody told the {request.role} what to say"
        reply = left.pop(0) if len(left) > 1 else left[0]
        if callable(reply):
            reply = reply(request)
        if isinstance(reply, ChatReply):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return ChatReply(text, tokens=Tokens(100, 10), model="scripted")

    @property
    def asked(self) -> list[str]:
        return [request.role for request in self.requests]


class Played:
    """Model roles over a corpus, with what they were asked and what they told."""

    def __init__(self, world: Any, replies: Mapping[str, Reply | Sequence[Reply]], settings: Settings) -> None:
        self.doors = ChatDoors(world, replies)
        self.steps: list[Step] = []
        self.settings = settings
        self.roles = ModelRoles(self.doors, settings, EmbeddedRoles(self.doors, settings), self.steps.append)
        self.kit = Kit(self.doors, self.roles, settings, self.steps.append)

    @property
    def faults(self) -> list[FaultStep]:
        return [step for step in self.steps if isinstance(step, FaultStep)]


def enough(*hits: tuple[int, int], **fields: Any) -> dict[str, Any]:
    """A judge's reply: these hits with these relevances suffice."""
    return {
        "hits": [{"n": n, "key": "", "relevance": relevance, "gap": ""} for n, relevance in hits],
        "sufficient": True, "confidence": 90, "missing": [], "conflict": [], "bridge": "", "suggestion": "",
    } | fields  # fmt: skip


def lacking(*missing: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """A judge's reply: this is missing."""
    return {"hits": [], "sufficient": False, "confidence": 90, "missing": list(missing)} | fields


@pytest.fixture
def play(doors: Callable[..., Any]) -> Callable[..., Played]:
    def make(documents: Mapping[str, str], replies: Mapping[str, Any], top_k: int = 10, **flags: Any) -> Played:
        settings = load(env={}, flags={key.replace("__", "."): value for key, value in flags.items()}).settings
        return Played(doors(documents, top_k), replies, settings)

    return make


@pytest.fixture
def said() -> Any:
    """The two shapes of a judge's reply, as functions."""

    class Said:
        enough = staticmethod(enough)
        lacking = staticmethod(lacking)

    return Said
