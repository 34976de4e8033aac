"""A small but real embedder for the tests of the index, and a project folder to build in."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragheal.settings import IndexSettings, Settings


class WordEmbedder:
    """Hashed bag of words, unit rows: near texts have near vectors, equal texts equal ones.

    `asked` keeps every text that was embedded. `pause` is the time a text takes, in seconds.
    """

    max_tokens = 500

    def __init__(self, fingerprint: str = "words-1", dim: int = 64, pause: float = 0.0) -> None:
        self.name = "words"
        self.fingerprint = fingerprint
        self.dim = dim
        self.pause = pause
        self.asked: list[str] = []

    def warm(self) -> None:
        pass

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_query(self, text: str) -> Any:
        row = np.full(self.dim, 1e-3, np.float32)
        for word in text.lower().split():
            row[int(hashlib.sha256(word.encode("utf-8", "replace")).hexdigest(), 16) % self.dim] += 1
        return row / np.linalg.norm(row)

    def embed_passages(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Any:
        rows = np.empty((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            time.sleep(self.pause)
            self.asked.append(text)
            rows[i] = self.embed_query(text)
            if on_done is not None:
                on_done(i + 1)
        return rows


class Project:
    """A folder of documents with its index, built through the real `build`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.docs = folder / "docs"
        self.docs.mkdir(parents=True)
        self.index = folder / ".ragheal"
        self.embedder = WordEmbedder()
        self.texts: dict[str, str] = {}

    def write(self, name: str, text: str | bytes, *, age: float = 3600) -> Path:
        """Write a document whose time of change lies `age` seconds back, so that no build need doubt it."""
        path = self.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        then = time.time() - age
        os.utime(path, (then, then))
        return path

    def build(self, *paths: Path, on_progress: Any = None, rebuild: bool = False, **settings: Any) -> Any:
        """Build and count what is embedded: `embedder.asked` holds the texts of this build alone."""
        from ragheal.indexing.build import build

        self.embedder.asked.clear()
        chosen = Settings(index=IndexSettings(**settings))
        targets = list(paths) or [self.docs]
        return build(targets, self.index, chosen, lambda: self.embedder, on_progress, rebuild=rebuild)

    def open(self) -> Any:
        from ragheal.indexing.opened import OpenIndex

        return OpenIndex.open(self.index)

    def find(self, text: str, k: int = 5) -> list[str]:
        """Sources of the chunks that hold the words, best first."""
        from ragheal.text.analyze import terms

        with self.open() as index:
            numbers = [number for number, _ in index.lexical(terms(text), k)]
            return [chunk.source for chunk in index.chunks(numbers)]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


ANIMALS = {
    "cats.md": "# Cats\n\nThe cat sleeps sixteen hours a day in the attic.\n",
    "dogs.md": "# Dogs\n\nThe dog guards the gate of the farm at night.\n",
    "birds/owl.md": "# Owls\n\nThe owl hunts silent above the meadow.\n",
    "猫头鹰.md": "# 猫头鹰\n\n猫头鹰在夜间捕食老鼠，白天休息。\n",
}


@pytest.fixture
def animals(project: Project) -> Project:
    """A project of four documents, not built yet; `texts` holds them by name."""
    for name, text in ANIMALS.items():
        project.write(name, text)
    project.texts = dict(ANIMALS)
    return project
