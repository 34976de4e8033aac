"""Build or update an index: find what changed, read and embed only that, switch to the result in one step.

    scan      the walk against the known documents, by size and times as git does (scan.py)
    read      changed files: hash, load, split, into a copy of the database (draft.py)
    embed     texts whose vector is not known from before
    write     vectors, words, manifest; then the switch (generation.py)

Nothing is written, and nothing heavy imported, when nothing changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from ragheal.errors import ConfigError, IndexUnusable
from ragheal.indexing import lexical
from ragheal.indexing.chunk import CHUNKER
from ragheal.indexing.draft import Old, load_old
from ragheal.indexing.folder import Folder
from ragheal.indexing.generation import FORMAT, Manifest, current, read_manifest, sweep
from ragheal.indexing.ingest import Ingest, Redo
from ragheal.indexing.lock import writing
from ragheal.indexing.report import OnProgress, Progress, Report
from ragheal.indexing.scan import absolute, scan, within
from ragheal.indexing.store import RACY_NS
from ragheal.indexing.walk import walk
from ragheal.models.base import Embedder
from ragheal.settings import IndexSettings, Settings
from ragheal.storage.clock import now
from ragheal.storage.files import storage_errors
from ragheal.text.analyze import ANALYZER


def build(
    paths: Sequence[Path],
    index_dir: Path,
    settings: Settings,
    embedder_factory: Callable[[], Embedder],
    on_progress: OnProgress | None = None,
    *,
    rebuild: bool = False,
) -> Report:
    """Bring the index in `index_dir` up to date with `paths`; documents outside them stay as they are.

    Without paths, those of earlier builds are taken. `rebuild` starts anew with the paths, whatever is there; else
    an index that is damaged or of another version is left alone and raised. The factory's embedder is asked
    for its fingerprint only, unless there is something to embed.
    Raises ConfigError for a path that is not there, IndexBusy, IndexDamaged, IndexMismatch, ModelError,
    StorageError; these and KeyboardInterrupt leave the old index whole, and finished embeddings are kept.
    """
    folder = Folder(index_dir)
    given = [absolute(path) for path in paths]
    for path in given:
        if not os.path.exists(path):
            raise ConfigError(f"{path} does not exist", hint="check the path; nothing was changed")
    with ExitStack() as stack:
        stack.enter_context(storage_errors(folder.path))
        stack.enter_context(writing(folder))
        sweep(folder)
        old = None if rebuild else load_old(folder)
        if old is not None:
            stack.callback(old.close)
        roots = _roots(folder) if rebuild else []
        run = _Build(folder, old, given or roots, settings.index, embedder_factory(), on_progress or _silent)
        dropped = [root for root in roots if not within(root, run.roots)]
        run.ingest.warnings += [f"{root} is not in the index any more: it was not named" for root in dropped]
        stack.callback(run.ingest.close)
        return run.run()


def _roots(folder: Folder) -> list[Path]:
    """What the index there is was made of, as far as it can still tell."""
    try:
        return [Path(root) for root in read_manifest(folder, current(folder)).roots]
    except (IndexUnusable, FileNotFoundError):
        return []


class _Build:
    """One run; holds what its phases share."""

    def __init__(
        self,
        folder: Folder,
        old: Old | None,
        given: Sequence[Path],
        settings: IndexSettings,
        embedder: Embedder,
        report: OnProgress,
    ) -> None:
        self.started = time.time_ns()
        self.clock = time.perf_counter()
        self.folder = folder
        self.old = old
        self.settings = settings
        self.embedder = embedder
        self.report = report
        self.chunking = msgspec.json.encode([settings.chunk_tokens, settings.chunk_overlap]).decode()
        known = [Path(root) for root in old.manifest.roots] if old else []
        # A recorded root that vanished from a folder that is still there was deleted; when its folder is
        # away too, a disk may not be mounted, and its documents stay.
        self.deleted = [root for root in known if not os.path.exists(root) and os.path.exists(root.parent)]
        self.roots = sorted({*known, *given} - set(self.deleted))
        redo = self._compare(old.manifest) if old else Redo()
        self.ingest = Ingest(folder, old, settings, embedder, redo)
        there = [root for root in self.roots if os.path.exists(root)]
        # New chunking means that every file is read again, those of other roots too. And what was once given
        # by name is read although an ignore file excludes it.
        everywhere = redo.split or not given
        self.scopes = there if everywhere else [root for root in there if within(root, set(given))]
        if everywhere:
            away = sorted(set(self.roots) - set(there))
            self.ingest.warnings.extend(f"{root} cannot be reached" for root in away)
        if not self.scopes:
            raise ConfigError("no path to index", hint="ragheal index PATH")

    def _compare(self, manifest: Manifest) -> Redo:
        again = (manifest.chunker, manifest.chunking) != (CHUNKER, self.chunking)
        words = manifest.analyzer != ANALYZER
        embedder = manifest.embedder_fingerprint != self.embedder.fingerprint
        backend = lexical.choose(self.settings.lexical, manifest.chunks, self.settings.tantivy_above)
        notes = []
        if again:
            notes.append("the way documents are split has changed: all were split anew")
        if words:
            notes.append(
                f"the analyzer has changed ({manifest.analyzer} to {ANALYZER}): all words were indexed anew"
            )
        if embedder:
            before = f"{manifest.embedder} {manifest.embedder_fingerprint}"
            after = f"{self.embedder.name} {self.embedder.fingerprint}"
            notes.append(f"the embedder has changed ({before} to {after}): all chunks were embedded anew")
        if backend != manifest.lexical:
            notes.append(f"the word index moved from {manifest.lexical} to {backend}")
        roots = set(self.roots) != {Path(root) for root in manifest.roots}
        return Redo(split=again, words=words, write=bool(notes) or roots, notes=tuple(notes))

    def run(self) -> Report:
        ingest = self.ingest
        self.report(Progress("scan", 0))
        found = scan(
            walk(self.scopes, self.settings),
            self.old.rows if self.old else [],
            self.folder,
            scopes={*self.scopes, *self.deleted},
            roots={root for root in self.roots if not os.path.isfile(root)},
            racy_from_ns=(self.old.manifest.started_ns if self.old else 0) - RACY_NS,
            everything=ingest.again,
        )
        self.report(Progress("scan", len(found.same) + len(found.read)))
        if not found.read and not found.same:
            ingest.warnings.append("no document was found in " + ", ".join(map(str, self.scopes)))
        ingest.start(found)
        for done, candidate in enumerate(found.read):
            self.report(Progress("read", done, len(found.read), candidate.source))
            ingest.read(candidate)
        if found.read:
            self.report(Progress("read", len(found.read), len(found.read)))
        ingest.restat()
        return self._finish()

    def _finish(self) -> Report:
        draft = self.ingest.draft
        if draft is not None:
            manifest = draft.commit(
                self._manifest(), self.settings.lexical, self.settings.tantivy_above, self.report
            )
        else:
            assert self.old is not None  # without an old index there is always a draft
            manifest = self.old.manifest
        return self.ingest.report(
            generation=manifest.generation,
            written=draft is not None,
            documents=manifest.documents,
            chunks=manifest.chunks,
            embedded=draft.embedded if draft else 0,
            reused=draft.reused if draft else 0,
            seconds=time.perf_counter() - self.clock,
        )

    def _manifest(self) -> Manifest:
        """The manifest but for what is known only when everything is written."""
        return Manifest(
            version=FORMAT,
            generation=0,
            created=now(),
            started_ns=self.started,
            roots=tuple(map(str, self.roots)),
            embedder=self.embedder.name,
            embedder_fingerprint=self.embedder.fingerprint,
            dim=self.embedder.dim,
            chunker=CHUNKER,
            chunking=self.chunking,
            analyzer=ANALYZER,
            lexical="rank-bm25",
            documents=0,
            chunks=0,
        )


def _silent(_: Progress) -> None:
    pass
