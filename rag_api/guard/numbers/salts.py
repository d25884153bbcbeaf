"""Salts and glucose, which staff type with the value measured in the blood: what they are called,
what a patient can have, and how a value is told from a dose."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Of one unit. A value between `least` and `most` is of it where no unit is said, from `whole`
    on only with decimals: a glucose of 30 is too low in mg/dl and too high in mmol/l, one of 24,3
    is in mmol/l."""

    unit: str
    low: float  # at which and below it is too low
    high: float
    least: float  # what a patient can have
    most: float
    whole: float = math.inf

    def fits(self, value: str, unit: str) -> bool:
        number = float(value)
        if unit:
            return unit == self.unit
        return self.least <= number <= self.most and (number < self.whole or "." in value)


@dataclass(frozen=True, slots=True)
class MeasuredSalt:
    names: tuple[str, ...]  # Dutch, English, and what else it is called; the first as the table of drugs calls it
    stem: str  # of hypo- and hyper-, a regular expression
    levels: tuple[str, ...]  # what follows hypo- and hyper-
    scales: tuple[Scale, ...] = ()  # none: documents tell by words alone


@dataclass(frozen=True, slots=True)
class Salt(MeasuredSalt):
    symbol: str = ""


def _salt(symbol: str, names: tuple[str, str], stem: str, *scales: Scale) -> Salt:
    return Salt(names, stem, (f"{stem}iëmie", f"{stem}aemia"), scales, symbol)


SALTS = (
    _salt("K", ("kalium", "potassium"), "kal", Scale("mmol/l", 3.5, 5.5, 1.0, 12.0)),
    _salt("Na", ("natrium", "sodium"), "natr", Scale("mmol/l", 130.0, 150.0, 90.0, 200.0)),
    _salt("Ca", ("calcium", "calcium"), "calc"),
    _salt("Mg", ("magnesium", "magnesium"), "magnes"),
    Salt(
        ("fosfaat", "phosphate"),
        "(?:f|ph)os(?:f|ph)at",
        ("fosfatemie", "phosphataemia"),
        (Scale("mmol/l", 0.8, 1.5, 0.05, 6.0),),
        symbol="P",
    ),
)
GLUCOSE = MeasuredSalt(
    (
        "glucose",
        "glucose",
        "glycemie",
        "glycaemia",
        "glycemia",
        "glyc",
        "bloedsuiker",
        "suiker",
        "bloedglucose",
        "blood sugar",
        "sugar",
    ),
    "gly[ck]",
    ("glykemie", "glycemie", "glycaemia"),
    (Scale("mg/dl", 70.0, 200.0, 36.0, 999.0), Scale("mmol/l", 3.9, 11.1, 0.5, 35.9, whole=10.0)),
)
# Behind a number, of folded text: it goes on, or it is how much is given.
NO_DOSE = r"(?![\d.,]*\d|\s*(?:%|(?:mg(?!/dl)|g|gram|ml|cc|kcal|meq|mmol(?!/))\b))"
