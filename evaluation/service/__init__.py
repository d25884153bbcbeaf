"""Speed of a served Bedside: one question's steps, many readers, several processes."""
