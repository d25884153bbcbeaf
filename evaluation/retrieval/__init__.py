"""Speed and rank of retrieval on generated and public texts: one index, one question, what
quantised vectors lose."""
