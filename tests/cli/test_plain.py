"""Parameters are converted without Pydantic, and as Typer would."""

import subprocess
import sys
from pathlib import Path

from ragheal_cli.commands import build
from ragheal_cli.plain import HELP


def test_every_parameter_is_converted_plainly():
    """One parameter of another type brings Pydantic, and a tenth of a second, back to every command."""
    program = (
        "import sys; from ragheal_cli.app import main; "
        "main(['traces', '--limit', '3', '--index', 'x', '--status', 'answered', '--json']); "
        "print('pydantic' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "False"
    commands = list(build().commands.values())
    commands += [below for command in commands for below in getattr(command, "commands", {}).values()]
    for command in commands:
        for parameter in command.params:
            assert getattr(parameter, "_runtime_param", None) is not None, (command.name, parameter.name)


def test_conversions(run):
    """A number that is none is a usage error that names its option."""
    assert "'--limit' / '-n': x is not a whole number" in run("traces", "--limit", "x").err
    assert run("traces", "--limit", "0", "--index", str(Path.cwd())).code == 2
    assert all(run("ask", flag).code == 0 for flag in HELP)
