"""Source code and settings files: blocks by definition where they can be told by their first line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragheal.indexing.load.kinds import extension
from ragheal.indexing.load.parsed import Parsed, trim
from ragheal.indexing.load.plain import groups
from ragheal.types import Block

_PYTHON = frozenset({"py", "pyi", "pyx"})
_SETTINGS = frozenset("xml xsd xsl plist diff patch bib".split())
_DEFINITION = re.compile(r"([ \t]*)(?:async\s+def|def|class)\s+(\w+)")
_ATTACHED = re.compile(r"[ \t]*[@#]")  # decorators and comments belong to what follows
# The first line of a definition in a C-like or scripting language, unindented.
_OTHER = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|"
    r"extern|inline|const|sealed|data|open|override|virtual|local)\s+)*"
    r"(?:function\*?|func|fun|fn|def|class|struct|interface|enum|trait|impl|module|namespace|type|object|protocol|"
    r"message|service|resource|sub|procedure|defmodule|defp?|defn)\s+"
    r"(?:\([^()]{0,80}\)\s*)?[\"']?([A-Za-z_$][\w$.:]*)"
)
_C_FUNCTION = re.compile(r"(?:[A-Za-z_][\w:<>,*&]*\s+){1,5}[*&]*([A-Za-z_][\w:~]*)\s*\([^;]*$")
_CONSTANT = re.compile(r"(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:\(|function)")
_SECTION = re.compile(r"\[+\s*([^\[\]]{1,80}?)\s*\]+\s*$|([A-Za-z_][\w.-]{0,60}):\s*$")
_SQL = re.compile(r"create\s+(?:or\s+replace\s+)?\w+\s+(?:if\s+not\s+exists\s+)?[\"`\[]?([\w.]+)", re.IGNORECASE)


def parse_code(text: str, source: str = "") -> Parsed:
    """Runs of lines, with the definition they stand in as their heading."""
    ending = extension(source.rpartition("/")[2])
    if ending in _PYTHON:
        return Parsed(text, list(_python(text)))
    blocks = []
    heading: tuple[str, ...] = ()
    for group in groups(text):
        start, end = trim(text, group[0][0], group[-1][1])
        for low, high in group[:12]:  # a comment may stand before the definition
            line = text[low : min(high, low + 200)]
            if line[0] in " \t}":
                continue
            name = _name(line, ending)
            if name:
                heading = (name,)
                break
            if line[0].isalnum() and ending not in _SETTINGS:
                heading = ()
        blocks.append(Block("code", start, end, heading))
    return Parsed(text, blocks)


def _name(line: str, ending: str) -> str:
    if ending in _SETTINGS:
        found = _SECTION.match(line)
    elif ending == "sql":
        found = _SQL.match(line)
    else:
        found = _OTHER.match(line) or _CONSTANT.match(line) or _C_FUNCTION.match(line)
    return next((part for part in found.groups() if part), "") if found else ""


def _python(text: str) -> Iterator[Block]:
    """Top-level definitions and the methods of classes; what stands between them by empty lines."""
    path: list[tuple[int, str]] = []  # (indent, name)
    for group in groups(text):
        begin = number = 0
        while number < len(group):
            low, high = group[number]
            line = text[low : min(high, low + 200)]
            found = _DEFINITION.match(line)
            indent = len(line) - len(line.lstrip())
            if not found and line[indent : indent + 1] not in ("#", ")", "]", "}", '"', "'"):
                leaving = path and indent <= path[-1][0] and not _ATTACHED.match(line)
                if leaving:
                    if number > begin:
                        yield _block(text, group[begin:number], path)
                        begin = number
                    _leave(path, indent)
            # Functions within functions are part of them.
            if (
                found
                and not (len(path) > 1 and indent > path[-1][0])
                and (not path or indent <= 4 or path[-1][0] >= indent)
            ):
                head = number
                while head > begin and _ATTACHED.match(text, group[head - 1][0]):
                    head -= 1
                if head > begin:
                    yield _block(text, group[begin:head], path)
                begin = head
                _leave(path, indent)
                path.append((indent, found[2]))
            number += 1
        yield _block(text, group[begin:], path)


def _leave(path: list[tuple[int, str]], indent: int) -> None:
    while path and path[-1][0] >= indent:
        path.pop()


def _block(text: str, lines: list[tuple[int, int]], path: list[tuple[int, str]]) -> Block:
    start, end = trim(text, lines[0][0], lines[-1][1])
    return Block("code", start, end, tuple(name for _, name in path))
