"""Prompts: complete in both languages, replaceable, and never filled in by a document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragheal.answering.model import prompts
from ragheal.errors import ConfigError

JUDGE = "version: 7\n## system\nBe brief.\n## user\n{{question}}\n{{hits}}\n"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", list(prompts.NEEDED))
def test_every_role_has_its_prompt(name: str, language: Any) -> None:
    """A prompt that is missing or lacks a placeholder would fail in the middle of a question."""
    prompt = prompts.load(name, language)
    stem, version, digest = prompt.id.split("/")
    assert stem == f"{name}.{language}"
    assert version.isdigit()
    assert len(digest) == 8
    # A small model reads some thousand tokens in all, and the hits need most of them.
    assert len(prompt.system) + len(prompt.user) < 2400


def test_both_languages_have_the_same_sections() -> None:
    """What is asked more strictly in one language must be in the other."""
    for name in prompts.NEEDED:
        assert set(prompts.load(name, "en").sections) == set(prompts.load(name, "zh").sections), name


def test_what_is_filled_in_is_not_read_again() -> None:
    """A document that says {{question}} says just that."""
    prompt = prompts.load("judge", "en")
    text = prompt.filled({"question": "Q", "hits": "{{question}} {{extra}}"})
    assert "{{question}} {{extra}}" in text


def test_a_prompt_of_ones_own(tmp_path: Path, play: Callable[..., Any], said: Any) -> None:
    """It is used, and the trace can tell that it was."""
    (tmp_path / "judge.en.md").write_text(JUDGE, encoding="utf-8")
    played = play(
        {"a.md": "A\nThe price is 84 EUR."},
        {"judge": said.enough((1, 90))},
        model__prompts=str(tmp_path),
    )
    question = "What is the price?"
    plan = played.roles.plan(question, "standard")
    played.roles.judge(question, plan, played.doors.search(plan.queries[0]), strict=False)
    request = played.doors.requests[0]
    assert request.system == "Be brief."
    assert request.prompt.startswith("judge.en/7/")
    assert prompts.load("judge", "en").id != request.prompt


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("judge.en.md", JUDGE.replace("{{hits}}", ""), "{{hits}}"),
        ("judge.en.md", JUDGE + "{{answer}}", "{{answer}}"),
        ("judge.en.md", JUDGE.replace("Be brief.", "{{question}}"), "{{question}}"),
        ("judge.en.md", JUDGE.replace("version: 7\n", ""), "version"),
        ("judge.en.md", JUDGE.replace("## user\n", ""), "## user"),
        ("judge.en.md", JUDGE.replace("Be brief.", ""), "## system"),
        ("jugde.en.md", JUDGE, "jugde.en.md"),
    ],
)
def test_a_prompt_that_cannot_be_used(
    tmp_path: Path, play: Callable[..., Any], file: str, text: str, told: str
) -> None:
    """It is told before the first question, by the name of what is wrong."""
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        play({"a.md": "A\nb"}, {}, model__prompts=str(tmp_path))
    assert told in caught.value.message


def test_a_folder_that_is_not_there(play: Callable[..., Any]) -> None:
    """A mistyped folder must not silently mean the shipped prompts."""
    with pytest.raises(ConfigError, match="no folder"):
        play({"a.md": "A\nb"}, {}, model__prompts="/nowhere/at/all")
