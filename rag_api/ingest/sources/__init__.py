"""Sources of files, what is known of them, and what a run over them tells."""
