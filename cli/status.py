"""`ragheal status`: what is indexed, and what has changed since."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import console, options, session

if TYPE_CHECKING:
    from ragheal.indexing.opened import OpenIndex

LISTED = 10  # files named per group; --json names all


def status(
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Show what is indexed, and what has changed since."""
    from ragheal.indexing.opened import OpenIndex

    folder = session.existing_index(index)
    with OpenIndex.open(folder) as opened:
        fields = status_fields(opened, folder)
    if json:
        from .envelope import envelope

        console.write(console.dump(envelope("status", **fields)))
    else:
        columns = console.width() if console.is_terminal(sys.stdout) else 1000
        console.write(_text(fields, columns))
    return 0


def status_fields(index: OpenIndex, folder: Path) -> dict[str, Any]:
    """Everything `status` shows, as plain values. Sizes in bytes."""
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


def _text(fields: dict[str, Any], columns: int) -> str:
    from .story import labelled
    from .text import one_line, plural, size

    kinds = ", ".join(f"{count:,} {kind}" for kind, count in fields["kinds"].items())
    rows = [
        ("index", f"{one_line(fields['index'])} ({size(fields['bytes'])}, generation {fields['generation']})"),
        *(("folder" if not n else "", one_line(root)) for n, root in enumerate(fields["roots"])),
        ("documents", f"{fields['documents']:,}" + (f" ({kinds})" if kinds else "")),
        ("chunks", f"{fields['chunks']:,}"),
        ("embedder", f"{fields['embedder']['name']} ({fields['embedder']['dim']} dimensions)"),
        ("words", fields["lexical"]),
        ("built", fields["created"][:19].replace("T", " ") + " UTC"),
    ]
    for name in ("skipped", "failed"):
        entries = [f"{one_line(entry['source'])}: {one_line(entry['reason'])}" for entry in fields[name]]
        rows += _group(name, entries)
    for name in ("changed", "deleted"):
        rows += _group(name, [one_line(source) for source in fields[name]])
    stale = len(fields["changed"]) + len(fields["deleted"])
    if stale:
        rows.append(("", f"{plural(stale, 'file')} out of date: run `ragheal index` again"))
    items = [labelled(label, body, cells=11) for label, body in rows]
    return console.render(*items, columns=columns, colour=console.colourful(sys.stdout))


def _group(name: str, entries: list[str]) -> list[tuple[str, str]]:
    shown = [(name if not n else "", entry) for n, entry in enumerate(entries[:LISTED])]
    if len(entries) > LISTED:
        shown.append(("", f"… and {len(entries) - LISTED:,} more"))
    return shown
