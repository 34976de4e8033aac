"""The shipped embedder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ragheal.errors import ModelError
from ragheal.models import SHIPPED_EMBEDDERS, load_embedder
from ragheal.models.base import Embedder
from ragheal.models.embed import DATA, SHIPPED, OnnxEmbedder

TEXTS = [
    "Orders may be returned within 30 days of delivery.",
    "订单可在送达后三十天内退货。",
    "The pump is switched off when the pressure exceeds 6 bar.",
    "",
    "压力超过六巴时，水泵自动关闭。",
    "x = [n ** 2 for n in range(10)]",
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder(SHIPPED)


def copy_of_the_model(folder: Path) -> Path:
    return Path(shutil.copytree(DATA / SHIPPED, folder / SHIPPED))


def test_every_shipped_model_has_its_files() -> None:
    """A name in the table without files would fail at the user's first question."""
    for name in SHIPPED_EMBEDDERS:
        assert {"model.onnx", "tokenizer.json", "SHA256SUMS", "LICENSE.md"} <= set(os.listdir(DATA / name))


def test_vectors_have_unit_length_and_the_promised_shape(embedder: Embedder) -> None:
    """An index over other lengths would rank by length instead of by meaning."""
    rows = embedder.embed_passages(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dim)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    query = embedder.embed_query("How long can I return an order?")
    assert query.shape == (embedder.dim,)
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    """An update in which nothing changed must not fail."""
    assert embedder.embed_passages([]).shape == (0, embedder.dim)


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    """A vector that moved with its neighbours would make a rebuilt index answer differently."""
    rows = embedder.embed_passages(TEXTS)
    assert np.array_equal(embedder.embed_passages(TEXTS), rows)
    assert np.array_equal(embedder.embed_passages(TEXTS[::-1])[::-1], rows)
    assert np.array_equal(np.concatenate([embedder.embed_passages([text]) for text in TEXTS]), rows)


def test_threads_do_not_change_vectors(embedder: Embedder) -> None:
    """Machines with other numbers of cores must build the same index."""
    one = OnnxEmbedder(threads=1).embed_passages(TEXTS)
    assert np.array_equal(OnnxEmbedder(threads=5).embed_passages(TEXTS), one)


def test_a_repeated_query_gives_an_array_of_its_own(embedder: Embedder) -> None:
    """A caller that changes its vector must not change the next caller's."""
    first = embedder.embed_query("rate limit")
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(embedder.embed_query("rate limit"), kept)


def test_marks_in_a_document_are_text(embedder: Embedder) -> None:
    """A page about language models that shows "</s>" would otherwise end there for the reader."""
    engine = OnnxEmbedder()._future().result()
    marks = "<s> </s> <mask> <pad> <unk> ＜s＞"
    ids = engine.tokenizer.encode(f"passage: about {marks} in prompts").ids
    special = {engine.tokenizer.token_to_id(mark) for mark in ("<s>", "</s>", "<mask>", "<pad>", "<unk>")}
    assert not special & set(ids[1:-1])
    with_marks, without = embedder.embed_passages([f"a{marks}b", "ab"])
    assert not np.array_equal(with_marks, without)


def test_a_very_long_text_is_cut_and_not_refused(embedder: Embedder) -> None:
    """One log file of many megabytes must not stop the index, nor take minutes."""
    start = "The quarterly report lists revenue by region. "
    long, longer = embedder.embed_passages([start * 400, start * 40_000])
    assert np.array_equal(long, longer)


def test_max_tokens_is_where_the_cut_begins(embedder: Embedder) -> None:
    """A chunk that fits by the chunker's count must be embedded to its last word."""
    text = " ".join(["go"] * embedder.max_tokens)
    assert embedder.count_tokens(text) == embedder.max_tokens
    whole, other_end = embedder.embed_passages([text, text[: -len("go")] + "dog"])
    assert not np.array_equal(whole, other_end)
    beyond, beyond_other = embedder.embed_passages([text + " go go go", text + " go go dog"])
    assert np.array_equal(beyond, beyond_other)


def test_counting_is_not_truncated(embedder: Embedder) -> None:
    """The chunker would take a chapter for a chunk that fits."""
    assert embedder.count_tokens("word " * 2000) >= 2000
    assert embedder.count_tokens("") == 0


def test_text_that_no_encoder_takes(embedder: Embedder) -> None:
    """A broken file name or a badly decoded document must not stop the run."""
    assert np.isfinite(embedder.embed_query("caf\udce9 \ud800")).all()
    assert embedder.count_tokens("\udce9") > 0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Within how many days can I return an order?", 0),
        ("退货期限是多久？", 1),
        ("What happens at too high pressure?", 2),
        ("压力太高会怎样？", 3),
        ("list comprehension with squares", 4),
    ],
)
def test_the_meant_passage_comes_first(embedder: Embedder, question: str, expected: int) -> None:
    """Retrieval in both languages rests on this."""
    passages = [text for text in TEXTS if text]
    scores = embedder.embed_passages(passages) @ embedder.embed_query(question)
    assert int(np.argmax(scores)) == expected


def test_a_question_finds_the_passage_of_the_other_language(embedder: Embedder) -> None:
    """A Chinese question about English documents must be answerable."""
    english = [TEXTS[0], TEXTS[2], TEXTS[5]]
    assert int(np.argmax(embedder.embed_passages(english) @ embedder.embed_query("退货期限是多久？"))) == 0


def test_progress_is_told_in_the_calling_thread(embedder: Embedder) -> None:
    """A progress bar that stands still, or is drawn from several threads at once."""
    seen: list[tuple[int, bool]] = []
    here = threading.get_ident()
    embedder.embed_passages(TEXTS, lambda done: seen.append((done, threading.get_ident() == here)))
    assert seen == [(n, True) for n in range(1, len(TEXTS) + 1)]


def test_an_error_while_embedding_reaches_the_caller(embedder: Embedder) -> None:
    """A failure in a thread must not hang the run."""

    def stop(done: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        embedder.embed_passages(TEXTS * 20, stop)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a single process")
def test_ctrl_c_is_answered_promptly() -> None:
    """A user who stops a long build should not wait for the rest of the corpus."""
    code = (
        "from ragheal.models import load_embedder\n"
        "texts = ['a rather long line of text ' * 40] * 5000\n"
        "load_embedder('e5-small-en-zh').embed_passages(texts, lambda n: n == 1 and print('go', flush=True))\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - start < 10
    assert errors.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["changed", "short", "gone"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str, damage: str) -> None:
    """A half-copied or altered model would answer with nonsense and not say so."""
    folder = copy_of_the_model(tmp_path)
    path = folder / name
    content = bytearray(path.read_bytes())
    if damage == "changed":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif damage == "short":
        path.write_bytes(content[: len(content) // 2])
    else:
        path.unlink()
    with pytest.raises(ModelError, match=name) as caught:
        OnnxEmbedder(folder).embed_query("hello")
    assert "reinstall" in caught.value.hint


def test_a_missing_folder_is_a_model_error(tmp_path: Path) -> None:
    """An incomplete installation should say what to do."""
    embedder = OnnxEmbedder(tmp_path)
    embedder.warm()  # must not raise yet
    with pytest.raises(ModelError) as caught:
        embedder.embed_query("hello")
    assert caught.value.exit_code == 6


def test_the_fingerprint_follows_files_and_prefixes(tmp_path: Path) -> None:
    """An index searched with vectors of another kind finds noise."""
    folder = copy_of_the_model(tmp_path)
    shipped = load_embedder(SHIPPED).fingerprint
    assert OnnxEmbedder(folder).fingerprint == shipped
    assert load_embedder(SHIPPED, "ask: ").fingerprint != shipped
    assert load_embedder(SHIPPED, "", "").fingerprint != shipped
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text("utf-8").replace("a", "b"), "utf-8")
    assert OnnxEmbedder(folder).fingerprint != shipped


def test_nothing_heavy_is_imported() -> None:
    """The start of `ragheal ask` would take seconds with torch, and `--help` needs no model at all."""
    code = (
        "import sys\n"
        "from ragheal.models import load_embedder\n"
        "embedder = load_embedder('e5-small-en-zh'); embedder.fingerprint\n"
        "early = {'numpy', 'onnxruntime', 'tokenizers'} & sys.modules.keys()\n"
        "embedder.embed_query('hello')\n"
        "never = {'torch', 'transformers', 'sentence_transformers', 'huggingface_hub'} & sys.modules.keys()\n"
        "print(sorted(early), sorted(never))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[] []\n"
    assert run.stderr == ""
