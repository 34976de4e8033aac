"""Several processes, kills, a full disk: the old index stays whole, and one writer writes at a time."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ragheal.errors import IndexBusy, StorageError
from ragheal.indexing.folder import Folder
from ragheal.indexing.lock import writing

ROOT = Path(__file__).parents[2]

#: A build in a process of its own, with the embedder of conftest.py, slowed down.
BUILD = f"""
import runpy, sys
from pathlib import Path
helper = runpy.run_path({str(Path(__file__).with_name("conftest.py"))!r})
from ragheal.errors import RaghealError
from ragheal.indexing import draft
from ragheal.indexing.build import build
from ragheal.settings import Settings
draft.EMBED_BATCH = 5
docs, index, pause = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
def progress(step):
    print(step.phase, step.done, flush=True)
try:
    report = build([docs], index, Settings(), lambda: helper["WordEmbedder"](pause=pause), progress)
    print("embedded", report.embedded, flush=True)
except RaghealError as error:
    print(type(error).__name__, error.message, error.hint, file=sys.stderr)
    sys.exit(9)
"""


def start(project, pause: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILD, str(project.docs), str(project.index), str(pause)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], phase: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(phase):
            return
    raise AssertionError(f"{phase} never came: {process.communicate()}")


@pytest.fixture
def grown(project):
    """An index of one document, and forty more documents to index."""
    project.write("old.md", "# Old\n\nThe old index answers.")
    project.build()
    for i in range(40):
        project.write(f"new{i}.md", f"# New {i}\n\nDocument number{i}.")
    return project


@pytest.mark.parametrize("moment", range(6))
def test_a_kill_at_any_moment_leaves_the_old_index_whole(grown, moment):
    """Power cuts and impatient users must not cost the index; what was embedded is not lost either."""
    process = start(grown, 0.02)
    wait_for(process, "read" if moment < 4 else "write")
    time.sleep(random.uniform(moment, moment + 1) * 0.2 if moment < 4 else random.uniform(0, 0.05))
    process.kill()
    process.communicate()
    with grown.open() as index:
        assert index.generation in (1, 2)
        assert len(index.lexical(["old"], 5)) == 1
        assert len(index.dense(grown.embedder.embed_query("old"), 99)) == index.chunk_count in (1, 41)
    report = grown.build()
    assert report.documents == 41
    assert grown.find("number17") == ["new17.md"]
    assert len(grown.embedder.asked) <= 40
    left = sorted(path.name for path in (grown.index / "generations").iterdir())
    assert not [name for name in left if ".tmp" in name]


def test_embeddings_survive_a_kill(grown):
    """An hour of embedding would be lost to a kill in the last minute."""
    process = start(grown, 0.02)
    wait_for(process, "embed 23")
    process.kill()
    process.communicate()
    assert (grown.index / "pending.db").exists()
    grown.build()
    assert len(grown.embedder.asked) <= 20


def test_a_second_writer_is_told_at_once_by_whom(grown):
    """Two writers would destroy the index; waiting without a word looks like a hang."""
    process = start(grown, 0.05)
    wait_for(process, "embed")
    try:
        begun = time.monotonic()
        with pytest.raises(IndexBusy) as caught:
            grown.build()
        assert time.monotonic() - begun < 1
        assert f"pid {process.pid}" in caught.value.message
        assert caught.value.hint
        assert grown.find("old") == ["old.md"]
    finally:
        process.kill()
        process.communicate()


def test_a_dead_writer_holds_no_lock(grown):
    """A lock file that outlives its process makes people delete files by hand."""
    process = start(grown, 0.05)
    wait_for(process, "embed")
    process.kill()
    process.communicate()
    assert grown.build().written
    with writing(Folder(grown.index)):
        pass


def test_two_builds_at_once_end_in_one_whole_index(grown):
    """Whichever comes second gives way; nothing is lost."""
    processes = [start(grown, 0.01), start(grown, 0.01)]
    codes = sorted(process.wait(timeout=60) for process in processes)
    for process in processes:
        process.communicate()
    assert codes in ([0, 9], [0, 0])
    assert grown.find("number39") == ["new39.md"]
    assert not grown.build().written


@pytest.mark.skipif(os.name == "nt", reason="no such signal there")
def test_ctrl_c_in_a_process_of_its_own(grown):
    """130 is the command line's affair; here the index must be whole and the lock free."""
    process = start(grown, 0.05)
    wait_for(process, "embed")
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in complaint
    assert grown.find("old") == ["old.md"]
    assert sorted(path.name for path in (grown.index / "generations").iterdir()) == ["000001"]
    assert grown.build().documents == 41


def test_readers_see_one_whole_state_while_writers_switch(project):
    """A question during `index` would mix two states, or fail."""
    project.write("a.md", "# A\n\nversion0 apples.")
    project.build()
    problems: list[BaseException] = []
    stop = threading.Event()
    reads = 0

    def read() -> None:
        nonlocal reads
        try:
            while not stop.is_set():
                with project.open() as index:
                    hits = index.lexical(["appl"], 5)
                    texts = [chunk.text for chunk in index.chunks([number for number, _ in hits])]
                    assert len(texts) == index.chunk_count == 1
                    assert f"version{index.generation - 1} " in texts[0]
                    assert len(index.dense(project.embedder.embed_query("apples"), 5)) == 1
                reads += 1
        except BaseException as error:
            problems.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(1, 12):
        project.write("a.md", f"# A\n\nversion{i} apples.", age=1000 - i)
        project.build()
    stop.set()
    for reader in readers:
        reader.join()
    assert not problems, problems[0]
    assert reads > 3


@pytest.mark.skipif(os.name == "nt", reason="limits are set with setrlimit")
def test_a_full_disk_leaves_the_old_index(grown):
    """A disk that fills up must say so, and cost nothing but the free space."""
    grown.write("large.md", "\n\n".join(f"# Part {i}\n\n" + f"word{i} and more of it. " * 60 for i in range(120)))
    limited = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n" + BUILD
    command = [sys.executable, "-c", limited, str(grown.docs), str(grown.index), "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 9, done.stderr
    assert "StorageError" in done.stderr
    assert grown.find("old") == ["old.md"]
    assert sorted(path.name for path in (grown.index / "generations").iterdir()) == ["000001"]
    assert grown.build().documents == 42


def test_a_disk_that_fills_at_the_switch_leaves_the_old_index(grown, monkeypatch):
    """The last write is the one that matters most."""
    import errno

    from ragheal.indexing import generation
    from ragheal.storage import files

    for last in range(3):
        calls = 0

        def full(path: Path, last: int = last) -> None:
            nonlocal calls
            calls += path.suffix == ".new" or path.name in {"generations", "manifest.json"}
            if calls > last:
                raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(generation, "sync", full)
            patched.setattr(files, "sync", full)
            with pytest.raises(StorageError, match="disk is full") as caught:
                grown.build()
        assert caught.value.hint
        with grown.open() as index:
            assert index.generation == 1
    assert grown.build().documents == 41
    assert len(grown.embedder.asked) == 0  # kept from the attempts before


def test_a_folder_that_cannot_be_made_is_named(project):
    """A traceback about a lock file tells nobody what to do."""
    (project.folder / ".ragheal").write_text("a file is in the way")
    project.write("a.md", "# A\n\nText.")
    with pytest.raises(StorageError, match=r"\.ragheal"):
        project.build()


def test_a_read_only_folder_is_named_and_can_still_be_asked(grown):
    """An index on a read-only share is read; building there says why not."""
    import shutil

    if os.name == "nt" or (os.geteuid() == 0 and shutil.which("unshare") is None):
        pytest.skip("no way to make a folder read-only here")
    ask = f"""
from pathlib import Path
from ragheal.indexing.opened import OpenIndex
with OpenIndex.open(Path({str(grown.index)!r})) as index:
    assert index.lexical(["old"], 5) and index.documents() and index._open_dense()
"""
    arguments = [str(grown.docs), str(grown.index), "0"]
    if os.geteuid() != 0:
        for folder in (grown.index, *(p for p in grown.index.rglob("*") if p.is_dir())):
            folder.chmod(0o555)
        before: list[str] = []
    else:
        mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" || exit 77; exec "$@"'
        before = ["unshare", "-m", "sh", "-c", mount, str(grown.index)]
    try:
        asked = subprocess.run([*before, sys.executable, "-c", ask], cwd=ROOT, check=False)
        built = subprocess.run(
            [*before, sys.executable, "-c", BUILD, *arguments],
            cwd=ROOT,
            check=False,
            capture_output=True,
            text=True,
        )
    finally:
        for folder in (grown.index, *(p for p in grown.index.rglob("*") if p.is_dir())):
            folder.chmod(0o755)
    if asked.returncode == 77:
        pytest.skip("no way to make a folder read-only here")
    assert asked.returncode == 0
    assert built.returncode == 9, built.stderr
    assert "StorageError" in built.stderr
    assert "--index" in built.stderr
