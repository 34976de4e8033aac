"""Ctrl-C that always ends the process.

A KeyboardInterrupt is raised wherever the main thread happens to be. Inside the import machinery Python may
swallow it, and leave the import lock held: then every thread that imports waits for ever. So a command that has
nothing to tidy up ends in the handler itself; `index` and `eval` are given the exception, and some seconds to
tidy up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
#: Seconds after which an interrupted `index` or `eval` is ended as it is: what is on disk is whole in any case.
PATIENCE = 5.0
_SHOW_CURSOR = b"\x1b[?25h"  # a progress bar hides it


def install(*, tidy: bool) -> None:
    """Meet Ctrl-C from here on. `tidy`: the command has something to put in order first."""
    # Whoever started us may want it ignored, as a shell does for what runs in the background.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _Handler(tidy))


def met() -> None:
    """The exception was caught in its place: nothing can hang any more, so the seconds no longer count."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


class _Handler:
    def __init__(self, tidy: bool) -> None:
        self._tidy = tidy

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        if not self._tidy:
            _leave()
        self._tidy = False  # a second Ctrl-C waits for nothing
        if sys.platform != "win32":
            signal.signal(signal.SIGALRM, lambda *_: _leave())
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        raise KeyboardInterrupt


def _leave() -> None:
    # Straight to the descriptor: the main thread may be in the middle of a write to the stream.
    with contextlib.suppress(OSError):
        if os.isatty(2) and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}:
            os.write(2, _SHOW_CURSOR)
        os.write(2, b"ragheal: interrupted\n")
    os._exit(INTERRUPTED)
