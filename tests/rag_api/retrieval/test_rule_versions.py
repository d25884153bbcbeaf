"""The worth of vectors kept of sentences is decided by version constants: a rule that changes
without its constant fails here.

Pinned beside each version is a digest of what the rule gives on texts made of the fragments below,
and of the words and patterns it looks for. When a test fails: was the change meant? Then add one to
the module's VERSION and a line to its table. Renaming and moving change nothing here, and keep what
hospitals have embedded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import product
from types import ModuleType
from typing import Any

import pytest

from rag_api.retrieval import precompute, sentence_scorer
from rag_api.retrieval.sentence_scorer import lines_of
from rag_api.text import block_shapes as shapes
from rag_api.text import sentence_splitter
from rag_api.text.quotable import quotable_spans
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.sentence_splitter import sentences

pytestmark = pytest.mark.quick

Pins = dict[tuple[int, ...], str]
# Versions -> digest. What stands further down follows from what stands above it, so its key has
# those versions too.
SPLITTER: Pins = {(1,): "4b69f65dbca139b7", (2,): "ef2f3406fc47f959", (3,): "ad591ad15bae39a9"}
QUOTES: Pins = {
    (1, 1): "08c549752f220430",
    (2, 2): "9a592eb78cd96182",
    (2, 3): "ded21b2b95a75bf3",
    (3, 3): "dd2270d2f93cafda",
    (3, 4): "43e913a3bc0ae9f3",
    (3, 5): "5b0faf36291ad917",
    (3, 6): "2ff52150ede56893",
    (3, 7): "b4c535b6ba81aacf",
    (3, 8): "94eba60f69996bf1",
    (3, 9): "ea9687f607224e90",
}
LINES: Pins = {
    (1, 1, 1): "d6ae7189e3858db6",
    (2, 2, 1): "ea3bf2cc2cc12a61",
    (2, 3, 1): "d8260af102baffaf",
    (3, 3, 1): "6492e7ad1bef0ae3",
    (3, 4, 1): "b96762b4d50e0c6f",
    (3, 5, 1): "c9c7b7f8096b3eca",
    (3, 6, 1): "2db8ca3e4f47c085",
    (3, 7, 1): "573ea2363656156e",
    (3, 9, 1): "73f6c207eb9d23ef",
}

LONG = (
    "Voor elke patiënt die langer dan een dag op de dienst verblijft geldt het volgende, ook bij nacht en in het "
    "weekend, "
)
FRAGMENTS = (
    "Pijn\t2\nKoorts\t3\nBraken\t4\n\nPijn\n\nMeet de pijn.\n\nKoorts\n\nMeet de koorts.\n\nBraken\n\nNoteer het "
    "braken.",
    "Geef 1 g p.o. 3x/d. gedurende 7 d. Noteer dat.",
    "Max. 10 mmol/u. i.v. Controleer na 15 min. de RR.",
    "Zie prot. 12. Dr. J. Peeters verwittigen (tel. 1234. Dag en nacht).",
    "Vitamine C. Geef 5 mg i.m. stat. Repeat after 5 min. if needed",
    "Niet langer dan 48 uur! Is hij nuchter? 2 uur is genoeg… «Stop.» De arts beslist.",
    "Doses of 3.5 mg hrt. Haloperidol, see Fig. 2. It shows dl. 4 of 12.",
    "Kaliumchloride onverdund spuiten is dodelijk. Deze patiënten krijgen geen LMWH. This is final.",
    "Give 1 g. Behalve bij leverfalen. Unless the child is below 10 kg. Then 15 mg/kg.",
    "Niet geven bij:",
    "Voor volwassenen: ",
    "gaat verder in kleine letters. Daarna niets.",
    "4.2 Dosering",
    "3. Contra-indicaties",
    "Children",
    "Werkwijze en een titel die veel te lang is om nog een titel te zijn in dit document",
    "- leverfalen. Overleg dan. Deze lijst is kort.",
    "• Gewicht < 10 kg",
    "a) Spoel na",
    "1. Spoel de leiding.",
    "1.2 Sluit aan. Wacht.",
    "Gewicht\tDosis\tInterval",
    "10-20 kg | 15 mg/kg | 4x/dag",
    "MEWS\t3\t2\t1",
    "Pols\tonder 40\t41-50\t51-100",
    "Versie\tDatum\tWijziging",
    "Wijzigingen sinds versie 5",
    "Geldig vanaf\t01/03/2025",
    f"{LONG * 4}:",
    f"{LONG * 7}gaat niets boven 2. Dat is alles.",
)
GAPS = (" ", "\n", "\n\n", " \n  ")
# What stands before a full stop, and what after it: known and unknown abbreviations, units,
# figures, initials, open brackets.
BEFORE_A_STOP = (
    "p.o|5 mg|5mg|3x/d|10 mmol/u|d|7 d|Dr|3 dr|max|5 max|nr|stat|tab|2 tab|B|hrt|5 hrtl|"
    "hrtls|thu|7|12.5|rust|pomp|pijn|xyz|i.v|ulcus e.d|dosis (zie|dosis [zie|(zie) a|12 l|2,5 ml|jr|1 jr|km|e"
)
STARTS = ("Geef dat", "Haloperidol", "2 uur", "gaat", "(Geef)", "“Niet”", "Stop: nu", "- dan", "Één")
# Titles, introductions, headers and sentences as long as the limits, and one longer.
WORDS = (
    "Drie woorden meer",
    "Een twee drie vier vijf zes zeven",
    "Een twee drie vier vijf zes zeven acht",
    "een kleine letter",
    "Kort, en toch",
)
LENGTHS = (
    *(f"{text}\nGeef dat." for text in WORDS),
    *(
        f"4. {text}{more}\nGeef dat."
        for text in WORDS
        for more in ("", " negen tien elf", " negen tien elf twaalf", " negen tien elf twaalf dertien")
    ),
    *(f"{'K' * n}\nGeef dat." for n in (89, 90, 91)),
    *(f"{'I' * n}:\n- eerste\n- tweede" for n in (397, 398, 399, 400, 401)),
    *(f"{'H' * n}\tDosis\tTijd\nA\t1\t2\nB\t2\t3" for n in (387, 388, 389, 390, 391)),
    *(f"{'Z' * n} einde. Deze ook. Daarna niets." for n in (780, 781, 782, 783, 784, 785)),
    *(
        "\n".join(rows)
        for n in (1, 2, 3)
        for rows in product(("A\t1\t2", "Schaal\tB", "1\t2\t3", "A\tB\tC", "\t \tx"), repeat=n)
    ),
    "  \n 3 Geef dat.",
    "a\n Geef",
    "\n\na",
    "Zin:\n\nandere. Zin",
    "A\tb\ngaat verder",
    "zin\ngaat\tverder",
    "1. Geef: Dat.",
    "1. dat. Geef dit.",
    "- Dit is zo:\n- Eerste",
    "A\tB:\n- eerste",
    "Een lijst:\n\n- eerste",
    "Een lijst:\n☑ eerste\n▣ tweede",
    f"Geef {'dat en ' * 60}(dus. Geef dat.",
    "Geef [dus. Geef dat. Nu].",
    "Keep it dry for 48 hours. After that you may shower. Niets drinken. Tot dan mag dat niet.",
)


def texts() -> Iterator[str]:
    """Yield every fragment before every other in every way that lines follow lines, every full stop
    between its neighbours, every limit."""
    for gap in GAPS:
        yield from (gap.join(two) for two in product(FRAGMENTS, FRAGMENTS))
        yield from (
            gap.join(("Kop", *three, "")) for three in zip(FRAGMENTS, FRAGMENTS[5:], FRAGMENTS[11:], strict=False)
        )
        yield gap.join(FRAGMENTS)
    yield from (
        f"Neem {end}{stop} {start} nu."
        for end, stop, start in product(BEFORE_A_STOP.split("|"), (".", "!", "..", '."'), STARTS)
    )
    yield from (f"{end}. {start}" for end, start in product(BEFORE_A_STOP.split("|"), STARTS))
    yield from LENGTHS
    yield from ("", " ", "\n", "Een.", "  Twee. Drie.  ")


def looked_for(module: ModuleType) -> list[str]:
    """The sets of words, patterns and limits of a module, whatever they are called."""
    found: list[Any] = [value for name, value in vars(module).items() if name != "VERSION"]
    words = [" ".join(sorted(value)) for value in found if isinstance(value, frozenset)]
    patterns = [f"{value.flags} {value.pattern}" for value in found if isinstance(value, re.Pattern)]
    limits = [str(value) for value in found if isinstance(value, int | float)]
    return sorted(words + patterns + limits)


def digest(parts: list[Any]) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def checked(given: list[Any], versions: tuple[int, ...], pinned: Pins) -> None:
    """The version is the last one pinned, its digest is what is given, and no other version has the
    same."""
    assert versions in pinned, f"a line is missing here: {versions}: {digest(given)!r}"
    assert versions == max(pinned)
    assert digest(given) == pinned[versions], (
        "the rule gives something else than this version of it: add one to its VERSION"
    )
    assert len(set(pinned.values())) == len(pinned)


def test_sentences_end_where_this_version_of_the_splitter_ends_them() -> None:
    given = [[(s.start, s.end, s.kind.value) for s in sentences(text)] for text in texts()]
    checked([given, looked_for(sentence_splitter)], (sentence_splitter.VERSION,), SPLITTER)


def test_what_may_be_quoted_is_what_this_version_says() -> None:
    given = [[(q.start, q.end, q.kind.value, q.lead, q.path) for q in quotable(text)] for text in texts()]
    checked(
        [given, looked_for(quotable_spans), looked_for(shapes)],
        (sentence_splitter.VERSION, quotable_spans.VERSION),
        QUOTES,
    )


def test_what_is_embedded_of_a_text_is_what_this_version_says() -> None:
    given = [lines_of("Kalium, intraveneus", text) for text in texts()]
    checked(given, (sentence_splitter.VERSION, quotable_spans.VERSION, sentence_scorer.VERSION), LINES)


@pytest.mark.parametrize("module", [sentence_splitter, quotable_spans, sentence_scorer])
def test_vectors_kept_under_another_version_of_any_rule_are_made_anew(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named:
        name = "an embedder"

    before = precompute.made_by(Named())  # type: ignore[arg-type]
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert precompute.made_by(Named()) != before  # type: ignore[arg-type]
