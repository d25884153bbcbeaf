"""A complication that no word of the question names: convulsions of a pregnant woman are eclampsia
until shown otherwise, a fever while blood runs is a transfusion reaction. Its procedure has that
name, and the question does not.

Only what every hospital treats as that (complications.csv: for whom, what the patient gets or has,
with which signs, what that is called; or: what it may also be). Its name helps to find documents
and sentences; and a document that is titled after another such complication and never names it is
not answered from. A line of the table that tells nothing but `or` is such a complication only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from rag_api.domain import TargetGroup
from rag_api.guard import drugs
from rag_api.guard.concepts import SPECIFIC, concepts, concepts_in, is_named, names_of, places
from rag_api.guard.signs import Sign, denied, is_denied, is_to_come, readable, signs_in
from rag_api.guard.tables import rows_of


@dataclass(frozen=True, slots=True)
class NamedComplication:
    """What words of the question are called that it does not say."""

    said: str  # the words, folded
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Complications:
    """What a question means beyond its words, and the complications that this is."""

    named: tuple[NamedComplication, ...] = ()
    names: tuple[str, ...] = ()  # of the complications
    lines: frozenset[int] = frozenset()  # of the concepts that they are
    # that a title may be about too: what it may be as well, and what the question names
    others: frozenset[int] = frozenset()
    # of the question: a document titled after one of them, or of the things, may be what it asks
    # for
    drugs: frozenset[str] = frozenset()
    things: frozenset[int] = frozenset()  # specific concepts of the question
    sources: frozenset[int] = frozenset()  # all concepts that they come of in such a case
    rivals: frozenset[int] = frozenset()  # those that they come of in other cases: another drug leaks than contrast
    signs: tuple[tuple[str, ...], ...] = ()  # what ails the patient, each alone or with others


NOTHING = Complications()


def complications_in(groups: Collection[TargetGroup], text: str) -> Complications:
    """Return what a question's words are together; what is for some patients only where it is clear
    that it is about them."""
    question = _read_question(text)
    meant = [NamedComplication(sign.said, names) for sign in signs_in(text) if (names := _called(sign.name))]
    fired = [(rule, said) for rule in _rules() if (said := _fits(rule, groups, question)) is not None]
    if not fired:
        return Complications(tuple(meant)) if meant else NOTHING
    rules = [rule for rule, _ in fired]
    return Complications(
        named=(*meant, *(NamedComplication(one, rule.names) for rule, said in fired for one in said)),
        names=tuple(dict.fromkeys(name for rule in rules for name in rule.names)),
        lines=frozenset().union(*(rule.lines for rule in rules)),
        others=frozenset().union(*(rule.others for rule in rules)) | question.there & _every_complication(),
        drugs=frozenset(question.drugs),
        things=frozenset(line for line in question.there if concepts()[line].kind in SPECIFIC),
        sources=(sources := frozenset().union(*(_of(rule) for rule in rules))),
        rivals=frozenset().union(*(_of(other) for other in _rules() for rule in rules if other.lines & rule.lines))
        - sources,
        signs=tuple(every for rule in rules for every in rule.signs if all(_said(name, question) for name in every)),
    )


def is_about_another(question: Complications, title: str, text: str, own: bool = False) -> bool:
    """Return whether a document never names what the question's words are together, and is titled
    after another complication, or speaks neither of what ails the patient nor, in its title, of
    anything else of the question; or whether it is about the same that comes of something else.
    own: another document has that in its title: then one about another complication may not answer
    though it names it."""
    if not question.lines or names_it(question, title):
        return False
    there, named = concepts_in(title), concepts_in(text)
    if _any_named(question.rivals, there) and not _any_named(question.sources, there | named):
        return True
    names, others = names_it(question, text), _any_named(question.others, there)
    if others or (names and not own) or (question.drugs and drugs.names(title, question.drugs)):
        return False
    if _any_named(_every_complication(), there):
        return True
    if names or _any_named(question.things, there):
        return False
    return not any(_speaks_of(every, text, there | named) for every in question.signs)


def _speaks_of(signs: Sequence[str], text: str, named: frozenset[int]) -> bool:
    """Whether a document speaks of all of these. One that is no concept is told otherwise in each:
    alone it is taken to be there."""
    lines = [(name, _line(name)) for name in signs]
    said = {sign.name for sign in signs_in(text)}
    return all(is_named(line, named) if line is not None else len(signs) == 1 or name in said for name, line in lines)


def _any_named(lines: Collection[int], there: frozenset[int]) -> bool:
    return any(is_named(line, there) for line in lines)


def names_it(question: Complications, text: str) -> bool:
    """Return whether a text names what the question's words are together, or a kind of it."""
    return bool(question.lines) and _any_named(question.lines, concepts_in(text))


@dataclass(frozen=True, slots=True)
class _Mention:
    lines: frozenset[int]  # of the concepts that it may be
    said: str
    coming: bool  # the patient is yet to get it


@dataclass(frozen=True, slots=True)
class _Question:
    signs: tuple[Sign, ...]
    concepts: tuple[_Mention, ...]  # without what it denies
    there: frozenset[int]  # the lines of all of them, and of the signs
    drugs: tuple[str, ...]
    text: str


def _read_question(text: str) -> _Question:
    plain = readable(text)
    away = denied(plain)
    found = [
        _Mention(lines, plain[start:end], is_to_come(plain, start))
        for lines, _, start, end in places(text)
        if not is_denied(start, end, away)
    ]
    signs = signs_in(text)
    there = frozenset().union(*(mention.lines for mention in found), *(_own(sign.name) for sign in signs))
    return _Question(
        signs, tuple(found), there, tuple(drug for drug in drugs.drugs_in(text) if _is_had(drug, plain, away)), text
    )


def _is_had(drug: str, plain: str, away: tuple[tuple[int, int], ...]) -> bool:
    """Whether the patient gets it, or did: somewhere it is neither denied nor still to come."""
    found = re.finditer(re.escape(drug), plain)
    return any(not is_denied(*match.span(), away) and not is_to_come(plain, match.start()) for match in found)


@dataclass(frozen=True, slots=True)
class _Rule:
    whom: TargetGroup | None
    # concepts, signs, drugs and their classes: what the patient gets or has; empty: nothing more is
    # needed
    of: tuple[str, ...]
    signs: tuple[tuple[str, ...], ...]  # any of them; of one, all
    unless: tuple[str, ...]  # any of them: then it is something else
    names: tuple[str, ...]
    lines: frozenset[int]
    others: frozenset[int]


def _fits(rule: _Rule, groups: Collection[TargetGroup], question: _Question) -> tuple[str, ...] | None:
    """The words that say what is the matter; None where the rule says nothing of this question."""
    if rule.whom is not None and (len(groups) != 1 or rule.whom not in groups):
        return None
    if rule.of and not any(_is_given(name, question) for name in rule.of):
        return None
    if any(_said(name, question) for name in rule.unless):
        return None
    found = [words for every in rule.signs if all(words := [_said(name, question) for name in every])]
    return tuple(dict.fromkeys(word for words in found for word in words)) or None


def _is_given(name: str, question: _Question) -> bool:
    """Whether the question says that the patient gets or has it."""
    line = _line(name)
    return (
        any(sign.name == name and not sign.coming for sign in question.signs)
        or (line is not None and any(is_named(line, one.lines) and not one.coming for one in question.concepts))
        or any(drugs.is_of(drug, name) for drug in question.drugs)
        or drugs.names_class(question.text, name)
    )


def _said(name: str, question: _Question) -> str:
    """The words in which a question says that there is this, or a kind of it; none where it does
    not."""
    line = _line(name)
    own = [sign.said for sign in question.signs if sign.name == name]
    own += [one.said for one in question.concepts if line is not None and is_named(line, one.lines)]
    return own[0] if own else ""


def _called(name: str) -> tuple[str, ...]:
    line = _line(name)
    return () if line is None else names_of(line)


def _of(rule: _Rule) -> frozenset[int]:
    return frozenset(line for name in rule.of for line in _own(name))


def _own(name: str) -> frozenset[int]:
    line = _line(name)
    return frozenset() if line is None else frozenset((line,))


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            whom=TargetGroup(row["whom"]) if row["whom"] else None,
            of=_split(row["of"]),
            signs=tuple(tuple(every.strip() for every in one.split("&")) for one in _split(row["with"])),
            unless=_split(row["unless"]),
            names=_split(row["is"]),
            lines=_lines(row["is"]),
            others=_lines(row["or"]),
        )
        for row in rows_of("complications.csv")
        if row["is"]
    )


@cache
def _every_complication() -> frozenset[int]:
    return frozenset().union(
        *(rule.lines for rule in _rules()),
        *(_lines(row["or"]) for row in rows_of("complications.csv") if not row["is"]),
    )


def _split(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()


def _lines(cell: str) -> frozenset[int]:
    return frozenset(line for name in _split(cell) for line in concepts_in(name))


@cache
def _line(name: str) -> int | None:
    """Of the concept that is called so first."""
    return next((line for line, concept in enumerate(concepts()) if concept.names[0] == name), None)
