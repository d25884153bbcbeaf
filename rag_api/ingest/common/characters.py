"""One line's characters made clean: what nobody sees goes, what stands for several letters becomes
them, each keeps its box.

Knows nothing of other lines. Thesis, section 3.2.2: hidden characters and stray backslashes are the
commonest noise of PDFs.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import numpy as np

from rag_api.ingest.common.boxed_text import Marked, concat, no_boxes, plain

SOFT_HYPHEN = "\u00ad"
_HYPHENS = dict.fromkeys("\u2010\u2011\u2043\ufe63\uff0d", "-")
_LIGATURES = {
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "ĳ": "ij", "Ĳ": "IJ", "ŉ": "'n", "…": "…",
}  # fmt: skip
# Symbol fonts put their signs in the private area at F000 + code. Those that change what a dose or
# limit means:
_SYMBOL = {
    0xA3: "≤", 0xB3: "≥", 0xB1: "±", 0xB0: "°", 0xB4: "×", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xA5: "∞", 0xAE: "→", 0xAC: "←",
    0xAD: "↑", 0xAF: "↓", 0xAB: "↔", 0xDE: "⇒", 0x6D: "µ", 0x61: "α", 0x62: "β", 0x67: "γ", 0x64: "δ", 0x44: "Δ", 0x53: "Σ", 0x57: "Ω",
    0x6C: "λ", 0x70: "π", 0x73: "σ", 0x2D: "−", 0xB7: "•", 0xD6: "√", 0x3C: "<", 0x3E: ">", 0x3D: "=", 0x2B: "+", 0x25: "%", 0x7E: "~",
}  # fmt: skip
PRIVATE = range(0xF000, 0xF100)
SYMBOLS = frozenset(_SYMBOL.values()) | {"•"}

_WHITE = re.compile(r"[ \t]*\t[ \t]*|  +")
_LEADERS = re.compile(r"[ \t]*(?:\.{4,}|(?:\. ){4,}\.?|…{2,}|_{4,})[ \t]*")
_BACKSLASH = re.compile(r"(?<![\w\\:])\\(?!\\)|\\(?![\w\\])")  # those of paths (C:\map, \\server) stand before a name


@lru_cache(maxsize=8192)
def _clean(char: str, symbol: bool) -> str:
    """What this character becomes: itself, other letters, a space, or nothing."""
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return char
    if char in _HYPHENS:
        return "-"
    if char in _LIGATURES:
        return _LIGATURES[char]
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp") or char in "\t\n\r\x0b\x0c\x85":
        return "\t" if char == "\t" else " "
    if code in PRIVATE:
        return _SYMBOL.get(code - 0xF000, "•") if symbol or code in (0xF0B7, 0xF0A3, 0xF0B3, 0xF0B1, 0xF0B0) else "•"
    if char == SOFT_HYPHEN:
        return char  # until the line's end is known
    # control, invisible, half a pair, private, no character
    if category in ("Cc", "Cf", "Cs", "Co", "Cn") or char == "\ufffd":
        return ""
    return char


def clean_line(line: Marked, symbol: bool = False) -> Marked:
    """Without hidden characters, stray backslashes, leaders and doubled spaces; ligatures spelt
    out, accents composed.

    A soft hyphen stays only as the last character, where it says that a word goes on. `symbol`: set
    in a symbol font."""
    if not line.text.isascii() or not line.text.isprintable():
        line = _compose(_spell_out(line, symbol))
        ends_soft = line.text.rstrip().endswith(SOFT_HYPHEN)
        line = replace(line, re.compile(SOFT_HYPHEN), "")
        line = concat([line, plain(SOFT_HYPHEN)]) if ends_soft else line
    if "\\" in line.text:
        line = replace(line, _BACKSLASH, "")
    if ".." in line.text or ". ." in line.text or "…" in line.text or "__" in line.text:
        line = replace(line, _LEADERS, "\t")
    if "  " in line.text or "\t" in line.text:
        line = replace(line, _WHITE, lambda white: "\t" if "\t" in white else " ")
    start = len(line.text) - len(line.text.lstrip())
    return line[start : max(start, len(line.text.rstrip()))]


def replace(line: Marked, pattern: re.Pattern[str], white: str | object) -> Marked:
    """Every match becomes `white` (nothing or white space, which has no box); a function gets the
    match."""
    parts, last = [], 0
    for match in pattern.finditer(line.text):
        parts += [line[last : match.start()], plain(white(match.group()) if callable(white) else str(white))]
        last = match.end()
    return concat([*parts, line[last:]]) if parts else line


def _spell_out(line: Marked, symbol: bool) -> Marked:
    spelt = [_clean(char, symbol) for char in line.text]
    lengths = np.fromiter(map(len, spelt), np.int64, len(spelt))
    text = "".join(spelt)
    boxes = np.repeat(line.boxes, lengths, axis=0)
    if len(lengths) and lengths.max() > 1:  # each letter of a ligature its share of the width
        part = np.concatenate([np.arange(n) for n in lengths]) if len(text) else np.zeros(0)
        whole = np.repeat(lengths, lengths)
        width = boxes[:, 2] - boxes[:, 0]
        left = boxes[:, 0] + width * part / whole
        boxes = np.column_stack([left, boxes[:, 1], left + width / whole, boxes[:, 3]]).astype(np.float32)
    boxes[[c in " \t" for c in text]] = np.nan
    return Marked(text, boxes)


# accents that are signs of their own, as old fonts draw them over a letter
_ACCENTS = {sign: unicodedata.normalize("NFKD", sign)[1:] for sign in "¨´˜¯˘˙˚˝˛¸"} | {"ˆ": "\u0302", "ˇ": "\u030c"}


def _compose(line: Marked) -> Marked:
    """A letter and its accent become one character, boxed by both: one that combines, or a sign of
    its own that stands over the letter before or after it."""
    if unicodedata.is_normalized("NFC", line.text) and not any(char in _ACCENTS for char in line.text):
        return line
    chars: list[str] = []
    boxes: list[np.ndarray] = []
    waits = ""  # an accent that stands over no letter before it
    for char, box in zip(line.text, line.boxes, strict=True):
        over = bool(boxes) and _stands_over(boxes[-1], box)
        accent = char if unicodedata.combining(char) else _ACCENTS.get(char, "") if over else ""
        one = unicodedata.normalize("NFC", chars[-1] + accent) if chars and accent else ""
        if not one and waits and over:
            one = unicodedata.normalize("NFC", char + waits)
        if len(one) == 1:
            chars[-1] = one
            boxes[-1] = np.concatenate([np.fmin(boxes[-1][:2], box[:2]), np.fmax(boxes[-1][2:], box[2:])])
        else:
            chars.append(char)
            boxes.append(box)
        waits = _ACCENTS.get(char, "") if len(one) != 1 else ""
    return Marked("".join(chars), np.array(boxes, np.float32).reshape(-1, 4) if boxes else no_boxes(0))


def _stands_over(one: np.ndarray, two: np.ndarray) -> bool:
    """Each holds the other's middle, or nearly, from left to right."""
    return bool(abs((one[0] + one[2]) - (two[0] + two[2])) < min(one[2] - one[0], two[2] - two[0]))
