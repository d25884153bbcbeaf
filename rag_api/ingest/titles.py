"""Which headings are no titles because documents about different things bear them: a letterhead, a form's name.

A title is embedded with every passage, so one that many documents share pulls all of them to the same questions. Versions of one
document may share theirs: their first pages are alike.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from rag_api.ingest.metadata import title_key

_WORD = re.compile(r"[^\W\d_]{4,}")
_WORDS = 400  # enough to tell whether two pages are about the same
_MANY = 3  # documents about different things
_ALIKE = 0.6  # of their words


@dataclass(frozen=True, slots=True)
class Opening:
    """What a document may be called, best first, and words of its first page."""

    titles: tuple[str, ...]
    words: frozenset[str]


def words_of(first_page: str) -> frozenset[str]:
    return frozenset(_WORD.findall(first_page.casefold())[:_WORDS])


def shared_titles(openings: Iterable[Opening]) -> frozenset[str]:
    """The keys of titles that are none of one document's own."""
    bearers: dict[str, list[frozenset[str]]] = defaultdict(list)
    for opening in openings:
        for key in {title_key(title) for title in opening.titles}:
            others = bearers[key]
            if len(others) < _MANY and not any(_alike(opening.words, other) for other in others):
                others.append(opening.words)
    return frozenset(key for key, others in bearers.items() if len(others) >= _MANY)


def _alike(one: frozenset[str], two: frozenset[str]) -> bool:
    return len(one & two) >= _ALIKE * len(one | two)
