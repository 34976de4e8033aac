"""The ground floor: the only code that opens SQLite, replaces files, locks, and reads the clock for a record.

sqlite.py   a database as one value: its tables, their version, what a power cut may take of it
files.py    a file that is whole or not there
lock.py     one writer at a time, and files in use that nobody removes
clock.py    times and ids of records
"""
