"""What the askings of a way add up to, and how two ways compare.

Shares are over all askings. Their intervals count questions, not askings: asking the same thing five times
says five times as much about the dice, and nothing more about other questions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from ragheal.evaluation.grading import REFUSED, RIGHT, WEAK, WORDS, WRONG
from ragheal.evaluation.questions import Line
from ragheal.evaluation.run import Asked, Row
from ragheal.history.patterns import wilson
from ragheal.types import Status, Tokens, Value


class Share(Value, frozen=True):
    """`count` of `of` askings, with the 95 % interval (Wilson 1927); None where there was nothing to count."""

    count: int
    of: int
    share: float | None = None
    low: float | None = None
    high: float | None = None


class Tally(Value, frozen=True):
    """One way over all questions. Means and percentiles are over its askings, None when there are none.

    right             right, with or without a needless disclaimer
    sure              right, and with the status that it should have
    wrong             something else than what is right, or anything where the documents have no answer
    refused_wrongly   of the questions that have an answer
    refused_rightly   of those that must be refused
    cites             at least one of the documents that the line names is cited; of the lines that name any
    degraded          something was given up on the way; of all askings, graded or not
    """

    way: str
    questions: int
    askings: int
    graded: int  # questions whose line says what is right
    not_graded: int
    right: Share
    sure: Share
    wrong: Share
    refused_wrongly: Share
    refused_rightly: Share
    cites: Share
    degraded: Share
    rounds: float | None
    seconds: float | None  # half of the askings took no longer
    seconds_p95: float | None
    tokens: float | None  # mean of an asking
    calls: float | None
    judge_errors: int
    unstable: int  # questions whose grade changes from asking to asking
    statuses: dict[str, int]
    tokens_total: Tokens
    calls_total: int


class Change(Value, frozen=True):
    """A question that came out otherwise: `before` and `after` are words of `grading`."""

    line: int
    question: str
    before: str
    after: str
    before_status: Status
    after_status: Status


class Comparison(Value, frozen=True):
    """`way` held against another: questions that it makes better and worse, and the sign test's p-value.

    Of repeated askings the typical one counts.
    """

    way: str
    against: str
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    same: int
    p_value: float


def tally(rows: Sequence[Row], way: str) -> Tally:
    """Add up what the rows have of one way."""
    graded = [row for row in rows if row.line.refused is not None]
    wanted = [row for row in graded if not row.line.refused]
    unwanted = [row for row in graded if row.line.refused]
    sourced = [row for row in wanted if row.line.sources]
    every = [asked for row in rows for asked in row.asked[way]]

    def grades(chosen: Iterable[Row], *counted: int) -> Share:
        return _share([[asked.grade in counted for asked in row.asked[way]] for row in chosen])

    def mean(values: list[int]) -> float | None:
        return round(sum(values) / len(values), 3) if values else None

    seconds = sorted(asked.seconds for asked in every)
    return Tally(
        way=way,
        questions=len(rows),
        askings=len(every),
        graded=len(graded),
        not_graded=len(rows) - len(graded),
        right=grades(graded, WEAK, RIGHT),
        sure=grades(graded, RIGHT),
        wrong=grades(graded, WRONG),
        refused_wrongly=grades(wanted, REFUSED),
        refused_rightly=grades(unwanted, RIGHT),
        cites=_share([[bool(set(asked.cited) & set(r.line.sources)) for asked in r.asked[way]] for r in sourced]),
        degraded=_share([[bool(asked.degraded) for asked in row.asked[way]] for row in rows]),
        rounds=mean([asked.rounds for asked in every]),
        seconds=_percentile(seconds, 0.5),
        seconds_p95=_percentile(seconds, 0.95),
        tokens=mean([asked.tokens.prompt + asked.tokens.completion for asked in every]),
        calls=mean([asked.calls for asked in every]),
        judge_errors=sum(asked.judge_errors for asked in every),
        unstable=sum(row.unstable(way) for row in rows),
        statuses=dict(sorted(Counter(asked.status for asked in every).items())),
        tokens_total=Tokens(sum(a.tokens.prompt for a in every), sum(a.tokens.completion for a in every)),
        calls_total=sum(asked.calls for asked in every),
    )


def compare(rows: Sequence[Row], way: str, against: str) -> Comparison:
    """One way against another, question by question."""
    pairs = [(row.line, row.typical(against), row.typical(way)) for row in rows]
    return comparison(way, against, ((line, then.grade, then.status, now) for line, then, now in pairs))


def comparison(way: str, against: str, pairs: Iterable[tuple[Line, int | None, Status, Asked]]) -> Comparison:
    """The same from (line, grade and status before, asking after). What has no grade is not counted."""
    better: list[Change] = []
    worse: list[Change] = []
    same = 0
    for line, before, status, asked in pairs:
        after = asked.grade
        if before is None or after is None:
            continue
        if before == after:
            same += 1
            continue
        change = Change(line.number, line.question, WORDS[before], WORDS[after], status, asked.status)
        (better if after > before else worse).append(change)
    return Comparison(way, against, tuple(better), tuple(worse), same, sign_test(len(better), len(worse)))


def sign_test(better: int, worse: int) -> float:
    """Two-sided p-value: how likely so uneven a split, or a more uneven one, is when both are equally likely."""
    count = better + worse
    tail = sum(math.comb(count, k) for k in range(min(better, worse) + 1))
    return float(min(1.0, 2 * tail / 2**count))


def _share(of_questions: list[list[bool]]) -> Share:
    questions, askings = len(of_questions), sum(map(len, of_questions))
    count = sum(map(sum, of_questions))
    if not askings:
        return Share(0, 0)
    share = count / askings
    low, high = wilson(share * questions, questions), 1 - wilson((1 - share) * questions, questions)
    return Share(count, askings, share, round(max(0.0, low), 4), round(min(1.0, high), 4))


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None
