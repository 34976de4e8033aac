"""One question, from hits to a verified answer.

roles.py      who thinks: planner, judge, rewriter, generator, verifier (a protocol)
embedded/     the back end without a model server
model/        the back end with one
scripted.py   the back end that answers from a file
kit.py        what a strategy is handed
pool.py       the evidence of all rounds
loop.py       retrieve -> judge -> rewrite, bounded
signals.py    when it goes on, and how hard it tries;  deepen.py the deeper search
finish.py     generate -> verify -> Answer
verification/ what code checks of a draft, whoever wrote it
account.py    what a run cost and gave up
direct.py     greetings and arithmetic
"""
