"""Take the files of a scan into the next generation: hash, load, split, and tell what happened to each."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import msgspec

from ragheal.errors import LoadError, RaghealError
from ragheal.indexing.chunk import split
from ragheal.indexing.draft import Draft, Old
from ragheal.indexing.folder import Folder, pack_path
from ragheal.indexing.load import load
from ragheal.indexing.report import Report, group
from ragheal.indexing.scan import Candidate, Scan, path_of
from ragheal.indexing.store import INODE_BITS, DocumentRow
from ragheal.models.base import Embedder
from ragheal.settings import IndexSettings
from ragheal.storage.clock import now


class Redo(msgspec.Struct, frozen=True):
    """What settings and versions of today ask to be done anew, beyond the files that changed."""

    split: bool = False  # every file is read and split again
    words: bool = False  # every chunk's terms are computed again
    write: bool = False  # a new generation is due whatever the files say
    notes: tuple[str, ...] = ()


class Ingest:
    """Collects the documents of one run. `draft` is None as long as nothing has changed."""

    def __init__(
        self, folder: Folder, old: Old | None, settings: IndexSettings, embedder: Embedder, redo: Redo
    ) -> None:
        self.folder = folder
        self.old = old
        self.settings = settings
        self.embedder = embedder
        self.again = redo.split
        self.redo = redo
        self.draft: Draft | None = None
        self.warnings: list[str] = []
        self.leaving: dict[str, DocumentRow] = {}  # by source: documents whose files are gone
        self._origins: dict[str, list[DocumentRow]] = {}  # by hash: what a new file may be a rename of
        self._touched: list[DocumentRow] = []  # unchanged, but with new times
        self._added: list[str] = []
        self._changed: list[str] = []
        self._renamed: list[str] = []
        self._unchanged = 0
        self._skipped: list[tuple[str, str]] = []
        self._failed: list[tuple[str, str]] = []
        self._faultless = 0

    def start(self, found: Scan) -> None:
        """Keep what is as it was, take out what is not where it was; what was renamed shows later."""
        self._skipped.extend((skip.source, skip.reason) for skip in found.skips)
        self._faultless = sum(not skip.fault for skip in found.skips)
        for row in found.same:
            self.keep(row)
        lost = found.outside if self.again else ()
        if lost:
            self.warnings.append(f"{len(lost)} documents were left out: their folder is not there any more")
        self.leaving = {row.source: row for row in (*found.gone, *lost)}
        moved = [c.row for c in found.read if c.row is not None and c.row.source != c.source]
        if self.redo.write or self.leaving or moved or self.old is None:
            self._changing()
        if not self.again:
            for row in (*self.leaving.values(), *moved):
                self._changing().store.drop(row.source)
        # A file may also have moved here from a folder outside this run.
        for row in (*self.leaving.values(), *(() if self.again else found.outside)):
            if row.status == "ok":
                self._origins.setdefault(row.sha256, []).append(row)

    def read(self, candidate: Candidate) -> None:
        """Read one file and take in what it holds. Only errors of the index itself or the disk get out."""
        row, source, found = candidate.row, candidate.source, candidate.found
        stays = row is not None and row.source == source and not self.again
        fresh = DocumentRow(
            source=source,
            root=self.folder.pack_root(candidate.root),
            path=pack_path(found.path.relative_to(candidate.root)),
            size=found.size,
            mtime_ns=found.mtime_ns,
            ctime_ns=found.ctime_ns,
            inode=found.inode & INODE_BITS,
            indexed_at=now(),
        )
        try:
            data = found.path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            if row is not None and stays and row.status == "ok":
                self._failed.append((source, f"{reason}; kept as it was indexed before"))
            else:
                self._refuse(fresh, row if stays else None, LoadError(reason))
            return
        fresh = msgspec.structs.replace(fresh, sha256=hashlib.sha256(data).hexdigest())
        if row is not None and stays and row.sha256 == fresh.sha256 and row.status != "failed":
            self.keep(row)
            self._touched.append(_with_stat(row, fresh))
            return
        try:
            document = load(found.path, source, data)
            chunks = split(document, self.settings)
            # SQLite takes no lone surrogates either.
            msgspec.json.encode((document.title, document.metadata, chunks))
            if not chunks:
                raise LoadError("no text in it", skipped=True)
        except LoadError as error:
            self._refuse(fresh, row if stays else None, error)
            return
        except RaghealError:
            raise
        except UnicodeEncodeError:
            self._refuse(fresh, row if stays else None, LoadError("its text is not valid Unicode"))
            return
        except Exception as error:  # one bad file never stops the run, whatever its reader thought of
            self._refuse(fresh, row if stays else None, LoadError(f"{type(error).__name__}: {error}"))
            return
        fresh = msgspec.structs.replace(
            fresh, kind=document.kind, title=document.title, encoding=document.encoding, metadata=document.metadata
        )
        if stays:
            self._changing().store.drop(source)
        self._changing().add(fresh, chunks, self._classify(fresh, row))

    def _classify(self, fresh: DocumentRow, row: DocumentRow | None) -> str:
        """Count a document that was read; returns the source it was renamed from, or ""."""
        if row is not None and row.status == "ok":
            if row.sha256 != fresh.sha256:
                self._changed.append(fresh.source)
            elif row.source != fresh.source:
                self._renamed.append(fresh.source)
                return row.source
            else:
                self._unchanged += 1
            return ""
        for origin in self._origins.get(fresh.sha256, []):
            if origin.source not in self.leaving:
                if os.path.exists(path_of(self.folder, origin)):
                    continue  # a copy, not a rename
                self._changing().store.drop(origin.source)
            self.leaving.pop(origin.source, None)
            self._origins[fresh.sha256].remove(origin)
            self._renamed.append(fresh.source)
            return origin.source
        self._added.append(fresh.source)
        return ""

    def _refuse(self, fresh: DocumentRow, row: DocumentRow | None, error: LoadError) -> None:
        """A file without text to index: listed now, and remembered so that `status` can name it."""
        status = "skipped" if error.skipped else "failed"
        (self._skipped if error.skipped else self._failed).append((fresh.source, error.reason))
        known = row is not None and (row.status, row.reason, row.sha256) == (status, error.reason, fresh.sha256)
        if known:
            return
        if row is not None:
            self._changing().store.drop(fresh.source)
            if row.status == "ok":
                self._changed.append(fresh.source)
        refused = msgspec.structs.replace(
            fresh, status=status, reason=error.reason.encode(errors="replace").decode()
        )
        self._changing().store.put_document(refused)

    def keep(self, row: DocumentRow) -> None:
        if row.status == "ok":
            self._unchanged += 1
        else:
            self._skipped.append((row.source, row.reason))

    def _changing(self) -> Draft:
        """The next generation, begun at the first change."""
        if self.draft is None:
            self.draft = Draft(self.folder, self.old, self.embedder, again=self.again, words_again=self.redo.words)
        return self.draft

    def restat(self) -> None:
        """Note the new times of files whose content is unchanged, if a generation is written at all."""
        if self.draft is not None:
            for row in self._touched:
                self.draft.store.put_document(row)

    def report(self, **rest: Any) -> Report:
        """The report of the run; `rest` are the fields that are not about single documents."""
        return Report(
            added=group(self._added),
            changed=group(self._changed),
            renamed=group(self._renamed),
            deleted=group([row.source for row in self.leaving.values() if row.status == "ok"]),
            unchanged=self._unchanged,
            skipped=tuple(sorted(self._skipped)),
            failed=tuple(sorted(self._failed)),
            faults=len(self._failed) + len(self._skipped) - self._faultless,
            warnings=tuple(self.warnings),
            notes=self.redo.notes,
            **rest,
        )

    def close(self) -> None:
        if self.draft is not None:
            self.draft.close()


def _with_stat(row: DocumentRow, fresh: DocumentRow) -> DocumentRow:
    return msgspec.structs.replace(
        row, size=fresh.size, mtime_ns=fresh.mtime_ns, ctime_ns=fresh.ctime_ns, inode=fresh.inode
    )
