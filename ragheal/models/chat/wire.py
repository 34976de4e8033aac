"""One HTTP call through the official `openai` library: the only file that imports it.

The library brings connections, TLS, proxies, headers and the errors of each status. Bodies are read here
piece by piece, since a reply may be a web page, half an object, or without end.
"""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from ragheal.models.chat.endpoint import NO_KEY, Endpoint
from ragheal.models.chat.received import Received, Thinking, error_text, read_event, read_reply, visible
from ragheal.types import Fault

if TYPE_CHECKING:
    import openai

#: A reply is a few kilobytes; whatever is larger is no answer.
MOST_BYTES = 8 << 20
MOST_LINE = 1 << 20
CONNECT_SECONDS = 10.0


class Failed(Exception):
    """A call that brought no reply. `again`: another try may help. `words` are the server's own."""

    def __init__(
        self,
        fault: Fault,
        detail: str,
        *,
        status: int = 0,
        again: bool = False,
        wait: float = -1.0,
        words: str = "",
    ) -> None:
        super().__init__(detail)
        self.fault: Fault = fault
        self.detail = detail
        self.status = status
        self.again = again
        self.wait = wait  # seconds the server asked for, -1: it did not say
        self.words = words


class Wire:
    """The connections to one server; made at the first call. May be used by several threads."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: openai.OpenAI | None = None
        self._key = ""
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Import the library and make the client."""
        self._opened()

    def close(self) -> None:
        """Close every connection; the next call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(Exception):
                client.close()

    def call(self, body: Mapping[str, Any], seconds: float, emit: Callable[[str], None]) -> Received:
        """Send a request and read its reply; the text of a stream goes to `emit` as it comes.

        `seconds` bounds each silence, not the whole. A reply that breaks off after its first words is no
        failure but a Received that is not complete. Raises Failed, and nothing else.
        """
        try:
            client = self._opened()
            return self._call(client, body, seconds, emit)
        except Failed:
            raise
        except Exception as error:
            raise self._failed(error) from None

    def models(self, seconds: float) -> tuple[str, ...]:
        """The names of the models that the server lists, by name. Raises Failed."""
        try:
            listed = self._opened().models.list(timeout=seconds)
            return tuple(sorted(str(item.id) for item in listed.data))
        except Exception as error:
            raise self._failed(error) from None

    def _call(
        self, client: openai.OpenAI, body: Mapping[str, Any], seconds: float, emit: Callable[[str], None]
    ) -> Received:
        import openai

        timeout = openai.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        create: Any = client.chat.completions.with_streaming_response.create
        with create(**body, timeout=timeout) as response:
            if "text/event-stream" in response.headers.get("content-type", ""):
                return self._stream(response.iter_bytes(), emit)
            data = b"".join(_bounded(response.iter_bytes(), emit))
        return self._whole(data, emit)

    def _whole(self, data: bytes, emit: Callable[[str], None]) -> Received:
        received = read_reply(data)
        if received is None:
            start = data[:200].lstrip().lower()
            if start.startswith(b"data:"):  # a stream under another name
                return self._stream(iter([data]), emit)
            if start.startswith((b"<!doctype", b"<html", b"<")):
                raise Failed("unavailable", "the server sent a web page, no reply: is model.base_url right?")
            if not start:
                raise Failed("unavailable", "the server sent an empty reply", again=True)
            raise Failed("unavailable", "the server's reply is not whole JSON", again=True)
        self._refuse_errors(received)
        emit(received.text)
        return received

    def _stream(self, chunks: Iterator[bytes], emit: Callable[[str], None]) -> Received:
        received, thinking, ended = Received(), Thinking(), False
        try:
            for event in _events(_bounded(chunks, emit)):
                if event == b"[DONE]":
                    ended = True
                    break
                delta = read_event(received, event)
                if delta is None:
                    received.broken = "an event of the stream is not JSON"
                    break
                if received.error:
                    break
                if shown := thinking.feed(delta):
                    emit(shown)
        except Failed as failure:
            received.broken = failure.detail
        except Exception as error:
            if not received.text:
                raise
            received.broken = self._failed(error).detail
        if shown := thinking.end():
            emit(shown)
        if not received.text:
            self._refuse_errors(received)
        received.text = visible(received.text)
        received.complete = not received.broken and not received.error and (ended or bool(received.finish))
        received.broken = received.broken or self._endpoint.clean(received.error) or "the stream ended early"
        return received

    def _refuse_errors(self, received: Received) -> None:
        if received.error and not received.text:
            words = self._endpoint.clean(received.error)
            raise Failed("unavailable", f"the server reports an error: {words}", again=True, words=words)

    def _opened(self) -> openai.OpenAI:
        key = self._endpoint.key or NO_KEY
        with self._lock:
            if self._client is None or key != self._key:
                import openai

                # A proxy of the environment leads away from this machine, so a server on it is asked directly.
                direct = openai.DefaultHttpxClient(trust_env=False) if self._endpoint.local else None
                # Retries are counted against the question's time, so they are not left to the library.
                self._client = openai.OpenAI(
                    api_key=key, base_url=self._endpoint.base_url, max_retries=0, http_client=direct
                )
                self._key = key
            return self._client

    def _failed(self, error: Exception) -> Failed:
        import openai

        if isinstance(error, openai.APIStatusError):
            return self._status(error)
        if isinstance(error, openai.APITimeoutError) or type(error).__name__.endswith("Timeout"):
            return Failed("timeout", "no answer in time")
        return _lost(error, self._endpoint)

    def _status(self, error: openai.APIStatusError) -> Failed:
        status = error.status_code
        words = self._endpoint.clean(_words(error))
        said = f": {words}" if words else ""
        if status in {401, 403}:
            named = f"the key in {self._endpoint.key_env}" if self._endpoint.key else "a request without a key"
            hint = "" if self._endpoint.key else f" (set {self._endpoint.key_env or 'model.key_env'})"
            return Failed("auth", f"the server refused {named}{hint}{said}", status=status, words=words)
        if status == 429:
            quota = "insufficient_quota" in (error.code or "") or "quota" in words.lower()
            wait = retry_after(error.response.headers)
            return Failed(
                "rate_limited",
                f"too many requests (429){said}",
                status=status,
                again=not quota,
                wait=wait,
                words=words,
            )
        if status >= 500 or status in {408, 409, 425}:
            wait = retry_after(error.response.headers)
            return Failed(
                "unavailable",
                f"the server failed ({status}){said}",
                status=status,
                again=True,
                wait=wait,
                words=words,
            )
        if status == 404:
            return Failed("rejected", f"no such model or address (404){said}", status=status, words=words)
        return Failed("rejected", f"the server rejected the request ({status}){said}", status=status, words=words)


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds the server asks to wait: `retry-after-ms`, or `Retry-After` as seconds or a date. -1: not said."""
    with contextlib.suppress(ValueError):
        return max(0.0, float(headers.get("retry-after-ms", "")) / 1000)
    text = headers.get("retry-after", "")
    with contextlib.suppress(ValueError):
        seconds = float(text)
        return max(0.0, seconds) if seconds < 1e9 else -1.0
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    return -1.0


def _bounded(chunks: Iterator[bytes], emit: Callable[[str], None]) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        emit("")  # ends here when nobody waits any more
        total += len(chunk)
        if total > MOST_BYTES:
            raise Failed("unavailable", f"the reply is larger than {MOST_BYTES >> 20} MB")
        yield chunk


def _events(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The data of server-sent events; comments and other fields are passed over."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > MOST_LINE:
            raise Failed("unavailable", "the stream holds a line without end")
        for line in lines:
            if line.startswith(b"data:") and (data := line[5:].strip()):
                yield data
    if rest.startswith(b"data:") and (data := rest[5:].strip()):
        yield data


def _words(error: openai.APIStatusError) -> str:
    """What the server says for itself; of a web page only its title."""
    text = error_text(error.body) if error.body else error.response.text
    if re.match(r"\s*<", text):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return title.group(1) if title else "a web page"
    return text


def _lost(error: BaseException, endpoint: Endpoint) -> Failed:
    """A connection that could not be made or broke off, told by what lies at the bottom of the error."""
    where = endpoint.base_url
    seen: BaseException | None = error
    for _ in range(8):
        if isinstance(seen, socket.gaierror):
            return Failed("unavailable", f"no server of that name: {where}")
        if isinstance(seen, ssl.SSLError):
            return Failed("unavailable", f"no secure connection to {where}: {endpoint.clean(str(seen))}")
        if isinstance(seen, ConnectionRefusedError):
            return Failed("unavailable", f"no server answers at {where} (connection refused)", again=True)
        if isinstance(seen, ConnectionError):
            return Failed("unavailable", "the server broke the connection", again=True)
        if isinstance(seen, TimeoutError):
            return Failed("timeout", "no answer in time")
        below = seen.__cause__ or seen.__context__ if seen is not None else None
        if below is None:
            break
        seen = below
    said = endpoint.clean(f"{type(seen).__name__}: {seen}")
    again = any(word in type(seen).__name__ for word in ("Protocol", "Connect", "Read", "Write"))
    return Failed("unavailable", f"the call failed: {said}", again=again)
