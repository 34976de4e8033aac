"""Asks a file of questions in several ways and reports: the ways, what they are asked of, and the run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragheal.errors import ConfigError
from ragheal.evaluation.bars import Bar
from ragheal.evaluation.baseline import SHAPING, Baseline
from ragheal.evaluation.questions import File, Line, parse, read, require_outside, slips
from ragheal.evaluation.report import PLAIN, About, Report, Way, build
from ragheal.evaluation.run import run
from ragheal.settings import Settings

if TYPE_CHECKING:
    from ragheal.engine import Engine
    from ragheal.types import Trace

#: The first way, unless strategies are named.
HEALED = "healed"


def ways(own: Settings, named: Mapping[str, Settings], *, plain: bool) -> tuple[list[Way], list[str]]:
    """The ways to ask, the one that counts first and one shot last, and what has to be said about them."""
    chosen = {name: settings.loop for name, settings in named.items()} or {HEALED: own.loop}
    found = [Way(name, loop.strategy, loop.heal) for name, loop in chosen.items()]
    if plain:
        found.append(Way(PLAIN, own.loop.strategy, False))
    if own.loop.heal:
        return found, []
    if named:
        return found, ["loop.heal is off: the strategies are asked in one shot"]
    return [Way(PLAIN, own.loop.strategy, False)], ["loop.heal is off: there is only one shot to measure"]


def questions(name: str, data: bytes | None, index: Path, checked: Callable[[str], str]) -> File:
    """The question file, each question as it can be asked; `data` where it is no file. Raises ConfigError."""
    if data is not None:
        file = parse(data, name)
    else:
        file = read(Path(name))
        require_outside(Path(name), index)
    lines = []
    for line in file.lines:
        try:
            lines.append(msgspec.structs.replace(line, question=checked(line.question)))
        except ConfigError as error:
            raise ConfigError(f"{name}: line {line.number}: {error.message}", hint=error.hint) from None
    return msgspec.structs.replace(file, lines=tuple(lines))


def about_file(file: File) -> list[str]:
    """What is to be said about a question file, in lines."""
    notes = []
    if file.repeats:
        numbers = ", ".join(map(str, file.repeats[:10])) + (" …" if len(file.repeats) > 10 else "")
        noun, verb = ("line", "repeats") if len(file.repeats) == 1 else ("lines", "repeat")
        notes.append(f"{noun} {numbers} {verb} an earlier question: asked once")
    notes += [
        f"`{name}` is not a known field; did you mean `{known}`?" for name, known in slips(file.lines).items()
    ]
    silent = sum(line.refused is None for line in file.lines)
    if silent:
        said = "1 line does" if silent == 1 else f"{silent:,} lines do"
        notes.append(f"{said} not say what is right: asked, but not graded")
    return notes


def evaluate(
    engine: Engine,
    file: str,
    lines: Sequence[Line],
    asked: Sequence[Way],
    *,
    repeat: int = 1,
    bars: Sequence[Bar] = (),
    baseline: Baseline | None = None,
    notes: Sequence[str] = (),
    on_asked: Callable[[], None] | None = None,
) -> Report:
    """Ask every line in every way, `repeat` times. Nothing is stored. Raises what ends the run before a result."""
    from ragheal.text.script import lang

    # Load the models and the index first, so that the first question takes no longer than the others.
    engine.doors().warm(lang(lines[0].question))
    engine.search(lines[0].question)
    about, began = _about(engine, file, len(lines), repeat), time.perf_counter()
    outcome = run(lines, {way.name: _asker(engine, way) for way in asked}, repeat, on_asked)
    seconds = round(time.perf_counter() - began, 3)
    return build(about, asked, outcome, seconds, bars=bars, baseline=baseline, notes=notes)


def _asker(engine: Engine, way: Way) -> Callable[[str], Trace]:
    examiner = engine.examiner(msgspec.structs.replace(engine.settings.loop, strategy=way.strategy, heal=way.heal))

    def ask(question: str) -> Trace:
        examiner.doors().forget()
        return examiner.ask(question, batch=True)

    return ask


def _about(engine: Engine, file: str, total: int, repeat: int) -> About:
    from ragheal import __version__
    from ragheal.engine import recorded_settings
    from ragheal.healing.overlay import in_force
    from ragheal.storage.clock import now

    doors, recorded = engine.doors(), recorded_settings(engine.settings)
    overlay = in_force(engine.index_dir)
    chosen = engine.settings.model
    return About(
        file=file,
        total=total,
        created=now(),
        ragheal=__version__,
        backend=chosen.backend,
        model=chosen.name if chosen.backend == "openai" else "",
        index_generation=doors.generation,
        overlay=overlay.number if overlay is not None else 0,
        models=dict(doors.fingerprints),
        settings={section: recorded[section] for section in SHAPING},
        repeat=repeat,
    )
