"""Reading prompt: a passage as lettered lines, then a question; the answer is a range of letters,
or none and what does not fit.

The passage stands in front of the question, so that its keys and values are the same for every
question and can be kept. An adapter works from INVOCATION on (activated LoRA): the passage's keys
are the base model's. Text only: knows no tokenizer and no model. rag_api asks with it,
services/reader trains with it. A wording that changes gets a new VERSION: adapters are trained for
one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase

VERSION = 1
# one token each, with and without a space before, in the vocabularies of today
LABELS = tuple(ascii_uppercase + ascii_lowercase)
INVOCATION = "Question:"  # the adapter works from its last occurrence on
NONE = "0"
# What does not fit, by WardQA's labels. The words are what the model says: their first tokens
# differ.
REASONS = {
    "drug": " drug",
    "device": " device",
    "germ": " germ",
    "disease": " disease",
    "group": " group",
    "moment": " moment",
    "place": " place",
    "person": " person",
    "unit": " unit",
    "not_given": " given",
    "row": " row",
    "order": " order",
    "number": " number",
    "negation": " not",
    "other": " other",  # the passage is about something else
}
TO = " to"  # between a range's first and last letter: "C to E"
BECAUSE = " because"  # between none and its reason: "0 because drug"
_INVOKES = re.compile(re.escape(INVOCATION[:-1]) + r"\s*:", re.IGNORECASE)


def passage_part(title: str, heading: str, units: Sequence[str]) -> str:
    """Return what stands before every question on these units, at most len(LABELS) of them. A
    unit's line breaks become spaces."""
    assert len(units) <= len(LABELS), f"{len(units)} units, {len(LABELS)} letters"
    lines = "".join(f"{label}) {_line(unit)}\n" for label, unit in zip(LABELS, units, strict=False))
    return f"Title: {_line(title)}\nSection: {_line(heading)}\n{lines}\n"


def question_part(question: str) -> str:
    """Return what follows the passage; the model's answer comes next. The question cannot begin the
    adapter anew."""
    return f"{INVOCATION} {_INVOKES.sub(INVOCATION[:-1], _line(question))}\nLines: "


def _line(text: str) -> str:
    return " ".join(text.split())
