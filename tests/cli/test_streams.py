"""The real process: pipes, full disks, other encodings, Ctrl-C, a terminal, start-up."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ragheal

COMMAND = (sys.executable, "-m", "ragheal_cli")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


def start(*arguments, **options):
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    env = {**os.environ, **options.pop("env", {})}
    return subprocess.Popen([*COMMAND, *arguments], env=env, **options)


def finish(process):
    out, err = process.communicate(timeout=30)
    return process.returncode, (out or b""), (err or b"")


@posix
def test_reader_that_goes_away(history, samples):
    """`ragheal replay … | head -1` ends without a word."""
    for arguments in (("replay", samples.healed().id, "--json"), ("--help",), ("config",)):
        reader, writer = os.pipe()
        os.close(reader)
        process = start(*arguments, stdout=writer)
        os.close(writer)
        code, _, err = finish(process)
        assert (code, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_disk(history):
    """Output that is lost must not end with 0, also with --json."""
    for arguments in (("replay", "last"), ("--help",), ("traces", "--json")):
        with open("/dev/full", "wb") as full:
            code, _, err = finish(start(*arguments, stdout=full))
        assert code == 1
        assert err.decode() == "ragheal: cannot write to standard output: No space left on device\n"


@posix
def test_closed_output(history):
    """Started by a service without a standard output."""
    code, _, err = finish(start("traces", stdout=None, preexec_fn=lambda: os.close(1)))
    assert (code, err) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_console_that_is_not_utf8(history, samples, encoding):
    """Output never crashes on a console that knows fewer characters; JSON stays JSON."""
    import json

    env = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    for name in ("conflict", "healed"):
        code, out, err = finish(start("replay", samples.ALL[name]().id, env=env))
        assert (code, err) == (0, b"")
        out.decode(encoding)
    code, out, _ = finish(start("replay", samples.conflict().id, "--json", env=env))
    assert json.loads(out.decode(encoding))["traces"][0]["question"] == samples.conflict().question


@posix
def test_arguments_that_are_no_text(history):
    """A file name may be any bytes."""
    for flag in ((), ("--json",)):
        code, _, err = finish(start("replay", b"caf\xe9.json", *flag))
        assert code == 2
        assert b"Traceback" not in err


@posix
def test_ctrl_c(history):
    """Ctrl-C while it waits: 130 and one line."""
    import time

    process = start("ask", "-", stdin=subprocess.PIPE)
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert (code, out, err) == (130, b"", b"ragheal: interrupted\n")


@posix
@pytest.mark.parametrize(
    ("env", "escapes"), [({"TERM": "xterm-256color"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)]
)
def test_on_a_terminal(history, samples, env, escapes):
    """The story and the answer in a real terminal; without colour where none is wanted."""
    import pty

    leader, follower = pty.openpty()
    env = {"TERM": "xterm", "COLUMNS": "70", **env}
    process = start("replay", samples.healed().id, stdout=follower, stderr=follower, env=env)
    os.close(follower)
    text = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
    os.close(leader)
    assert finish(process)[0] == 0
    shown = text.decode()
    assert "Round 2" in shown
    assert "trace 1a2b3c4d5e6" in shown
    assert ("\x1b[" in shown) == escapes


@posix
def test_answer_in_a_pipe_story_on_the_terminal(history, samples):
    """`ragheal ask … > file`: the file holds the plain answer, the terminal tells the story."""
    import pty

    leader, follower = pty.openpty()
    process = start("replay", samples.healed().id, stderr=follower, env={"TERM": "xterm", "COLUMNS": "70"})
    os.close(follower)
    code, out, _ = finish(process)
    story = os.read(leader, 65536)
    os.close(leader)
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


def test_module_and_version():
    """`python -m ragheal_cli` is the same program."""
    code, out, _ = finish(start("--version"))
    assert (code, out.decode().strip()) == (0, f"ragheal {ragheal.__version__}")
