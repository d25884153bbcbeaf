"""What reads question and passages together; rag_api/retrieval/reader.py says what a reader does."""
