"""Lines and rows of all pages -> text without headers and footers, and the tree of its blocks."""
