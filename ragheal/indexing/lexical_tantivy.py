"""BM25 by Tantivy, for large indexes. Imported late."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tantivy

from ragheal.errors import IndexDamaged, StorageError
from ragheal.indexing.bm25 import clip

#: Bytes the writer may hold before it begins another segment. One thread and one segment keep the chunks in
#: the order of their numbers, which is how Tantivy orders equal scores.
HEAP = 1_000_000_000


class TantivyWords:
    """A `Lexical` over a folder that `write` made."""

    def __init__(self, folder: Path) -> None:
        self._mirror: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._open(folder)
        except ValueError:
            # Even a reader creates a lock file in the index's folder, which fails when that is read-only:
            # then the index is opened through a temporary folder of links.
            self._mirror = tempfile.TemporaryDirectory(prefix="ragheal-words-", ignore_cleanup_errors=True)
            try:
                _mirror(folder, Path(self._mirror.name))
                self._open(Path(self._mirror.name))
            except (OSError, ValueError) as error:
                raise IndexDamaged(
                    f"the word index in {folder} cannot be read: {error}", hint="ragheal index --rebuild PATH"
                ) from None

    def _open(self, folder: Path) -> None:
        index = tantivy.Index.open(str(folder))
        index.config_reader(reload_policy="manual")  # no thread that watches the folder: it never changes
        self._schema = index.schema
        self._searcher = index.searcher()

    def search(self, terms: Sequence[str], k: int) -> list[tuple[int, float]]:
        if k <= 0 or not terms:
            return []
        try:
            query = tantivy.Query.boolean_query(
                [
                    (
                        tantivy.Occur.Should,
                        _times(tantivy.Query.term_query(self._schema, "words", term, "freq"), n),
                    )
                    for term, n in Counter(clip(term) for term in terms).items()
                ]
            )
            hits = self._searcher.search(query, limit=k, count=False).hits
            numbers = self._searcher.fast_field_values("number", [address for _, address in hits])
        except ValueError as error:
            raise IndexDamaged(
                f"the word index cannot be searched: {error}", hint="ragheal index --rebuild PATH"
            ) from None
        found = [
            (int(number or 0), float(hit[0])) for hit, number in zip(hits, numbers, strict=True) if hit[0] > 0
        ]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))


def write(folder: Path, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Write an index of one segment. Raises StorageError."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("words", stored=False, tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("number", stored=False, indexed=False, fast=True)
    try:
        index = tantivy.Index(builder.build(), path=str(folder), reuse=False)
        writer = index.writer(heap_size=HEAP, num_threads=1)
        for number, terms in rows:
            document = tantivy.Document()
            document.add_text("words", " ".join(map(clip, terms)))
            document.add_unsigned("number", number)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:  # how Tantivy reports a full disk
        raise StorageError(f"the word index cannot be written: {error}", hint="is the disk full?") from None
    for file in folder.iterdir():
        if file.name.endswith(".lock"):
            file.unlink()
        else:
            # Its own files are for the owner alone; an index is shared as its folder is.
            file.chmod(folder.stat().st_mode & 0o666)


def _times(query: Any, n: int) -> Any:
    return query if n == 1 else tantivy.Query.boost_query(query, float(n))


def _mirror(folder: Path, mirror: Path) -> None:
    for file in folder.iterdir():
        if file.name.endswith(".lock"):
            continue
        try:
            os.symlink(file.absolute(), mirror / file.name)
        except OSError:  # Windows without the right to make links
            shutil.copyfile(file, mirror / file.name)
