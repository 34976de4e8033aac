"""BM25 by rank-bm25 and by Tantivy: one behaviour behind one protocol."""

from __future__ import annotations

import math
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ragheal.errors import IndexDamaged
from ragheal.indexing import lexical

BACKENDS = ("rank-bm25", "tantivy")
ENGLISH = [f"word{i}" for i in range(1500)]
CHINESE = [chr(0x4E00 + i) + chr(0x4E00 + 7 * i % 4000) for i in range(1500)]


def generated(count: int, seed: int = 3) -> list[tuple[int, list[str]]]:
    """Chunks of 5 to 160 terms in both languages, frequent ones more often, under numbers with gaps."""
    rng = random.Random(seed)
    weights = [1 / (i + 3) for i in range(1500)]
    rows = []
    for i in range(count):
        names = ENGLISH if i % 3 else CHINESE
        rows.append((3 * i + 5, rng.choices(names, weights, k=rng.randint(5, 160))))
    return rows


def bm25(rows: list[tuple[int, list[str]]], query: list[str]) -> dict[int, float]:
    """The formula, written out."""
    average = sum(len(terms) for _, terms in rows) / len(rows)
    scores: dict[int, float] = {}
    for term in query:
        holding = sum(term in terms for _, terms in rows)
        idf = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
        for number, terms in rows:
            count = terms.count(term)
            if count:
                norm = 1.2 * (1 - 0.75 + 0.75 * len(terms) / average)
                scores[number] = scores.get(number, 0) + idf * count * 2.2 / (count + norm)
    return scores


@pytest.fixture
def both(tmp_path):
    """Write rows with both back ends, open them."""

    def make(rows):
        opened = []
        for backend in BACKENDS:
            folder = tmp_path / f"{backend}-{len(list(tmp_path.iterdir()))}"
            lexical.write(backend, folder, rows)
            opened.append(lexical.read(backend, folder))
        return opened

    return make


def test_their_top_tens_agree(both):
    """Growing over the threshold would change the answers."""
    rows = generated(400)
    okapi, tantivy = both(rows)
    rng = random.Random(5)
    for _ in range(120):
        _, source = rng.choice(rows)
        query = rng.choices(source, k=rng.randint(1, 9))
        one, two = okapi.search(query, 10), tantivy.search(query, 10)
        scores = dict(okapi.search(query, 400))
        edge = one[-1][1]
        # Tantivy rounds lengths: what is within a hair of the tenth place may change places with it.
        near = {number for number, score in scores.items() if score > edge * 0.98}
        assert len({n for n, _ in one} & {n for n, _ in two}) >= min(9, len(one)) or {n for n, _ in two} <= near
        assert one[0][0] == two[0][0] or scores[two[0][0]] > one[0][1] * 0.99
        for number, score in two:
            assert score == pytest.approx(scores[number], rel=0.05)


def test_rank_bm25_gives_the_formula(both):
    """Lucene's idf in place of the library's own, whose floor ranks frequent words above rare ones."""
    rows = generated(60)
    okapi, _ = both(rows)
    query = rows[7][1][:6]
    expected = bm25(rows, query)
    assert dict(okapi.search(query, 100)) == pytest.approx(expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_common_term_is_no_hit(tmp_path, backend):
    """Ten hits with the score 0.0 are ten wrong hits."""
    lexical.write(backend, tmp_path / "words", generated(50))
    words = lexical.read(backend, tmp_path / "words")
    assert words.search(["absent"], 10) == []
    assert words.search([], 10) == []
    assert words.search(["word0"], 0) == []
    hits = words.search(["word0", "absent"], 1000)
    assert {number for number, _ in hits} == {n for n, terms in generated(50) if "word0" in terms}


def test_a_word_in_every_chunk_still_counts_for_something(both):
    """rank-bm25's own idf would be negative here and sink the chunks that hold it."""
    rows = [(i, ["common", *(["rare"] if i == 2 else []), "x" * (i + 1)]) for i in range(5)]
    for words in both(rows):
        hits = words.search(["common", "rare"], 10)
        assert len(hits) == 5
        assert hits[0][0] == 2
        assert all(score > 0 for _, score in hits)


def test_a_repeated_query_term_counts_twice_in_both(both):
    """One back end would weigh the question's emphasis, the other would not."""
    rows = generated(200)
    query = [*rows[11][1][:3], rows[11][1][0], rows[11][1][0]]
    assert Counter(query).most_common(1)[0][1] >= 3
    okapi, tantivy = (dict(words.search(query, 200)) for words in both(rows))
    assert okapi.keys() == tantivy.keys()
    assert okapi == pytest.approx(tantivy, rel=0.05)


def test_equal_scores_come_in_the_order_of_their_numbers(both):
    """The same question would get its hits in another order on another day."""
    rows = [(number, ["same", "text"]) for number in (2, 3, 5, 8, 13, 21, 34)]
    for words in both(rows):
        assert [number for number, _ in words.search(["same"], 4)] == [2, 3, 5, 8]


def test_odd_terms_are_found_in_both(both):
    """A 100,000-character token, blanks and symbols in a term must not break the build or get lost."""
    odd = ["x" * 100_000, "c++", "a b\tc", "中文" * 400, "naïve", "\u3000", "-"]
    rows = [(i, [term, "filler"]) for i, term in enumerate(odd)]
    for words in both(rows):
        for i, term in enumerate(odd):
            if term.strip():
                assert [number for number, _ in words.search([term], 3)] == [i], term[:10]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_empty_index_finds_nothing(tmp_path, backend):
    """An index of an empty folder is one too."""
    lexical.write(backend, tmp_path / "words", [])
    assert lexical.read(backend, tmp_path / "words").search(["word0"], 5) == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_chinese_path_and_a_read_only_folder_are_no_obstacle(tmp_path, backend):
    """Tantivy makes a lock file even to read; a shared index is often not writable."""
    folder = tmp_path / "项目 一" / "词"
    folder.parent.mkdir()
    lexical.write(backend, folder, generated(50))
    assert lexical.read(backend, folder).search(["word0"], 3)
    script = f"""
from pathlib import Path
from ragheal.indexing import lexical
assert lexical.read({backend!r}, Path({str(folder)!r})).search(["word0"], 3)
"""
    for file in folder.glob(".*lock"):
        file.unlink()
    read_only(script, folder)


def read_only(script: str, folder: Path) -> None:
    """Run a script while a folder is read-only: by its mode, or mounted so for root, whom no mode stops."""
    import os

    root = Path(__file__).parents[2]
    if os.name == "nt":
        pytest.skip("no read-only folders there")
    if os.geteuid() != 0:
        folder.chmod(0o555)
        try:
            subprocess.run([sys.executable, "-c", script], check=True, cwd=root)
        finally:
            folder.chmod(0o755)
        return
    mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 77; exec "$2" -c "$3"'
    if shutil.which("unshare") is None:
        pytest.skip("no way to make a folder read-only for root here")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", mount, "sh", str(folder), sys.executable, script], cwd=root, check=False
    )
    if done.returncode == 77:
        pytest.skip("no way to make a folder read-only for root here")
    assert done.returncode == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_damage_is_named(tmp_path, backend):
    """A traceback from a library tells nobody what to do."""
    folder = tmp_path / "words"
    lexical.write(backend, folder, generated(20))
    for file in folder.iterdir():
        file.write_bytes(b"\x00not what it was")
    with pytest.raises(IndexDamaged) as caught:
        lexical.read(backend, folder).search(["word0"], 3)
    assert "rebuild" in caught.value.hint


def test_auto_changes_over_at_the_setting():
    """The default must follow `index.tantivy_above`."""
    assert lexical.choose("auto", 1000, 1000) == "rank-bm25"
    assert lexical.choose("auto", 1001, 1000) == "tantivy"
    assert lexical.choose("rank-bm25", 10**6, 1000) == "rank-bm25"
    assert lexical.choose("tantivy", 1, 1000) == "tantivy"
