"""A reader measured on questions with given passages: is the right line pointed to, are near misses
told from what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from transformers import DynamicCache

from services.reader.adapter import ReadingModel
from services.reader.packing import Packed, pack
from services.reader.questions import AskedPassage


@dataclass(slots=True)
class ReaderFigures:
    """odds: log-odds that there is an answer, of the answerable and of the near misses."""

    answered: int = 0
    right: int = 0  # the range pointed to holds the heart and stays within the block and a line more
    exact: int = 0  # it is the block
    holds: int = 0  # it holds the heart
    odds: list[float] = field(default_factory=list)
    near_odds: list[float] = field(default_factory=list)
    reasons: int = 0  # of the near misses: the reason is the one that was altered

    def figures(self) -> dict[str, float]:
        near, count = len(self.near_odds), max(1, self.answered)
        told = {
            "questions": self.answered,
            "near_misses": near,
            "right_line": self.holds / count,
            "exact": self.exact / count,
        }
        told |= {
            "right": self.right / count,
            "area": area(self.odds, self.near_odds),
            "reason": self.reasons / max(1, near),
        }
        told |= {f"near_refused_at_{lost:.2f}": refused_at(self.odds, self.near_odds, lost) for lost in (0.06, 0.10)}
        return {name: round(value, 4) for name, value in told.items()}


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Area under the curve of true and false positives; .5 of equal ones."""
    if not positive or not negative:
        return float("nan")
    above = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return above / (len(positive) * len(negative))


def refused_at(answered: Sequence[float], near: Sequence[float], lost: float) -> float:
    """The share of near misses refused by the threshold that refuses `lost` of what has an
    answer."""
    if not answered or not near:
        return float("nan")
    threshold = sorted(answered)[int(lost * len(answered))]
    return sum(one < threshold for one in near) / len(near)


class Examination:
    """Passages with their questions, the passages' keys kept: examined again and again while a
    reader learns."""

    def __init__(self, passages: Sequence[AskedPassage], kept: int = 64) -> None:
        self._passages = passages
        self._kept, self._keys = kept, dict[str, DynamicCache]()

    @torch.no_grad()
    def of(self, reading: ReadingModel) -> ReaderFigures:
        found = ReaderFigures()
        reading.model.eval()
        for passage in self._passages:
            packed = pack(passage, passage.asked, reading.vocabulary)
            keys = self._keys_of(passage.id, packed, reading)
            told = reading.tell(packed, keys)
            none = reading.vocabulary.none
            odds = (-told.first[:, none].expm1()).clamp_min(1e-9).log() - told.first[:, none]
            letters = told.first[:, : len(passage.lines)].argmax(-1)
            reasons = told.reason.argmax(-1)
            lasts = told.last[:, : len(passage.lines)]
            for n, one in enumerate(passage.asked):
                if one.first is None:
                    found.near_odds.append(float(odds[n]))
                    found.reasons += int(reasons[n]) == int(packed.reason[n])
                    continue
                assert one.last is not None
                assert one.heart is not None
                # The end was asked for behind the right first letter: for another one it is asked
                # again by whoever answers.
                first = int(letters[n])
                last = first + int(lasts[n, first:].argmax()) if first == one.first else first
                found.answered += 1
                found.odds.append(float(odds[n]))
                found.exact += (first, last) == (one.first, one.last)
                found.holds += first <= one.heart <= last
                found.right += first <= one.heart <= last and first >= one.first - 1 and last <= one.last + 1
        reading.model.train()
        return found

    def _keys_of(self, passage_id: str, packed: Packed, reading: ReadingModel) -> DynamicCache:
        """An activated adapter's passages keep their keys while it learns."""
        keys = self._keys.get(passage_id) or reading.keys_of(packed.prefix)
        if reading.activated and len(self._keys) < self._kept:
            self._keys[passage_id] = keys
        return keys
