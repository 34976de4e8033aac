"""What the two shipped models have in common: files checked by their hashes, one session, one tokenizer."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from ragheal.errors import ModelError

SUMS_FILE = "SHA256SUMS"
REINSTALL = "reinstall it: pip install --force-reinstall --no-deps ragheal"
#: Marks of the vocabulary that a document may hold as text.
SPECIAL = ("<s>", "</s>", "<pad>", "<unk>", "<mask>")

T = TypeVar("T")
_lock = threading.Lock()
_tokenizers: dict[Path, Any] = {}


def load(folder: Path, files: Collection[str], what: str, make: Callable[[], T]) -> T:
    """`make()` the loaded parts of a folder while its files are hashed beside it.

    Raises ModelError, naming `what`, for a file that is missing or is not what `SHA256SUMS` says.
    """
    expected = sums(folder, files, what)
    failure: Exception | None = None
    made: T | None = None
    # Hashing 41 MB takes 30 ms where the processor helps and 150 ms where not; beside the session it is free.
    with ThreadPoolExecutor(1, thread_name_prefix="hash") as pool:
        check = pool.submit(lambda: [name for name in expected if _sha256(folder / name) != expected[name]])
        try:
            made = make()
        except Exception as error:
            failure = error
        damaged = check.result()
    if damaged:
        raise ModelError(f"the {what}'s {' and '.join(damaged)} in {folder} is damaged", hint=REINSTALL)
    if made is None:
        raise ModelError(f"the {what} in {folder} cannot be loaded: {failure}", hint=REINSTALL) from failure
    return made


def sums(folder: Path, files: Collection[str], what: str) -> dict[str, str]:
    """File name -> SHA-256 in hexadecimal, from the `SHA256SUMS` of a folder. Raises ModelError."""
    try:
        lines = (folder / SUMS_FILE).read_text("utf-8").splitlines()
        found = {name: digest for digest, name in (line.split() for line in lines if line.strip())}
    except (OSError, ValueError) as error:
        raise ModelError(f"the {what} in {folder} is missing or damaged: {error}", hint=REINSTALL) from error
    if not set(files) <= found.keys():
        raise ModelError(f"the {what}'s {SUMS_FILE} in {folder} is damaged", hint=REINSTALL)
    return found


def session(path: Path) -> Any:
    """An onnxruntime.InferenceSession of one thread."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors; its warnings are no use to a reader of an answer
    # One thread per run: parallel runs fill the cores better than parallel loops inside one run, and a
    # session without a thread pool has nothing that spins while it waits.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def tokenizer(path: Path) -> Any:
    """The tokenizers.Tokenizer of a file, without truncation or padding. Models share it: it is read once."""
    with _lock:
        if path not in _tokenizers:
            _tokenizers[path] = _read_tokenizer(path)
        return _tokenizers[path]


def _read_tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer, normalizers

    made = Tokenizer.from_file(str(path))
    made.no_truncation()
    made.no_padding()
    # "<s>" in a document is text. The first line keeps it from being taken for a mark, the second from being
    # found as a piece: the marks stand in the vocabulary under these names, with the best score of all.
    made.encode_special_tokens = True
    apart = [normalizers.Replace(mark, "< " + mark[1:]) for mark in SPECIAL]
    made.normalizer = normalizers.Sequence([made.normalizer, *apart])
    return made


def utf8(text: str) -> str:
    """`text` with "?" for lone surrogates, which no encoder takes: one character for one."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def cores() -> int:
    """Cores this process may use, which in a container can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _sha256(path: Path) -> str:
    """SHA-256 of a file in hexadecimal; empty when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
