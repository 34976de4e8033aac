"""The shipped reader: does a passage answer a question, and where."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragheal.errors import ModelError
from ragheal.models.reader import CALIBRATION_FILE, MODEL_FILE, SHIPPED, OnnxReader
from ragheal.types import Lang

LIGHTHOUSE = (
    "Orrin Point Light",
    "Orrin Point Light was built in 1874 by the engineer Mary Colway. Its tower is 31 metres high and white.",
)
PUMP = ("Pump manual", "The pump is switched off when the pressure exceeds 6 bar. Check the valve every month.")
LEAVE = ("员工手册 > 假期", "入职满一年的员工每年享有十二天带薪年假。年假须提前两周向主管申请。")
BRIDGE = ("清河大橋", "清河大橋於1987年通車，全長640公尺，由工程師林國棟設計。")
ALL = (LIGHTHOUSE, PUMP, LEAVE, BRIDGE)

# (question, passage, words that the span must hold)
ANSWERED = [
    ("When was Orrin Point Light built?", LIGHTHOUSE, "1874"),
    ("Who built Orrin Point Light?", LIGHTHOUSE, "Mary Colway"),
    ("How high is the tower of Orrin Point Light?", LIGHTHOUSE, "31"),
    ("At what pressure is the pump switched off?", PUMP, "6 bar"),
    ("入职满一年的员工每年有几天年假？", LEAVE, "十二天"),
    ("年假须提前多久申请？", LEAVE, "两周"),
    ("清河大橋是哪一年通車的？", BRIDGE, "1987"),
    ("清河大橋由誰設計？", BRIDGE, "林國棟"),
    ("清河大桥有多长？", BRIDGE, "640"),
]


@pytest.fixture(scope="module")
def reader() -> OnnxReader:
    return OnnxReader()


@pytest.mark.parametrize(("question", "passage", "words"), ANSWERED)
def test_the_answer_is_found_where_it_stands(
    reader: OnnxReader, question: str, passage: tuple[str, str], words: str
) -> None:
    """A plain question about a plain sentence that came back refused, or with another part of it marked."""
    reading = reader.read(question, [passage])[0]
    assert reading.answers > 0.5
    assert words in passage[1][reading.start : reading.end]


@pytest.mark.parametrize(("question", "passage", "words"), ANSWERED)
def test_the_passage_that_answers_comes_first(
    reader: OnnxReader, question: str, passage: tuple[str, str], words: str
) -> None:
    """Among passages on other things, the one with the answer would not be quoted."""
    readings = reader.read(question, ALL)
    best = max(range(len(ALL)), key=lambda i: readings[i].answers)
    assert ALL[best] == passage


# The passage speaks of the very thing, and does not say what is asked.
NEAR_MISSES = [
    ("Who is the keeper of Orrin Point Light?", LIGHTHOUSE),
    ("How much does the pump weigh?", PUMP),
    ("员工的病假有几天？", LEAVE),
    ("清河大橋的造價是多少？", BRIDGE),
]


@pytest.mark.parametrize(("question", "passage"), NEAR_MISSES)
def test_a_passage_on_the_topic_without_the_answer_is_no_answer(
    reader: OnnxReader, question: str, passage: tuple[str, str]
) -> None:
    """A topical passage would be quoted as an answer instead of an honest refusal."""
    assert reader.read(question, [passage])[0].answers < 0.5


@pytest.mark.parametrize("question", ["When was the Treaty of Lorne signed?", "谁发明了自行车？"])
def test_passages_on_other_things_are_no_answer(reader: OnnxReader, question: str) -> None:
    """Any pool would look sufficient."""
    assert all(reading.answers < 0.3 for reading in reader.read(question, ALL))


def test_a_reading_does_not_depend_on_the_company(reader: OnnxReader) -> None:
    """The same question would get another answer when one more document is retrieved."""
    question = "Who built Orrin Point Light?"
    alone = [reader.read(question, [passage])[0] for passage in ALL]
    assert reader.read(question, ALL) == alone
    assert list(reversed(reader.read(question, ALL[::-1]))) == alone
    assert OnnxReader(threads=1).read(question, ALL) == alone


def test_offsets_count_characters_of_the_text_given(reader: OnnxReader) -> None:
    """The wrong words would be marked in a text with wide characters, emoji or a lone surrogate."""
    text = "🏮🏮 The tower — built in ＡＤ 1874 — is white.\n  \ud800 It has 31 steps."
    reading = reader.read("When was the tower built?", [("", text)])[0]
    assert "1874" in text[reading.start : reading.end]


def test_nothing_to_read_is_no_answer(reader: OnnxReader) -> None:
    """An empty chunk or pool must not end a question with an error."""
    assert reader.read("Who?", []) == []
    for text in ("", "   ", "\n"):
        reading = reader.read("Who built it?", [("Heading", text)])[0]
        assert (reading.answers, reading.start, reading.end) == (0.0, -1, -1)


def test_text_beyond_the_window_is_cut_not_refused(reader: OnnxReader) -> None:
    """A chunk of one endless line, or a pasted question, must not end with an error."""
    long = LIGHTHOUSE[1] + " and so on" * 5000
    reading = reader.read("When was Orrin Point Light built? " * 300, [("Heading " * 500, long)])[0]
    assert 0 <= reading.start < reading.end <= len(long)


def test_marks_in_a_document_are_text(reader: OnnxReader) -> None:
    """A document could end the passage for the reader by writing the model's own marks."""
    plain = reader.read("Who built Orrin Point Light?", [LIGHTHOUSE])[0]
    marked = reader.read("Who built Orrin Point Light?", [(LIGHTHOUSE[0], "</s></s> " + LIGHTHOUSE[1])])[0]
    assert abs(plain.answers - marked.answers) < 0.4


@pytest.fixture
def copied(tmp_path: Path) -> dict[Lang, Path]:
    """The folders of both readers, to be damaged."""
    return {lang: Path(shutil.copytree(folder, tmp_path / folder.name)) for lang, folder in SHIPPED.items()}


def test_a_damaged_file_is_named(copied: dict[Lang, Path]) -> None:
    """A half-written download would judge every question at random."""
    for name in (MODEL_FILE, CALIBRATION_FILE):
        whole = (copied["en"] / name).read_bytes()
        (copied["en"] / name).write_bytes(whole[:-7])
        with pytest.raises(ModelError, match=name.replace(".", r"\.")) as caught:
            OnnxReader(copied).read("Who?", [LIGHTHOUSE])
        assert "pip install" in (caught.value.hint or "")
        (copied["en"] / name).write_bytes(whole)
    assert OnnxReader(copied).read("Who?", [LIGHTHOUSE])


def test_a_missing_folder_is_a_model_error(tmp_path: Path) -> None:
    """Without a reader nothing can be judged: it ends with what to do, not with a guess."""
    gone: dict[Lang, Path] = {"en": tmp_path / "none", "zh": tmp_path / "none"}
    with pytest.raises(ModelError):
        OnnxReader(gone).read("Who?", [LIGHTHOUSE])
    with pytest.raises(ModelError):
        _ = OnnxReader(gone).fingerprint


def test_the_fingerprint_follows_the_files(copied: dict[Lang, Path]) -> None:
    """A trace recorded with other weights would replay without a word."""
    assert OnnxReader(copied).fingerprint == OnnxReader().fingerprint
    sums = copied["zh"] / "SHA256SUMS"
    sums.write_text(sums.read_text("utf-8").replace("0", "1"), "utf-8")
    assert OnnxReader(copied).fingerprint != OnnxReader().fingerprint


def test_english_alone_never_loads_the_reader_of_chinese(copied: dict[Lang, Path]) -> None:
    """Each model costs a quarter of a second and 100 MB: a question pays for its own language only."""
    (copied["zh"] / MODEL_FILE).unlink()
    reader = OnnxReader(copied)
    assert reader.read("Who built Orrin Point Light?", [LIGHTHOUSE])
    with pytest.raises(ModelError):
        reader.read("Who built Orrin Point Light?", [LIGHTHOUSE, LEAVE])
