"""`python -m ragheal_cli` is `ragheal`."""

from .app import run

run()
