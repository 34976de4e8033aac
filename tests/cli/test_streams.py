"""The real process: pipes, full disks, other encodings, Ctrl-C, a terminal, start-up."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ragheal

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


@posix
def test_reader_that_goes_away(process, history, samples):
    """`ragheal replay … | head -1` ends without a word."""
    for arguments in (("replay", samples.healed().id, "--json"), ("--help",), ("config",)):
        reader, writer = os.pipe()
        os.close(reader)
        running = process.start(*arguments, stdout=writer)
        os.close(writer)
        code, _, err = process.finish(running)
        assert (code, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_disk(process, history):
    """Output that is lost must not end with 0, also with --json."""
    for arguments in (("replay", "last"), ("--help",), ("traces", "--json")):
        with open("/dev/full", "wb") as full:
            code, _, err = process.finish(process.start(*arguments, stdout=full))
        assert code == 1
        assert err.decode() == "ragheal: cannot write to standard output: No space left on device\n"


@posix
def test_closed_output(process, history):
    """Started by a service without a standard output."""
    code, _, err = process.finish(process.start("traces", stdout=None, preexec_fn=lambda: os.close(1)))
    assert (code, err) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_console_that_is_not_utf8(process, history, samples, encoding):
    """Output never crashes on a console that knows fewer characters; JSON stays JSON."""
    import json

    env = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    for name in ("conflict", "healed"):
        code, out, err = process.finish(process.start("replay", samples.ALL[name]().id, env=env))
        assert (code, err) == (0, b"")
        out.decode(encoding)
    code, out, _ = process.finish(process.start("replay", samples.conflict().id, "--json", env=env))
    assert json.loads(out.decode(encoding))["traces"][0]["question"] == samples.conflict().question


@posix
def test_arguments_that_are_no_text(process, history):
    """A file name may be any bytes."""
    for flag in ((), ("--json",)):
        code, _, err = process.finish(process.start("replay", b"caf\xe9.json", *flag))
        assert code == 2
        assert b"Traceback" not in err


@posix
def test_ctrl_c(process, history):
    """Ctrl-C while it waits: 130 and one line."""
    import time

    running = process.start("ask", "-", stdin=subprocess.PIPE)
    time.sleep(0.7)
    running.send_signal(signal.SIGINT)
    code, out, err = process.finish(running)
    assert (code, out, err) == (130, b"", b"ragheal: interrupted\n")


@posix
@pytest.mark.parametrize(
    ("env", "escapes"), [({"TERM": "xterm-256color"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)]
)
def test_on_a_terminal(process, terminal, history, samples, env, escapes):
    """The story and the answer in a real terminal; without colour where none is wanted."""
    env = {"TERM": "xterm", "COLUMNS": "70", **env}
    running = process.start("replay", samples.healed().id, stdout=terminal.end, stderr=terminal.end, env=env)
    shown = terminal.shown().decode()
    assert process.finish(running)[0] == 0
    assert "Round 2" in shown
    assert "trace 1a2b3c4d5e6" in shown
    assert ("\x1b[" in shown) == escapes


@posix
def test_answer_in_a_pipe_story_on_the_terminal(process, terminal, history, samples):
    """`ragheal ask … > file`: the file holds the plain answer, the terminal tells the story."""
    env = {"TERM": "xterm", "COLUMNS": "70"}
    running = process.start("replay", samples.healed().id, stderr=terminal.end, env=env)
    story = terminal.shown()
    code, out, _ = process.finish(running)
    assert code == 0
    assert b"\x1b" not in out
    assert out.startswith(b"Mara Lindqvist's last product")
    assert b"Round 1" in story


HEAVY = (
    "docx faiss numpy onnxruntime pydantic ragheal.engine rich tantivy tokenizers torch transformers yaml"
).split()


@pytest.mark.parametrize(
    ("arguments", "forbidden"),
    [
        (["--help"], HEAVY),
        (["ask", "--help"], HEAVY),
        (["replay", "last"], [name for name in HEAVY if name != "rich"]),
    ],
)
def test_start_up_imports_nothing_heavy(history, arguments, forbidden):
    """Start-up time is a feature, and one import at the top of a module spends it."""
    program = (
        f"import sys; from ragheal_cli.app import main; code = main({arguments!r}); "
        f"loaded = [name for name in {forbidden!r} if name in sys.modules]; "
        "print('loaded:', *loaded, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.strip() == "loaded:"


def test_module_and_version(process):
    """`python -m ragheal_cli` is the same program."""
    code, out, _ = process.finish(process.start("--version"))
    assert (code, out.decode().strip()) == (0, f"ragheal {ragheal.__version__}")
