"""Replies and stream events as servers really send them, read leniently; hidden reasoning taken out."""

from __future__ import annotations

from typing import Any

import msgspec

_OPEN, _CLOSE = "<think>", "</think>"


class Received(msgspec.Struct):
    """A reply as far as it came. `complete`: it ended as it should. Tokens are 0 where the server told none."""

    text: str = ""
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    reasoning: str = ""  # what it thought in a field of its own
    refusal: str = ""
    choices: bool = False
    complete: bool = False
    broken: str = ""  # why it is not complete
    error: str = ""  # the server's words, where a reply of status 200 is an error


def read_reply(data: bytes) -> Received | None:
    """A whole reply; None when the bytes are no JSON object."""
    try:
        body = msgspec.json.decode(data.strip().removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    received = Received(complete=True)
    _take(received, body, "message")
    received.text = visible(received.text)
    return received


def read_event(received: Received, data: bytes) -> str | None:
    """Take one event of a stream into `received`; gives the text it adds, None when it is no JSON."""
    try:
        body = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    before = len(received.text)
    _take(received, body, "delta")
    return received.text[before:]


def error_text(body: Any) -> str:
    """The message within an error's body, whatever its shape."""
    if isinstance(body, dict):
        for key in ("error", "message", "detail", "msg"):
            if body.get(key):
                return error_text(body[key])
        return msgspec.json.encode(body, enc_hook=str).decode() if body else ""
    if isinstance(body, list):
        return "; ".join(error_text(item) for item in body[:3])
    return "" if body is None else str(body)


def visible(text: str) -> str:
    """A reply without the reasoning that some models write before it, between tags or up to a closing one."""
    start = text.lstrip()
    if start.startswith(_OPEN):
        _, closed, rest = start.partition(_CLOSE)
        return rest.lstrip() if closed else ""
    head, closed, rest = text.partition(_CLOSE)
    # The opening tag may stand in the server's template.
    return rest.lstrip() if closed and _OPEN not in head else text


class Thinking:
    """Takes the reasoning out of a stream: `feed` gives what may be shown of the text so far."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "begin"  # begin, inside, after (white space before the reply), open

    def feed(self, delta: str) -> str:
        if self._state == "open":
            return delta
        self._held += delta
        if self._state == "begin":
            start = self._held.lstrip()
            if start.startswith(_OPEN):
                self._state, self._held = "inside", start[len(_OPEN) :]
            elif not _OPEN.startswith(start):
                return self._let_go(self._held)
        if self._state == "inside":
            _, closed, rest = self._held.partition(_CLOSE)
            if not closed:
                self._held = self._held[-len(_CLOSE) :]
                return ""
            self._state, self._held = "after", rest
        if self._state == "after" and self._held.strip():
            return self._let_go(self._held.lstrip())
        return ""

    def end(self) -> str:
        """What was held back as the beginning of a tag that never came."""
        return self._let_go(self._held) if self._state == "begin" else ""

    def _let_go(self, text: str) -> str:
        self._state, self._held = "open", ""
        return text


def _take(received: Received, body: dict[str, Any], field: str) -> None:
    if body.get("error"):
        received.error = error_text(body["error"]) or "an error without words"
    if isinstance(body.get("model"), str):
        received.model = body["model"]
    usage = body.get("usage")
    if isinstance(usage, dict):
        received.prompt_tokens = _count(usage.get("prompt_tokens")) or received.prompt_tokens
        received.completion_tokens = _count(usage.get("completion_tokens")) or received.completion_tokens
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return
    choice = choices[0]
    received.choices = True
    if isinstance(choice.get("finish_reason"), str):
        received.finish = choice["finish_reason"]
    message = choice.get(field)
    if not isinstance(message, dict):
        message = choice.get("message") or choice.get("delta")
    if not isinstance(message, dict):
        return
    received.text += _content(message.get("content"))
    received.reasoning += _content(message.get("reasoning_content") or message.get("reasoning"))
    if isinstance(message.get("refusal"), str):
        received.refusal += message["refusal"]


def _content(content: Any) -> str:
    """Content is a text, or a list of parts of which those of text count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else 0
