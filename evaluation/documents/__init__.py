"""Speed and memory of ingestion, on this machine and on a Ray cluster."""
