"""The salts of the blood whose values staff type: what they are called, what a patient can have, and how a value is told from a dose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Salt:
    symbol: str
    names: tuple[str, str]  # Dutch, English; the first as the table of drugs calls it
    stem: str  # of hypo- and hyper-
    low: float | None = None  # mmol/l, below which it is too low; None: documents tell by words alone
    high: float = 0.0
    least: float = 0.0  # what a patient can have
    most: float = 0.0


SALTS = (
    Salt("K", ("kalium", "potassium"), "kal", 3.5, 5.5, 1.0, 12.0),
    Salt("Na", ("natrium", "sodium"), "natr", 130.0, 150.0, 90.0, 200.0),
    Salt("Ca", ("calcium", "calcium"), "calc"),
    Salt("Mg", ("magnesium", "magnesium"), "magnes"),
)
# Behind a number, of folded text: it goes on, or it is how much is given.
NO_DOSE = r"(?![\d.,]*\d|\s*(?:%|(?:mg|g|gram|ml|meq|mmol(?!/))\b))"
