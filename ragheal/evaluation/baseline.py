"""An earlier evaluation, held against this one.

Its answers are graded anew with today's file, so that a line that was corrected since does not look like an
answer that changed.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ragheal.errors import ConfigError
from ragheal.evaluation.grading import judged
from ragheal.evaluation.questions import alike
from ragheal.evaluation.run import Row
from ragheal.evaluation.tally import Comparison, comparison
from ragheal.types import Status, Value

#: The envelope's version, which `cli/output.py` counts, that is read here.
VERSION = 1
_MAKE = "make one: ragheal eval FILE --json > base.json"
#: Sections of the settings that can change an answer.
SHAPING = ("index", "embedding", "retrieval", "loop", "answer", "model", "budget")


class Then(msgspec.Struct, frozen=True):
    """An answer as it was."""

    status: Status
    answer: str = ""
    cited: tuple[str, ...] = ()


class _Way(msgspec.Struct, frozen=True):
    way: str


class _Question(msgspec.Struct, frozen=True):
    question: str
    ways: dict[str, Then]


class Baseline(msgspec.Struct, frozen=True):
    """What an earlier `ragheal eval --json` printed, as far as it is read."""

    created: str
    ways: tuple[_Way, ...]
    questions: tuple[_Question, ...]
    settings: dict[str, dict[str, Any]] = {}
    models: dict[str, str] = {}
    index_generation: int = 0
    overlay: int = 0
    ragheal: str = ""
    file: str = ""
    name: str = ""  # of the baseline's own file


class Since(Value, frozen=True):
    """This evaluation against the baseline `name`, in which the way was called `then`.

    `differs`: what is not as it was, in words. `only_now` and `only_then`: questions that the other has not.
    """

    name: str
    created: str
    then: str
    compared: Comparison
    differs: tuple[str, ...] = ()
    only_now: tuple[str, ...] = ()
    only_then: tuple[str, ...] = ()


def read(path: Path) -> Baseline:
    """Raises ConfigError for anything but the JSON of an evaluation of this version."""
    try:
        data = _utf8(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read the baseline {path}: {error.strerror or error}", hint=_MAKE) from None
    try:
        head = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the baseline {path} is not valid JSON: {error}", hint=_MAKE) from None
    if not isinstance(head, dict) or head.get("command") != "eval" or "schema_version" not in head:
        raise ConfigError(f"the baseline {path} is not what `ragheal eval --json` prints", hint=_MAKE)
    if head["schema_version"] != VERSION:
        raise ConfigError(
            f"the baseline {path} has version {head['schema_version']}; this ragheal reads version {VERSION}",
            hint=_MAKE,
        )
    if isinstance(head.get("error"), dict):
        raise ConfigError(f"the baseline {path} holds an error: {head['error'].get('message', '')}", hint=_MAKE)
    try:
        found = msgspec.convert({**head, "name": str(path)}, Baseline)
    except msgspec.ValidationError as error:
        message = str(error).replace("`", "")
        raise ConfigError(f"the baseline {path} is not a complete evaluation: {message}", hint=_MAKE) from None
    if not found.ways:
        raise ConfigError(f"the baseline {path} is not a complete evaluation: it has no way", hint=_MAKE)
    return found


def hold(baseline: Baseline, rows: Sequence[Row], way: str, now: Mapping[str, Any]) -> Since:
    """Rows against the baseline's answers in the same way, or in its first where it has none of that name.

    `now` has today's `settings`, `models`, `index_generation`, `overlay` and `ragheal`.
    """
    names = [known.way for known in baseline.ways]
    then = way if way in names else names[0]
    known = {alike(question.question): question.ways for question in baseline.questions}
    pairs = []
    only_now = []
    for row in rows:
        before = known.pop(alike(row.line.question), {}).get(then)
        if before is None:
            only_now.append(row.line.question)
            continue
        graded = judged(row.line, before.status, before.answer, before.cited)
        pairs.append((row.line, graded, before.status, row.typical(way)))
    gone = tuple(question.question for question in baseline.questions if alike(question.question) in known)
    compared = comparison(way, then, pairs)
    differs = tuple(_differs(baseline, now))
    return Since(baseline.name, baseline.created, then, compared, differs, tuple(only_now), gone)


def _differs(baseline: Baseline, now: Mapping[str, Any]) -> list[str]:
    found = []
    now = msgspec.json.decode(msgspec.json.encode(now))  # lists, as the baseline has them
    for section in SHAPING:
        before, after = baseline.settings.get(section, {}), now["settings"].get(section, {})
        for key in dict.fromkeys((*before, *after)):
            if before.get(key) != after.get(key):
                found.append(f"{section}.{key} {_shown(before.get(key))} → {_shown(after.get(key))}")
    # Of a chat model the settings name server and model already; a hash tells nobody anything.
    for name, words in (("similarity", "another embedder"), ("reader", "another reader")):
        if baseline.models.get(name, "") != now["models"].get(name, ""):
            found.append(words)
    for name, words in (
        ("index_generation", "index generation"),
        ("overlay", "repairs in force"),
        ("ragheal", "ragheal"),
    ):
        if getattr(baseline, name) != now[name]:
            found.append(f"{words} {getattr(baseline, name)} → {now[name]}")
    return found


def _shown(value: Any) -> str:
    return '""' if value == "" else "none" if value is None else str(value)


def _utf8(data: bytes) -> bytes:
    """The same in UTF-8: `>` of some shells writes UTF-16."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data.removeprefix(codecs.BOM_UTF8)
