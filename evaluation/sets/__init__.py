"""Question sets that came with Bedside beside the handbook's, each with the measurement on it."""
