from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragheal.models.chat import ChatClient, open_chat
from ragheal.settings import load

Opener = Callable[..., ChatClient]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opener:
    """`client(server, **settings)`: a client of a server or an address; `model__retries=0` is model.retries."""
    import openai.resources.chat  # noqa: F401 - else the first test's timeouts begin with a second of importing

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def opened(server: Any, *, folder: Path | None = tmp_path, **changes: Any) -> ChatClient:
        address = server if isinstance(server, str) else server.base_url
        flags = {"model.backend": "openai", "model.base_url": address, "model.name": "small", "model.timeout": 10}
        flags |= {key.replace("__", "."): value for key, value in changes.items()}
        return open_chat(load(env={}, flags=flags).settings, folder)

    return opened
