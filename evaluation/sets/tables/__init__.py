"""Tables of made documents, drawn by many programs, and the rows that a careful reader sees in
them."""
