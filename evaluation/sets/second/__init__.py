"""Documents and questions of a second made hospital, none of which the program was written beside:
what an installation may expect of its own."""
