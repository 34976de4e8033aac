"""Which way of using the cores embeds most texts per second?

    python bench/embed_threads.py FILE_OR_FOLDER [--texts 200] [--tokens 256] [--threads N]

Cuts the text into passages of about `--tokens` tokens and times four ways of embedding them:

    one run at a time, N threads inside   intra_op=N, called from one thread
    one session, N callers                intra_op=1, called from N threads: what OnnxEmbedder does
    N sessions, one caller each           intra_op=1, a copy of the weights per thread
    batches of 8, N threads inside        changes vectors with the company they keep: for comparison only

Every way is timed three times, in turn; the best is shown, as other work on the machine only ever slows. The
processor's own time per text shows what a way wastes by waiting, even on a busy machine.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragheal.models.embed import CONTEXT, DATA, SHIPPED, OnnxEmbedder
from ragheal.models.onnx import cores
from ragheal.models.onnx import tokenizer as shared_tokenizer

Ids = list[int]
Rows = NDArray[np.float32]


def passages(path: Path, tokens: int, limit: int) -> list[str]:
    """Paragraphs of the text files under `path`, joined to about `tokens` tokens each."""
    count = OnnxEmbedder().count_tokens
    found: list[str] = []
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in (file for file in files if file.is_file()):
        held: list[str] = []
        for paragraph in [*file.read_text("utf-8", "replace").split("\n\n"), ""]:
            if held and (not paragraph or count("\n".join([*held, paragraph])) > tokens):
                found.append("\n".join(held))
                held = []
            if paragraph.strip():
                held.append(paragraph)
    step = max(1, len(found) // limit)
    return found[::step][:limit]


def session(intra: int, spinning: bool = False) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = intra
    options.add_session_config_entry("session.intra_op.allow_spinning", "1" if spinning else "0")
    return onnxruntime.InferenceSession(str(DATA / SHIPPED / "model.onnx"), options, ["CPUExecutionProvider"])


def run(running: Any, batch: Sequence[Ids]) -> Rows:
    width = max(map(len, batch))
    ids = np.ones((len(batch), width), np.int64)  # 1: <pad>
    mask = np.zeros_like(ids)
    for row, text in enumerate(batch):
        ids[row, : len(text)], mask[row, : len(text)] = text, 1
    rows: Rows = running.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0]
    return rows


def one_by_one(threads: int, spinning: bool, batch: int = 1) -> Callable[[list[Ids]], Rows]:
    running = session(threads, spinning)
    return lambda texts: np.concatenate([run(running, texts[i : i + batch]) for i in range(0, len(texts), batch)])


def one_session(threads: int) -> Callable[[list[Ids]], Rows]:
    running = session(1)

    def embed(texts: list[Ids]) -> Rows:
        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate(list(pool.map(lambda ids: run(running, [ids]), texts)))

    return embed


def session_each(threads: int) -> Callable[[list[Ids]], Rows]:
    sessions = [session(1) for _ in range(threads)]

    def embed(texts: list[Ids]) -> Rows:
        def part(n: int) -> Rows:
            return np.concatenate([run(sessions[n], [ids]) for ids in texts[n::threads]])

        rows = np.empty((len(texts), OnnxEmbedder.dim), np.float32)
        with ThreadPoolExecutor(threads) as pool:
            for n, share in enumerate(pool.map(part, range(threads))):
                rows[n::threads] = share
        return rows

    return embed


def ways(threads: int) -> Iterator[tuple[str, Callable[[], Callable[[list[Ids]], Rows]]]]:
    yield "one run at a time, 1 thread", lambda: one_by_one(1, False)
    yield f"one run at a time, {threads} threads inside", lambda: one_by_one(threads, False)
    yield f"one run at a time, {threads} threads inside, spinning", lambda: one_by_one(threads, True)
    yield f"one session, {threads} callers", lambda: one_session(threads)
    yield f"{threads} sessions, one caller each", lambda: session_each(threads)
    yield f"batches of 8, {threads} threads inside", lambda: one_by_one(threads, False, 8)


def resident() -> float:
    """Resident memory of this process in MB; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0.0
    return pages * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare ways of embedding many texts.")
    parser.add_argument("path", type=Path)
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--threads", type=int, default=cores())
    options = parser.parse_args()

    texts = passages(options.path, options.tokens, options.texts)
    tokenizer = shared_tokenizer(DATA / SHIPPED / "tokenizer.json")
    ids = sorted((tokenizer.encode("passage: " + text).ids[:CONTEXT] for text in texts), key=len, reverse=True)
    mean = sum(map(len, ids)) / len(ids)
    print(f"{len(ids)} passages, {mean:.0f} tokens on average, {options.threads} threads, best of 3\n")

    best: dict[str, float] = {}
    cpu: dict[str, float] = {}
    memory: dict[str, float] = {}
    cosine: dict[str, float] = {}
    reference = one_by_one(1, False)(ids)
    for _ in range(3):
        for name, make in ways(options.threads):
            gc.collect()
            before = resident()
            embed = make()
            embed(ids[:4])
            start, busy = time.perf_counter(), time.process_time()
            rows = embed(ids)
            cpu[name] = min(cpu.get(name, np.inf), time.process_time() - busy)
            best[name] = min(best.get(name, np.inf), time.perf_counter() - start)
            memory[name] = max(memory.get(name, 0.0), resident() - before)
            cosine[name] = float((rows * reference).sum(1).min())
    start = time.perf_counter()
    OnnxEmbedder(threads=options.threads).embed_passages(texts)
    whole = time.perf_counter() - start

    print(f"{'way':48} {'texts/s':>8} {'tokens/s':>9} {'CPU ms/text':>12} {'MB more':>8} {'min cosine':>11}")
    for name, seconds in best.items():
        rates = f"{len(ids) / seconds:8.1f} {sum(map(len, ids)) / seconds:9.0f}"
        rates += f" {1000 * cpu[name] / len(ids):12.1f}"
        print(f"{name:48} {rates} {memory[name]:8.0f} {cosine[name]:11.6f}")
    print(f"{'OnnxEmbedder.embed_passages, loading included':48} {len(ids) / whole:8.1f}")


if __name__ == "__main__":
    main()
