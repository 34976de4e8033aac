"""Prompts: one file for each role and language, in `prompts/`, replaceable from a folder of the user's.

    version: 1
    ## system
    …
    ## user
    Question: {{question}}

A `{{name}}` is filled in once: what is filled in is never read for placeholders again, so no document can
name one. Further sections (`## strict`, `## again`) are lines that a role adds where it needs them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ragheal.errors import ConfigError, nearest
from ragheal.types import Lang, Value

FOLDER = Path(__file__).parent / "prompts"
#: Placeholders that a prompt must have, by its name; `also` are allowed beyond them.
NEEDED: Mapping[str, frozenset[str]] = {
    "classify": frozenset({"question"}),
    "plan": frozenset({"question", "limit"}),
    "judge": frozenset({"question", "hits"}),
    "rewrite": frozenset({"question", "tried", "missing"}),
    "generate": frozenset({"question", "hits"}),
    "combine": frozenset({"question", "hits", "steps"}),
    "compose": frozenset({"question", "hits"}),
    "direct": frozenset({"question"}),
    "verify": frozenset({"question", "passages", "claims"}),
}
ALSO: Mapping[str, frozenset[str]] = {
    "judge": frozenset({"extra"}),
    "rewrite": frozenset({"found", "extra"}),
    "generate": frozenset({"notes", "extra"}),
    "combine": frozenset({"notes", "extra"}),
    "compose": frozenset({"extra"}),
    "verify": frozenset({"extra"}),
}
_HOLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_SECTION = re.compile(r"^## (\w+)[ \t]*$", re.MULTILINE)


class Prompt(Value, frozen=True):
    """A prompt as it was read. `id` is name, version and hash, as a trace keeps it."""

    id: str
    system: str
    user: str
    sections: dict[str, str]

    def filled(self, values: Mapping[str, str]) -> str:
        """The user's part with every placeholder filled in, those without a value left empty."""
        text = _HOLE.sub(lambda match: values.get(match[1], ""), self.user)
        return re.sub(r"\n{3,}", "\n\n", text).strip()


def load(name: str, language: Lang, folder: str = "") -> Prompt:
    """The prompt of a role, the user's before the shipped one. Raises ConfigError when it cannot be used."""
    path = FOLDER / f"{name}.{language}.md"
    if folder:
        own = Path(folder).expanduser() / path.name
        path = own if own.is_file() else path
    return _read(path, name)


def check(folder: str) -> None:
    """Raises ConfigError when a folder of prompts is missing, or a file in it is unknown or lacks something."""
    if not folder:
        return
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise ConfigError(f"`model.prompts`: no folder {folder}", hint="leave it empty for the shipped prompts")
    known = {f"{name}.{language}.md": name for name in NEEDED for language in ("en", "zh")}
    for path in sorted(place.glob("*.md")):
        if path.name not in known:
            close = nearest(path.name, known, 0.0)
            raise ConfigError(f"`model.prompts`: no prompt is called {path.name}", hint=f"did you mean `{close}`?")
        _read(path, known[path.name])


@lru_cache(maxsize=64)
def _read(path: Path, name: str) -> Prompt:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the prompt {path}: {error}") from None
    match = re.match(r"version:[ \t]*(\S+)[ \t]*\r?\n", text)
    if not match:
        raise ConfigError(f"the prompt {path} must begin with a line such as `version: 1`")
    pieces = _SECTION.split(text[match.end() :])
    sections = {key: body.strip() for key, body in zip(pieces[1::2], pieces[2::2], strict=True)}
    for section in ("system", "user"):
        if not sections.get(section):
            raise ConfigError(f"the prompt {path} has no section `## {section}`")
    holes = set(_HOLE.findall(sections["user"]))
    lacking = sorted(NEEDED[name] - holes)
    if lacking:
        raise ConfigError(f"the prompt {path} lacks the placeholder {{{{{lacking[0]}}}}}")
    allowed = NEEDED[name] | ALSO.get(name, frozenset())
    unknown = sorted((holes - allowed) | set(_HOLE.findall(sections["system"])))
    if unknown:
        raise ConfigError(
            f"the prompt {path} has the placeholder {{{{{unknown[0]}}}}}, which nothing fills in",
            hint="placeholders, in `## user` alone: " + ", ".join(f"{{{{{hole}}}}}" for hole in sorted(allowed)),
        )
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return Prompt(f"{path.stem}/{match[1]}/{digest}", sections["system"], sections["user"], sections)
