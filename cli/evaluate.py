"""`ragheal eval`: a file of questions asked in several ways, counted, compared, held against thresholds.

Exit codes: 0; 7 when a threshold does not hold; 6 when a model server was to answer and never did; 130 when
interrupted, with what was measured so far.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragheal.errors import ConfigError, ModelError, RaghealError

from . import console, interrupt, options, progress, session, target
from .ask import STRATEGIES

if TYPE_CHECKING:
    from ragheal.engine import Engine
    from ragheal.evaluation.baseline import Baseline
    from ragheal.evaluation.questions import File, Line
    from ragheal.evaluation.report import About, Report, Way
    from ragheal.settings import Loaded
    from ragheal.types import Trace

FAILED = 7
#: The first way, unless strategies are named.
_HEALED = "healed"


def evaluate(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='JSON Lines: {"question": …} and any of "answers", "sources", "answerable", "status"; `-` reads '
            "standard input.",
        ),
    ],
    strategy: Annotated[
        list[str] | None,
        typer.Option("--strategy", metavar="NAME", help=f"Ask by this strategy, may be repeated: {STRATEGIES}."),
    ] = None,
    no_plain: Annotated[
        bool, typer.Option("--no-plain", help="Leave out the one shot that is compared with.")
    ] = False,
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", help="Ask each question so often.")] = 1,
    min_: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="NAME=VALUE", help="Exit 7 when less is measured: --min right=0.9"),
    ] = None,
    max_: Annotated[
        list[str] | None,
        typer.Option("--max", metavar="NAME=VALUE", help="Exit 7 when more is measured: --max worse=0"),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Compare with what an earlier `eval --json` printed."),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the results as JUnit XML.")
    ] = None,
    backend: options.Backend = None,
    base_url: options.BaseUrl = None,
    model: options.Model = None,
    preset: options.Preset = None,
    set_: options.Set = None,
    index: options.Index = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    exit_zero: options.ExitZero = False,
) -> int:
    """Ask a file of questions, healed and in one shot, and count.

    What is right, refused and wrong in each way, and which questions healing makes better or worse. With
    --min and --max it exits 7 when the first way misses a bar. Nothing is stored.
    """
    from ragheal.evaluation.bars import parse, require
    from ragheal.evaluation.report import build
    from ragheal.evaluation.run import run

    if repeat < 1:
        raise ConfigError(f"--repeat {repeat}: at least 1", hint="without --repeat each question is asked once")
    bars = [parse(text, "min") for text in min_ or ()] + [parse(text, "max") for text in max_ or ()]
    if junit is not None:
        target.check("--junit", junit, "junit.xml")
    folder = session.existing_index(index)
    flags = {**session.server_flags(backend, base_url, model), "cache.enabled": False}
    loaded = session.settings(folder, preset, set_, flags)
    named = {
        name: session.settings(folder, preset, set_, flags | {"loop.strategy": name}) for name in strategy or ()
    }
    ways, notes = _ways(loaded, named, no_plain=no_plain)
    require(bars, ways=len(ways), repeat=repeat, baseline=baseline is not None)
    questions = _read(file, folder)
    earlier = _baseline(baseline, folder)
    notes += _about_file(questions)
    if repeat > 1 and loaded.settings.model.backend == "embedded":
        notes.append("the embedded back end answers alike each time: repeated askings differ in seconds alone")

    total = len(questions.lines) * len(ways) * repeat
    with session.engine(loaded, folder) as engine:
        _warm(engine, questions.lines)
        about, began = _about(engine, file, len(questions.lines), repeat), time.perf_counter()
        asks = {way.name: _asker(engine, way) for way in ways}
        with progress.counted("questions", total, quiet=quiet or json) as advance:
            outcome = run(questions.lines, asks, repeat, advance)
        if outcome.interrupted:
            interrupt.met()
        seconds = round(time.perf_counter() - began, 3)
        report = build(about, ways, outcome, seconds, bars=bars, baseline=earlier, notes=notes)
        return _told(report, questions.lines, junit, json=json, quiet=quiet, exit_zero=exit_zero)


def _ways(loaded: Loaded, named: dict[str, Loaded], *, no_plain: bool) -> tuple[list[Way], list[str]]:
    """The ways to ask, the one that counts first and one shot last, and what has to be said about them."""
    from ragheal.evaluation.report import PLAIN, Way

    own = loaded.settings.loop
    chosen = {name: one.settings.loop for name, one in named.items()} or {_HEALED: own}
    ways = [Way(name, loop.strategy, loop.heal) for name, loop in chosen.items()]
    plain = Way(PLAIN, own.strategy, False)
    if own.heal:
        return ways if no_plain else [*ways, plain], []
    if named:
        return ways if no_plain else [*ways, plain], ["loop.heal is off: the strategies are asked in one shot"]
    return [plain], ["loop.heal is off: one shot is all there is to measure"]


def _asker(engine: Engine, way: Way) -> Callable[[str], Trace]:
    import msgspec

    examiner = engine.examiner(msgspec.structs.replace(engine.settings.loop, strategy=way.strategy, heal=way.heal))

    def ask(question: str) -> Trace:
        examiner.doors().forget()
        return examiner.ask(question, batch=True)

    return ask


def _warm(engine: Engine, lines: Sequence[Line]) -> None:
    """Load the models and the index, so that the first question takes no longer than the others."""
    from ragheal.text.script import lang

    engine.doors().warm(lang(lines[0].question))
    engine.search(lines[0].question)


def _read(name: str, folder: Path) -> File:
    """The question file, each question as it can be asked. Raises ConfigError that names the line."""
    import msgspec

    from ragheal.evaluation.questions import parse, read, require_outside

    from .question import checked, piped

    if name == "-":
        file = parse(piped().read(), "standard input")
    else:
        file = read(Path(name))
        require_outside(Path(name), folder)
    lines = []
    for line in file.lines:
        try:
            lines.append(msgspec.structs.replace(line, question=checked(line.question)))
        except ConfigError as error:
            raise ConfigError(f"{name}: line {line.number}: {error.message}", hint=error.hint) from None
    return msgspec.structs.replace(file, lines=tuple(lines))


def _baseline(path: Path | None, folder: Path) -> Baseline | None:
    from ragheal.evaluation.baseline import read
    from ragheal.evaluation.questions import require_outside

    if path is None:
        return None
    found = read(path)
    require_outside(path, folder)  # it holds answers as well
    return found


def _about_file(file: File) -> list[str]:
    """What is to be said about a question file, in lines."""
    from ragheal.evaluation.questions import slips

    from .text import plural

    notes = []
    if file.repeats:
        numbers = ", ".join(map(str, file.repeats[:10])) + (" …" if len(file.repeats) > 10 else "")
        noun, verb = ("line", "repeats") if len(file.repeats) == 1 else ("lines", "repeat")
        notes.append(f"{noun} {numbers} {verb} an earlier question: asked once")
    notes += [f"`{name}` is not read; is `{known}` meant?" for name, known in slips(file.lines).items()]
    silent = sum(line.refused is None for line in file.lines)
    if silent:
        verb = "does" if silent == 1 else "do"
        notes.append(f"{plural(silent, 'line')} {verb} not say what is right: asked, and not graded")
    return notes


def _about(engine: Engine, file: str, total: int, repeat: int) -> About:
    import ragheal
    from ragheal.engine import recorded_settings
    from ragheal.evaluation.baseline import SHAPING
    from ragheal.evaluation.report import About
    from ragheal.healing.overlay import in_force
    from ragheal.storage.clock import now

    doors, recorded = engine.doors(), recorded_settings(engine.settings)
    overlay = in_force(engine.index_dir)
    chosen = engine.settings.model
    return About(
        file=file,
        total=total,
        created=now(),
        ragheal=ragheal.__version__,
        backend=chosen.backend,
        model=chosen.name if chosen.backend == "openai" else "",
        index_generation=doors.generation,
        overlay=overlay.number if overlay is not None else 0,
        models=dict(doors.fingerprints),
        settings={section: recorded[section] for section in SHAPING},
        repeat=repeat,
    )


def _told(
    report: Report,
    lines: Sequence[Line],
    junit: Path | None,
    *,
    json: bool,
    quiet: bool,
    exit_zero: bool,
) -> int:
    """Write the report in every form that was asked for; gives the exit code."""
    from .eval_json import fields
    from .eval_text import broken, report_text

    failure: RaghealError | None = None
    if junit is not None:
        from ragheal.evaluation.junit import write

        try:
            write(junit, report, lines[len(report.rows) :])
        except RaghealError as error:
            failure = error  # what took an hour to measure is shown all the same
    try:
        if json:
            console.write(console.dump(fields(report)))
        else:
            columns = console.width() if console.is_terminal(sys.stdout) else 1000
            console.write(report_text(report, columns=columns, colour=console.colourful(sys.stdout)))
    except BrokenPipeError:
        console.abandon_output()  # whoever had read enough still wants to know whether it passed
    if json and not quiet:
        # Standard output is a file now, and the log has to say why the job failed.
        console.note("".join(f"ragheal: {line}\n" for line in broken(report)))
    elif junit is not None and failure is None and not quiet:
        console.note(f"written to {junit}\n")
    if failure is not None:
        if not json:
            raise failure
        console.note(f"ragheal: {failure.message}\n")
        return failure.exit_code
    if report.outcome.stopped:
        return interrupt.INTERRUPTED if report.outcome.interrupted else report.outcome.exit_code
    if report.unreached:
        return ModelError.exit_code
    return FAILED if report.broken and not exit_zero else 0
