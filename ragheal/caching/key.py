"""What an answer was made from, as one digest: change any of it and the answer is not found again."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ragheal.settings import Settings

#: Sections that say what is kept and for how long; the answers are the same whatever they say.
_SHAPELESS = frozenset({"trace", "cache", "history", "health"})
# "10²" is not "102": the marks that NFKC would make ordinary digits of stay what they are.
_KEPT = ("<super>", "<sub>", "<fraction>", "<circle>")


def normalised(question: str) -> str:
    """A question without the differences that cannot change its answer: width, spacing, case.

    Punctuation stays: "C" and "C++", "1.5" and "15" are two things.
    """
    folded = "".join(
        char if unicodedata.decomposition(char).startswith(_KEPT) else unicodedata.normalize("NFKC", char)
        for char in unicodedata.normalize("NFC", question)
    )
    return unicodedata.normalize("NFC", " ".join(folded.split()).casefold())


def answer_key(
    question: str,
    generation: int | str,
    settings: Settings,
    models: Mapping[str, str],
    overlay: int,
    version: str,
) -> str:
    """SHA-256, in hex, of everything that an answer follows from.

    `generation` of the index, `models` as the doors have their fingerprints, `overlay` the number of the
    repairs in force for this question (0: none), `version` of the program.
    """
    parts = [normalised(question), generation, _shaping(settings), sorted(models.items()), overlay, version]
    return _digest(parts)


def decision_key(request: str, model: str, version: str) -> str:
    """The same for what a model decided: `request` is all that it was asked, `model` its fingerprint."""
    return _digest([request, model, version])


def _shaping(settings: Settings) -> object:
    tree: dict[str, object] = msgspec.to_builtins(settings)
    shaping = {section: values for section, values in tree.items() if section not in _SHAPELESS}
    # The prompts of one's own are named by their folder; what counts is what they say.
    prompts = Path(settings.model.prompts) if settings.model.prompts else None
    return [shaping, [] if prompts is None else _contents(prompts)]


def _contents(folder: Path) -> list[tuple[str, str]]:
    found = []
    for path in sorted(folder.rglob("*")):
        try:
            if path.is_file():
                found.append((path.name, hashlib.sha256(path.read_bytes()).hexdigest()))
        except OSError:
            found.append((path.name, "unreadable"))
    return found


def _digest(parts: object) -> str:
    # A lone surrogate, from an argument that is no UTF-8, is a character like any other here.
    return hashlib.sha256(msgspec.json.encode(_encodable(parts), order="deterministic")).hexdigest()


def _encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple):
        return [_encodable(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _encodable(entry) for key, entry in value.items()}
    return value
