"""Standard output and error: what is a terminal, how wide, in colour or not; writing that never crashes.

Everything is rendered to a string first and written in one go, so a closed pipe and a full disk are met
in one place.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from ragheal.errors import StorageError

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDEST = 120  # columns; longer lines are hard to read
NARROWEST = 20
_LINK_ID = re.compile(r"\x1b\]8;id=\d+-?\d*;")
UNWRAPPED = 10_000  # columns of what is no terminal
_ASCII = {
    "…": "...", "·": "-", "—": "-", "–": "-", "→": "->", "“": '"', "”": '"', "’": "'", "│": "|", "›": ">",
    "✓": "ok", "✗": "x",
}  # fmt: skip


def _lossless(error: UnicodeError) -> tuple[str, int]:
    """What an encoding lacks: our own signs as ASCII, everything else as a backslash escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = []
    for char in error.object[error.start : error.end]:
        code = ord(char)
        escape = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
        parts.append(_ASCII.get(char, escape))
    return "".join(parts), error.end


def prepare_streams() -> None:
    """Let no character make printing fail: a console that is not UTF-8, a file name that is no text."""
    codecs.register_error("ragheal", _lossless)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with contextlib.suppress(OSError, ValueError):
                reconfigure(errors="ragheal")


def write(text: str) -> None:
    """Write to standard output. Raises StorageError on a full disk, BrokenPipeError when nobody reads."""
    with _output_errors():
        if text:
            sys.stdout.write(text)
        sys.stdout.flush()


def note(text: str) -> None:
    """Text for standard error. When it is gone there is nobody to tell."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


@contextlib.contextmanager
def _output_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise BrokenPipeError from None
        raise StorageError(f"cannot write to standard output: {error.strerror or error}") from None
    except (ValueError, AttributeError):  # closed, or None: started without a standard output
        raise BrokenPipeError from None


def abandon_output() -> None:
    """Point standard output at nothing, or the interpreter meets the same error again when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def colourful(stream: TextIO | None) -> bool:
    """Whether escapes may be written: a terminal that knows them, and nobody asked for none."""
    return (
        is_terminal(stream)
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}
    )


def width() -> int:
    """Columns to write in, within what reads well."""
    columns = shutil.get_terminal_size().columns
    if not os.environ.get("COLUMNS"):
        # Standard output may be a pipe while the story goes to a terminal.
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                columns = os.get_terminal_size(stream.fileno()).columns or columns
                break
    return max(NARROWEST, min(columns, WIDEST))


class Page(NamedTuple):
    """What is written on: how wide it is, whether it is a terminal, and whether it knows colours and links."""

    columns: int
    terminal: bool = True
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO | None) -> Page:
        """The page that a stream is. What is piped is not wrapped: whoever reads it breaks its lines."""
        terminal = is_terminal(stream)
        return cls(width() if terminal else UNWRAPPED, terminal, colourful(stream))

    def at_most(self, columns: int) -> Page:
        return self._replace(columns=min(self.columns, columns)) if self.terminal else self

    def render(self, *items: RenderableType) -> str:
        """Rich renderables as lines of at most `columns` cells; with `colour` in the base colours."""
        import io

        from rich.console import Console

        console = Console(
            file=io.StringIO(), width=self.columns, height=100, force_terminal=self.colour,
            no_color=not self.colour, color_system="standard" if self.colour else None, highlight=False,
            markup=False, emoji=False, legacy_windows=False, force_interactive=False, _environ={},
        )  # fmt: skip
        with console.capture() as capture:
            for item in items:
                console.print(item)
        # Rich gives each link a number by chance; without it the same answer is the same bytes.
        text = _LINK_ID.sub("\x1b]8;;", capture.get())
        return "".join(line.rstrip() + "\n" for line in text.split("\n")[:-1])


def whole(value: Any) -> Any:
    """A value with all its fields, also where they hold their defaults: a reader need not know ours."""
    import msgspec

    if isinstance(value, msgspec.Struct):
        return {name: whole(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: whole(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [whole(entry) for entry in value]
    return value


def dump(value: Any, *, pretty: bool | None = None) -> str:
    """A value as JSON with a newline at the end; on a terminal indented, unless told otherwise."""
    import msgspec

    pretty = is_terminal(sys.stdout) if pretty is None else pretty
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").replace("_", "")
    if encoding == "utf8":
        with contextlib.suppress(UnicodeEncodeError):  # a lone surrogate, from a file name that is no text
            data = msgspec.json.encode(value, enc_hook=str)
            return (msgspec.json.format(data, indent=2) if pretty else data).decode() + "\n"
    import json

    # Escapes of its own keep it JSON on a console that knows fewer characters.
    return json.dumps(msgspec.to_builtins(value, enc_hook=str), indent=2 if pretty else None) + "\n"
