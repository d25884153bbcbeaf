"""What the glyphs of a page show: which are seen, which show other letters than they say, raised figures and signs."""
