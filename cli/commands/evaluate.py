"""`ragheal eval`: a file of questions asked in several ways, counted, compared, held against thresholds.

Exit codes: 0; 7 when a threshold does not hold; 6 when a model server was to answer and never did; 130 when
interrupted, with what was measured so far.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ragheal.errors import CheckFailed, ModelError, RaghealError

from .. import arguments, interrupt, options, render
from ..options import argument, option
from ..output import Output, Screen
from ..session import Project, Server, engine

if TYPE_CHECKING:
    from ragheal.evaluation.report import Report


def evaluate(
    project: Project,
    server: Server,
    screen: Screen,
    file: Annotated[str, argument("FILE", f"{options.QUESTION_FILE[:-1]}; `-` reads standard input.")],
    strategy: Annotated[
        list[str] | None,
        option("--strategy NAME", f"Ask with this strategy; can be repeated: {options.STRATEGIES}."),
    ] = None,
    no_plain: Annotated[bool, option("--no-plain", "Skip the one-shot baseline.")] = False,
    repeat: Annotated[int, option("--repeat N", "Ask each question N times.")] = 1,
    min_: Annotated[
        list[str] | None, option("--min NAME=VALUE", "Exit with 7 below this: --min right=0.9.")
    ] = None,
    max_: Annotated[list[str] | None, option("--max NAME=VALUE", "Exit with 7 above this: --max worse=0.")] = None,
    baseline: Annotated[Path | None, option("--baseline FILE", "Compare with an earlier `eval --json`.")] = None,
    junit: Annotated[Path | None, option("--junit FILE", "Write the results as JUnit XML.")] = None,
) -> Output:
    """Ask a file of questions with and without healing, and report the results.

    Shows what each way gets right, refuses and gets wrong, and which questions healing makes better or worse.
    With --min and --max it exits with 7 if the first way misses a threshold. Nothing is stored.
    """
    from ragheal import evaluate as evaluation
    from ragheal.evaluation import junit as results
    from ragheal.evaluation.bars import parse, require
    from ragheal.evaluation.baseline import read
    from ragheal.evaluation.questions import require_outside

    arguments.at_least("--repeat", repeat, 1, "without --repeat each question is asked once")
    bars = [parse(text, "min") for text in min_ or ()] + [parse(text, "max") for text in max_ or ()]
    arguments.output_file("--junit", junit, "junit.xml")
    folder = project.existing()
    flags = {**server.flags, "cache.enabled": False}
    loaded = project.settings(folder, flags)
    named = {name: project.settings(folder, flags | {"loop.strategy": name}).settings for name in strategy or ()}
    ways, notes = evaluation.ways(loaded.settings, named, plain=not no_plain)
    require(bars, ways=len(ways), repeat=repeat, baseline=baseline is not None)
    data = arguments.piped().read() if file == "-" else None
    questions = evaluation.questions("standard input" if file == "-" else file, data, folder, arguments.checked)
    earlier = None
    if baseline is not None:
        earlier = read(baseline)
        require_outside(baseline, folder)  # it holds answers as well
    notes += evaluation.about_file(questions)
    if repeat > 1 and loaded.settings.model.backend == "embedded":
        notes.append("the embedded back end gives the same answers each time: repeats differ in seconds alone")

    total = len(questions.lines) * len(ways) * repeat
    with engine(loaded, folder) as made, screen.progress("questions", total) as advance:
        report = evaluation.evaluate(
            made, file, questions.lines, ways, repeat=repeat, bars=bars, baseline=earlier, notes=notes,
            on_asked=advance,
        )  # fmt: skip
        if report.outcome.interrupted:
            interrupt.met()
    failure: RaghealError | None = None
    if junit is not None:
        try:
            results.write(junit, report, questions.lines[len(report.rows) :])
        except RaghealError as error:
            failure = error  # what took an hour to measure is shown all the same
    code = _code(report)
    if code:
        screen.log(*render.evaluation.broken(report))
    return Output(
        "eval",
        render.fields.evaluation(report),
        lambda page: render.evaluation.text(page, report),
        code,
        note=f"written to {junit}" if junit is not None and failure is None else "",
        failure=failure,
    )


def _code(report: Report) -> int:
    if report.outcome.stopped:
        return interrupt.INTERRUPTED if report.outcome.interrupted else report.outcome.exit_code
    if report.unreached:
        return ModelError.exit_code
    return CheckFailed.exit_code if report.broken else 0
