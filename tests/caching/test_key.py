"""Two questions share an answer only when everything it was made from is the same."""

import msgspec
import pytest

from ragheal.caching.key import answer_key, normalised
from ragheal.settings import Settings

QUESTION = "How many days of leave?"
SETTINGS = Settings()
MODELS = {"search": "generation 3", "similarity": "e5:abc"}


def key(question=QUESTION, generation=3, settings=SETTINGS, models=MODELS, overlay=0, version="0.1.0"):
    return answer_key(question, generation, settings, models, overlay, version)


def changed(section, **values):
    return msgspec.structs.replace(
        SETTINGS, **{section: msgspec.structs.replace(getattr(SETTINGS, section), **values)}
    )


@pytest.mark.parametrize(
    "question",
    [
        "how many days of LEAVE?",
        "  How many\tdays\n of leave? ",
        "How many days of leave？",  # a full-width mark, as a Chinese keyboard has it
        "Ｈｏｗ many days of leave?",
    ],
)
def test_what_makes_no_difference(question):
    """A question typed again a little otherwise would be answered from scratch for nothing."""
    assert key(question) == key()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is C?", "What is C++?"),
        ("What is v1.5?", "What is v15?"),
        ("Is 10² the limit?", "Is 102 the limit?"),
        ("Is 1½ the limit?", "Is 11/2 the limit?"),
        ("第①步是什么？", "第1步是什么？"),
        ("年假有几天？", "年假有多少天？"),
        ("resume date", "résumé date"),
        ("a-b", "a b"),
        ("\udc80", "\udc81"),
    ],
)
def test_what_makes_a_difference(one, other):
    """Somebody else's answer is worse than a slow one."""
    assert normalised(one) != normalised(other)
    assert key(one) != key(other)


@pytest.mark.parametrize(
    "other",
    [
        {"generation": 4},
        {"generation": "3 2026-03-04T05:06:07Z"},
        {"models": MODELS | {"similarity": "e5:abd"}},
        {"models": MODELS | {"chat": "qwen"}},
        {"overlay": 1},
        {"version": "0.1.1"},
        {"settings": changed("retrieval", top_k=9)},
        {"settings": changed("loop", heal=False)},
        {"settings": changed("answer", max_sentences=2)},
        {"settings": changed("model", name="qwen")},
        {"settings": changed("retrieval", rerank="none")},
        {"settings": changed("memory", enabled=False)},
        {"settings": changed("retrieval", paths=("a/*",))},
    ],
    ids=str,
)
def test_each_ingredient_counts(other):
    """An answer that outlives what it was made from is a wrong answer with a citation."""
    assert key(**other) != key()


@pytest.mark.parametrize(
    "settings",
    [
        changed("cache", standard=1.0),
        changed("history", keep_days=1.0),
        changed("health", days=1.0),
        changed("trace", save=False),
    ],
    ids=lambda settings: "",
)
def test_what_shapes_no_answer(settings):
    """Keeping the history for longer must not empty the cache."""
    assert key(settings=settings) == key()


def test_prompts_count_by_what_they_say(tmp_path):
    """An edited prompt in the same folder gives other answers."""
    settings = changed("model", prompts=str(tmp_path))
    empty = key(settings=settings)
    (tmp_path / "judge.en.md").write_text("Judge.", encoding="utf-8")
    first = key(settings=settings)
    (tmp_path / "judge.en.md").write_text("Judge well.", encoding="utf-8")
    assert len({empty, first, key(settings=settings), key()}) == 4
