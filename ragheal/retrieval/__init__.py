"""A query becomes hits.

base.py      the doors: all that answering may ask of the outside (a protocol)
live.py      the doors of a real run: index, embedder, reader
fuse.py      two ranked lists become one
weights.py   how much each term says
"""
