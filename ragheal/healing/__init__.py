"""Repairs: what the failures of a corpus's users teach, tried out, put in force, and taken back.

    repairs.py     the values: a synonym, a rewrite, advice; a proposal and what was measured of it
    wording.py     how a repair acts: the question in the documents' words
    overlay.py     numbered files of repairs; `in_force` reads the one that counts
    pointer.py     which one that is: one small file, replaced in one move; the writer's lock
    store.py       proposals and the log of every step
    failed.py      the failures that proposals start from
    vocabulary.py  phrases of questions and of the corpus, and what the corpus knows of them
    candidates.py  phrases of the documents that could be what a question's phrase is called there
    propose.py     failures → proposals
    advice.py      what no repair can mend: a document to add, metadata or chunks to change
    verify.py      the user's question file before and after a repair: none may get worse
    canary.py      a repair on trial: a fixed share of questions, compared with the rest
    steps.py       verify, canary, promote, roll back: each step under the lock, logged with its effect
    auto.py        all of it in one go, stopping at the first doubt

A repair is data and never code. Answering reads the overlay in force and knows nothing of how it came about;
everything here that has to answer questions is handed a function that does.
"""
