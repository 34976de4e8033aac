"""What `ragheal eval` prints for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from ragheal.evaluation.bars import NUMBERS, SHARES, said
from ragheal.evaluation.grading import WEAK, word
from ragheal.evaluation.tally import Share

from ..console import Page
from .layout import Row
from .text import duration, fit, moment, one_line, pad, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ragheal.evaluation.baseline import Since
    from ragheal.evaluation.report import Report
    from ragheal.evaluation.tally import Change, Comparison, Tally

_LABEL = 17
_SIGN = 2
_SHOWN = 20  # questions of one kind that are listed
_DOUBT = 0.05  # p-value from which on a difference is called chance


def text(page: Page, report: Report) -> str:
    """Figures, what changed, what is not right, the bars."""
    items: list[RenderableType] = [*_head(report), "", *_figures(report, page.columns)]
    for compared in report.comparisons:
        items += ["", *_compared(compared)]
    if report.since is not None:
        items += ["", *_since(report.since)]
    for section in (_degraded(report), _unstable(report), _not_right(report)):
        lines = list(section)
        items += ["", *lines] if lines else []
    lines = list(_bars(report))
    items += ["", *lines] if lines else []
    return page.render(*items)


def broken(report: Report) -> list[str]:
    """Why the evaluation did not pass, a line each."""
    lines = [_unreached(report)] if report.unreached else []
    if report.outcome.stopped:
        lines.append(_stopped(report))
    return lines + [said(bar) for bar in report.broken]


def _head(report: Report) -> Iterator[RenderableType]:
    about = report.about
    times = f", each asked {about.repeat} times" if about.repeat > 1 else ""
    name = "standard input" if about.file == "-" else one_line(about.file)
    yield Text(f"{plural(len(report.rows), 'question')} of {name}{times}", "bold")
    engine = f"{about.backend} {about.model}".strip()
    repairs = f" · repairs {about.overlay}" if about.overlay else ""
    yield Text(
        f"{engine} · index generation {about.index_generation}{repairs} · {duration(report.seconds)} in all", "dim"
    )
    for note in report.notes:
        yield _row("!", note)
    if report.outcome.stopped:
        yield _row("✗", _stopped(report), "bold magenta")
    if report.unreached:
        yield _row("✗", _unreached(report), "bold magenta")


def _stopped(report: Report) -> str:
    asked = f"{len(report.rows)} of {plural(report.about.total, 'question')}"
    return f"stopped after {asked}: {one_line(report.outcome.stopped)}"


def _unreached(report: Report) -> str:
    return "the model server answered none of the questions: all of this is what stands in for it"


def _figures(report: Report, columns: int) -> Iterator[RenderableType]:
    """A column for each way where there is room, else a block for each."""
    rows = list(_rows(report.tallies))
    names = [counted.way for counted in report.tallies]
    widths = [
        max(cell_len(cell) for cell in (name, *(cells[n] for _, cells in rows))) for n, name in enumerate(names)
    ]
    if _LABEL + sum(widths) + 2 * (len(widths) - 1) <= columns:
        head = Text(" " * _LABEL, no_wrap=True)
        head.append(_line(names, widths), "bold")
        yield head
        for label, cells in rows:
            line = Text(pad(label, _LABEL), "cyan", no_wrap=True)
            line.append(_line(cells, widths), "not cyan")
            yield line
        return
    for n, name in enumerate(names):
        if n:
            yield ""
        yield Text(name, "bold")
        for label, cells in rows:
            yield Row(label, cells[n], cells=_LABEL)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(pad(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _rows(tallies: Sequence[Tally]) -> Iterator[tuple[str, list[str]]]:
    """Label and a cell for each way, by the names that thresholds have; what is nothing everywhere is left out."""
    for name in SHARES:
        shares: list[Share] = [getattr(counted, name) for counted in tallies]
        if any(share.of for share in shares) and (name != "degraded" or any(share.count for share in shares)):
            yield name.replace("_", " "), [_share(share) for share in shares]
    for name in NUMBERS:
        values = [getattr(counted, name) for counted in tallies]
        if name in {"tokens", "calls"} and not any(values):
            continue
        yield name.replace("_", " "), [_number(name, value) for value in values]
    for name in ("judge_errors", "unstable"):
        values = [getattr(counted, name) for counted in tallies]
        if any(values):
            yield name.replace("_", " "), [f"{value:,}" for value in values]


def _share(share: Share) -> str:
    if share.share is None or share.low is None or share.high is None:
        return "–"
    return f"{share.count}/{share.of}  {share.share:.0%} ({100 * share.low:.0f}–{100 * share.high:.0f})"


def _number(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return (
        duration(value) if name.startswith("seconds") else f"{value:,.0f}" if name == "tokens" else f"{value:.2f}"
    )


def _compared(compared: Comparison) -> Iterator[RenderableType]:
    yield Text(f"{compared.way} against {compared.against}: {_split(compared)}", "bold")
    yield from _changed(compared)


def _since(since: Since) -> Iterator[RenderableType]:
    way = (
        since.compared.way
        if since.then == since.compared.way
        else f"{since.compared.way} against its {since.then}"
    )
    when = f" of {moment(since.created)} UTC" if since.created else ""
    yield Text(f"since {one_line(since.name)}{when} ({way}): {_split(since.compared)}", "bold")
    for entry in since.differs:
        yield _row("", entry, "dim")
    yield from _changed(since.compared)
    for what, questions in (("only asked now", since.only_now), ("no longer asked", since.only_then)):
        yield from _few((_row("", f"{what}: {question}", "dim") for question in questions), len(questions))


def _split(compared: Comparison) -> str:
    better, worse = len(compared.better), len(compared.worse)
    if not better and not worse:
        return f"{plural(compared.same, 'question')} alike"
    chance = ", which may be chance" if compared.p_value >= _DOUBT else ""
    return f"{better} better, {worse} worse, {compared.same} alike (sign test p = {compared.p_value:.2g}{chance})"


def _changed(compared: Comparison) -> Iterator[RenderableType]:
    """What got worse is listed whole; of what got better, the first."""
    for change in compared.worse:
        yield _row("-", _change(change), "magenta")
    yield from _few((_row("+", _change(change), "green") for change in compared.better), len(compared.better))


def _change(change: Change) -> str:
    return f"{change.question}  {change.before} → {change.after}"


def _degraded(report: Report) -> Iterator[RenderableType]:
    """What was given up, the commonest first: an answer of a stand-in is no answer of the model."""
    for way in report.ways:
        given_up = Counter(
            entry for row in report.rows for asked in row.asked[way.name] for entry in asked.degraded
        )
        if given_up:
            yield Text(f"degraded ({way.name})", "bold")
            for entry, count in given_up.most_common(3):
                yield _row("!", f"{entry} ({plural(count, 'asking')})", "magenta")


def _unstable(report: Report) -> Iterator[RenderableType]:
    for way in report.ways:
        rows = [row for row in report.rows if row.unstable(way.name)]
        if rows:
            yield Text(f"unstable ({way.name})", "bold")
            told = (
                _row("~", f"{r.line.question}  {', '.join(word(a.grade) or '–' for a in r.asked[way.name])}")
                for r in rows
            )
            yield from _few(told, len(rows))


def _not_right(report: Report) -> Iterator[RenderableType]:
    """The questions that the first way does not answer rightly: what a log is read for."""
    way = report.ways[0].name
    found = [(row, row.typical(way)) for row in report.rows]
    bad = [(row, asked) for row, asked in found if asked.grade is not None and asked.grade < WEAK]
    if not bad:
        return
    yield Text(f"not right ({way})", "bold")

    def told() -> Iterator[RenderableType]:
        for row, asked in bad:
            wanted = (
                "a refusal" if row.line.refused else " | ".join(row.line.answers) or ", ".join(row.line.sources)
            )
            given = "refused" if asked.status == "abstained" else f"said: {fit(one_line(asked.answer), 120)}"
            yield _row("✗", f"{row.line.question}  {given} · wanted: {fit(one_line(wanted), 120)}")

    yield from _few(told(), len(bad))


def _bars(report: Report) -> Iterator[RenderableType]:
    """Those that hold first: the last lines of a log are the ones that are read."""
    for bar in sorted(report.bars, key=lambda bar: not bar.held):
        yield _row("✓" if bar.held else "✗", said(bar), "" if bar.held else "bold magenta")


def _few(items: Iterable[RenderableType], count: int) -> Iterator[RenderableType]:
    for n, item in enumerate(items):
        if n == _SHOWN and count > _SHOWN + 1:
            yield _row("", f"and {count - _SHOWN} more: --json has them all", "dim")
            return
        yield item


def _row(sign: str, body: str, style: str = "") -> RenderableType:
    return Row(sign, one_line(body), style=style, cells=_SIGN)
