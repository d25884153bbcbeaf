"""The decision whether there is an answer, fitted and measured on several collections together:
collections.py says which, extract.py asks them once and keeps what came of it, measure.py fits and
draws from that in seconds."""
