"""One question, from hits to a verified answer.

roles.py      who thinks: planner, judge, rewriter, generator, verifier (a protocol)
embedded/     the back end without a model server
scripted.py   the back end that answers from a file
kit.py        what a strategy is handed
pool.py       the evidence of all rounds
loop.py       retrieve -> judge -> rewrite, bounded
finish.py     generate -> verify -> Answer
direct.py     greetings and arithmetic
"""
