"""Conservation of what a page shows, held against what became of it: each sign stands once in the
text, or in a line that was cut.

Compared are multisets of signs, by what PDFium found on the page: the steps between it and the text
are not believed, but for what they say that they add. White space, and signs of which no font says
what they are, count nowhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.common.characters import PRIVATE, SYMBOLS, clean_line
from rag_api.ingest.layout.lines import Line, Row
from rag_api.ingest.pdf.glyphs.page_glyphs import HYPHEN_AT_LINE_END, Glyphs

_DASH = "-"
_LEADERS = re.compile(r"[._]{4,}|…{2,}")  # lead the eye to a number, and are no words
_SAME = {"⁄": "/", "ʼ": "'", "−": _DASH, "⁃": _DASH, "ˇ": "\u030c", "ˆ": "\u0302"}
_NOTHING = ("Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn")
_ELSEWHERE = 0.5  # of its height: the next sign stands that much higher or lower, or as far to the left


@dataclass(frozen=True, slots=True)
class Shown:
    """The signs that can be seen on a page. free: those that may be left out (a hyphen that parts
    syllables, leaders, stray backslashes); made: those that stand for what is drawn (squares to
    tick, the bar of a fraction); private: how many are of a symbol font's own area."""

    signs: Counter[str]
    free: Counter[str]
    made: Counter[str]
    private: int


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """Signs that stand nowhere, and those that stand more often than the page shows them."""

    lost: str
    doubled: str


def shown_by(glyphs: Glyphs, laid: Glyphs) -> Shown:
    """glyphs: of a page, as they were found; laid: as they are laid out, with what was made of
    drawings."""
    seen = _seen(glyphs)
    codes, text = glyphs.codes[seen], _text(glyphs, seen)
    free = counted("".join(_LEADERS.findall(text)))
    free[_DASH] += int((_dashes(codes) & _ends_line(codes, glyphs.boxes[seen], glyphs.turned[seen])).sum())
    free["\\"] += text.count("\\")
    made = counted(_text(laid, _seen(laid))) - counted(text) if laid is not glyphs else Counter()
    return Shown(counted(text), free, made, sum(ord(char) in PRIVATE for char in text))


def unaccounted(shown: Shown, landed: Iterable[str], items: Iterable[Line | Row]) -> Unaccounted:
    """landed: the page's text and the lines that were cut of it; items: as laid out, whose cells
    over several rows are said in each."""
    found = counted("".join(landed))
    again = [
        clean_line(line.marked, line.symbol).text
        for item in items
        if isinstance(item, Row)
        for n in item.shared
        for line in item.cells[n]
    ]
    more = found - shown.signs - shown.made - counted("".join(again))
    symbols = counted("".join(SYMBOLS))
    as_many = sum(more[sign] for sign in symbols) <= shown.private
    doubled = Counter({sign: times for sign, times in more.items() if not (as_many and sign in symbols)})
    return Unaccounted("".join((shown.signs - found - shown.free).elements()), "".join(doubled.elements()))


def counted(text: str) -> Counter[str]:
    """How often each sign stands in a text, however it is written: ligatures as letters, raised
    figures plain, accents by themselves."""
    found: Counter[str] = Counter()
    for char, times in Counter(unicodedata.normalize("NFKD", text)).items():
        if sign := _sign(char):
            found[sign] += times
    return found


@lru_cache(maxsize=8192)
def _sign(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Pd":
        return _DASH
    return "" if category in _NOTHING or char == "\ufffd" else _SAME.get(char, char)


def _seen(glyphs: Glyphs) -> NDArray[np.bool_]:
    return np.asarray(~glyphs.hidden & ((glyphs.codes > 32) | (glyphs.codes == HYPHEN_AT_LINE_END)))


def _text(glyphs: Glyphs, seen: NDArray[np.bool_]) -> str:
    codes = np.minimum(glyphs.codes[seen], 0x10FFFF)
    return "".join(map(chr, np.where(codes == HYPHEN_AT_LINE_END, ord(_DASH), codes).tolist()))


def _dashes(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    kinds = [
        code
        for code in np.unique(codes).tolist()
        if code == HYPHEN_AT_LINE_END or _sign(chr(min(code, 0x10FFFF))) == _DASH
    ]
    return np.asarray(np.isin(codes, kinds))


def _ends_line(codes: NDArray[np.uint32], boxes: NDArray[np.float32], turned: NDArray[np.int8]) -> NDArray[np.bool_]:
    """[n]: the next sign stands on another line, or there is none."""
    ends = codes == HYPHEN_AT_LINE_END
    if len(codes):
        across = (turned % 2 == 1)[:-1]
        low = np.where(across[:, None], boxes[:-1, [0, 2]], boxes[:-1, [1, 3]])
        next_ = np.where(across[:, None], boxes[1:, [0, 2]], boxes[1:, [1, 3]])
        with np.errstate(invalid="ignore"):
            near = np.abs(next_.mean(axis=1) - low.mean(axis=1)) < _ELSEWHERE * (low[:, 1] - low[:, 0])
        ends[:-1] |= ~near
        ends[-1] = True
    return np.asarray(ends)
