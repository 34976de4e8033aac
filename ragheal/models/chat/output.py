"""How JSON is asked for, and what is left out of a request because this server or model objects to it.

Servers differ: some take a JSON schema, some only "a JSON object", some neither, and some refuse a seed, a
temperature or `max_tokens`. What a server takes is found out once, by asking, and kept in the ledger.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from ragheal.models.chat.received import Received, visible
from ragheal.settings import ModelSettings
from ragheal.types import ChatRequest

Output = Literal["schema", "object", "text"]
OUTPUTS: tuple[Output, ...] = ("schema", "object", "text")

_FORMAT = re.compile(
    r"response_?format|json_?schema|json_?object|schema|grammar|structured|json mode", re.IGNORECASE
)
_OBJECTS = re.compile(
    r"unsupported|not support|n't support|unknown|unrecogni[sz]ed|unexpected|extra (?:input|field)|not permitted"
    r"|not allowed|invalid|forbidden|unavailable|no such (?:field|parameter)|deprecated|instead",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(r"context|too (?:large|long|many tokens)|exceed", re.IGNORECASE)
#: Parameters that an answer can do without, in the order in which a complaint is searched for them.
_OPTIONAL = ("stream_options", "max_completion_tokens", "max_tokens", "temperature", "seed")


class Abilities(msgspec.Struct, frozen=True):
    """What is known of a model on a server. `output` "": nothing yet. `without`: parameters it refuses."""

    output: Output | Literal[""] = ""
    without: tuple[str, ...] = ()


def candidates(wanted: Literal["auto", "schema", "object", "text"], known: Abilities) -> tuple[Output, ...]:
    """The modes to try in turn."""
    if wanted != "auto":
        return (wanted,)
    return (known.output,) if known.output else OUTPUTS


def body(
    request: ChatRequest,
    model: str,
    settings: ModelSettings,
    mode: Output,
    without: tuple[str, ...],
    max_tokens: int,
) -> dict[str, Any]:
    """The request as it is sent, without the parameters that the server refuses."""
    system = request.system
    if request.schema and mode != "schema" and "json" not in (request.system + request.user).lower():
        # Servers with a mode for objects insist on the word; the model needs the names of the fields.
        system = f"{system}\n\nReply with one JSON object that fits this JSON schema: {request.schema}".lstrip()
    messages = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": request.user})
    length = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
    sent: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "temperature": settings.temperature,
        "seed": settings.seed,
        length: max_tokens,
    }
    if request.schema and mode == "schema":
        schema = msgspec.json.decode(request.schema)
        named = {"name": request.role, "schema": schema, "strict": _is_strict(schema)}
        sent["response_format"] = {"type": "json_schema", "json_schema": named}
    elif request.schema and mode == "object":
        sent["response_format"] = {"type": "json_object"}
    if request.stream:
        sent |= {"stream": True, "stream_options": {"include_usage": True}}
    return {key: value for key, value in sent.items() if key not in without}


def refused_parameter(status: int, words: str, sent: dict[str, Any]) -> str:
    """The optional parameter that a complaint is about; "" when it is about none."""
    if status not in {400, 415, 422, 500, 501} or not _OBJECTS.search(words) or _TOO_LONG.search(words):
        return ""
    return next((name for name in _OPTIONAL if name in sent and re.search(rf"\b{name}\b", words)), "")


def refused_format(status: int, words: str) -> bool:
    """Whether a rejection can be about the way in which JSON was asked for. Some say no more than 400."""
    if _TOO_LONG.search(words):
        return False
    return status in {400, 415, 422, 501} or (status == 500 and bool(_FORMAT.search(words)))


def is_object(text: str) -> bool:
    """Whether a reply is one JSON object, as a server must send that honours a format."""
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


def unhide(received: Received) -> None:
    """Take a JSON object for the reply that a server filed under the model's thoughts, leaving the reply empty."""
    if not received.text.strip() and is_object(thought := visible(received.reasoning)):
        received.text = thought


def said_nothing(received: Received) -> bool:
    """Whether a reply came to its own end and is empty: the mode it was asked in is taken and broken."""
    ended = received.choices and received.complete and received.finish not in {"length", "content_filter"}
    return ended and not received.text.strip() and not received.refusal


def _is_strict(schema: Any) -> bool:
    """Whether OpenAI's strict mode takes a schema: every object closed, every property required."""
    if isinstance(schema, list):
        return all(_is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        names = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", [])) != names:
            return False
    return all(_is_strict(value) for value in schema.values())
