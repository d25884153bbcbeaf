"""Evaluation: what was measured (results), and the tables that the docs make of it. No part of the product."""
