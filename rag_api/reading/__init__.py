"""Reading: a language model points to the units of the retrieved passages that answer a question, or says that none does and why."""
