"""Where files come from, what is known of them, and what a run over them tells."""
