"""The fault matrix: a whole Bedside of real processes, each of which is stopped, slowed, restarted
and killed at work.

`python -m tests.faults` runs all of it and prints the table of docs/reliability.md; test_faults.py
runs its most telling cells.
"""
