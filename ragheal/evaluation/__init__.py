"""A file of questions asked in several ways: what is right, what it cost, and what changed.

    questions.py   the user's question file
    grading.py     whether an answer is right: the one definition of it
    run.py         every question in every way, and what is kept of each asking
    tally.py       shares with their intervals; questions that are better or worse; the sign test
    bars.py        thresholds: what can be measured, by name, and whether it holds
    baseline.py    an earlier evaluation, held against this one
    report.py      all of it in one value
    junit.py       the same as JUnit XML, for CI

Nothing here opens an index or prints: whoever evaluates hands in one function per way that answers a question.
"""
