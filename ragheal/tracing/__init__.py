"""The record of a run: made at the doors, kept in the index folder, shown and run again.

`record.py` wraps the doors and notes every call, `store.py` keeps traces and reads them back,
`replay.py` answers the doors from a trace and names the first step that differs, `retention.py` lets go of
what is too old or too much.
"""
