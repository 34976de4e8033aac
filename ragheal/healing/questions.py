"""The user's question file, and whether a run answered a line of it.

A line is an object: `question`, and any of `answers` (a text that the answer must hold; with the status
`conflict` all of them), `sources` (files, one of which must be cited), `answerable` (true or false) and `status`.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ragheal.errors import ConfigError
from ragheal.text.script import simplified
from ragheal.types import Status, Trace, Value

_LOOKS = 'a line looks like {"question": "…", "answers": ["…"]}'


class Line(Value, frozen=True):
    """One question of the file and what is known of its answer. `number` is its line, from 1."""

    question: str
    answers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    answerable: bool | None = None
    status: Status | None = None
    number: int = 0

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
    """Raises ConfigError that names the malformed lines (the first five), or says that there is no question."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {error.strerror or error}", hint=f"it is JSON Lines; {_LOOKS}"
        ) from None
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
        key = " ".join(line.question.casefold().split())
        if key in found:
            if _gold(found[key]) != _gold(line):
                wrong.append(f"line {number} asks what line {found[key].number} asks and wants another answer")
            repeats.append(number)
        else:
            found[key] = line
    if wrong:
        more = f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else ""
        raise ConfigError(f"{path}: {'; '.join(wrong[:5])}{more}", hint=_LOOKS)
    if not found:
        raise ConfigError(f"{path} holds no question", hint=_LOOKS)
    return File(tuple(found.values()), tuple(repeats), empty - data.endswith(b"\n"))


def require_outside(path: Path, index: Path) -> None:
    """Raises ConfigError when the question file is a document of the index: it would answer its own questions.

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


def _line(raw: bytes, number: int) -> Line:
    try:
        fields = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"line {number} is not valid JSON: {error}") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("question"), str):
        raise ConfigError(f"line {number} has no `question`")
    if not fields["question"].strip():
        raise ConfigError(f"line {number} has an empty question")
    known = {name: fields[name] for name in Line.__struct_fields__ if fields.get(name) is not None}
    for name in ("answers", "sources"):
        if isinstance(known.get(name), str):
            known[name] = [known[name]]
    try:
        line = msgspec.convert({**known, "number": number}, Line)
    except msgspec.ValidationError as error:
        message = str(error).replace("`", "").replace("$.", "")
        raise ConfigError(f"line {number}: {message[:1].lower()}{message[1:]}") from None
    return msgspec.structs.replace(line, question=" ".join(line.question.split()))


def _gold(line: Line) -> tuple[object, ...]:
    return (line.answers, line.sources, line.answerable, line.status)


#: How well a run did. A wrong answer is worse than a refusal.
WRONG, REFUSED, WEAK, RIGHT = 0, 1, 2, 3


def grade(line: Line, trace: Trace) -> int | None:
    """WRONG, REFUSED, WEAK (right, with a disclaimer that the line does not want) or RIGHT; None: not known."""
    answer = trace.answer
    if line.refused is None:
        return None
    if answer.status == "abstained":
        return RIGHT if line.refused else REFUSED
    if line.refused:
        return WRONG
    held = [_plain(wanted) in _plain(answer.text) for wanted in line.answers]
    if held and not (all(held) if line.status == "conflict" else any(held)):
        return WRONG
    cited = {citation.source for citation in answer.citations}
    if not held and line.sources and not cited & set(line.sources):
        return WRONG
    if line.status is not None:
        return RIGHT if answer.status == line.status else WEAK
    return RIGHT if answer.status in {"answered", "conflict", "direct"} else WEAK


def cites(line: Line, trace: Trace) -> int:
    """How many of the line's sources the answer cites."""
    return len({citation.source for citation in trace.answer.citations} & set(line.sources))


def _plain(text: str) -> str:
    """A text as answers are compared: no spaces, case, width or Chinese script."""
    return "".join(unicodedata.normalize("NFKC", simplified(text)).casefold().split())


def right(graded: Sequence[int | None]) -> int:
    return sum(1 for value in graded if value is not None and value >= WEAK)
