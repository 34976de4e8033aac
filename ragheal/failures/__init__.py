"""What went wrong, and what users said of it, kept in `history.db` beside the traces.

facts.py      what a trace says of its run: outcome, recoveries, documents, words
runs.py       one compact row a run, and hourly counts that outlive the rows
log.py        the failure log: runs that failed or healed, and what they missed
vectors.py    failures as vectors in which languages lie on top of each other
clusters.py   failures grouped by what was missing, each group with a label
patterns.py   documents and kinds of question that fail out of proportion; documents that never help
signals.py    what users did and said after an answer
"""
