"""Whether the loop does its work: the figures of a window (`history/figures.py`) against limits, and exported.

alerts.py      figures against the thresholds of the settings
prometheus.py  figures for Prometheus: ratios of the window, counters and a histogram of all time
"""
