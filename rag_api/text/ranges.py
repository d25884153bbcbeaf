"""Does a sentence's range hold for the question's number? "4 jaar" for "Kind tot 6 jaar", "K 2,7"
not for "Kalium 2,0 tot 2,4 mmol/l".

An embedder reads "40 to 50 kg" and "4 kg" as much the same, and the rows of a dose table differ in
nothing else. So numbers with what they measure (a unit, or the word before them) are compared with
the ranges that a sentence gives for the same thing. Only ranges that say so in words or with two
bounds count; a plain number is no range. Rules for Dutch and English; no table, no model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_TELLS = 4  # letters of a word before the word before a number, that may name what is measured
NEAR = 30  # characters from a word to the range of what it names, and on to the next
_UNITS = {
    "year": "jaar jaren jarig jarige jr j year years yr yrs yo y",
    "month": "maand maanden mnd month months mo",
    "week": "week weken wk weeks wks",
    "day": "dag dagen dgn d day days",
    "hour": "uur uren u h hr hrs hour hours",
    "minute": "min minuut minuten minute minutes mins",
    "kg": "kg kilo kilogram kilograms",
    "mmol/l": "mmol/l",
    "mg/l": "mg/l",
    "mg/dl": "mg/dl",
    "g/dl": "g/dl",
    "ml/min": "ml/min",
    "ml": "ml cc",
    "cm": "cm",
    "celsius": "°c °",
    "mmhg": "mmhg",
    "percent": "% procent percent",
    "point": "punt punten point points",
}
_UNIT = {word: name for name, words in _UNITS.items() for word in words.split()}
_N = r"(?P<{0}>\d{{1,3}}(?:\.\d{{3}})+(?!\d)|\d+(?:[.,]\d+)?)"
_U = r"(?:[\s-]*(?P<{0}>" + "|".join(re.escape(u) for u in sorted(_UNIT, key=len, reverse=True)) + r")(?![^\W\d_]))?"
_BELOW = (
    r"(?:onder|minder dan|lager dan|kleiner dan|jonger dan|korter dan|below|under|less than|lower than|younger "
    r"than|<)"
)
_UP_TO = r"(?:tot en met|t/m|tot|binnen|up to|until|within|≤|<=)"
_ABOVE = r"(?:boven|meer dan|hoger dan|groter dan|ouder dan|langer dan|above|more than|higher than|older than|>)"
_FROM = r"(?:vanaf|minstens|from|at least|≥|>=)"
_TO = r"(?:-|–|tot en met|t/m|tot|to|of|or|and|en)"
_MORE = r"(?:meer|ouder|hoger|langer|more|older|above|higher|longer|over)"
_LESS = r"(?:minder|jonger|lager|korter|less|younger|below|lower|shorter)"
_THE = r"(?:(?:een|de|het|an?|the) )?(?:[^\W\d_]+ (?:van|of) )?"  # "below an eGFR of 30"
_RANGE = re.compile(
    rf"(?:(?:van|from|between|tussen)\s+)?(?<![\w.,]){_N.format('a')}{_U.format('au')}\s*{_TO}\s*{_N.format('b')}{_U.format('bu')}"
    rf"|(?<![\w.,]){_N.format('m')}{_U.format('mu')}\s+(?:of|or|en|and)\s+{_MORE}\b"
    rf"|(?<![\w.,]){_N.format('l')}{_U.format('lu')}\s+(?:of|or|en|and)\s+{_LESS}\b"
    rf"|(?P<how>{_BELOW}|{_UP_TO}|{_ABOVE}|{_FROM})\s*{_THE}{_N.format('n')}{_U.format('nu')}",
    re.IGNORECASE,
)
_ABOUT = (  # between the word for a value and the value: "gfr about 45", "dalspiegel kwam terug op 8"
    r"(?:(?:van|is|was|of|op|at|about|around|approximately|roughly|ongeveer|circa|ca|rond|zowat|nu|now|"
    r"(?:came|comes|is|kwam|komt) (?:back|terug)(?: at| as| op| met)?) )*"
)
_BEFORE = rf"(?:(?P<word>[^\W\d_]+)[\s:=]*{_ABOUT})?"
# Whose number without a unit is an age: "kind van 8", "a boy of 6". Not a baby's, which is told in
# weeks, months or kilograms.
_AGED = re.compile(
    r"kind(?:je)?|kleuter|jongen|jongetje|meisje|man|vrouw|mevrouw|dame|heer|oma|opa|omaatje|volwassene|"
    r"child|kid|toddler|boy|girl|woman|lady|gentleman|adult|grandma|grandpa"
)
# The same where "van" or "of" stands between: "iemand van 82", but not "pt 39,2".
_AGED_OF = re.compile(r"iemand|persoon|pati[eë]nte?|pt|bewoner|bewoonster|someone|somebody|person|patient|resident")
_OF = re.compile(r"\b(?:van|of|aged)\b", re.IGNORECASE)
_INFANT = re.compile(
    r"baby\w*|zuigeling\w*|neonaat|neonate|pasgeborene|boreling|newborn|infant|kind(?:je)?|child"
)  # told in weeks or days too
_LAST_WORD = re.compile(r"([^\W\d_]+)\s+\Z")
_OLDEST = 110
_OF_A_YEAR = {"year": 1.0, "month": 1 / 12}
_OF_AN_INFANTS = {"week": 7 / 365.25, "day": 1 / 365.25}
_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 365.25 / 12, "year": 365.25}
_SINCE = re.compile(
    rf"\b(?:(?:binnen|tot|within|up to|less than|minder dan|korter dan)|"
    rf"(?P<late>na|after|meer dan|more than|langer dan|longer than|later dan|later than))\s+(?:de |the "
    rf")?{_N.format('n')}{_U.format('u')}",
    re.IGNORECASE,
)
_STEP = 1e-6
_YEAR = re.compile(r"(?:19|20)\d\d")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_NTH = re.compile(r"\d+(?:st|nd|rd|th|e|de|ste)\b", re.IGNORECASE)  # "1st hour", "2e gift": an order, no amount
_ASKED = re.compile(rf"{_BEFORE}(?<![\w.,/]){_N.format('n')}{_U.format('u')}(?![.,]?\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Range:
    low: float
    high: float
    above: bool  # low itself is outside
    below: bool  # high itself is outside
    unit: str
    start: int = 0  # where it stands in the text
    end: int = 0

    def holds(self, number: float) -> bool:
        return (number > self.low if self.above else number >= self.low) and (
            number < self.high if self.below else number <= self.high
        )


@dataclass(frozen=True, slots=True)
class AskedNumber:
    number: float
    unit: str
    word: str  # before it, lower case
    before: str = ""  # before that one: "dalspiegel genta 1,6"
    scale: str = ""  # the unit that a value without one must have, by what is measured: "glyc 48"


def fits(numbers: Sequence[AskedNumber], text: str) -> int:
    """1: a range of the text holds for one of the numbers; -1: it has ranges for the same thing,
    and none holds; 0: neither."""
    found = ranges(text) if numbers else []
    said = [verdict for number in numbers if (verdict := _fit(number, found, text.casefold()))]
    return 0 if not said else -1 if -1 in said else 1


def fits_age(numbers: Sequence[AskedNumber], case: str) -> int:
    """The same of whom a row is for, where months and years are both an age: three years are not in
    "3 tot 12 maanden"."""
    years = [
        (number, _OF_A_YEAR | _OF_AN_INFANTS if _INFANT.fullmatch(number.word) else _OF_A_YEAR) for number in numbers
    ]
    ages = [number.number * of_a_year[number.unit] for number, of_a_year in years if number.unit in of_a_year]
    found = [r for r in ranges(case) if r.unit in _OF_A_YEAR]
    if not ages or not found:
        return 0
    return 1 if any(r.holds(age / _OF_A_YEAR[r.unit]) for r in found for age in ages) else -1


def since(text: str) -> tuple[float, bool] | None:
    """(days, whether it is for later) of a text that is for what is shorter or longer ago: "Tube
    out within 7 days", "after 7 days"."""
    match = _SINCE.search(text)
    unit = _UNIT.get((match["u"] or "").casefold(), "") if match is not None else ""
    return (_value(match["n"]) * _DAYS[unit], bool(match["late"])) if match is not None and unit in _DAYS else None


def days(number: AskedNumber) -> float | None:
    """Of a time."""
    return number.number * _DAYS[number.unit] if number.unit in _DAYS else None


def asked(question: str) -> list[AskedNumber]:
    found = []
    for match in _ASKED.finditer(question):
        if _NTH.match(question, match.start("n")):
            continue
        word = (match["word"] or "").casefold()
        unit = _UNIT.get((match["u"] or "").casefold(), "")
        if not unit and word in _UNIT:  # "dag 3"
            unit = _UNIT[word]
        elif not unit and _value(match["n"]) <= _OLDEST and _tells_age(match, word):
            unit = "year"
        last = _LAST_WORD.search(question, 0, match.start())
        found.append(
            AskedNumber(_value(match["n"]) + _beside(word), unit, word, last[1].casefold() if last is not None else "")
        )
    return found


def _tells_age(match: re.Match[str], word: str) -> bool:
    between = match.string[match.end("word") : match.start("n")] if word else ""
    return bool(_AGED.fullmatch(word) or (_AGED_OF.fullmatch(word) and _OF.search(between)))


def _beside(word: str) -> float:
    """An infant "under 10 kg" is not in the row from 10 kg on."""
    if re.fullmatch(_BELOW, word, re.IGNORECASE):
        return -_STEP
    return _STEP if re.fullmatch(_ABOVE, word, re.IGNORECASE) else 0.0


def ranges(text: str) -> list[Range]:
    found = ((match, _range(match)) for match in _RANGE.finditer(text))
    return [replace(one, start=match.start(), end=match.end()) for match, one in found if one is not None]


def _range(match: re.Match[str]) -> Range | None:
    """None of what is no range of a measure: a calendar year ("sinds 2019", "tot 2023") among
    it."""
    if match["a"]:
        low, high = _value(match["a"]), _value(match["b"])
        first, last = _unit(match["au"]), _unit(match["bu"])
        if first != last and first in _DAYS and last in _DAYS:  # "2 maanden tot 5 jaar"
            low *= _DAYS[first] / _DAYS[last]
        return Range(low, high, False, False, last or first) if low <= high else None
    if match["m"]:
        return Range(_value(match["m"]), math.inf, False, False, _unit(match["mu"]))
    if match["l"]:
        return Range(-math.inf, _value(match["l"]), False, False, _unit(match["lu"]))
    how, number, unit = match["how"], _value(match["n"]), _unit(match["nu"])
    if not unit and _YEAR.fullmatch(match["n"]):
        return None
    if re.fullmatch(_BELOW, how, re.IGNORECASE):
        return Range(-math.inf, number, False, True, unit)
    if re.fullmatch(_ABOVE, how, re.IGNORECASE):
        return Range(number, math.inf, True, False, unit)
    if re.fullmatch(_FROM, how, re.IGNORECASE):
        return Range(number, math.inf, False, False, unit)
    return Range(-math.inf, number, False, False, unit)


def _fit(number: AskedNumber, found: list[Range], text: str) -> int:
    """The word before a number without a unit must stand in the text too: "MEWS 6" says nothing of
    "5 of 6 dagen"."""
    if number.unit:
        same = [r for r in found if r.unit == number.unit]
    else:
        same = _named(number.word, found, text) or (
            _named(number.before, found, text) if len(number.before) >= _TELLS else []
        )
        same = same or [r for r in found if number.scale and r.unit == number.scale]
    if any(r.holds(number.number) for r in same):
        return 1
    return -1 if same and (number.unit or number.scale or all(r.unit == same[0].unit for r in same)) else 0


def _named(word: str, found: list[Range], text: str) -> list[Range]:
    """Of the thing itself: "kalium tussen 3,0 en 3,5 mmol/l, verdeeld over 2 tot 4 giften" has one
    of potassium. All if none is near."""
    places = [match.end() for match in re.finditer(rf"\b{re.escape(word)}", text)] if word else []
    near = [r for place in places for r in _in_a_row(place, found)]
    return near or (found if places else [])


def _in_a_row(place: int, found: list[Range]) -> list[Range]:
    """Those that follow one another from there, of one unit: "pols 40-50, 51-100, 101-110"."""
    row: list[Range] = []
    for one in found:
        if one.end <= place:
            continue
        if one.start > place + NEAR or (row and one.unit != row[0].unit):
            break
        row.append(one)
        place = one.end
    return row


def _value(written: str) -> float:
    """1.000 is a thousand, 0.125 an eighth."""
    if _THOUSANDS.fullmatch(written):
        return float(written.replace(".", ""))
    return float(written.replace(",", "."))


def _unit(written: str | None) -> str:
    return _UNIT.get((written or "").casefold(), "")
