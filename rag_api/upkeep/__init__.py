"""Upkeep of an installation: backups of all of it, and a look at whether it is in order. Knows no
question."""
