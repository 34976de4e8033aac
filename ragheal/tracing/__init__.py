"""The record of a run: made at the doors, shown and run again. `history/` keeps it.

`record.py` wraps the doors and notes every call, `files.py` writes a trace as JSON and reads it back,
`replay.py` answers the doors from a trace and names the first step that differs.
"""
