"""Rows and cells of tables: by rules, captions and columns; what stands in none."""
