"""Trains our own reader of question and passage on the upper layers of multilingual-e5-small."""
