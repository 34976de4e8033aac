"""Vectors through FAISS: what goes in comes out, under its number, from any path, or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragheal.errors import IndexDamaged
from ragheal.indexing import dense


def unit(count: int, dim: int = 16, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_each_vector_finds_itself_under_its_number(tmp_path):
    """A hit would be cited with another chunk's text."""
    path = tmp_path / "向量 文件.faiss"  # FAISS itself cannot open such a path on Windows
    numbers, rows = np.array([3, 10, 11, 500, 70_000_000_000]), unit(5)
    dense.write(path, numbers, rows)
    index = dense.read(path.read_bytes(), dim=16, count=5)
    for number, row in zip(numbers, rows, strict=True):
        hits = index.search(row, 3)
        assert hits[0] == (number, pytest.approx(1, abs=1e-5))
        assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)
    back_numbers, back_rows = index.rows()
    assert back_numbers.tolist() == numbers.tolist()
    assert np.array_equal(back_rows, rows)
    assert np.array_equal(index.vectors([500, 3]), rows[[3, 0]])
    with pytest.raises(KeyError):
        index.vectors([4])


def test_asking_for_more_than_there_is_gives_what_there_is(tmp_path):
    """FAISS pads with -1, which is nobody's number."""
    dense.write(tmp_path / "v", np.arange(3), unit(3))
    index = dense.read((tmp_path / "v").read_bytes(), dim=16, count=3)
    assert len(index.search(unit(1)[0], 50)) == 3
    assert index.search(unit(1)[0], 0) == []
    assert index.search(np.full(16, np.nan, np.float32), 3) == []


def test_equal_vectors_come_in_the_order_of_their_numbers(tmp_path):
    """The same question would get its hits in another order on another day."""
    dense.write(tmp_path / "v", np.array([2, 7, 9, 30]), np.repeat(unit(1), 4, axis=0))
    index = dense.read((tmp_path / "v").read_bytes(), dim=16, count=4)
    assert [number for number, _ in index.search(unit(1)[0], 4)] == [2, 7, 9, 30]


def test_an_empty_index_finds_nothing(tmp_path):
    """An index of an empty folder is one too."""
    dense.write(tmp_path / "v", np.zeros(0, np.int64), np.zeros((0, 16), np.float32))
    assert dense.read((tmp_path / "v").read_bytes(), dim=16, count=0).search(unit(1)[0], 5) == []


@pytest.mark.parametrize("cut", [0, 3, 40, 200, -1])
def test_a_truncated_file_is_named_damaged(tmp_path, cut):
    """A crash, or fewer hits without a word."""
    dense.write(tmp_path / "v", np.arange(9), unit(9))
    data = (tmp_path / "v").read_bytes()
    with pytest.raises(IndexDamaged):
        dense.read(data[:cut], dim=16, count=9)


def test_what_is_not_the_manifest_s_is_refused(tmp_path):
    """Vectors of another model or another state would be searched as if they were these."""
    import faiss

    dense.write(tmp_path / "v", np.arange(9), unit(9))
    data = (tmp_path / "v").read_bytes()
    for dim, count in ((15, 9), (16, 8)):
        with pytest.raises(IndexDamaged):
            dense.read(data, dim=dim, count=count)
    other = faiss.IndexIDMap2(faiss.IndexFlatL2(16))
    other.add_with_ids(unit(9), np.arange(9))
    for foreign in (other, faiss.IndexFlatIP(16)):
        with pytest.raises(IndexDamaged):
            dense.read(faiss.serialize_index(foreign).tobytes(), dim=16, count=9)


def test_reading_an_index_loads_no_faiss_before_a_search(project):
    """`status` and `replay` would pay for what they do not use."""
    project.write("a.md", "# A\n\nApples.")
    project.build()
    script = f"""
import sys
from pathlib import Path
from ragheal.indexing.opened import OpenIndex
with OpenIndex.open(Path({str(project.index)!r})) as index:
    index.documents(), index.chunks([1]), index.frequencies(["appl"]), index.is_current("a.md")
heavy = {{"faiss", "tantivy", "numpy", "rank_bm25", "filelock", "onnxruntime", "rjieba", "pathspec"}}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[2])
