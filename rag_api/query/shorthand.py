"""Shorthand that staff type in a hurry -> the words that documents use: "hvl dgn", "24u", "b4", "K
6.7".

Only what is an abbreviation in every hospital; a hospital's own stand in its lists (synonyms.py).
Where an abbreviation is short for something else in the other language, the one that the question's
small words are in decides.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

from rag_api.guard.concepts import concepts, meant
from rag_api.guard.numbers.salts import NO_DOSE, SALTS
from rag_api.text.language import Language, language_said

_HOURS = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)\s?(u|h|d|wk)(?![\w/])", re.IGNORECASE)
# given by units, not hours
_IN_UNITS = re.compile(r"insul|heparin|eenheden|units|\b(?:novo|acta)rapid|humalog|lantus", re.IGNORECASE)
_TIMES: dict[Language, dict[str, str]] = {
    "nl": {"u": "uur", "h": "uur", "d": "dagen", "wk": "weken"},
    "en": {"u": "units", "h": "hours", "d": "days", "wk": "weeks"},
}
# A value of a patient's blood: the symbol and a number that it can have and that is no dose. "Na 2
# dagen" is after two days.
_SALTS = {salt.symbol: salt.names for salt in SALTS}
_SYMBOL = re.compile(
    r"(?<![\w-])(?<!vitamine )(?<!vitamin )(?:"
    rf"(K)\+?[\s=:]*(?:van |of |is )?(?=[<>]?\d(?:[.,]\d+)?{NO_DOSE})|"
    rf"(Na)\+?[\s=:]*(?:van |of |is )?(?=[<>]?1\d\d{NO_DOSE})|"
    rf"(Ca|Mg)(?:2\+|\+\+)?[\s=:]*(?:van |of |is )?(?=[<>]?\d[.,]\d+{NO_DOSE}))"
)
# The same without a number: "at what K do they ring".
_LEVEL = re.compile(
    r"(?i:\b(what|which|high|low|welke|hoge?|lage?|laag|te hoge|te "
    r"lage)\s+)K\+?(?![\w.+-]|\s?(?:wires?|draad|draden)\b)"
)
_TOO = re.compile(
    r"(?<![\w-])K\+?(?=\s+(?:is\s+)?(?:(?i:veel|erg|heel|way|much|very|te|too)\s+){1,3}(?i:hoog|laag|high|low)\b)"
)

# "pt" is a patient, "dialysept" one on dialysis; "PT" is a test of the blood, as is "pt 45" and
# what stands before its value.
_PATIENT = re.compile(r"(?<![\w'/.-])[Pp]t(?![\w'/-]|\s*(?:[<>=:%\d]|waarde|value|inr|aptt|seconde))")
_OF_A_PATIENT = re.compile(r"(?<![\w'/.-])([^\W\d_]{4,})pt(en)?(?![\w'/-])")
_HAD = frozenset(["device", "disease", "germ", "place", "procedure", "site"])
_NO_PATIENTS = frozenset(["prompt", "scherpt", "klampt", "sleept", "opstapt", "sleepten"])
_PATIENTS: dict[Language, str] = {"nl": "patiënt", "en": "patient"}


@cache
def _shorts() -> dict[Language, tuple[re.Pattern[str], dict[str, str]]]:
    """By language: what finds any of its abbreviations, and what each is short for."""
    text = files(__package__).joinpath("shorthand.csv").read_text(encoding="utf-8")
    known: dict[Language, dict[str, str]] = {"nl": {}, "en": {}}
    for row in csv.DictReader(text.splitlines()):
        known["en" if row["language"] == "en" else "nl"] |= dict.fromkeys(row["short"].split("|"), row["long"])
    return {language: (_any_of(own), own) for language, own in known.items()}


def _any_of(shorts: dict[str, str]) -> re.Pattern[str]:
    longest_first = sorted(shorts, key=lambda short: (-len(short), short))
    return re.compile(rf"(?<![\w'/.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w'/-])", re.IGNORECASE)


def written_out(question: str) -> str:
    """Return the question with what is abbreviated in it written out; of a question that tells no
    language, by both."""
    spoken = language_said(question)
    for language in ("nl", "en") if spoken is None else (spoken,):
        question = _written(question, language)
    return question


def _of_a_patient(match: re.Match[str]) -> str:
    """Before it stands what a patient has or gets; "prompt" and "scherpt" are words."""
    if match[0].lower() in _NO_PATIENTS or not any(concepts()[line].kind in _HAD for line in meant(match[1])):
        return match[0]
    return f"{match[1]}patiënt{match[2] or ''}"


def _written(question: str, language: Language) -> str:
    pattern, shorts = _shorts()[language]
    said = pattern.sub(lambda match: shorts[match[0].lower()], question)
    said = _PATIENT.sub(_PATIENTS[language], said)
    if language == "nl":
        said = _OF_A_PATIENT.sub(_of_a_patient, said)
    times = _TIMES[language] if not _IN_UNITS.search(said) else {**_TIMES[language], "u": "units"}
    said = _HOURS.sub(lambda match: f"{match[1]} {times[match[2].lower()]}", said)
    said = _TOO.sub(_SALTS["K"][language == "en"], said)
    said = _LEVEL.sub(lambda match: f"{match[1]} {_SALTS['K'][language == 'en']}", said)
    return _SYMBOL.sub(lambda match: f"{_SALTS[match[1] or match[2] or match[3]][language == 'en']} ", said)
