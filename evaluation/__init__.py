"""Evaluation: what is measured on Bedside (a room for each subject), what came of it (results), and
the tables that the docs make of it.

The service imports nothing of it. The commands that measure a hospital's own questions use
`quality` and `calibration`.
"""
