"""The README and the docs say what the program does: its commands, options and exit codes, and output as printed.

An output block is checked when a comment above it names its arguments: <!-- output: ask "…" -->. `make readme` renews
these blocks; times, scores and ids may differ.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ragheal_cli.commands.ask import CODES
from ragheal_cli.registry import build
from ragheal_cli.typer_patch import named

from ragheal import errors

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
COMMANDS = dict(named(build()))
BLOCK = re.compile(r"<!-- output: (.+?) -->\n\n```text\n((?:\$ [^\n]*\n)?)(.*?)```", re.DOTALL)


def flags(command: object) -> set[str]:
    own = {name for parameter in command.params for name in parameter.opts}
    return own.union(*(flags(below) for below in getattr(command, "commands", {}).values()))


def invocations() -> Iterator[tuple[str, str, str]]:
    """Every `ragheal …` in a code block or between ticks: file, command, the rest of it."""
    for path in (README, *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        code = [
            *re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE),
            *re.findall(r"`([^`\n]+)`", text),
        ]
        for line in "\n".join(code).splitlines():
            for found in re.finditer(r"(?:^|[$&;|(] ?)ragheal ((?:[a-z]+)(?: [a-z]+)?)([^;|&#]*)", line):
                yield path.name, found.group(1), found.group(2)


def test_every_command_line_of_the_docs_can_be_typed() -> None:
    """A flag that is gone fails at the reader's."""
    wrong = []
    for name, words, rest in invocations():
        first = words.split()[0]
        command = COMMANDS.get(words) or COMMANDS.get(first)
        unknown = {
            flag for flag in re.findall(r"(?<!\S)--[a-z-]+", rest) if command and flag not in flags(command)
        }
        if command is None or unknown - {"--help"}:
            wrong.append(f"{name}: ragheal {words}{rest} {unknown or ''}")
    assert wrong == []


def test_the_table_of_commands() -> None:
    """Every command has its line, with options that it has."""
    rows = dict(
        re.findall(r"^\| `ragheal (\w+)[^`]*` \| (.*) \|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert set(rows) == {name for name in COMMANDS if " " not in name}
    for name, text in rows.items():
        assert set(re.findall(r"--[a-z-]+", text)) <= flags(COMMANDS[name]), name


def test_the_table_of_exit_codes() -> None:
    """Scripts are written from this table."""
    table = re.findall(r"^\| (\d+) \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RaghealError)
    ]
    raised = {kind.exit_code for kind in kinds}
    assert set(map(int, table)) == raised | set(CODES.values()) | {130}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    (folder / "sample_corpus").symlink_to(ROOT / "sample_corpus")
    ragheal(folder, "index", "sample_corpus")
    return folder


def ragheal(folder: Path, *arguments: str, columns: str = "90") -> tuple[int, str]:
    """Run it where nothing was asked before; what is shown, of both streams when `columns` of a terminal are given."""
    command = [sys.executable, "-m", "ragheal_cli", *arguments]
    env = {**os.environ, "COLUMNS": columns, "NO_COLOR": "1", "TERM": "xterm"}
    if "--story" not in arguments:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout
    import pty

    leader, end = pty.openpty()
    command.remove("--story")
    with subprocess.Popen(command, cwd=folder, env=env, stdout=end, stderr=end) as running:
        os.close(end)
        shown = b""
        while data := read(leader):
            shown += data
    os.close(leader)
    return running.returncode, shown.decode().replace("\r\n", "\n")


def read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""


def like(text: str) -> str:
    """What has to be the same on every machine: not times, scores and ids, nor which hits are near misses."""
    text = re.sub(r"^ +\d+  \d\.\d+ .*|^ +\d+ more · .*|^Looked for: .*", "…", text, flags=re.MULTILINE)
    return re.sub(r"\d+\.\d+|trace \w+", "#", text)


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_output_is_as_printed(sample: Path) -> None:
    """An example that the program no longer prints promises another program."""
    text = README.read_text(encoding="utf-8")

    def renewed(block: re.Match[str]) -> str:
        code, shown = ragheal(sample, *shlex.split(block.group(1)), "--no-store")
        exits = f"exit {code}\n" if "echo exit" in block.group(2) else ""
        return f"<!-- output: {block.group(1)} -->\n\n```text\n{block.group(2)}{shown.strip()}\n{exits}```"

    now = BLOCK.sub(renewed, text)
    if os.environ.get("RENEW_README"):
        README.write_text(now, encoding="utf-8")
    assert len(BLOCK.findall(text)) == 4
    for old, new in zip(BLOCK.findall(text), BLOCK.findall(now), strict=True):
        assert like(old[2]) == like(new[2])
