"""Work in a thread of its own, left behind when its time is up.

A timeout of a socket counts silence only: a server that sends a byte now and then holds a caller for ever,
and looking up a name knows no timeout at all. Waiting here ends at the deadline whatever the work does, and
Ctrl-C is met at once on every system.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_LOOK = 0.2  # seconds between looks at the clock; Windows meets Ctrl-C only between them


class ListenerFailed(Exception):
    """Whoever was handed the text raised `error`: no fault of the server, and not to be hidden."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Late(Exception):
    """The deadline passed. `text` is what had come until then."""

    def __init__(self, text: str) -> None:
        super().__init__("the time is up")
        self.text = text


def run(work: Callable[[Callable[[str], None]], T], deadline: float, on_text: Callable[[str], None] | None) -> T:
    """`work(emit)` until `deadline` (of time.monotonic); what it emits goes to `on_text` in this thread.

    Work that was left behind learns of it from `emit`, which raises then; it may emit "" only to find out.
    Raises what the work raises, Late, and ListenerFailed.
    """
    events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    left_behind = threading.Event()

    def emit(text: str) -> None:
        if left_behind.is_set():
            raise Late("")
        if text:
            events.put(("text", text))

    def body() -> None:
        try:
            events.put(("done", work(emit)))
        except BaseException as error:
            events.put(("error", error))

    threading.Thread(target=body, name="ragheal-model-call", daemon=True).start()
    try:
        result: T = _wait(events, deadline, on_text)
        return result
    finally:
        left_behind.set()


def _wait(
    events: queue.SimpleQueue[tuple[str, Any]], deadline: float, on_text: Callable[[str], None] | None
) -> Any:
    came: list[str] = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Late("".join(came))
        try:
            kind, value = events.get(timeout=min(left, _LOOK))
        except queue.Empty:
            continue
        if kind == "done":
            return value
        if kind == "error":
            raise value
        came.append(value)
        if on_text is not None:
            try:
                on_text(value)
            except Exception as error:
                raise ListenerFailed(error) from error
