"""A small real chat server for tests, which behaves well or badly as it is told, request by request.

    with ChatServer(hang(30), status(429, retry_after=1), reply("yes")) as server:
        settings = ... model.base_url = server.base_url, model.name = "any"

Each request takes the next behaviour of the script; when it is used up, the server behaves: it answers with
`answer(body)`. `server.requests` holds the bodies that came, `server.headers` their headers in lower case.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
Answer = Callable[[Body], str]


class Call(BaseHTTPRequestHandler):
    """One request at the server; behaviours speak through it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each reply waits 40 ms between its head and its body
    server: _Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        home = self.server.home
        self.body: Body = json.loads(raw)
        with home.lock:
            home.requests.append(self.body)
            home.headers.append({name.lower(): value for name, value in self.headers.items()})
            home.times.append(time.monotonic())
            behaviour = home.script.popleft() if home.script else None
        try:
            (behaviour or home.behave)(self)
        except OSError:
            self.close_connection = True  # the client had enough

    def do_GET(self) -> None:
        """The list of models."""
        listed = [{"id": name, "object": "model"} for name in self.server.home.models]
        self.send(json.dumps({"object": "list", "data": listed}))

    def send(
        self, data: bytes | str, status: int = 200, kind: str = "application/json", headers: Mapping[str, str] = {}
    ) -> None:
        data = data.encode() if isinstance(data, str) else data
        self.begin(status, kind, {"content-length": str(len(data)), **headers})
        self.wfile.write(data)

    def begin(self, status: int, kind: str, headers: Mapping[str, str] = {}) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def event(self, value: Any) -> None:
        """One event of a stream that `stream_head` began."""
        text = value if isinstance(value, str) else json.dumps(value)
        self.wfile.write(f"data: {text}\n\n".encode())
        self.wfile.flush()

    def stream_head(self) -> None:
        self.close_connection = True
        self.begin(200, "text/event-stream", {"connection": "close"})

    def reset(self) -> None:
        """Break the connection with a reset, as a killed server's system does."""
        self.wfile.flush()
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RD)
        self.rfile.close()
        self.wfile.close()
        self.connection.close()

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


Behaviour = Callable[[Call], None]


class ChatServer:
    """The server, as a context manager; on loopback, on a port of its own.

    `answer` makes the text of a good reply from the request's body; by default "ok", or the smallest JSON
    that fits the schema asked for. `takes` are the output modes it accepts, `refuses` the parameters it does
    not; `key` makes it insist on one; `models` is what it lists, though it answers for any. `usage` False: it does not report tokens.
    """

    def __init__(
        self,
        *script: Behaviour,
        answer: Answer | None = None,
        takes: tuple[str, ...] = ("schema", "object", "text"),
        refuses: tuple[str, ...] = (),
        streams: bool = True,
        usage: bool = True,
        key: str = "",
        delay: float = 0.0,
        models: tuple[str, ...] = ("small",),
    ) -> None:
        self.script: deque[Behaviour] = deque(script)
        self.answer = answer or default_answer
        self.takes, self.refuses, self.streams = takes, refuses, streams
        self.usage, self.key, self.delay, self.models = usage, key, delay, models
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.lock = threading.Lock()
        #: Set when the server stops, so that nothing hangs longer than the test.
        self.stopping = threading.Event()
        self._server = _Server(self)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def then(self, *behaviours: Behaviour) -> None:
        """Add to the script."""
        self.script.extend(behaviours)

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def behave(self, call: Call) -> None:
        """What a good server does, within what it supports."""
        body = call.body
        if self.delay and self.stopping.wait(self.delay):
            return
        if self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            given = (call.headers.get("authorization") or "").removeprefix("Bearer ")
            error = {"error": {"message": f"Incorrect API key provided: {given}", "code": "invalid_api_key"}}
            call.send(json.dumps(error), 401)
            return
        for name in self.refuses:
            if name in body:
                call.send(
                    json.dumps({"error": {"message": f"Unsupported parameter: '{name}'", "param": name}}), 400
                )
                return
        mode = output_of(body)
        if mode not in self.takes:
            call.send(json.dumps({"error": {"message": "This response_format type is unavailable now"}}), 400)
            return
        reply(self.answer(body))(call)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, home: ChatServer) -> None:
        self.home = home
        super().__init__(("127.0.0.1", 0), Call)

    def handle_error(self, *_: object) -> None:
        """A client that went away is what some tests are about."""


def output_of(body: Body) -> str:
    """How a request asks for JSON: schema, object or text."""
    kind = (body.get("response_format") or {}).get("type", "text")
    return {"json_schema": "schema", "json_object": "object"}.get(kind, "text")


def default_answer(body: Body) -> str:
    mode = output_of(body)
    if mode == "schema":
        return json.dumps(smallest(body["response_format"]["json_schema"]["schema"]))
    return "{}" if mode == "object" else "ok"


def smallest(schema: Any) -> Any:
    """A small value that fits a plain JSON schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return smallest(schema["anyOf"][0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: smallest(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [smallest(schema["items"])] * schema.get("minItems", 0)
    plain = {
        "string": "",
        "integer": schema.get("minimum", 0),
        "number": schema.get("minimum", 0),
        "boolean": False,
    }
    return plain.get(kind)


# --- behaviours ------------------------------------------------------------------------------------------


def reply(text: str | None, *, finish: str = "stop", **message: Any) -> Behaviour:
    """A good reply, streamed when the request asks for it; `message` adds or replaces fields of the message."""

    def behave(call: Call) -> None:
        home = call.server.home
        words = len((text or "").split())
        usage = (
            {"prompt_tokens": 10, "completion_tokens": words, "total_tokens": 10 + words} if home.usage else None
        )
        model = call.body.get("model", "")
        if call.body.get("stream") and home.streams:
            call.stream_head()
            pieces = [text[i : i + 4] for i in range(0, len(text), 4)] if text else [None]
            for piece in pieces:
                delta = {"content": piece, **message}
                call.event({"model": model, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            call.event({"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
            if usage and call.body.get("stream_options"):
                call.event({"model": model, "choices": [], "usage": usage})
            call.event("[DONE]")
            return
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text, **message},
            "finish_reason": finish,
        }
        call.send(json.dumps({"object": "chat.completion", "model": model, "choices": [choice], "usage": usage}))

    return behave


def status(code: int, message: str = "", *, retry_after: float | str | None = None) -> Behaviour:
    """An error of HTTP with the server's words."""

    def behave(call: Call) -> None:
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        call.send(json.dumps({"error": {"message": message or f"status {code}"}}), code, headers=headers)

    return behave


def hang(seconds: float = 60.0) -> Behaviour:
    """Silence, then the connection is closed."""

    def behave(call: Call) -> None:
        call.server.home.stopping.wait(seconds)
        call.close_connection = True

    return behave


def drip(interval: float = 0.05) -> Behaviour:
    """A byte now and then without end: never silent, never done."""

    def behave(call: Call) -> None:
        call.begin(200, "application/json", {"content-length": "1000000"})
        while not call.server.home.stopping.wait(interval):
            call.wfile.write(b" ")
            call.wfile.flush()

    return behave


def raw(data: bytes | str, *, code: int = 200, kind: str = "application/json") -> Behaviour:
    """These very bytes."""
    return lambda call: call.send(data, code, kind)


def html(code: int = 200) -> Behaviour:
    """A page for people, as a proxy shows."""
    page = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>Sorry</body></html>"
    return raw(page, code=code, kind="text/html; charset=utf-8")


def half_json() -> Behaviour:
    """The beginning of a reply."""
    return raw('{"choices": [{"message": {"content": "The ans')


def short_body() -> Behaviour:
    """Fewer bytes than promised."""

    def behave(call: Call) -> None:
        call.begin(200, "application/json", {"content-length": "500"})
        call.wfile.write(b'{"choices": [')
        call.close_connection = True

    return behave


def huge(megabytes: int = 12) -> Behaviour:
    """A reply far larger than any answer."""

    def behave(call: Call) -> None:
        call.begin(200, "application/json", {"content-length": str(megabytes << 20)})
        for _ in range(megabytes):
            call.wfile.write(b" " * (1 << 20))

    return behave


def reset() -> Behaviour:
    """The connection breaks before a word."""
    return lambda call: call.reset()


def cut_stream(text: str, *, how: str = "reset") -> Behaviour:
    """A stream that ends in the middle: `how` is reset, close, garbage, error or hang."""

    def behave(call: Call) -> None:
        call.stream_head()
        for word in text.split(" "):
            call.event({"choices": [{"index": 0, "delta": {"content": word + " "}, "finish_reason": None}]})
        time.sleep(0.05)  # let the words arrive before the reset throws away what is under way
        if how == "reset":
            call.reset()
        elif how == "garbage":
            call.event('{"choices": [{"del')
        elif how == "error":
            call.event({"error": {"message": "out of memory"}})
        elif how == "hang":
            call.server.home.stopping.wait(60.0)

    return behave
