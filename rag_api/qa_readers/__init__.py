"""Models that read a question and passages together; rag_api/retrieval/reader_model/reader.py says
what a reader does."""
