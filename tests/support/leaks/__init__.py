"""Whether an answer tells of what its reader may not read: every response compared with that of an index that never held it."""
