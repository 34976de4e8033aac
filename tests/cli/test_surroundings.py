"""What the system around a process does to it: other users, full disks, signals, streams that are missing."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX only")
LEAVE = "How many days of paid leave do employees get?"


@pytest.fixture
def stranger(process, project):
    """Runs the command line as somebody whom permissions bind: the superuser gives up what lifts them."""
    before = ()
    if os.geteuid() == 0:
        lifts = "-dac_override,-dac_read_search,-fowner"
        before = ("setpriv", f"--bounding-set={lifts}", f"--inh-caps={lifts}")
        if shutil.which("setpriv") is None:
            pytest.skip("no way to be bound by permissions here")

    def run(*arguments):
        return process(*arguments, before=before)

    yield run
    for path in (project, *project.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


def test_an_index_that_may_only_be_read(stranger, project):
    """An index on a share is there to be asked; that the trace is not kept is no reason to say nothing."""
    folder = project / ".ragheal"
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    asked = stranger("ask", LEAVE, "--json")
    assert (asked.code, asked.err) == (0, "")
    assert "25 days" in asked.json["answer"]
    assert "trace not saved" in asked.json["degraded"][0]
    assert stranger("status").code == 0
    result = stranger("index", "docs")
    assert (result.code, result.out) == (1, "")
    assert "no permission to write" in result.err
    assert "hint: keep the index elsewhere with --index FOLDER" in result.err


def test_an_index_that_may_not_be_read(stranger, project):
    """Somebody else's index is not damaged, and not missing."""
    for folder in (".ragheal", ".ragheal/generations", ".ragheal/generations/000001"):
        (project / folder).chmod(0o000)
        for arguments in (("status",), ("ask", LEAVE)):
            result = stranger(*arguments)
            assert result.code == 5, result.err
            assert "no permission" in result.err
            assert "hint: ask its owner" in result.err
        (project / folder).chmod(0o755)
    for name in ("manifest.json", "index.db", "vectors.faiss"):
        path = project / ".ragheal/generations/000001" / name
        path.chmod(0o000)
        result = stranger("ask", LEAVE)
        assert result.code == 5
        assert "no permission" in result.err
        path.chmod(0o644)


def test_a_full_disk(process, project):
    """A disk that fills up says so, costs nothing that was there, and the next run succeeds."""
    if shutil.which("unshare") is None:
        pytest.skip("no way to fill a disk here")
    (project / "disk").mkdir()
    script = f"""
        mount -t tmpfs -o size=400k tmpfs disk || exit 77
        cp -r .ragheal disk/index && rm -f disk/index/history.db
        cat /dev/zero > disk/fill 2>/dev/null
        printf 'The roof is green.\\n' > docs/new.md
        "$@" index docs --index disk/index; echo "rc=$?"
        "$@" ask "{LEAVE}" --index disk/index --json; echo "rc=$?"
        "$@" traces --index disk/index; echo "rc=$?"
        rm disk/fill; "$@" index docs --index disk/index --quiet; echo "rc=$?"
    """
    result = process(before=("unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", script, "sh"))
    if result.code == 77 or "unshare" in result.err:
        pytest.skip("no way to fill a disk here")
    said = [line for line in result.out.splitlines() if line.startswith("rc=")]
    assert said == ["rc=1", "rc=0", "rc=0", "rc=0"], result
    assert "the disk is full" in result.err
    assert "hint: free some space" in result.err
    answer = json.loads(next(line for line in result.out.splitlines() if line.startswith("{")))
    assert "25 days" in answer["answer"]
    assert "full" in answer["degraded"][0]


def test_ctrl_c_while_embedding(process, project):
    """An impatient user keeps the old index and what was embedded, and can go on."""
    for n in range(60):
        words = " ".join(f"word{n}x{i}" for i in range(90))
        (project / f"docs/long{n}.md").write_text(f"# Page {n}\n\n{words}\n")
    running = process.start("index")
    generations = project / ".ragheal/generations"
    until = time.monotonic() + 30
    while not list(generations.glob("*.tmp-*/index.db")) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)
    assert running.poll() is None, "it was done too soon to be interrupted"
    running.send_signal(signal.SIGINT)
    code, out, err = process.finish(running)
    assert (code, out) == (130, b"")
    assert err.decode() == "ragheal: interrupted\n  hint: the index is as it was; run it again to go on\n"
    assert [path.name for path in generations.iterdir()] == ["000001"]
    assert process("search", "paid leave").code == 0


def test_answers_of_a_batch_reach_the_file(process, terminal, project):
    """`ask --batch … > answers.jsonl` at a terminal: the progress bar would swallow every answer."""
    (project / "q.jsonl").write_text('{"question":"hello","qid":1}\n{"question":"你好","qid":2}\n')
    with open("answers.jsonl", "wb") as file:
        env = {"TERM": "xterm-256color", "COLUMNS": "80"}
        running = process.start("ask", "--batch", "q.jsonl", stdout=file, stderr=terminal.end, env=env)
        shown = terminal.shown()
    assert process.finish(running)[0] == 0
    lines = [json.loads(line) for line in Path("answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["qid"] for line in lines] == [1, 2]
    assert b"questions" in shown
    assert b"schema_version" not in shown


def test_a_batch_whose_reader_goes_away(process, project):
    """`ragheal ask --batch - | head -1` ends with the first answer, not with the last question."""
    line = '{"question": "hello"}\n' * 2000
    shell = ("sh", "-c", '"$@" | head -n 1', "sh")
    started = time.monotonic()
    (project / "many.jsonl").write_text(line)
    result = process("ask", "--batch", "many.jsonl", before=shell)
    assert len(result.out.splitlines()) == 1
    assert result.err == ""
    assert time.monotonic() - started < 20


def test_nothing_on_standard_input(process, project):
    """A service starts its programs without one."""
    for arguments in (("ask", "-"), ("search", "-"), ("ask", "--batch", "-")):
        result = process(*arguments, preexec_fn=lambda: os.close(0))
        assert (result.code, result.out) == (2, "")
        assert "standard input" in result.err


def test_a_shell_that_claims_ascii(process, project):
    """A container without a locale: the question is Chinese all the same, and so is the file's name."""
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = process("ask", "员工每年有多少天带薪年假？", "--json", env=env)
    assert result.code == 0
    assert result.json["question"] == "员工每年有多少天带薪年假？"
    assert result.json["citations"][0]["source"] == "休假/假期 规定.txt"
    assert process("index", "docs/休假", env=env).code == 0


def test_nothing_is_written_outside_of_the_index(process, project, tmp_path_factory):
    """A library that keeps a log of its use in the home folder, and sends it, would break the promise to stay here."""
    home = tmp_path_factory.mktemp("home")
    before = {path for path in project.rglob("*") if ".ragheal" not in path.parts}
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "TMPDIR": str(home)}
    assert process("ask", LEAVE, env=env).code == 0
    assert list(home.rglob("*")) == []
    assert {path for path in project.rglob("*") if ".ragheal" not in path.parts} == before


@pytest.mark.parametrize("moment", [0.15, 0.3, 0.5, 0.8])
def test_ctrl_c_while_everything_loads(process, project, moment):
    """Python can lose the interruption in the middle of an import, and then waits for ever."""
    running = process.start("ask", LEAVE)
    time.sleep(moment)
    if running.poll() is None:
        running.send_signal(signal.SIGINT)
        code, out, err = process.finish(running)
        assert (code, out, err) in ((130, b"", b"ragheal: interrupted\n"), (0, out, b""))


def test_an_interruption_that_gets_lost():
    """`index` has some seconds to tidy up; then, or at the second Ctrl-C, it ends whatever it is stuck in."""
    program = """
import signal, sys, threading, time
from ragheal_cli import interrupt
interrupt.PATIENCE = float(sys.argv[1])
interrupt.install(tidy=True)
for _ in range(int(sys.argv[2])):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("tidying", flush=True)
lock = threading.Lock()
lock.acquire()
lock.acquire()
"""
    for patience, times in (("0.2", "1"), ("60", "2")):
        command = [sys.executable, "-c", program, patience, times]
        done = subprocess.run(command, capture_output=True, timeout=20, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (130, b"tidying\n", b"ragheal: interrupted\n")
