"""Indexing against embedding alone, in one run: bench/indexing.py FOLDER [--runs 2]

Indexes FOLDER from nothing through the command line, then embeds the very same texts in one process. With
`--reading` its files are only read and cut into chunks, `--runs` times, held against the processor time of a whole
`index`: on a machine that does other things beside, the clock tells little.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ragheal.errors import LoadError
from ragheal.indexing.chunk import embed_text, split
from ragheal.indexing.load import load
from ragheal.indexing.opened import OpenIndex
from ragheal.models import load_embedder
from ragheal.settings import IndexSettings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--reading", action="store_true")
    arguments = parser.parse_args()
    if arguments.reading:
        return read_alone(arguments.folder, arguments.runs)
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory() as place:
            index = Path(place) / ".ragheal"
            started = time.perf_counter()
            index_into(index, arguments.folder)
            whole = time.perf_counter() - started
            with OpenIndex.open(index) as opened:
                texts = [embed_text(chunk) for chunk in opened.chunks(range(1, opened.chunk_count + 1))]
        started = time.perf_counter()
        load_embedder("e5-small-en-zh").embed_passages(texts)
        alone = time.perf_counter() - started
        print(
            f"{len(texts)} chunks: index {whole:.1f} s, embedding alone {alone:.1f} s "
            f"({len(texts) / alone:.0f} chunks/s), ratio {whole / alone:.2f}"
        )


def index_into(index: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "ragheal_cli", "index", str(folder), "--index", str(index), "-q"]
    subprocess.run(command, check=True)


def read_alone(folder: Path, runs: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        index_into(Path(place) / ".ragheal", folder)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = spent.ru_utime + spent.ru_stime
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and ".ragheal" not in path.parts]
    for _ in range(runs):
        read = 0
        started = time.process_time()
        for path in files:
            with contextlib.suppress(LoadError):
                split(load(path, path.name, path.read_bytes()), IndexSettings())
                read += 1
        seconds = time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{read} files: {seconds:.1f} s of processor time, {read / seconds:.0f} files/s on a core, "
            f"{100 * seconds / whole:.0f} % of an index of {whole:.0f} s; {peak:.0f} MB at most"
        )


if __name__ == "__main__":
    main()
