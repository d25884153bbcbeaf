"""A Word file's XML as Word shows it."""
