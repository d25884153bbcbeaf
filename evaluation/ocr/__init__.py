"""Quality of reading scans: the handbook made into scans of many kinds, read back, and compared
with what it says."""
