"""Reader: trains and measures the adapter with which a language model points to the lines of a
passage that answer a question."""
