"""Flow charts and posters on a page."""
