"""Answers and routing decisions kept for a while: `cache.db` in the index folder.

`key.py` says what makes two questions the same, `database.py` opens the file and begins a damaged one anew,
`answers.py` keeps answers by route, `decisions.py` what a model decided about a route, `figures.py` reads
how well it all works. A cache that cannot be used costs time and nothing else: no error comes from here.
"""
