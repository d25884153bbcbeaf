"""Types and rules that every room of ingestion knows: boxed text, kinds of files, notes, chunks,
what a document says of itself."""
