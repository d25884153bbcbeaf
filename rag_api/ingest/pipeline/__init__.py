"""The steps of an ingestion, from files that changed to documents in the index."""
