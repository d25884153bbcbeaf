"""Calibration: what suits an embedder, a model and a hospital's questions, fitted to judged
ones."""
