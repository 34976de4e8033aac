"""What is indexed, and what has changed since."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragheal.indexing.opened import OpenIndex


def status(index: OpenIndex, folder: Path) -> dict[str, Any]:
    """As plain values; sizes in bytes."""
    manifest = index.manifest
    rows = index.documents()
    read = [row for row in rows if row.status == "ok"]
    missing, changed = [], []
    for row in read:
        path = index.path_of(row.source)
        if path is None or not os.path.exists(path):
            missing.append(row.source)
        elif not index.is_current(row.source):
            changed.append(row.source)
    return {
        "index": str(folder),
        "generation": manifest.generation,
        "created": manifest.created,
        "roots": list(manifest.roots),
        "documents": len(read),
        "kinds": dict(Counter(row.kind for row in read).most_common()),
        "chunks": manifest.chunks,
        "embedder": {"name": manifest.embedder, "fingerprint": manifest.embedder_fingerprint, "dim": manifest.dim},
        "lexical": manifest.lexical,
        "chunker": manifest.chunker,
        "analyzer": manifest.analyzer,
        "bytes": _bytes(folder),
        "skipped": _named(rows, "skipped"),
        "failed": _named(rows, "failed"),
        "changed": changed,
        "deleted": missing,
    }


def _named(rows: list[Any], status: str) -> list[dict[str, str]]:
    return [{"source": row.source, "reason": row.reason} for row in rows if row.status == status]


def _bytes(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:
                continue  # a build has just replaced it
    return total
