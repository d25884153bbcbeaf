"""Leaks of what a reader may not read: every response compared with that of an index that never
held it."""
