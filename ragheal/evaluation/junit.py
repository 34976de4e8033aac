"""An evaluation as JUnit XML, in the shape that GitLab, Jenkins and the reporters of GitHub read.

A suite for each way that is to be judged (one shot is what it is compared with: its figures are properties),
a case for each question, and a suite with a case for each threshold. Wrong answers and wrong refusals fail;
lines that do not say what is right are skipped, and so are questions that a run did not reach. What stopped a
run, and a model server that never answered, is an error: no reporter may show such a run as passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from ragheal.evaluation.bars import SHARES, Held, said
from ragheal.evaluation.grading import WEAK, WORDS, WRONG
from ragheal.evaluation.questions import Line
from ragheal.evaluation.report import PLAIN, Report
from ragheal.evaluation.run import Asked, Row
from ragheal.evaluation.tally import Tally
from ragheal.storage.files import export

#: What XML 1.0 has no way to write, and what it advises against.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u007f-\u0084\u0086-\u009f]")
_CHECK = {"classname": "ragheal.eval.thresholds", "time": "0.000"}
_NUMBERS = (
    "rounds",
    "seconds",
    "seconds_p95",
    "tokens",
    "calls",
    "judge_errors",
    "unstable",
    "graded",
    "not_graded",
)


def write(path: Path, report: Report, unasked: Sequence[Line] = ()) -> None:
    """Write the file in one step. `unasked`: lines that the run did not reach. Raises StorageError."""
    export(path, render(report, unasked))


def render(report: Report, unasked: Sequence[Line] = ()) -> bytes:
    """The XML, as UTF-8."""
    suites = [
        _suite(report, counted, unasked)
        for counted in report.tallies
        if counted.way != PLAIN or len(report.tallies) == 1
    ]
    if report.bars or report.unreached:
        suites.append(_bars(report))
    root = ElementTree.Element("testsuites", {"name": "ragheal eval"})
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", _seconds(sum(float(suite.get("time", "0")) for suite in suites)))
    root.extend(suites)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _suite(report: Report, counted: Tally, unasked: Sequence[Line]) -> ElementTree.Element:
    way = counted.way
    cases = [_case(report.about.file, way, row) for row in report.rows]
    stopped, interrupted = report.outcome.stopped, report.outcome.interrupted
    for n, line in enumerate(unasked):
        case = _named(report.about.file, way, line)
        tag = "skipped" if n or interrupted else "error"
        _add(case, tag, attributes={"message": f"not asked: {stopped}"})
        cases.append(case)
    spent = sum(asked.seconds for row in report.rows for asked in row.asked[way])
    return _whole(f"ragheal eval {way}", report.about.created, spent, cases, _properties(report, counted))


def _case(file: str, way: str, row: Row) -> ElementTree.Element:
    asked, askings = row.typical(way), row.asked[way]
    case = _named(file, way, row.line)
    case.set("time", _seconds(sum(one.seconds for one in askings)))
    text = "\n".join(_told(row.line, askings, asked))
    if asked.grade is None:
        _add(case, "skipped", attributes={"message": "the line does not say what is right"})
    elif asked.grade < WEAK:
        kind = WORDS[asked.grade]
        _add(case, "failure", text, attributes={"message": _message(row.line, asked, askings), "type": kind})
        return case
    _add(case, "system-out", text)
    return case


def _message(line: Line, asked: Asked, askings: Sequence[Asked]) -> str:
    wanted = "a refusal" if line.refused else " | ".join(line.answers) or "one of its sources cited"
    what = "answered, and the documents do not say" if line.refused else WORDS[asked.grade or WRONG]
    right = sum((one.grade or 0) >= WEAK for one in askings)
    times = f" ({right} of {len(askings)} askings right)" if len(askings) > 1 else ""
    return f"{what}{times}; expected: {wanted}"


def _told(line: Line, askings: Sequence[Asked], asked: Asked) -> Iterable[str]:
    """What somebody needs who looks into a question."""
    yield f"question: {line.question}"
    if line.refused is not None:
        yield "expected: " + ("a refusal" if line.refused else " | ".join(line.answers) or "(any answer)")
    if line.status is not None:
        yield f"expected status: {line.status}"
    if line.sources:
        yield f"expected sources: {', '.join(line.sources)}"
    if len(askings) > 1:
        yield "askings: " + ", ".join("-" if one.grade is None else WORDS[one.grade] for one in askings)
    yield f"status: {asked.status}, {asked.rounds} round(s), {asked.seconds:.2f} s"
    if asked.calls:
        yield f"model: {asked.calls} calls, {asked.tokens.prompt + asked.tokens.completion} tokens"
    yield f"answer: {asked.answer}"
    yield f"cited: {', '.join(asked.places) or '-'}"
    for entry in asked.degraded:
        yield f"degraded: {entry}"
    yield ""
    yield from asked.story


def _bars(report: Report) -> ElementTree.Element:
    cases = [_bar(bar) for bar in report.bars]
    if report.unreached:
        reached = ElementTree.Element("testcase", {**_CHECK, "name": "the model server answers"})
        _add(reached, "error", attributes={"message": "the model server answered none of the questions"})
        cases.append(reached)
    return _whole("ragheal eval thresholds", report.about.created, 0.0, cases, [])


def _bar(bar: Held) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {**_CHECK, "name": f"--{bar.bound} {bar.name}={bar.value:g}"})
    if not bar.held:
        _add(case, "failure", said(bar), attributes={"message": said(bar), "type": "threshold"})
    return case


def _whole(
    name: str, created: str, seconds: float, cases: list[ElementTree.Element], properties: list[tuple[str, str]]
) -> ElementTree.Element:
    """A suite with its counts. The schema wants a time without fractions and zone."""
    counts = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
    }
    suite = ElementTree.Element("testsuite", {"name": name, **{key: str(n) for key, n in counts.items()}})
    suite.set("time", _seconds(seconds))
    suite.set("timestamp", created[:19])
    if properties:
        holder = ElementTree.SubElement(suite, "properties")
        for key, value in properties:
            ElementTree.SubElement(holder, "property", {"name": key, "value": _legal(value)})
    suite.extend(cases)
    return suite


def _properties(report: Report, counted: Tally) -> list[tuple[str, str]]:
    about = report.about
    found = [
        ("ragheal", about.ragheal), ("file", about.file), ("backend", about.backend), ("model", about.model),
        ("index_generation", str(about.index_generation)), ("repeat", str(about.repeat)),
    ]  # fmt: skip
    for tally in (counted, *(tally for tally in report.tallies if tally.way == PLAIN and tally is not counted)):
        for name in SHARES:
            share = getattr(tally, name)
            if share.share is not None:
                found.append((f"{tally.way}.{name}", f"{share.share:.4f} ({share.count} of {share.of})"))
        found += [(f"{tally.way}.{name}", str(getattr(tally, name))) for name in _NUMBERS]
    for compared in report.comparisons:
        if compared.way == counted.way:
            told = f"{len(compared.better)} better, {len(compared.worse)} worse, p = {compared.p_value:.4f}"
            found.append((f"{compared.way}.against.{compared.against}", told))
    if counted is report.tallies[0]:
        found += [(f"{bar.bound} {bar.name}", said(bar)) for bar in report.bars]
    return [(name, value) for name, value in found if value]


def _named(file: str, way: str, line: Line) -> ElementTree.Element:
    """A case by its question: readers tell cases apart by class and name, and the questions of a file differ."""
    qid = line.other.get("qid", line.other.get("id"))
    name = f"{qid}: {line.question}" if isinstance(qid, str | int) else line.question
    attributes = {"classname": f"ragheal.eval.{way}", "name": _legal(name), "time": "0.000"}
    if file != "-":
        attributes |= {"file": _legal(file), "line": str(line.number)}
    return ElementTree.Element("testcase", attributes)


def _add(case: ElementTree.Element, tag: str, text: str = "", *, attributes: dict[str, str] | None = None) -> None:
    legal = {key: _legal(value) for key, value in (attributes or {}).items()}
    ElementTree.SubElement(case, tag, legal).text = _legal(text) or None


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
