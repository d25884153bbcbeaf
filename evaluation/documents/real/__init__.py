"""Papers of hospitals and governments, marked by hand: their tables and their pages' order."""
