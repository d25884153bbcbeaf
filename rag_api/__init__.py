"""Bedside's service: ingest a hospital's documents, retrieve, answer, cite. No torch in here."""

__version__ = "0.1.0"
