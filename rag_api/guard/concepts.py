"""Clinical concepts that a text names: devices, procedures, diseases, germs, wards, staff,
materials and the like.

The table (concepts.csv) has a concept in a line, with its names in Dutch and English, lay words,
abbreviations and brands, and what it is a kind of: a PICC and an implanted port are both central
venous catheters, so what is said of one may not be said of the other. Drugs have a table of their
own (drugs.py). A name is found inflected and within a compound ("katheterverzorging"); the longest
name counts, so that a urinary catheter is no catheter of any kind. A name that the table writes in
capitals is an ordinary word else ("OK") and is one only in capitals. An ordinary word that is
spelled as a name is, or ends as one does ("treat" as threat, "zondag" as sondage), stands there as
a matter, that nothing needs to name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from rag_api.guard.tables import rows_of
from rag_api.guard.words import respelled
from rag_api.text.bm25_analyzer import STOP_WORDS

# Kinds whose concepts a document names when it is about them; staff, patients, forms and house
# rules are left unsaid too often.
SPECIFIC = frozenset(["device", "procedure", "disease", "germ", "symptom", "test", "place", "material", "isolation"])
# Those, what belongs to nearly all care (an operation, medication, an injection) and everyday acts
# and things (to drive, to draw up, a price): their names help to find them; they may be left
# unsaid. An everyday one never takes another's place in a follow-up (instead.py).
_SOUGHT = SPECIFIC | {"general", "everyday"}
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_][\w]*")
_SHORTEST = 3  # letters of a name that has plurals
_BARE = 5  # letters that are left of one without its ending: "niet" is no "nietjes"
_COMPOUND = 8  # letters of a word that may be made of two
_PART, _BESIDE = 6, 3  # letters of a compound's part that is known, and of one beside it that is not
_BOTH = 4  # letters of a part where both are known: "knieoperatie"
_SMALL = frozenset(respelled(word) for words in STOP_WORDS.values() for word in words)
_LINKS = ("", "s", "en", "n", "e")
_ENDINGS = ("s", "es", "en", "n", "e", "je", "jes", "tje", "tjes")


@dataclass(frozen=True, slots=True)
class Concept:
    kind: str
    below: int | None  # the line of what it is a kind of
    names: tuple[str, ...]


@cache
def concepts() -> tuple[Concept, ...]:
    """All lines of the table. The first name is a concept's own, by which the ones below it call
    it."""
    rows = [(row["kind"], row["below"], tuple(row["names"].split("|"))) for row in rows_of("concepts.csv")]
    line = {names[0]: number for number, (_, _, names) in enumerate(rows)}
    return tuple(Concept(kind, line[below] if below else None, names) for kind, below, names in rows)


@lru_cache(maxsize=4096)
def concepts_in(text: str) -> frozenset[int]:
    """The lines of the concepts that a text names."""
    return frozenset(concept for found, _ in mentions(text) for concept in found)


def mentions(text: str) -> Iterator[tuple[frozenset[int], str]]:
    """Yield what each name in the text may mean, and the words that name it. A name has several
    meanings where several lines hold it."""
    for found, words, _, _ in places(text):
        yield found, words


def places(text: str) -> Iterator[tuple[frozenset[int], str, int, int]]:
    """Yield the same with where each name begins and ends in the text, which has lost its
    accents."""
    said = list(_WORD.finditer(_plain(text)))
    known, at = [word.group() for word in said], 0
    words = [_spelled(word) for word in known]
    while at < len(words):
        length, found = _longest(known, words, at)
        if found:
            yield found, " ".join(words[at : at + length]), said[at].start(), said[at + length - 1].end()
        at += length


def meant(word: str) -> frozenset[int]:
    """The lines of what one word may mean."""
    return of_word(_spelled(_plain(word)))


def also_called(word: str) -> tuple[str, ...]:
    """The other names of a word that means a specific thing: by itself or inflected, not as a part
    of a compound. Of one that may mean several, what they all are called: "isoleren" is "isolatie",
    as what is done and as what is in force."""
    return _names_of_all(_known(_spelled(_plain(word))))


def names_of(line: int) -> tuple[str, ...]:
    """What a specific thing is called; of other lines nothing."""
    return _names_of_all(frozenset((line,)))


def _names_of_all(lines: frozenset[int]) -> tuple[str, ...]:
    meant = [concepts()[line] for line in sorted(lines)]
    if not meant or any(concept.kind not in _SOUGHT for concept in meant):
        return ()
    return tuple(name for name in meant[0].names if all(name in other.names for other in meant[1:]))


def _is_whole(lines: frozenset[int], said: str) -> bool:
    return " " in said or lines == _known(said)


def other_words(text: str) -> tuple[str, ...]:
    """What else the specific things are called that a text names."""
    found = dict[str, None]()
    for lines, said in mentions(text):
        if _is_whole(lines, said):
            found |= dict.fromkeys(name for name in _names_of_all(lines) if _spelled(_plain(name)) != said)
    return tuple(found)


def names_another(text: str, there: frozenset[int]) -> bool:
    """Return whether a text names a specific thing that is not among these concepts, nor is any
    kind of it."""
    asked = (lines for lines, _ in mentions(text) if any(concepts()[line].kind in SPECIFIC for line in lines))
    return any(not any(is_named(line, there) for line in lines) for lines in asked)


def is_named(concept: int, there: frozenset[int]) -> bool:
    """Return whether it is there, or what is a kind of it."""
    return concept in there or any(concept in _line_up(other) for other in there)


@cache
def _line_up(concept: int) -> tuple[int, ...]:
    """What it is a kind of, the nearest first."""
    above = concepts()[concept].below
    return () if above is None else (above, *_line_up(above))


@lru_cache(maxsize=100_000)
def _spelled(word: str) -> str:
    return respelled(word.lower())


def _plain(text: str) -> str:
    """Without accents; capitals stay."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


_Opener = tuple[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class _Names:
    words: dict[str, frozenset[int]]  # names of one word, in small letters
    inflected: dict[str, frozenset[int]]  # the same with another ending
    capitals: dict[str, frozenset[int]]
    openers: dict[str, list[_Opener]]  # names of several words, by the first, with any ending


@cache
def _names() -> _Names:
    found = _Names({}, {}, {}, {})
    for line, concept in enumerate(concepts()):
        only = frozenset((line,))
        for name in concept.names:
            parts = tuple(_WORD.findall(_plain(name)))
            if name.isupper() and len(parts) == 1:
                _add(found.capitals, parts[0], only)
                continue
            parts = tuple(map(_spelled, parts))
            for form in _forms(parts[0]):
                if len(parts) > 1:
                    found.openers.setdefault(form, []).append((parts, line))
                else:
                    _add(found.inflected, form, only)
            if len(parts) == 1:
                _add(found.words, parts[0], only)
    return found


def _add(found: dict[str, frozenset[int]], name: str, lines: frozenset[int]) -> None:
    """Most names have one meaning, whose set all their forms share."""
    found[name] = found[name] | lines if name in found else lines


@lru_cache(maxsize=20_000)
def _forms(name: str) -> frozenset[str]:
    """As it is, and with or without an ending of a plural or of a small one: "kruk", "krukken",
    "krukje"."""
    if len(name) < _SHORTEST:
        return frozenset((name,))
    longer = {name + ending for ending in _ENDINGS} | {f"{name}{name[-1]}{ending}" for ending in ("en", "e")}
    bare = {name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)}
    single = {one[:-1] for one in bare if len(one) > _BARE and one[-1] == one[-2]}
    return frozenset((name, *longer, *(one for one in bare | single if len(one) >= _BARE)))


def _longest(said: list[str], words: list[str], at: int) -> tuple[int, frozenset[int]]:
    """How many words from here are a name, at least 1, and what it may mean; nothing where none
    is."""
    length, found = 1, set[int]()
    for name, line in _names().openers.get(words[at], ()):
        if len(name) < max(2, length) or at + len(name) > len(words):
            continue
        if all(word in _forms(part) for word, part in zip(words[at + 1 : at + len(name)], name[1:], strict=True)):
            found = found if len(name) == length else set()
            length = len(name)
            found.add(line)
    return (
        (length, frozenset(found)) if found else (1, _names().capitals.get(said[at], frozenset()) or of_word(words[at]))
    )


@lru_cache(maxsize=100_000)
def of_word(word: str) -> frozenset[int]:
    """What a word in small letters means: by itself, inflected, or by what it is made of."""
    known = _known(word)
    if known or len(word) < _COMPOUND:
        return known
    return _tail(word) | _head(word)


def _known(word: str) -> frozenset[int]:
    names = _names()
    return frozenset() if word in _SMALL else names.words.get(word) or names.inflected.get(word, frozenset())


def _tail(word: str) -> frozenset[int]:
    """Of the longest name that it ends with: a heupspica is a kind of spica."""
    for cut in range(_BESIDE, len(word) - _BOTH + 1):
        found = _known(word[cut:])
        if found and (len(word) - cut >= _PART or any(_known(part) for part in _unlinked(word[:cut]))):
            return found
    return frozenset()


def _head(word: str) -> frozenset[int]:
    """Of the longest name that it begins with: katheterverzorging is about a katheter."""
    for cut in range(len(word) - _BESIDE, _BOTH - 1, -1):
        found = next(
            (known for part in _unlinked(word[:cut]) if len(part) >= _BOTH and (known := _known(part))),
            frozenset[int](),
        )
        if found and (cut > _PART or _known(word[cut:])):
            return found
    return frozenset()


def _unlinked(part: str) -> list[str]:
    return [part.removesuffix(link) for link in _LINKS if part.endswith(link)]
