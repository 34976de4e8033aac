"""Whether the loop does its work: figures over a window, alerts, and their export.

figures.py     the figures of a window, from the tallies that every run leaves in `history.db`
alerts.py      figures against the thresholds of the settings
prometheus.py  the same for Prometheus: ratios of the window, counters and a histogram of all time

A run is noted by `ragheal.failures.runs`; reading needs no index and no model.
"""

from ragheal.failures.runs import note

__all__ = ["note"]
