"""What `typer_patch` uses of Typer's inside is still there: fails loudly when Typer moves, before users see it."""

import subprocess
import sys
from pathlib import Path

import pytest
from ragheal_cli.registry import build
from ragheal_cli.typer_patch import HELP, USAGE, named


@pytest.mark.parametrize(
    "name", ["_runtime_param", "type_descriptor", "display_type_rich", "_rich_display_name", "_usage_display_name"]
)
def test_the_names_that_are_replaced_are_typers_own(name):
    """A name that Typer no longer asks for would be set in vain: slow start-up, `{QUESTION}` in the help."""
    import inspect

    import typer.core

    source = inspect.getsource(typer.core)
    assert f"self.{name}" in source, f"Typer moved: nothing in typer.core uses {name} any more"


def test_usage_errors_have_the_shape_that_is_read():
    """A mistyped option would be told in Typer's words, as an unexpected error."""
    command = build()
    for arguments, shape in (
        (["ask", "q", "--nope"], {"ctx", "option_name"}),
        (["nope"], {"ctx", "message"}),
        (["search"], {"ctx", "param"}),
    ):
        with pytest.raises(USAGE) as caught:
            command.main(arguments, prog_name="ragheal", standalone_mode=False)
        assert shape <= set(dir(caught.value)), f"Typer moved: {type(caught.value).__name__} of {arguments}"


def test_every_parameter_is_converted_plainly():
    """One parameter of another type brings Pydantic, and a tenth of a second, back to every command."""
    program = (
        "import sys; from ragheal_cli.app import main; "
        "main(['traces', '--limit', '3', '--index', 'x', '--status', 'answered', '--json']); "
        "print('pydantic' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "False"
    for name, command in named(build()):
        for parameter in command.params:
            assert getattr(parameter, "_runtime_param", None) is not None, (name, parameter.name)


def test_conversions(run):
    """A number that is none is a usage error that names its option."""
    assert "'--limit' / '-n': x is not a whole number" in run("traces", "--limit", "x").err
    assert run("traces", "--limit", "0", "--index", str(Path.cwd())).code == 2
    assert all(run("ask", flag).code == 0 for flag in HELP)
