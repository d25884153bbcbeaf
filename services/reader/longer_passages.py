"""Passages as the service cuts them: several sections of one document behind each other, and
questions that a whole section answers.

The passages of a question set are short; retrieval brings a section with its neighbours, and half
of what staff ask wants a list or a section whole. Knows no tokenizer and no model.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from services.contract.reading_prompt import LABELS
from services.reader.questions import AskedPassage, TrainingQuestion

LONGEST = 2_400  # characters, as rag_api/retrieval/reader_model/passages.py has it
JOINED = 0.75  # share of the passages that get neighbours
NEIGHBOURS = 3  # at most
WHOLE = 0.5  # share that are asked for a section whole
OF_SECTION = {
    "nl": (
        "{}",
        "hoe gaat {}",
        "wat staat er over {}",
        "{}: hoe doe ik dat",
        "alles over {}",
        "wat zijn de afspraken over {}",
    ),
    "en": (
        "{}",
        "how does {} go",
        "what does it say about {}",
        "{}: what do I do",
        "everything on {}",
        "what are the rules on {}",
    ),
}


class LongerPassages:
    """Lays the neighbours of a passage beside it. Of these only the questions that several lines
    answer come along, and one other each: they are seen whole at their own turn."""

    def __init__(self, passages: Sequence[AskedPassage]) -> None:
        self._of_document: dict[str, list[AskedPassage]] = {}
        for passage in passages:
            self._of_document.setdefault(passage.document, []).append(passage)

    def of(self, passage: AskedPassage, draw: random.Random) -> tuple[AskedPassage, frozenset[str]]:
        """Return the passage as retrieval might bring it, and the ids of what is in it."""
        chosen = [passage]
        if draw.random() < JOINED:
            others = [one for one in self._of_document[passage.document] if one.id != passage.id]
            for other in draw.sample(others, min(len(others), draw.randint(1, NEIGHBOURS))):
                if _fits([*chosen, other]):
                    chosen.append(other)
        place = {one.id: n for n, one in enumerate(self._of_document[passage.document])}
        chosen.sort(key=lambda one: place[one.id])
        lines: list[str] = []
        asked: list[TrainingQuestion] = []
        for part in chosen:
            if lines and part.heading != chosen[0].heading:
                lines.append(part.heading)
            kept = list(part.asked if part is passage else _few(part.asked, draw))
            if draw.random() < WHOLE:
                kept += _whole_section(part, draw)
            asked += _moved(kept, len(lines))
            lines += part.lines
        return replace(passage, heading=chosen[0].heading, lines=tuple(lines), asked=tuple(asked)), frozenset(
            one.id for one in chosen
        )


def _fits(parts: Sequence[AskedPassage]) -> bool:
    lines = [line for part in parts for line in (part.heading, *part.lines)]
    return len(lines) <= len(LABELS) and sum(map(len, lines)) <= LONGEST


def _few(asked: Sequence[TrainingQuestion], draw: random.Random) -> Iterable[TrainingQuestion]:
    several = [one for one in asked if one.first is not None and one.first != one.last]
    rest = [one for one in asked if one not in several]
    return [*several, *draw.sample(rest, min(1, len(rest)))]


def _moved(asked: Iterable[TrainingQuestion], by: int) -> list[TrainingQuestion]:
    return [
        one if one.first is None or one.last is None or one.heart is None
        else replace(one, first=one.first + by, last=one.last + by, heart=one.heart + by)
        for one in asked
    ]  # fmt: skip


def _whole_section(part: AskedPassage, draw: random.Random) -> list[TrainingQuestion]:
    """A question for all that stands below the passage's heading, in words around the heading."""
    name = part.heading.rsplit(" > ", 1)[-1].strip(" .:")
    if len(part.lines) < 2 or not name:
        return []
    words = draw.choice(OF_SECTION.get(part.language, OF_SECTION["nl"])).format(name)
    return [TrainingQuestion(words if draw.random() < 0.3 else words.lower(), 0, len(part.lines) - 1, 0)]
