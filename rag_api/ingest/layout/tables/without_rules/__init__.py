"""Tables that no rules part: rows and cells by where words stand, and what of it is not certain."""
