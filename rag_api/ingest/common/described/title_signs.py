"""Titles weighed against each other: every line, running header and property that may name a
document has one sum of signs, and the largest sum is its title. Pure.

No sign decides alone. What is larger than most letters, stands high or shares words with the file's
name is likely a title; a letterhead, a sentence or a line with a date hardly is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rag_api.ingest.common.described.words import naming_words

_MOST = 6  # titles of a document
_SMALLEST, _LARGEST = 0.5, 3.0  # times the usual size: beyond these size says no more
_SET_APART = 1.1  # times the usual size: smaller and not bold it may be running text
_LONG = 16  # words
_TOP, _FEW = 0.14, 8  # of the page's height, and words: where a letterhead stands, and how long it is
_LETTERHEAD = re.compile(
    r"ziekenhuis|hospital\b|hospitals\b|kliniek\b|\bclinic\b|\bumc\b|\buz\b|\baz\b|medisch centrum|medical "
    r"cent|universitair|"
    r"university|ministerie|staten-generaal|gemeente|stichting|\bvzw\b|\bnhs\b|zorggroep|campus",
    re.IGNORECASE,
)
_PART = re.compile(  # of what stands before or behind it
    r"[,;:(&/–-]$|\b(?:de|het|een|en|van|in|op|te|met|voor|bij|of|the|a|an|of|and|to|for|with|on|by|or|from|at)$"
    r"|^(?:by|of|and|or|on behalf|door|en|namens)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3}")
_OF_A_TEXT = re.compile(r"[^\W\d_]{3}[.!](?:$|\s)|^[a-zà-ÿ]\w+ |^\W|^\d{1,2}[.)] ")  # a sentence, what goes on, an item


@dataclass(frozen=True, slots=True)
class NamingLine:
    """What may name a document. `larger`: its size beside that of most letters; `at`: how far down
    the first page, of its height; `given`: what it is worth that somebody called it a title;
    `repeated`: most pages bear it; `imprint`: it has a date, version or code."""

    text: str
    larger: float = 1.0
    bold: bool = False
    at: float = 0.0
    given: float = 0.0
    repeated: bool = False
    imprint: bool = False


def best_first(candidates: Sequence[NamingLine], name: str, shown: Collection[str]) -> tuple[str, ...]:
    """The likeliest title first, none that hardly is one. name: the file's; shown: words that it
    and the first page show."""
    called = naming_words(PurePosixPath(name).stem)
    said = [(one, naming_words(one.text)) for one in candidates if one.given or one.repeated]
    sums = [
        (_sum(one, called, [words for other, words in said if other is not one], shown), one.text) for one in candidates
    ]
    found = sorted((pair for pair in sums if pair[0] > 0), key=lambda pair: -pair[0])
    return tuple(dict.fromkeys(text for _, text in found))[:_MOST]


def _sum(one: NamingLine, called: Collection[str], said: Sequence[Collection[str]], shown: Collection[str]) -> float:
    """said: words of the other candidates that somebody gave, or that pages repeat."""
    words, count = naming_words(one.text), len(one.text.split())
    return (
        one.given
        + 2.5 * math.log2(min(max(one.larger, _SMALLEST), _LARGEST))
        + 0.75 * one.bold
        - 1.0 * one.at
        + 1.0 * one.repeated
        + 3.5 * _shared(words, called)
        + 1.5 * max((_shared(words, other) for other in said), default=0.0)
        - 1.0 * sum(word not in shown for word in words) / max(1, len(words))  # a template's, or an earlier name
        - 4.0 * (not words and bool(called or not _WORD.search(one.text)))  # the file's name says more
        - 0.5 * (len(words) == 1)
        - 0.06 * max(0, count - _LONG)
        - 0.12 * count * (one.larger < _SET_APART and not (one.bold or one.given or one.repeated))
        - 2.0 * bool(_OF_A_TEXT.search(one.text))
        - 1.5 * bool(_PART.search(one.text))
        - 1.5 * one.imprint
        - 2.0 * (one.at < _TOP and count <= _FEW and bool(_LETTERHEAD.search(one.text)))
    )


def _shared(words: Collection[str], other: Collection[str]) -> float:
    """From none to all of their words; that it holds the other's counts more than that it holds
    little else. One word alone may be chance."""
    both = sum(word in other for word in words)
    return (2 * both / max(2, len(other)) + both / max(1, len(words))) / 3
