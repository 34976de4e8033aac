"""Text as the rest of the program sees it: script, terms, sentences, typed values, and what a question asks for.

script.py      which language, traditional -> simplified
analyze.py     text -> terms: the one analyzer of both the word index and the queries
sentences.py   text -> sentence offsets
values.py      text -> typed values (dates, quantities, names …) with offsets and a comparable form
facts.py       text -> what an answer is held to: numbers with units, dates, times, identifiers, all readings
units.py       units of measure and how they convert;  calendar.py dates, times, weekdays, periods
questions.py   question -> what it asks for and what it is about
rules.py       the word lists of configs/rules.*.yaml
"""
