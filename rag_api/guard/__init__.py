"""Rules that keep the wrong dose from the wrong patient: whom a question is about, which sources
are for others, which numbers stand in no source, where two documents disagree.

Everything here is a rule with a table of words beside it (CSV); no model decides. The rules know
neither the database nor the index: they get texts and metadata and give values. Whatever they
cannot tell they leave unsaid: a question without a clear patient has no group, and a document
without a target group is for everyone.
"""
