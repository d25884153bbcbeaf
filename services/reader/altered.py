"""Questions altered by rule: a thing exchanged for another one of its kind that the document does not name, so that nothing there answers;
called by another of its names, or misspelt, so that the same answers; and exchanged in question and passage alike.

What is a thing, and which are of one kind, the tables of concepts and drugs say (rag_api/guard).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, takewhile
from typing import TypeVar

import numpy as np

from rag_api.guard.concepts import SPECIFIC, by_itself, concepts, concepts_in, is_named, places
from rag_api.guard.drugs import is_drug, names, substances
from rag_api.guard.words import folded
from rag_api.retrieval.reader import Passage

T = TypeVar("T")
KINDS = SPECIFIC | {"person", "route", "site", "diet"}
NEAR = 0.7  # how often a thing is exchanged for one that is of the same immediate kind, where there is one
TYPED = 5  # letters of a word that is misspelt
_WORD = re.compile(r"[^\W\d_]+")
_TURNED = (
    ("met", "zonder"), ("with", "without"), ("voor", "na"), ("before", "after"), ("eerste", "tweede"), ("first", "second"),
    ("overdag", "'s nachts"), ("minimum", "maximum"), ("min", "max"), ("minstens", "hoogstens"), ("links", "rechts"), ("left", "right"),
    ("start", "stop"), ("starten", "stoppen"), ("begin", "einde"), ("volwassene", "kind"), ("volwassenen", "kinderen"), ("adult", "child"),
    ("adults", "children"), ("pasgeborene", "volwassene"), ("zwangere", "kind"), ("man", "zwangere"), ("ochtend", "avond"),
    ("morning", "evening"), ("week", "weekend"), ("open", "dicht"), ("opname", "ontslag"), ("admission", "discharge"),
    ("nuchter", "na het eten"), ("dagelijks", "jaarlijks"), ("warm", "koud"), ("intern", "extern"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Thing:
    """A name in a text. `line`: of the table of its kind, "drug" or one of the concepts' kinds."""

    start: int
    end: int
    kind: str
    line: int


def things(text: str) -> Iterator[Thing]:
    """Yield what may be exchanged, in the order in which it stands; no two overlap."""
    drugs = [(*found.span(), word) for found in _drug_names().finditer(text) if is_drug((word := folded(found[0])).replace(" ", ""))]
    for start, end, word in drugs:
        if (line := _drug_line(word)) is not None:
            yield Thing(start, end, "drug", line)
    if len([c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)]) != len(text):
        return  # "½": places would be elsewhere
    for lines, said, start, end in places(text):
        if by_itself(lines, said) and not any(start < b and a < end for a, b, _ in drugs):
            (line,) = lines
            if concepts()[line].kind in KINDS:
                yield Thing(start, end, concepts()[line].kind, line)


def exchanged(question: str, document: str, chance: np.random.Generator) -> str | None:
    """Return it about another thing than the document's; None: it names none that the document names."""
    there = [thing for thing in things(question) if _is_there(thing, document)]
    for thing in _shuffled(there, chance):
        if (other := _another(thing, document, chance)) is not None:
            return question[: thing.start] + _name(thing.kind, other, chance) + question[thing.end :]
    return None


def renamed(question: str, chance: np.random.Generator) -> str | None:
    """Return it with another name of a thing."""
    for thing in _shuffled(list(things(question)), chance):
        name = _name(thing.kind, thing.line, chance)
        if folded(name) != folded(question[thing.start : thing.end]):
            return question[: thing.start] + name + question[thing.end :]
    return None


def turned(question: str, document: str, chance: np.random.Generator) -> str | None:
    """Return it with a word's opposite that the document does not have."""
    said = {word.group().casefold() for word in _WORD.finditer(document)}
    pairs = [(one, other) for a, b in _TURNED for one, other in ((a, b), (b, a)) if other not in said]
    for one, other in _shuffled(pairs, chance):
        found = re.search(rf"\b{re.escape(one)}\b", question, re.IGNORECASE)
        if found:
            return question[: found.start()] + other + question[found.end() :]
    return None


def misspelt(question: str, chance: np.random.Generator) -> str | None:
    """Return it with two letters of a long word exchanged, one left out, or one doubled."""
    words = [word for word in _WORD.finditer(question) if word.end() - word.start() >= TYPED]
    if not words:
        return None
    word = words[int(chance.integers(len(words)))]
    at = int(chance.integers(word.start() + 1, word.end() - 1))
    a, b = question[at], question[at + 1]
    wrong = (b + a, b, a + a + b)[int(chance.integers(3))]
    return question[:at] + wrong + question[at + 2 :]


def exchanged_in_both(question: str, passage: Passage, document: str, chance: np.random.Generator) -> tuple[str, Passage] | None:
    """Return both about another thing."""
    there = [thing for thing in things(question) if any(own.line == thing.line and own.kind == thing.kind for own in things(passage.text))]
    for thing in _shuffled(there, chance):
        if (other := _another(thing, document, chance)) is not None:
            name = _name(thing.kind, other, chance)
            asked = question[: thing.start] + _name(thing.kind, other, chance) + question[thing.end :]
            return asked, _about(passage, thing, name)
    return None


def _about(passage: Passage, thing: Thing, name: str) -> Passage:
    own = [(t.start, t.end) for t in things(passage.text) if (t.kind, t.line) == (thing.kind, thing.line)]

    def moved(at: int) -> int:
        return at + sum(len(name) - (end - start) for start, end in own if end <= at)

    spans = tuple((moved(start), moved(end)) for start, end in passage.spans)
    return Passage(
        _replaced(passage.title, thing, name), _replaced(passage.heading, thing, name), _replaced(passage.text, thing, name), spans
    )


def _replaced(text: str, thing: Thing, name: str) -> str:
    own = [(t.start, t.end) for t in things(text) if (t.kind, t.line) == (thing.kind, thing.line)]
    for start, end in reversed(own):
        text = text[:start] + name + text[end:]
    return text


def _is_there(thing: Thing, document: str) -> bool:
    if thing.kind == "drug":
        return names(document, substances()[thing.line])
    return is_named(thing.line, concepts_in(document))


def _another(thing: Thing, document: str, chance: np.random.Generator) -> int | None:
    """One of its kind that the document names by no name, nor what it is a kind of."""
    if thing.kind == "drug":
        others = [line for line in range(len(substances())) if line != thing.line]
        near: list[int] = []
    else:
        others = [line for line in _of_kind(thing.kind) if line != thing.line]
        near = [line for line in others if concepts()[line].below == concepts()[thing.line].below is not None]
    pools = (near, others) if chance.random() < NEAR else (others,)
    tries = chain.from_iterable(_shuffled(pool, chance)[:8] for pool in pools)
    return next((line for line in tries if _is_new(thing, line, document)), None)


def _is_new(thing: Thing, line: int, document: str) -> bool:
    if thing.kind == "drug":
        return not names(document, substances()[line])
    there = concepts_in(document)
    return not (is_named(line, there) or thing.line in _above(line) or _above(line) & there or line in _above(thing.line))


@cache
def _above(line: int) -> frozenset[int]:
    below = concepts()[line].below
    return frozenset() if below is None else _above(below) | {below}


@cache
def _of_kind(kind: str) -> tuple[int, ...]:
    return tuple(line for line, concept in enumerate(concepts()) if concept.kind == kind)


def _name(kind: str, line: int, chance: np.random.Generator) -> str:
    own = substances()[line] if kind == "drug" else concepts()[line].names
    return own[int(chance.integers(len(own)))]


@cache
def _lines_of_drugs() -> dict[str, int]:
    return {name: line for line, own in enumerate(substances()) for name in own}


@cache
def _drug_names() -> re.Pattern[str]:
    """A drug's may have digits: MgSO4; or several words: calcium chloride."""
    parted = sorted((name for name in _lines_of_drugs() if " " in name), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, parted))})\b|[^\W_]+", re.IGNORECASE)


def _drug_line(word: str) -> int | None:
    return _lines_of_drugs().get(word)


def _shuffled(those: Sequence[T], chance: np.random.Generator) -> list[T]:
    return [those[n] for n in chance.permutation(len(those))]


def in_own_words(text: str, span: tuple[int, int], title: str, chance: np.random.Generator) -> str | None:
    """Return some words of `text[start:end]`, in their order, and perhaps one of the title, as who knows the text asks; of a table's row
    what it is called and one of the columns."""
    said = text[span[0] : span[1]]
    words = _of_row(text, span[0], said, chance) if "\t" in said.strip() else _of_sentence(said, chance)
    named = [word.group() for word in _WORD.finditer(title) if len(word.group()) >= TYPED]
    about = [named[int(chance.integers(len(named)))]] if named and chance.random() < 0.5 else []
    return " ".join([*about, *words]) if words else None


def _of_sentence(said: str, chance: np.random.Generator) -> list[str]:
    words = [word.group() for word in _WORD.finditer(said) if len(word.group()) >= TYPED]
    kept = sorted(chance.permutation(len(words))[: int(chance.integers(3, 6))].tolist())
    return [words[n] for n in kept] if len(words) >= 3 else []


def _of_row(text: str, start: int, said: str, chance: np.random.Generator) -> list[str]:
    above = text[:start].rstrip("\n").split("\n")
    header = list(takewhile(lambda line: "\t" in line, reversed(above)))[-1:]
    columns = [cell.strip() for cell in header[0].split("\t")[1:]] if header else []
    if not any(columns):
        return []
    named = said.split("\t")[0].split()
    column = columns[int(chance.integers(len(columns)))].split()
    return [*column, *named] if chance.random() < 0.5 else [*named, *column]
