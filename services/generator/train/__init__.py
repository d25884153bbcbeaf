"""EAGLE heads for any target: prompts -> the target's own answers with its features -> a trained
head in the published format.

Each part is one command of `python -m services.generator.train` and goes on where it was stopped.
Knows nothing of the engine.
"""
