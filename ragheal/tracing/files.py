"""A trace as JSON, and as a file of its own.

The file is indented, for people and for diffs, and carries a checksum of its content, so that an edit by
hand does not pass for a record. Reading goes from the outside in: JSON at all, a trace, of a version
this program knows, unchanged, of the right shape; each has its own message.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from ragheal.errors import TraceError
from ragheal.storage.files import export
from ragheal.types import TRACE_VERSION, Trace

_MISSING = "a trace file is made by `ragheal ask … --trace FILE`; `ragheal traces` lists the saved ones"


class _Head(msgspec.Struct):
    version: int | None = None
    checksum: str = ""


class TraceFile(msgspec.Struct, frozen=True):
    """What a file held. `intact`: its content is what was saved."""

    trace: Trace
    intact: bool


def encode(trace: Trace) -> bytes:
    return msgspec.json.encode(trace)


def decode(data: bytes, name: str) -> Trace:
    """Raises TraceError, with `name` in its message, for anything that is not a trace of this version."""
    try:
        version = msgspec.json.decode(data, type=_Head).version
    except msgspec.ValidationError:
        version = None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TraceError(f"{name} is not valid JSON: {error}", hint="was it cut off or edited?") from None
    if version is None:
        raise TraceError(
            f"{name} is not a trace: it names no version", hint='a trace is made by `ragheal ask "…"`'
        )
    if version > TRACE_VERSION:
        raise TraceError(
            f"{name} has trace version {version}; this ragheal reads version {TRACE_VERSION}",
            hint="it was written by a newer ragheal: update this one",
        )
    if version < TRACE_VERSION:
        raise TraceError(
            f"{name} has trace version {version}; this ragheal reads version {TRACE_VERSION}",
            hint="it was written by an older ragheal: ask the question again",
        )
    try:
        return msgspec.json.decode(data, type=Trace)
    except msgspec.ValidationError as error:
        message = str(error).replace("`", "")
        raise TraceError(f"{name} is no whole trace: {message}", hint="was it edited by hand?") from None


def write(trace: Trace, path: Path) -> None:
    """Raises StorageError when the file cannot be written; then what was there before still is."""
    body = encode(trace)
    checksum = hashlib.sha256(body).hexdigest()
    whole = b'{"checksum":"' + checksum.encode() + b'",' + body[1:]
    export(path, msgspec.json.format(whole, indent=1) + b"\n", f"the trace to {path}")


def read(path: Path) -> TraceFile:
    """Raises TraceError when the file is missing or no trace. A file that was edited is read, not `intact`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TraceError(f"cannot read {path}: {error.strerror or error}", hint=_MISSING) from None
    try:
        # Replies are kept as raw JSON, so the indentation has to go before they are compared.
        data = msgspec.json.format(data, indent=-1)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TraceError(f"{path} is not valid JSON: {error}", hint="was it cut off or edited?") from None
    trace = decode(data, str(path))
    checksum = msgspec.json.decode(data, type=_Head).checksum
    return TraceFile(trace, intact=checksum == hashlib.sha256(encode(trace)).hexdigest())
