"""Measurements of retrieval and ingestion, each one command: `bedside bench retrieval|ingest|quality`. They change nothing of yours."""
