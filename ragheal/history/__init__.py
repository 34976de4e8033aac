"""What is kept of every question, in `history.db`; the only package that knows its tables.

database.py   the tables, and how they are opened
traces.py     whole traces: kept, listed, found by a part of their id
retention.py  how long all of it is kept
facts.py      what a trace says of its run: outcome, recoveries, documents, words
runs.py       one compact row a run, and hourly counts that outlive the rows
figures.py    the figures of a window, made of these
log.py        the failure log: runs that failed or healed, and what they missed
vectors.py    failures as vectors in which languages lie on top of each other
clusters.py   failures grouped by what was missing, each group with a label
patterns.py   documents and kinds of question that fail out of proportion; documents that never help
signals.py    what users did and said after an answer
relearn.py    fill the memory of plans again from the traces
"""
