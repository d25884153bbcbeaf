"""question -> whom it is about: by words ("kleuter", "zwangere"), age ("3 jr", "6-week-old"),
weight ("12 kg"), G/P notation, gestation.

Says nothing unless it is clear: a number of years may be a duration, a weight a machine's, a
"zwangere collega" is no patient.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache

from rag_api.domain import TargetGroup
from rag_api.guard.words import folded, pattern, words

ADULT, CHILD, NEONATE, PREGNANCY = TargetGroup.ADULT, TargetGroup.CHILD, TargetGroup.NEONATE, TargetGroup.PREGNANCY
PatientGroups = frozenset[TargetGroup]
NOBODY: PatientGroups = frozenset()
NAMES = ("patient", "state")  # kinds of words that tell whom a text is about

DAYS = {"year": 365.25, "month": 30.44, "week": 7.0, "day": 1.0}
NEWBORN_DAYS = 28.0
CHILD_UNTIL, ADULT_FROM = 16.0, 18.0  # years; between them hospitals differ, so either may be meant
CHILD_KG, NEWBORN_KG, GROWN_KG = 25.0, 5.0, 90.0  # a lighter patient is a child; from GROWN_KG on it is none

_N = r"(?<![\w.,/])(?P<n>\d{1,3}(?:[.,]\d{1,2})?)"
_UNITS = (
    ("year", r"jaar|jaren|jr|jarigen?|years?|yrs?|yo|y/o|y\.o|j|y"),
    ("month", r"maanden|maand|maands|mnd|mndn|months?|mths?|mo"),
    ("week", r"weken|week|weeks|wks?|wkn|w"),
    ("day", r"dagen|dag|dgn|days?|d"),
)
_AGE = re.compile(_N + r"[ ]?-?[ ]?(?:" + "|".join(f"(?P<{name}>{units})" for name, units in _UNITS) + r")(?![\w/])\.?")
# "vrouw van 84 is verward": of a woman or a man, years go without saying
_YEARS_UNSAID = re.compile(
    r"[ ](?:van|of|aged)[ ](?P<n>1[89]|[2-9]\d|1[01]\d)(?![\w/%]|[.,]\d|[ -]{0,2}(?:"
    + "|".join(units for _, units in _UNITS)
    + r")(?![\w]))"
)
_WEIGHT = re.compile(_N + r"[ ]?-?[ ]?(?:kg|kilo|kilogram)(?![\w/])")
_OLD = re.compile(r"[ -]?(?:oude?|old)(?!\w)")
_GRAVIDA = re.compile(r"(?<!\w)g ?\d{1,2} ?p ?\d{1,2}(?: ?a ?\d{1,2})?(?!\w)")
_GESTATION = re.compile(
    r"(?<!\w)(?:(?:ad|ga|pml|zwangerschapsduur|amenorroe|amenorroeduur|gestational age|gestatie)[ :]{0,2}(?:van |of )?)"
    r"(?:2\d|3\d|4[0-2])(?: ?\+ ?\d| [0-6]/7)?(?: ?(?:weken|weeks|wks?|w)(?!\w)|(?<=\+\d)|(?<=/7))"
    r"|(?<![\w.,])(?:2\d|3\d|4[0-2]) ?(?:w ?[0-6] ?d|\+ ?[0-6] ?(?:weken|weeks|wks?|w))(?!\w)"
    r"|(?<![\w.,])(?:2\d|3\d|4[0-2]) ?(?:weken|weeks|wks?|w)[ -](?:ad|amenorroe|gestation|gestatie|gravid)(?!\w)"
)
# What lasts so many years is no patient: "5 year USA study".
_LASTS = re.compile(
    r"(?:[ -][\w.-]+){0,2}[ "
    r"-](?:stud(?:y|ies|ie)|trials?|follow-?up|survival|plans?|projects?|contracts?|programmes?|programs?|"
    r"onderzoek|looptijd|termijn|garantie|warranty|report|rapport)(?!\w)"
)
_TYPED = re.compile(r"(?<![\w'])[a-z]{5,}(?![\w'])")
# a word that few write (Zipf's scale) and that is so much like one for a patient is that one,
# misspelt
ALIKE, UNHEARD = 0.86, 2.5
_NEAR = 40  # characters on either side in which a `thing` makes a weight its own


@dataclass(frozen=True, slots=True)
class Evidence:
    """A part of the question and the groups that it leaves possible; `text` as it was written."""

    start: int
    end: int
    text: str
    groups: PatientGroups


@dataclass(frozen=True, slots=True)
class Patient:
    """`groups`: those that the question can be about, several when it leaves that open ("baby");
    empty: it does not say."""

    groups: PatientGroups = NOBODY
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_clear(self) -> bool:
        return bool(self.groups)

    def excludes(self, target_groups: tuple[TargetGroup, ...]) -> bool:
        """A source for these patients is for other ones. A source that names nobody is for
        everyone."""
        return bool(self.groups) and bool(target_groups) and not self.groups & set(target_groups)


def patient_of(question: str) -> Patient:
    text = _without(folded(question), pattern("not"))
    named = _named(text)
    gestation = [
        Evidence(m.start(), m.end(), m[0], frozenset({PREGNANCY}))
        for m in (*_GESTATION.finditer(text), *_GRAVIDA.finditer(text))
    ]
    ages = [found for m in _AGE.finditer(_without_spans(text, gestation)) if (found := _age(text, m))]
    ages += _of_grown(text)
    weights = [found for m in _WEIGHT.finditer(text) if (found := _weight(text, m))]
    groups = _together(
        [e.groups for e in named], [e.groups for e in gestation], [e.groups for e in ages], [e.groups for e in weights]
    )
    groups = _narrowed(groups, text)
    evidence = sorted((*named, *gestation, *ages, *weights), key=lambda e: e.start)
    return Patient(groups, tuple(Evidence(e.start, e.end, question[e.start : e.end], e.groups) for e in evidence))


def wards_in(question: str) -> PatientGroups:
    """Return the patients of the wards that it names: whom it is about, where nothing else says
    that."""
    known = words("place")
    return _union([known[m[0]] for m in pattern("place").finditer(folded(question))])


def _named(text: str) -> list[Evidence]:
    known = words(*NAMES)
    found = [Evidence(m.start(), m.end(), m[0], known[m[0]]) for m in pattern(*NAMES).finditer(text)]
    left = _without_spans(text, found)
    misspelt = [(m, word) for m in _TYPED.finditer(left) if (word := _meant(m[0]))]
    return [*found, *(Evidence(m.start(), m.end(), m[0], known[word]) for m, word in misspelt)]


@lru_cache(maxsize=4096)
def _meant(typed: str) -> str:
    """The word for a patient of which this is a misspelling ("pasgeboorne"), else nothing."""
    if typed in words("patient", "state", "place", "who"):
        return ""
    near = [word for word in words("patient") if abs(len(word) - len(typed)) <= 1 and word.isalpha()]
    meant = difflib.get_close_matches(typed, near, 1, ALIKE)
    if not meant:
        return ""
    from wordfreq import zipf_frequency  # a tenth of a second: who reads documents seldom comes here

    return meant[0] if max(zipf_frequency(typed, "nl"), zipf_frequency(typed, "en")) < UNHEARD else ""


def _together(
    named: list[PatientGroups], gestation: list[PatientGroups], ages: list[PatientGroups], weights: list[PatientGroups]
) -> PatientGroups:
    """The groups that all of it leaves open. A newborn's gestation and feeding are the newborn's; a
    pregnant girl is pregnant."""
    said = {group for groups in named if len(groups) == 1 for group in groups}
    if NEONATE in said:
        return frozenset(said - {PREGNANCY})
    open_ = [groups for groups in named if len(groups) > 1]
    if any(NEONATE in groups for groups in open_):  # "borstvoeding baby": the baby's
        open_ = [groups for groups in open_ if PREGNANCY not in groups]
    if PREGNANCY in said or gestation:
        return frozenset(said | {PREGNANCY})
    measured = ages or weights
    if said == {CHILD} and NEONATE in _union(measured):  # "kind van 10 dagen"
        return _union(measured)
    if said:
        return frozenset(said)
    if open_:
        return _meet([*open_, *measured])
    return _union(measured)


def _meet(sets: list[PatientGroups]) -> PatientGroups:
    """What all leave open; where they contradict each other, everything that any of them does."""
    met = frozenset.intersection(*sets)
    return met or _union(sets)


def _union(sets: list[PatientGroups]) -> PatientGroups:
    return frozenset().union(*sets)


def _narrowed(groups: PatientGroups, text: str) -> PatientGroups:
    """A ward decides between what is open, and nothing else: staff of the children's ward ask about
    much."""
    if len(groups) < 2:
        return groups
    known = words("place")
    wards = frozenset().union(*(known[m[0]] for m in pattern("place").finditer(text)))
    return groups & wards or groups


def _age(text: str, m: re.Match[str]) -> Evidence | None:
    unit = next(name for name, _ in _UNITS if m[name])
    old = _OLD.match(text, m.end())
    spelled = m[unit] in ("jarige", "jarigen", "yo", "y/o", "y.o") or old is not None
    lead = text[: m.start()].rstrip(" ,:(")
    if not spelled and not _is_age(unit, m[unit], lead, text, m.end()):
        return None
    days = float(m["n"].replace(",", ".")) * DAYS[unit]
    return Evidence(m.start(), old.end() if old else m.end(), m[0], _of_age(days, _compared(lead)))


def _of_grown(text: str) -> list[Evidence]:
    return [
        Evidence(years.start("n"), years.end(), years["n"], frozenset({ADULT}))
        for m in pattern("grown").finditer(text)
        if (years := _YEARS_UNSAID.match(text, m.end()))
    ]


def _is_age(unit: str, written: str, lead: str, text: str, end: int) -> bool:
    """A bare number of years is an age unless its neighbours tell a duration; of months and less
    only right after a patient."""
    if unit == "year":
        if written == "j" and pattern("shock").search(text):
            return False
        return (
            not _ends_with("before", lead)
            and not _begins_with("after", text[end:].lstrip(" .,"))
            and not _LASTS.match(text, end)
        )
    who = re.sub(r" (?:van|of|aged)$", "", lead)
    # "baby 3 dagen koorts" has a fever of three days
    is_age = who != lead or unit == "month" or lead.endswith(("leeftijd", "age", "aged"))
    return is_age and _ends_with("who", who) and not _begins_with("after", text[end:].lstrip(" .,"))


def _of_age(days: float, compared: str) -> PatientGroups:
    years = days / DAYS["year"]
    if compared == "below":
        return frozenset({NEONATE}) if days <= NEWBORN_DAYS else frozenset({CHILD}) if years <= ADULT_FROM else NOBODY
    if compared == "above":
        return frozenset({ADULT}) if years >= CHILD_UNTIL else frozenset({CHILD, ADULT})
    if days <= NEWBORN_DAYS:
        return frozenset({NEONATE})
    # "1 maand": hospitals end the newborn's time at 28 days, at a month, or at term plus 28 days
    if days <= NEWBORN_DAYS + 7:
        return frozenset({NEONATE, CHILD})
    return (
        frozenset({CHILD})
        if years < CHILD_UNTIL
        else frozenset({ADULT})
        if years >= ADULT_FROM
        else frozenset({CHILD, ADULT})
    )


def _weight(text: str, m: re.Match[str]) -> Evidence | None:
    if pattern("thing").search(text[max(0, m.start() - _NEAR) : m.end() + _NEAR]):
        return None
    kg, compared = float(m["n"].replace(",", ".")), _compared(text[: m.start()].rstrip(" ,:("))
    groups = NOBODY
    if kg < CHILD_KG and compared != "above":
        groups = frozenset({CHILD, NEONATE}) if kg <= NEWBORN_KG else frozenset({CHILD})
    elif compared != "below" and (kg >= GROWN_KG or _is_of_grown(text, m)):
        # a pregnancy is told, by the ward at least, or there is none
        groups = frozenset({ADULT}) | ({PREGNANCY} & wards_in(text))
    return Evidence(m.start(), m.end(), m[0], groups)


def _is_of_grown(text: str, weight: re.Match[str]) -> bool:
    """A woman or a man is named beside it: "45 kg vrouw", "vrouw van 45 kg"."""
    lead = re.sub(r" (?:van|of|met|with)$", "", text[: weight.start()].rstrip(" ,:("))
    return _ends_with("grown", lead) or _begins_with("grown", text[weight.end() :].lstrip(" .,"))


def _compared(lead: str) -> str:
    if lead.endswith("<") or _ends_with("below", lead):
        return "below"
    return "above" if lead.endswith((">", "≥")) or _ends_with("above", lead) else ""


def _ends_with(kind: str, text: str) -> bool:
    tail = text[-40:]  # longer than any word of the table
    return any(m.end() == len(tail) for m in pattern(kind).finditer(tail))


def _begins_with(kind: str, text: str) -> bool:
    return pattern(kind).match(text) is not None


def _without(text: str, unwanted: re.Pattern[str]) -> str:
    """Blanks instead, so that offsets hold."""
    return unwanted.sub(lambda m: " " * len(m[0]), text)


def _without_spans(text: str, spans: list[Evidence]) -> str:
    for span in spans:
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text
