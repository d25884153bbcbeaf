"""Rows and cells of tables: by rules, by where words stand, and what is not certain."""
