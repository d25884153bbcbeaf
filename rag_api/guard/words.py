"""The table of words (words.csv), read once. Its columns: kind, language, words (parted by |),
groups (parted by ;).

The one table of such words: the guard, twins, gaps and follow-up questions all read it.

kind: `patient` names whom it is about and nothing else; `state` is what only such patients have, so
a topic too ("bevalling"); `place` is a ward, that only narrows what another word left open; `not`
is a phrase in which a word of these means no patient; `who` may be followed by an age in months,
weeks or days; `before` and `after` a number of years tell a duration; `shock` and `thing` tell what
else "J" and "kg" may be of; `below` and `above` compare; `title` says nothing in a title.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from rag_api.domain import TargetGroup
from rag_api.guard.tables import rows_of

KINDS = {
    "patient",
    "state",
    "place",
    "not",
    "who",
    "grown",
    "before",
    "after",
    "shock",
    "thing",
    "below",
    "above",
    "title",
}


def folded(text: str) -> str:
    """Lower case, without accents, curly apostrophes straight; as long as `text`, so that offsets
    hold."""
    return "".join(map(_folded, text))


def respelled(word: str) -> str:
    """Without what tells Dutch from English, of a folded word: phenytoin as fenytoïne, hypoglykemie
    as hypoglycaemie."""
    for theirs, ours in (("ph", "f"), ("th", "t"), ("ae", "e"), ("y", "i"), ("k", "c"), ("z", "s")):
        word = word.replace(theirs, ours)
    return word


@cache
def _folded(character: str) -> str:
    if character in "’‘`´":
        return "'"
    if character in "‐‑‒–":
        return "-"
    if character.isspace():
        return " "
    plain = unicodedata.normalize("NFD", character)[0].lower()
    return plain if len(plain) == 1 else character


@cache
def table() -> tuple[tuple[str, str, str, frozenset[TargetGroup]], ...]:
    """(kind, language, word, groups), every word folded."""
    rows = []
    for row in rows_of("words.csv"):
        assert row["kind"] in KINDS, row
        groups = frozenset(TargetGroup(name) for name in row["groups"].split(";") if name)
        rows += [(row["kind"], row["language"], folded(word.strip()), groups) for word in row["words"].split("|")]
    return tuple(rows)


@cache
def words(*kinds: str) -> dict[str, frozenset[TargetGroup]]:
    """word -> groups; a word that stands in several rows has the groups of all."""
    found: dict[str, frozenset[TargetGroup]] = {}
    for of_kind, _, word, groups in table():
        if of_kind in kinds:
            found[word] = found.get(word, frozenset()) | groups
    return found


@cache
def pattern(*kinds: str) -> re.Pattern[str]:
    """Any word of these kinds, whole; the longest first. For folded text."""
    longest_first = sorted(words(*kinds), key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, longest_first))})(?![\w'])")
