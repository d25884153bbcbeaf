"""What is measured in the blood and staff type with its value: the salts, and glucose. What they are called, what a patient can have, and
how a value is told from a dose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Of one unit. A value between `least` and `most` is of it."""

    low: float  # below or at which it is too low
    high: float
    least: float  # what a patient can have
    most: float


@dataclass(frozen=True, slots=True)
class Measured:
    names: tuple[str, ...]  # Dutch, English, and what else it is called; the first as the table of drugs calls it
    stem: str  # of hypo- and hyper-, a regular expression
    levels: tuple[str, ...]  # what follows hypo- and hyper-
    scales: tuple[Scale, ...] = ()  # none: documents tell by words alone


@dataclass(frozen=True, slots=True)
class Salt(Measured):
    symbol: str = ""


def _salt(symbol: str, names: tuple[str, str], stem: str, *scales: Scale) -> Salt:
    return Salt(names, stem, (f"{stem}iëmie", f"{stem}aemia"), scales, symbol)


SALTS = (  # in mmol/l
    _salt("K", ("kalium", "potassium"), "kal", Scale(3.5, 5.5, 1.0, 12.0)),
    _salt("Na", ("natrium", "sodium"), "natr", Scale(130.0, 150.0, 90.0, 200.0)),
    _salt("Ca", ("calcium", "calcium"), "calc"),
    _salt("Mg", ("magnesium", "magnesium"), "magnes"),
)
GLUCOSE = Measured(
    ("glucose", "glucose", "glycemie", "glycaemia", "glycemia", "bloedsuiker", "suiker", "bloedglucose", "blood sugar", "sugar"),
    "gly[ck]",
    ("glykemie", "glycemie", "glycaemia"),
    (Scale(70.0, 200.0, 36.0, 999.0), Scale(3.9, 11.1, 0.5, 35.9)),  # mg/dl, mmol/l
)
# Behind a number, of folded text: it goes on, or it is how much is given.
NO_DOSE = r"(?![\d.,]*\d|\s*(?:%|(?:mg(?!/dl)|g|gram|ml|cc|kcal|meq|mmol(?!/))\b))"
