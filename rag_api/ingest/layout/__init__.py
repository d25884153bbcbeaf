"""Glyphs with their places -> lines, columns and rows of tables."""
