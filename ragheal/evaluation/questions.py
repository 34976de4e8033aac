"""The user's question file: JSON Lines, each with a question and what is known of its answer.

A line is an object: `question`, and any of `answers` (a text that the answer must hold; with the status
`conflict` all of them), `sources` (files, one of which must be cited), `answerable` (true or false) and `status`.
Other fields are kept as they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ragheal.errors import ConfigError, nearest
from ragheal.types import Status, Value

_LOOKS = 'a line looks like {"question": "…", "answers": ["…"]}'
#: What a line may say of its answer.
KNOWN = ("answers", "sources", "answerable", "status")
_ALIKE = 0.75  # of two names, from which on one is taken for a slip in the other


class Line(Value, frozen=True):
    """One question of the file and what is known of its answer. `number` is its line, from 1."""

    question: str
    answers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    answerable: bool | None = None
    status: Status | None = None
    number: int = 0
    other: Mapping[str, Any] = {}  # fields that nobody reads, such as `qid`

    @property
    def refused(self) -> bool | None:
        """Whether the right answer is a refusal; None when the line does not say what is right."""
        if self.status is not None:
            return self.status == "abstained"
        if self.answerable is not None:
            return not self.answerable
        return False if self.answers or self.sources else None


class File(Value, frozen=True):
    """The questions of a file, each once. `repeats` are the numbers of lines that repeat an earlier one."""

    lines: tuple[Line, ...]
    repeats: tuple[int, ...] = ()
    empty: int = 0  # blank lines passed over


def read(path: Path) -> File:
    """The questions of a file. Raises ConfigError as `parse` does, and when it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {error.strerror or error}", hint=f"it is JSON Lines; {_LOOKS}"
        ) from None
    return parse(data, str(path))


def parse(data: bytes, name: str) -> File:
    """Raises ConfigError that names the malformed lines (the first five), or says that there is no question."""
    found: dict[str, Line] = {}
    repeats: list[int] = []
    wrong: list[str] = []
    empty = 0
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            empty += 1
            continue
        try:
            line = _line(raw, number)
        except ConfigError as error:
            wrong.append(error.message)
            continue
        key = alike(line.question)
        if key in found:
            if _gold(found[key]) != _gold(line):
                wrong.append(f"line {number} asks what line {found[key].number} asks and wants another answer")
            repeats.append(number)
        else:
            found[key] = line
    if wrong:
        more = f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else ""
        raise ConfigError(f"{name}: {'; '.join(wrong[:5])}{more}", hint=_LOOKS)
    if not found:
        raise ConfigError(f"{name} holds no question", hint=_LOOKS)
    return File(tuple(found.values()), tuple(repeats), empty - data.endswith(b"\n"))


def alike(question: str) -> str:
    """The form in which questions are compared: blanks and case do not count."""
    return " ".join(question.casefold().split())


def slips(lines: Iterable[Line]) -> dict[str, str]:
    """Names of fields that nobody reads and that look like one that is: what is written → what may be meant."""
    found: dict[str, str] = {}
    for line in lines:
        for name in line.other:
            near = nearest(name.casefold(), KNOWN, _ALIKE)
            if near and getattr(line, near) in (None, ()):
                found.setdefault(name, near)
    return found


def require_outside(path: Path, index: Path) -> None:
    """Raises ConfigError when a file of questions or answers is a document of the index: it would answer itself.

    Raises IndexUnusable when the index cannot be opened.
    """
    from ragheal.indexing.opened import OpenIndex

    resolved = os.path.realpath(path)
    with OpenIndex.open(index) as opened:
        for row in opened.documents():
            # By the name first: to resolve the path of every document would take seconds in a large index.
            if row.status != "ok" or Path(row.source).name != Path(resolved).name:
                continue
            found = opened.path_of(row.source)
            if found is not None and os.path.realpath(found) == resolved:
                raise ConfigError(
                    f"{path} is a document of the index, and would answer its own questions",
                    hint=f"keep it outside the indexed folder, or list {row.source} in .raghealignore; "
                    "then run `ragheal index`",
                )


def fields_of(raw: bytes, number: int) -> dict[str, Any]:
    """A line as it is written, with its question. Raises ConfigError that names it."""
    try:
        fields = msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"line {number} is not valid JSON: {error}") from None
    if not isinstance(fields, dict):
        raise ConfigError(f"line {number} has no `question`", hint=_LOOKS)
    return fields


def question_of(fields: Mapping[str, Any], number: int) -> str:
    """The question of a line. Raises ConfigError."""
    question = fields.get("question")
    if not isinstance(question, str):
        raise ConfigError(f"line {number} has no `question`", hint='a line looks like {"question": "…"}')
    return question


def _line(raw: bytes, number: int) -> Line:
    fields = fields_of(raw, number)
    question_of(fields, number)
    if not fields["question"].strip():
        raise ConfigError(f"line {number} has an empty question")
    known = {name: fields[name] for name in ("question", *KNOWN) if fields.get(name) is not None}
    other = {name: value for name, value in fields.items() if name not in {"question", *KNOWN}}
    for name in ("answers", "sources"):
        if isinstance(known.get(name), str):
            known[name] = [known[name]]
    try:
        line = msgspec.convert({**known, "number": number, "other": other}, Line)
    except msgspec.ValidationError as error:
        message = str(error).replace("`", "").replace("$.", "")
        raise ConfigError(f"line {number}: {message[:1].lower()}{message[1:]}") from None
    return msgspec.structs.replace(line, question=" ".join(line.question.split()))


def _gold(line: Line) -> tuple[object, ...]:
    return (line.answers, line.sources, line.answerable, line.status)
