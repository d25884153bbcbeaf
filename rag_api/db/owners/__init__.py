"""The owners of documents, what staff ask them, and what is to be sent."""
