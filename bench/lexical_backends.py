"""Where `index.lexical: auto` should change from rank-bm25 to Tantivy: load + first query, a process each.

    python bench/lexical_backends.py [--sizes 250,500,1000,2000,5000,20000,200000] [--repeat 7]

Chunks are generated: about 80 terms each, drawn from a Zipf-like vocabulary; the query has eight terms, from
common to rare. Prints a table of medians in milliseconds of processor time: importing and opening, the first
query (together what one `ask` pays), and a later query; then what the word index weighs. rank-bm25 is left out
above 20,000 chunks.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

QUERY = ["w3", "w20", "w70", "w150", "w400", "w900", "w2500", "w9000"]

CHILD = """
import sys, time
import numpy, msgspec            # both are there already in a process that asks
clock = time.process_time       # all of it is computing; the load of the machine stays out
start = clock()
from pathlib import Path
from ragheal.indexing import lexical
words = lexical.read(sys.argv[1], Path(sys.argv[2]))
loaded = clock()
query = sys.argv[3].split()
words.search(query, 50)
first = clock()
for _ in range(5):
    words.search(query, 50)
print(loaded - start, first - loaded, (clock() - first) / 5)
"""


def rows(count: int, vocabulary: int = 60_000) -> Iterator[tuple[int, list[str]]]:
    rng = random.Random(7)
    weights = [1 / (i + 5) for i in range(vocabulary)]
    total, edges = 0.0, []
    for weight in weights:
        total += weight
        edges.append(total)
    names = [f"w{i}" for i in range(vocabulary)]
    for number in range(count):
        yield number, rng.choices(names, cum_weights=edges, k=rng.randint(40, 120))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="250,500,1000,2000,5000,20000,200000")
    parser.add_argument("--repeat", type=int, default=7)
    args = parser.parse_args()

    from ragheal.indexing import lexical

    print(
        f"{'chunks':>8} {'backend':>10} {'open':>8} {'first':>8} {'together':>9}"
        f" {'later':>8} {'build s':>8} {'MB':>7}"
    )
    for size in map(int, args.sizes.split(",")):
        data = list(rows(size))
        for backend in ("rank-bm25", "tantivy"):
            if backend == "rank-bm25" and size > 20_000:
                continue
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary) / "words"
                start = time.perf_counter()
                lexical.write(backend, folder, data)  # type: ignore[arg-type]
                build = time.perf_counter() - start
                weight = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
                runs = [_child(backend, folder) for _ in range(args.repeat)]
            opening, first, later = (statistics.median(column) * 1000 for column in zip(*runs, strict=True))
            print(
                f"{size:8} {backend:>10} {opening:8.1f} {first:8.1f} {opening + first:9.1f} {later:8.2f}"
                f" {build:8.2f} {weight:7.2f}"
            )


def _child(backend: str, folder: Path) -> list[float]:
    command = [sys.executable, "-c", CHILD, backend, str(folder), " ".join(QUERY)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads("[" + ",".join(out.split()) + "]")  # type: ignore[no-any-return]


if __name__ == "__main__":
    main()
