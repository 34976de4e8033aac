"""What every command promises: one JSON envelope, errors in two lines, help in plain English, 40 columns, no escapes
where none are wanted, and a reader who may go away."""

import json
import os
import re
import shutil
import sys
import threading

import pytest
from ragheal_cli.app import main
from ragheal_cli.registry import build
from ragheal_cli.typer_patch import named
from rich.cells import cell_len

from ragheal.healing import pointer, store
from ragheal.healing.overlay import Entry, Overlay, write
from ragheal.healing.pointer import Pointer
from ragheal.healing.repairs import Proposal, Synonym

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")
LEAVE = "How many days of paid leave do employees get?"
ABSENT = "Who painted the ceiling of the old theatre?"
#: Arguments of each command on the folder of `lived`, and the exit code.
CASES = [
    ("index", 0, ["docs"]),
    ("index", 7, ["docs", "--strict"]),
    ("ask", 0, [LEAVE, "--show-context"]),
    ("ask", 3, [ABSENT]),
    ("search", 0, ["年假"]),
    ("search", 0, ["paid leave", "--explain"]),
    ("replay", 0, ["last"]),
    ("replay", 0, ["last", "trace.json", "--check"]),
    ("replay", 0, ["last", "--rerun"]),
    ("traces list", 0, []),
    ("traces list", 0, ["last", "--export", "out.json"]),
    ("traces prune", 0, ["--keep-days", "1"]),
    ("feedback", 0, ["last", "thumbs_down"]),
    ("failures", 0, []),
    ("failures", 0, ["--cluster"]),
    ("heal list", 0, []),
    ("heal propose", 0, []),
    ("heal verify", 7, ["p2", "--questions", "q.jsonl"]),
    ("heal canary", 0, ["p2"]),
    ("heal promote", 2, ["p2"]),
    ("heal rollback", 0, []),
    ("heal log", 0, []),
    ("heal auto", 0, ["--questions", "q.jsonl"]),
    ("eval", 7, ["q.jsonl", "--max", "seconds_p95=0"]),
    ("memory list", 0, []),
    ("memory show", 0, ["PLAN"]),
    ("memory forget", 0, ["--all"]),
    ("memory rebuild", 0, []),
    ("health", 0, []),
    ("cache stats", 0, []),
    ("cache clear", 0, []),
    ("status", 0, []),
    ("doctor", 0, []),
    ("config", 0, []),
]
COMMANDS = [name for name, command in named(build()) if not hasattr(command, "commands")]


@pytest.fixture(scope="module")
def lived_in(indexed, tmp_path_factory):
    """A project with a past: questions asked, a failure, a plan, kept answers, a repair in force; not to be changed."""
    folder = tmp_path_factory.mktemp("lived")
    shutil.copytree(indexed, folder, dirs_exist_ok=True)
    (folder / "docs/empty.md").touch()
    lines = [{"question": LEAVE, "answers": ["25 days"]}, {"question": ABSENT, "answerable": False}]
    (folder / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = os.getcwd()
    os.chdir(folder)
    try:
        for arguments in (
            ("index", "docs", "-q"),
            ("ask", ABSENT, "-q"),
            ("ask", LEAVE, "-q", "--trace", "trace.json"),
        ):
            main(arguments)
    finally:
        os.chdir(before)
    index = folder / ".ragheal"
    rate = Synonym("rate limiting", "frequency control", "en", ("API",))
    with pointer.writing(index):
        store.keep(index, [
            Proposal("p1", rate, "two failures", state="promoted"),
            Proposal("p2", Synonym("holiday", "paid leave", "en"), "one", state="verified", against=1),
        ])  # fmt: skip
        write(index, Overlay(1, (Entry("p1", rate),)))
        pointer.swap(index, Pointer(1))
        store.note(index, store.Entry("2026-03-04T05:06:07.000Z", "promote", 1, ("p1",), "fine"))
    return folder


@pytest.fixture
def lived(lived_in, place, capsys):
    """A copy of it as the working directory; runs a case of CASES with more arguments."""
    shutil.copytree(lived_in, place, dirs_exist_ok=True)

    def arguments(case):
        name, _, given = case
        plan = ""
        if "PLAN" in given:
            main(["memory", "list"])
            plan = capsys.readouterr().out.split("\t")[0]
        return [*name.split(), *(plan if argument == "PLAN" else argument for argument in given)]

    return arguments


def label(case):
    return " ".join([case[0], *case[2][1:]])[:40] if isinstance(case, tuple) else case


def test_every_command_is_held_to_it():
    """A new command would go untested."""
    assert {name for name, _, _ in CASES} == set(COMMANDS)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_json(run, lived, case):
    """A program reads one object with its version, whatever comes of it, and nothing beside it."""
    name, code, _ = case
    result = run(*lived(case), "--json")
    assert result.code == code
    assert len(result.json.keys() & {"schema_version", "command", "ragheal"}) == 3
    failed = "error" in result.json
    assert result.json["command"] == (name.split()[0] if failed else name.replace("traces list", "traces"))
    assert not failed or result.json["error"]["exit_code"] == code
    assert all(line.startswith("ragheal: ") for line in result.err.splitlines())
    assert not result.err or code == 7  # a job's log says why


@pytest.mark.parametrize("name", COMMANDS)
def test_errors(run, place, name):
    """Two lines, what is wrong and what to do, or the same as JSON; and nothing is made where there is nothing."""
    for arguments in ([*name.split(), "--nonsense"], [*name.split(), "--index", "nowhere", *needed(name)]):
        result = run(*arguments)
        if result.code == 0:  # it needs no index
            assert name in {"config", "traces list", "traces prune"}
            continue
        assert result.code in {2, 5}
        if name != "doctor":  # whose findings are its output
            first, second = result.err.splitlines()
            assert first.startswith("ragheal: ")
            assert second.startswith("  hint: ")
            error = run(*arguments, "--json").json["error"]
            assert (f"ragheal: {error['message']}", error["exit_code"]) == (first, result.code)
    assert list(place.iterdir()) == []


def needed(name):
    """Arguments without which a command is a usage error."""
    return {
        "index": ["nowhere"], "ask": ["q"], "search": ["q"], "replay": ["zzz"], "feedback": ["last", "thumbs_up"],
        "heal verify": ["--questions", "q"], "heal auto": ["--questions", "q"], "heal promote": ["p1"], "eval": ["q"],
        "memory show": ["x"], "memory forget": ["--all"],
    }.get(name, [])  # fmt: skip


@posix
@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_narrow_terminal_without_colour(lived, case, monkeypatch):
    """Nothing is wider than the window, and no escape is written where nobody wants colours."""
    arguments = lived(case)
    shown, code = on_a_terminal(arguments, monkeypatch, COLUMNS="40", TERM="xterm-256color", NO_COLOR="1")
    assert code == case[1]
    assert not re.search(r"\x1b\[[\d;]*m|\x1b\]", shown)
    assert "Traceback" not in shown
    # A progress bar goes over its own line, and leaves nothing behind.
    left = [re.sub(r"\x1b\[[?\d]*[A-Za-z]", "", line.rpartition("\r")[2]) for line in shown.split("\n")]
    lines = [line for line in left if not line.startswith(("ragheal: ", "  hint: "))]
    assert [line for line in lines if cell_len(line) > 40] == []


@posix
@pytest.mark.parametrize(
    "case", [case for case in CASES if case[0] not in {"heal propose", "heal auto"}], ids=label
)
def test_a_reader_that_goes_away(lived, case, monkeypatch, capsys):
    """`ragheal … | head -1` ends without a word, and does not turn a failed check into a success."""
    arguments = lived(case)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        code = main(arguments)
        monkeypatch.undo()
    assert code == case[1] or (code == 0 and case[0] == "replay")
    assert "Traceback" not in capsys.readouterr().err


#: Words of nobody's everyday English, and of the program's own past.
STRANGE = re.compile(
    r"\b(anew|begun|ill|betters|neither|so often|afresh|lets? go|be said|what there is|upwards|holds?|be had)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("name", ["", *dict(named(build()))])
def test_help(run, name):
    """Whole sentences in plain words, on standard output, within 80 columns."""
    result = run(*name.split(), "--help")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    assert not STRANGE.search(result.out), STRANGE.search(result.out)
    command = dict(named(build())).get(name, build())
    texts = [command.help, *(parameter.help for parameter in command.params if hasattr(parameter, "help"))]
    for text in texts:
        assert text, name
        assert re.match(r"[A-Z0-9`]", text), text
        assert re.search(r"[.\])…]\s*$", text), text
    if name and not hasattr(command, "commands"):
        assert {"--json", "--quiet", "--help"} <= set(re.findall(r"--\w+", result.out))


def on_a_terminal(arguments, monkeypatch, **env):
    """Run on a pseudo terminal of this process; gives all that is shown, and the exit code."""
    import pty

    for name, value in env.items():
        monkeypatch.setenv(name, value)
    leader, end = pty.openpty()
    parts = []

    def read():
        while True:
            try:
                data = os.read(leader, 65536)
            except OSError:
                return
            if not data:
                return
            parts.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(end, "w", encoding="utf-8") as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", terminal)
        patch.setattr(sys, "stderr", terminal)
        code = main(arguments)
    reader.join(timeout=20)
    os.close(leader)
    return b"".join(parts).decode().replace("\r\n", "\n"), code
