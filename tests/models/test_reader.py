"""The shipped reader: does a passage answer a question, and where."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragheal.errors import ModelError
from ragheal.models.reader import CALIBRATION_FILE, MODEL_FILE, SHIPPED, OnnxReader

LIGHTHOUSE = (
    "Orrin Point Light",
    "Orrin Point Light was built in 1874 by the engineer Mary Colway. Its tower is 31 metres high and painted white.",
)
PUMP = ("Pump manual > Safety", "The pump is switched off when the pressure exceeds 6 bar. Check the valve every month.")
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
