"""Text as the rest of the program sees it: script, terms, sentences, typed values, and what a question asks for.

script.py      which language, traditional -> simplified
analyze.py     text -> terms: the one analyzer of both the word index and the queries
sentences.py   text -> sentence offsets
values.py      text -> typed values (dates, quantities, names …) with offsets and a comparable form
questions.py   question -> what it asks for and what it is about
rules.py       the word lists of configs/rules.*.yaml
"""
