"""Which drugs a question names, and whether a text names them too.

By the endings that the names of substances have: a drug without one is not known here, and nothing follows from it. Spelling is forgiven
as far as two drugs are not taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag_api.guard.words import folded

ENDS_LIKE_A_DRUG = re.compile(
    r"(?:[ck]in[e]?|mycin[e]?|micine|cill?ine?|penem|azole?|pam|lam|olol|aban|parine?|tanyl|tanil|m(?:orf|orph)ine|ca[iï]ne|profen|cetamol|"
    r"dipine|pril|sartan|statine?|oxacine?|solone?|drine|azine|[mt]idine|setron|stine|blastine|plati(?:n|ne)|ziride|semide|nitine|trigine|toine|oxone?|mazenil|dexaat|inase|plase)$"
)  # fmt: skip
_ELSE = frozenset(["medicine", "medicin", "vaccine", "magazine", "foreskin"])
_SHORTEST = 7  # "april" and "skin" end like drugs too
_WORD = re.compile(r"[^\W\d_]{4,}")


def drugs_in(text: str) -> tuple[str, ...]:
    """In the question's order, each once, in lower case and without accents."""
    found = (word for word in _WORD.findall(folded(text)) if len(word) >= _SHORTEST and word not in _ELSE)
    return tuple(dict.fromkeys(word for word in found if ENDS_LIKE_A_DRUG.search(word)))


def names(text: str, drugs: Iterable[str]) -> bool:
    """Whether the text has one of them, in Dutch or English, also within a longer word or with a letter or two wrong."""
    wanted = [_spelled(drug) for drug in drugs]
    return any(_is_same(drug, word) for word in {_spelled(word) for word in _WORD.findall(folded(text))} for drug in wanted)


def _spelled(word: str) -> str:
    """Without what tells Dutch from English: phenytoin is fenytoïne, cephalexin is cefalexine."""
    for theirs, ours in (("ph", "f"), ("th", "t"), ("ae", "e"), ("y", "i"), ("k", "c"), ("z", "s")):
        word = word.replace(theirs, ours)
    return word.removesuffix("e")


def _is_same(drug: str, word: str) -> bool:
    """Two letters may be wrong where the beginning is right; ropivacaine is not bupivacaine."""
    return drug in word or _distance(drug, word, 2) <= (2 if drug[:3] == word[:3] else 1)


def _distance(one: str, other: str, most: int) -> int:
    """Letters to insert, take out or replace; `most` + 1 for all that is further."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row, above = [i], row
        for j, its in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != its)))
    return min(row[-1], most + 1)
