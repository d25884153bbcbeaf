"""Headings that are no titles because documents about different things bear them: a letterhead, a
form's name. Pure.

A title is embedded with every passage, so one that many documents share pulls all of them to the
same questions. Versions of one document may share theirs: their first pages are alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from rag_api.domain import Metadata, Titles
from rag_api.ingest.common.described.metadata import patients_in, title_from_name
from rag_api.text.title_key import title_key

_WORD = re.compile(r"[^\W\d_]{4,}")
_WORDS = 400  # enough to tell whether two pages are about the same
MANY = 3  # documents about different things
_ALIKE = 0.6  # of their words


def words_of(first_page: str) -> frozenset[str]:
    return frozenset(_WORD.findall(first_page.casefold())[:_WORDS])


def many_differ(openings: Iterable[frozenset[str]]) -> bool:
    """Whether these first pages, by their words, are of at least three documents about different
    things."""
    found: list[frozenset[str]] = []
    for words in openings:
        if not any(len(words & other) >= _ALIKE * len(words | other) for other in found):
            found.append(words)
        if len(found) == MANY:
            return True
    return False


def own_title(source: str, titles: Titles, letterheads: Collection[str]) -> str:
    """The first of what a document may be called that is its own, else its file's name.
    letterheads: their keys."""
    return next((name for name in titles.names if title_key(name) not in letterheads), title_from_name(source))


def called(metadata: Metadata, title: str, titles: Titles) -> Metadata:
    """What is said of a document, under another title."""
    groups = patients_in(title) if titles.patients else metadata.target_groups
    return replace(metadata, title=title, target_groups=groups)
