"""Asks a model server two small things and tells how it answers; `ragheal doctor --model` shows it."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from ragheal.errors import ConfigError
from ragheal.models.chat.client import ChatClient, open_chat
from ragheal.models.chat.endpoint import endpoint
from ragheal.models.chat.output import Output
from ragheal.models.chat.wire import Failed, Wire
from ragheal.settings import BudgetSettings, Settings
from ragheal.types import ChatReply, ChatRequest, ModelRole, Value

#: The whole probe, whatever the settings say of single calls.
MOST_SECONDS = 120.0
_LIST_SECONDS = 5.0
_SCHEMA = (
    '{"type":"object","properties":{"wet":{"type":"boolean"}},"required":["wet"],"additionalProperties":false}'
)
_PROSE = ChatRequest(
    role="generator", system="", user="Count from one to twenty in words.", max_tokens=48, stream=True
)
_JSON = ChatRequest(
    role="judge",
    system="Reply in JSON.",
    user='Is water wet? {"wet": true or false}',
    schema=_SCHEMA,
    max_tokens=48,
)
_ROLES: tuple[ModelRole, ...] = ("planner", "judge", "rewriter", "generator", "verifier", "classifier")


class Probe(Value, frozen=True):
    """What a server is like. `detail` says why it does not answer, or what an answering one lacks."""

    base_url: str
    model: str
    answers: bool
    detail: str = ""
    seconds: float = 0.0  # until the first words
    tokens_per_second: float = 0.0  # of the reply, 0: too short to tell
    output: Output | None = None  # the best way to get JSON; None: it could not be found out
    streams: bool = False
    takes_seed: bool = False
    models: tuple[str, ...] = ()  # what the server lists, asked only when the model is not there
    insecure: bool = False  # the key goes unencrypted over a network


def probe(settings: Settings, folder: Path | None) -> Probe:
    """Ask the configured server, whatever is remembered of it.

    Raises ConfigError; where no model is named, it says which ones the server has.
    """
    place = endpoint(settings, named=False)
    seconds = min(settings.budget.seconds or MOST_SECONDS, MOST_SECONDS)
    prices = settings.budget.price_prompt, settings.budget.price_completion
    budget = BudgetSettings(seconds=seconds, price_prompt=prices[0], price_completion=prices[1], reserve=0.0)
    settings = msgspec.structs.replace(settings, budget=budget)
    try:
        client = open_chat(settings, folder)
    except ConfigError as error:
        names = _listed(Wire(place))
        if not names:
            raise
        raise ConfigError(error.message, hint=f"--model NAME; {place.base_url} has {_some(names)}") from None
    try:
        return _probed(client, Probe(place.base_url, place.model_of("generator"), False), Wire(place))
    finally:
        client.close()


def _probed(client: ChatClient, found: Probe, wire: Wire) -> Probe:
    place = client.endpoint
    found = msgspec.structs.replace(found, insecure=bool(place.key) and not place.private)
    client.forget()
    client.start_question()
    moments: list[float] = []
    client.on_text = lambda text: moments.append(time.monotonic())
    started = time.monotonic()
    prose = client.complete(_PROSE)
    if not _answered(prose):
        names = _listed(wire) if prose.fault == "rejected" else ()
        has = f"; it has {_some(names)}" if names and found.model not in names else ""
        return msgspec.structs.replace(found, detail=prose.detail + has, models=names)
    client.on_text = None
    took = moments[-1] - moments[0] if len(moments) > 4 else 0.0
    first = moments[0] - started if moments else prose.seconds
    json, troubles = ChatReply(), []
    for role in _one_of_each(client):
        json = client.complete(msgspec.structs.replace(_JSON, role=role))
        if json.fault not in {"", "cut_off"}:
            troubles.append(f"{place.model_of(role)} in JSON: {json.detail}")
    known = client.abilities("judge")
    return msgspec.structs.replace(
        found,
        answers=True,
        detail="; ".join(troubles),
        seconds=round(first, 3),
        tokens_per_second=round((prose.tokens.completion - 1) / took, 1) if took > 0 else 0.0,
        output=known.output or None,
        streams=len(moments) > 1,
        takes_seed="seed" not in known.without,
    )


def _answered(reply: ChatReply) -> bool:
    # A model that thinks first may not get to its answer within so few tokens; it is there all the same.
    return reply.fault in {"", "cut_off"}


def _one_of_each(client: ChatClient) -> list[ModelRole]:
    """A role for each model that is configured, the judge's last."""
    roles = {client.endpoint.model_of(role): role for role in (*_ROLES, "judge")}
    return sorted(roles.values(), key=lambda role: role == "judge")


def _listed(wire: Wire) -> tuple[str, ...]:
    try:
        return wire.models(_LIST_SECONDS)
    except Failed:
        return ()


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
