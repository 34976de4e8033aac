"""The command line: the only code that prints. `app.py` registers the commands and turns errors into words."""
