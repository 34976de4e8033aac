"""An index folder, a question file and a world of scripted answers to try repairs in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from repair_world import GAP, GOOD, OTHER, PLAIN, World

from ragheal.evaluation.questions import Line
from ragheal.healing import pointer, store
from ragheal.healing.repairs import Proposal


@pytest.fixture
def world() -> World:
    """The documents know the speed limit, and rate limiting only as frequency control."""
    made = World()
    made.says(PLAIN, "15 km/h")
    made.says("What is the frequency control policy?", "25 calls per second")
    return made


@pytest.fixture
def lines() -> tuple[Line, ...]:
    return (
        Line(PLAIN, answers=("15 km/h",), number=1),
        Line(GAP, answers=("25 calls",), number=2),
        Line(OTHER, answerable=False, number=3),
    )


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index folder as far as repairs need one."""
    folder = tmp_path / ".ragheal"
    folder.mkdir()
    return folder


@pytest.fixture
def propose(index: Path) -> Callable[..., Proposal]:
    """Keeps a proposal and gives it back."""

    def made(what: object = GOOD, **fields: object) -> Proposal:
        fields.setdefault("score", 0.8)
        proposal = Proposal(f"p{store.next_id(index)}", what, "two failures", **fields)  # type: ignore[arg-type]
        with pointer.writing(index):
            store.keep(index, [proposal])
        return proposal

    return made
