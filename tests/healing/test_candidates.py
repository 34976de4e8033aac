"""What is proposed for real failures on a real corpus: `tests/gap`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragheal.engine import Engine
from ragheal.healing.candidates import candidates, definitions
from ragheal.healing.overlay import Entry, Overlay
from ragheal.healing.repairs import Synonym
from ragheal.healing.vocabulary import key, phrases, spans, used
from ragheal.retrieval.base import Doors
from ragheal.settings import load
from ragheal.types import Chunk, Hit

GAP = Path(__file__).resolve().parent.parent / "gap"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    made = Engine(load(env={}, flags={"trace.save": False}).settings, tmp_path_factory.mktemp("gap") / ".ragheal")
    made.index([GAP / "corpus"])
    yield made
    made.close()


@pytest.fixture(scope="module")
def doors(engine: Engine) -> Doors:
    return engine.doors()


@pytest.mark.parametrize(
    ("question", "term", "means"),
    [
        (
            "What is the rate limiting policy of the booking API?",
            "rate limiting",
            "frequency control|QPS quota",
        ),  # the page has both names
        ("How often is a backup of the booking ledger made?", "backup", "cold copy"),
        ("When does the demurrage timer stop?", "demurrage timer", "dwell clock"),
        ("报关接口的限流策略是什么？", "限流", "频率控制"),
        ("报关台账的备份多久写入一次？", "备份", "冷副本"),
        ("報關平台值班的工程師要在多長時間內確認告警？", "值班", "輪守"),
    ],
)
def test_the_documents_word_comes_first(doors, question, term, means):
    """A person who reads the first proposals must find the right one among them."""
    found = [(key(c.synonym.term), key(c.synonym.means)) for c in candidates(question, doors)[:2]]
    assert any((key(term), key(word)) in found for word in means.split("|"))


def test_both_ends_exist(doors):
    """A synonym for a word that no document has would send every search into the void."""
    question = "What is the rate limiting policy of the booking API?"
    for candidate in candidates(question, doors):
        assert used(candidate.synonym.means, doors)
        assert candidate.synonym.term in question
        assert key(candidate.synonym.means) not in key(question)


def test_a_term_with_two_senses_is_guarded(doors):
    """Certificates are the crane operators' here; a gateway's are in the trust bundle."""
    question = "Which certificates are needed for the deployment of the booking gateway?"
    found = [c.synonym for c in candidates(question, doors)]
    (guarded,) = [s for s in found if (s.term, s.means) == ("certificates", "trust bundle")]
    assert "gateway" in guarded.context
    overlay = Overlay(1, (Entry("p1", guarded),))
    assert "trust bundle" in overlay.reword(question)
    crane = "Which certificates does a crane operator need?"
    assert overlay.reword(crane) == crane


def test_the_guard_holds_in_answers(engine):
    """The other sense must be answered as before."""
    guarded = Synonym("certificates", "trust bundle", "en", ("deployment", "gateway"))
    overlay = Overlay(1, (Entry("p1", guarded),))
    crane = engine.try_out("Which certificates does a crane operator need?", overlay)
    assert "the lifting certificate and the medical certificate" in crane.answer.text
    gateway = engine.try_out("Which certificates are needed for the deployment of the booking gateway?", overlay)
    assert "signed keypair" in gateway.answer.text
    assert gateway.question.startswith("Which certificates")


def test_spans_tell_the_gap_from_the_rest(doors):
    """The words that the documents share with the question are not what is missing."""
    found = spans("What is the rate limiting policy of the booking API?", doors)
    assert found[0].text in {"rate limiting", "limiting policy"}
    assert {s.text for s in found if s.seen} >= {"booking API", "policy", "API"}
    assert spans("???", doors) == ()
    assert candidates("???", doors) == ()


def hit(text: str, heading: str = "Glossary", source: str = "a.md") -> Hit:
    return Hit(Chunk(source, source, 0, text, (heading,), "paragraph", 1, 1, 0, len(text)), 1.0)


@pytest.mark.parametrize(
    ("text", "term", "name"),
    [
        ("The dwell clock (also known as demurrage timer) starts at once.", "demurrage timer", "dwell clock"),
        ("We use the Okapi ranking function (BM25) here.", "BM25", "Okapi ranking function"),
        ("A cold copy, also called backup, is kept.", "backups", "cold copy"),
        ("堆存计时（又称滞期计时）从离船开始。", "滞期计时", "堆存计时"),
        ("冷副本，也叫备份，每天写入。", "备份", "冷副本"),
    ],
)
def test_definitions_are_read(text, term, name):
    """Where the documents themselves say that two names are one thing, nobody has to guess."""
    assert name in [found for found, _ in definitions([hit(text)], term)]


def test_values_are_no_names(doors):
    """ "Every six hours" stands where an answer stands, and would make a fluent nonsense of a question."""
    found = phrases([hit("A copy is written every six hours to Vault 7 and kept for 45 days.")], "en")
    assert not any("45" in phrase.text or "six hours" in phrase.text for phrase in found.values())
    assert "copi" in found
