"""Glyphs of a page and what they show: which are seen, which show other letters than they say,
raised figures and signs."""
