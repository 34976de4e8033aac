"""Indexing against embedding alone, in one run: bench/indexing.py FOLDER [--runs 2]

Indexes FOLDER from nothing through the command line, then embeds the very same texts in one process.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ragheal.indexing.chunk import embed_text
from ragheal.indexing.opened import OpenIndex
from ragheal.models import load_embedder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=2)
    arguments = parser.parse_args()
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory() as place:
            index = Path(place) / ".ragheal"
            started = time.perf_counter()
            command = [
                sys.executable,
                "-m",
                "ragheal_cli",
                "index",
                str(arguments.folder),
                "--index",
                str(index),
                "-q",
            ]
            subprocess.run(command, check=True)
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


if __name__ == "__main__":
    main()
