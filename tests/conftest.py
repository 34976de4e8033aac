"""No test reaches out: sockets other than loopback are refused, and the home folder is a temporary one."""

from __future__ import annotations

import importlib.util
import os
import socket
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    home = str(tmp_path_factory.mktemp("home"))
    for name in ("HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, home)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name in list(os.environ):
        if name.startswith("RAGHEAL_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """Runs made by hand: `tests/samples.py`."""
    spec = importlib.util.spec_from_file_location("samples", Path(__file__).parent / "samples.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
