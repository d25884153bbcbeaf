"""Sentences that fit who is asked about: none of another drug, for other patients, another weight
or age, or worked out for other numbers.

Knows no document beside the sentence itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag_api.domain import Candidate
from rag_api.guard.drugs import is_of_another
from rag_api.guard.exclusions import is_turned
from rag_api.guard.indication import is_of_the_other_intent
from rag_api.guard.numbers.levels import is_about_the_other
from rag_api.guard.numbers.salts import Salt
from rag_api.guard.words import folded
from rag_api.query.analysis import Analysis
from rag_api.query.followup import patients_in
from rag_api.retrieval.sentence_scorer import fit_of
from rag_api.text.ranges import asked, fits

_PATIENT_UNITS = {"kg", "year", "month"}  # of what a patient is told by
_EXAMPLE = re.compile(
    r"\b(?:reken)?voorbeeld\w*\b|\bbijv(?:oorbeeld)?\b|\bbv\b|\b(?:worked )?example\b|\be\.g\.", re.IGNORECASE
)
# What a document says of itself, which answers nothing: "Deze procedure legt vast wie wordt
# gebeld".
META_STATEMENT = re.compile(
    r"\b(?:deze|dit|this) "
    r"(?:procedure|richtlijn|protocol|document|folder|brochure|handleiding|werkinstructie|beleid|zorgpad|nota|afspraak|"
    r"guideline|leaflet|policy|pathway|instruction|manual) (?:beschrijft|legt "
    r"vast|regelt|helpt|bundelt|bepaalt|voorkomt|is bedoeld|"
    r"describes|sets out|helps|explains|covers|tells|is meant)\b|\bwat is (?:er )?(?:veranderd|nieuw)\b|"
    r"\bwhat (?:has |is )?(?:changed|new)\b|\b(?:versie|version) \d[\d.]* (?:vervangt|replaces)\b",
    re.IGNORECASE,
)


def fitting(question: Analysis, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without sentences of another drug, of other patients, for another weight or age, and examples
    for other numbers; but rather all than none."""
    left = list(candidates)
    for wrong in _WRONG:
        left = [c for c in left if not wrong(question, c)] or left
    fit = {(c.document_id, c.start, c.end): fit_of(question, c) for c in left}
    right = {document_id for (document_id, _, _), verdict in fit.items() if verdict > 0}
    return [c for c in left if c.document_id not in right or fit[c.document_id, c.start, c.end] >= 0]


def is_unfit(question: Analysis, candidate: Candidate) -> bool:
    """Return whether it is better left out, whatever else there is."""
    return any(wrong(question, candidate) for wrong in _WRONG) or fit_of(question, candidate) < 0


def _of_another_drug(question: Analysis, candidate: Candidate) -> bool:
    if question.drugs:
        return is_of_another(candidate.text, question.drug_names)
    # what is too low is given
    lacks = question.level if question.level is not None and not question.level.high else None
    # "kaliumfosfaat"
    if (
        lacks is None
        or not isinstance(lacks.of, Salt)
        or any(name in folded(candidate.text) for name in lacks.of.names)
    ):
        return False
    return is_of_another(candidate.text, lacks.of.names)


def _for_others(question: Analysis, candidate: Candidate) -> bool:
    """A row for the weight or age that is asked about is for these patients, though a cell of it
    speaks of an adult's set."""
    if candidate.is_row and fits(question.numbers, candidate.case) > 0:
        return names_others(question, candidate.case)
    return names_others(question, candidate.text)


def names_others(question: Analysis, text: str) -> bool:
    return question.patient.excludes(tuple({group for named in patients_in(text) for group in named.groups}))


def _is_example(question: Analysis, candidate: Candidate) -> bool:
    """Worked out for other numbers than the question's."""
    match = _EXAMPLE.search(candidate.text)
    if match is None or match.start() > 40:
        return False
    numbers = {(one.number, one.unit) for one in asked(candidate.text) if one.unit}
    return bool(numbers) and not any((one.number, one.unit) in numbers for one in question.numbers)


_WRONG: tuple[Callable[[Analysis, Candidate], bool], ...] = (
    _of_another_drug,
    # how potassium is given, for who has too much of it
    lambda q, c: q.level is not None and is_about_the_other(q.level, c.text),
    _for_others,
    _is_example,
    lambda _, c: bool(META_STATEMENT.search(c.text)),
    lambda q, c: is_turned(q.text, c.text),  # "with telemetry" for "without telemetry", and the other way round
    lambda q, c: is_of_the_other_intent(q.text, c.text),  # the dose that prevents, for "treatment dose"
)


def is_for_other_numbers(question: Analysis, said: str) -> bool:
    """Says what holds at another weight or age than the question's: an infant of 6 kg beside the
    child of 12."""
    for told in question.numbers:
        there = (
            {one.number for one in asked(said) if one.unit == told.unit}
            if told.unit in _PATIENT_UNITS
            else set[float]()
        )
        if there and told.number not in there and fits(question.numbers, said) <= 0:
            return True
    return False
