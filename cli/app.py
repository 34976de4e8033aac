"""`main()`: the one place that turns errors into words and exit codes.

    0  answered and verified                    4  partial, disclaimed, or with a stated conflict
    1  unexpected error, disk full              5  index missing, corrupt or incompatible
    2  usage, configuration, no such trace      6  model or budget
    3  abstained, nothing found                 7  a check failed             130  Ctrl-C

Everything is imported inside `main`, so that Ctrl-C is met in one place from the first moment.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from .interrupt import INTERRUPTED, install


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. Nothing is raised."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        from . import console

        console.prepare_streams()
        try:
            from .registry import build
            from .typer_patch import run

            code = run(build(), arguments)
            console.write("")  # flush here, where an error still has an exit code
            return code
        except BrokenPipeError:
            console.abandon_output()
            return 0  # whoever read our output had enough, as `head` has
        except Exception as error:
            return _report(error, arguments)
    except KeyboardInterrupt:
        from ragheal.errors import RaghealError

        indexing = arguments[:1] == ["index"]
        _tell(
            RaghealError("interrupted", hint="the index is as it was; run it again to go on" if indexing else "")
        )
        return INTERRUPTED


def run() -> None:
    """The `ragheal` of a shell: `main`, then out, without taking models and indexes apart piece by piece first."""
    install(tidy=sys.argv[1:2] in (["index"], ["eval"]))
    code = main()
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    with contextlib.suppress(Exception):
        sys.stderr.flush()
    os._exit(code)


def _report(error: Exception, arguments: list[str]) -> int:
    """Message and hint on standard error (with --json the envelope on standard output); gives the exit code."""
    from ragheal.errors import RaghealError

    from . import console

    debug = os.environ.get("RAGHEAL_DEBUG", "") not in {"", "0"}
    if not isinstance(error, RaghealError):
        hint = "" if debug else "RAGHEAL_DEBUG=1 shows where it happened"
        known = RaghealError(f"unexpected error: {type(error).__name__}: {error}", hint=hint)
    else:
        known = error
    if debug:
        import traceback

        console.note("".join(traceback.format_exception(error)))
    if "--json" in arguments:
        from .output import envelope, error_fields

        command = next((argument for argument in arguments if not argument.startswith("-")), "")
        try:
            console.write(console.dump(envelope(command, error=error_fields(known))))
            return known.exit_code
        except BrokenPipeError:
            console.abandon_output()
            return known.exit_code
        except RaghealError:
            pass  # the output itself is what failed: say it on standard error
    _tell(known)
    console.abandon_output()
    return known.exit_code


def _tell(error: Exception) -> None:
    with contextlib.suppress(Exception):
        from .output import report

        report(error)  # type: ignore[arg-type]
