"""multilingual-e5-small, computed here: file -> weights, text -> pieces, layers -> graph, and the
encoder of them."""
