"""Writes the sample handbook's PDFs from their sources."""
