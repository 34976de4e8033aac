"""What `ragheal eval --json` prints; `ragheal.evaluation.baseline` reads it again."""

from __future__ import annotations

from typing import Any

from ragheal.evaluation.grading import word
from ragheal.evaluation.report import Report
from ragheal.evaluation.run import Row

from .envelope import envelope, whole


def fields(report: Report) -> dict[str, Any]:
    """The envelope. A question has its own fields of the file, then ours."""
    about: dict[str, Any] = whole(report.about)
    del about["ragheal"]  # every envelope has it
    return envelope(
        "eval",
        **about,
        seconds=report.seconds,
        asked=len(report.rows),
        stopped=report.outcome.stopped or None,
        model_reached=not report.unreached,
        ways=[
            whole(counted) | {"strategy": way.strategy, "heal": way.heal}
            for way, counted in zip(report.ways, report.tallies, strict=True)
        ],
        comparisons=whole(report.comparisons),
        baseline=whole(report.since),
        thresholds=whole(report.bars),
        passed=not report.broken and not report.unreached and not report.outcome.stopped,
        notes=list(report.notes),
        questions=_questions(report),
    )


def _questions(report: Report) -> list[dict[str, Any]]:
    changed: dict[int, str] = {}
    for compared in report.comparisons[:1]:
        changed |= {change.line: "better" for change in compared.better}
        changed |= {change.line: "worse" for change in compared.worse}
    return [
        {
            **row.line.other,
            "line": row.line.number,
            "question": row.line.question,
            "expected": {
                name: whole(getattr(row.line, name)) for name in ("answers", "sources", "answerable", "status")
            },
            "change": changed.get(row.line.number),
            "ways": {way: _asked(row, way) for way in row.asked},
        }
        for row in report.rows
    ]


def _asked(row: Row, way: str) -> dict[str, Any]:
    """The typical asking of a question, and the grades of all."""
    typical, wanted = row.typical(way), set(row.line.sources)
    found: dict[str, Any] = whole(typical)
    del found["story"]
    return found | {
        "grade": word(typical.grade),
        "grades": [word(asked.grade) for asked in row.asked[way]],
        "unstable": row.unstable(way),
        "cites": bool(wanted & set(typical.cited)) if wanted else None,
    }
