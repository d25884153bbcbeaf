"""Marginalia beside a sentence that runs over a page or column border stay out of it, and stays."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, wrapped

OVER = (
    "Bij een volwassene met hartfalen of boven 75 jaar loopt een erytrocytenconcentraat over 3 tot 4 uur, met "
    "furosemide 20 mg IV "
    "halverwege wanneer de arts dat voorschrijft, en controleert de verpleegkundige de parameters om de 15 minuten in "
    "het eerste uur."
)
FILL = "De verpleegkundige noteert het uur in het dossier. " * 6
WIDTH = 470.0


def parted(lead: str, over: str, width: float = WIDTH, at: int = 2) -> tuple[list[str], list[str]]:
    """The lines of both, broken `at` lines into `over`."""
    first, second = wrapped(lead, width), wrapped(over, width)
    return [*first, *second[:at]], second[at:]


def at_bottom(texts: list[str], lowest: float) -> Draw:
    return lines(*texts, y=lowest + 14 * (len(texts) - 1))


HEAD, TAIL = parted(FILL, OVER)
BODY = at_bottom(HEAD, 120)
REST = lines(*TAIL, *wrapped(FILL, WIDTH), y=740)

BLOCKS = {
    "a footnote": (lines("1 Niet bij een gekende allergie: zie de werkwijze anafylaxie.", y=80, size=8), None),
    "a footnote of two lines": (
        lines(
            "1 Niet bij een gekende allergie: zie de werkwijze",
            "anafylaxie op de spoedgevallendienst.",
            y=90,
            size=8,
            leading=10,
        ),
        None,
    ),
    "a footer of the first page": (lines("Campus Noord, Kerkstraat 1, Ergens", y=45), None),
    "a small footer of the first page": (lines("Campus Noord, Kerkstraat 1, Ergens", y=45, size=8), None),
    "a letterhead of the second page": (None, lines("Campus Noord, Kerkstraat 1, Ergens", y=800)),
    "a running head": (None, lines("Bloedtransfusie bij volwassenen", y=805, size=9)),
    "a footnote and a running head": (
        lines("* Enkel na overleg met de arts van wacht.", y=80, size=8),
        lines("Bloedtransfusie bij volwassenen", y=805, size=9),
    ),
}
WORDS = {
    "a footnote": ["1 Niet bij een gekende allergie: zie de werkwijze anafylaxie."],
    "a footnote of two lines": [
        "1 Niet bij een gekende allergie: zie de werkwijze anafylaxie op de spoedgevallendienst."
    ],
    "a running head": ["Bloedtransfusie bij volwassenen"],
    "a footnote and a running head": ["* Enkel na overleg met de arts van wacht.", "Bloedtransfusie bij volwassenen"],
}


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("order", list(permutations((0, 1))))
def test_a_sentence_over_a_page_border_is_whole_and_what_stands_between_stands_once(
    block: str, order: tuple[int, int], tmp_path: Path
) -> None:
    """Whichever of the two the producer drew first."""
    below, above = BLOCKS[block]
    pages = [[BODY, below], [REST, above]]
    drawn = [both(*[draw for n in order if (draw := page[n]) is not None]) for page in pages]
    text = read_bytes(tmp_path, pdf(*drawn)).text
    assert OVER in text
    for words in WORDS.get(block, ["Campus Noord, Kerkstraat 1, Ergens"]):
        assert text.split("\n").count(words) == 1


def test_a_footnote_of_a_column_stays_out_of_a_sentence_that_goes_on_in_the_next(tmp_path: Path) -> None:
    head, tail = parted(FILL, OVER, 220, 3)
    left = both(at_bottom(head, 130), lines("1 Niet bij een gekende allergie.", y=90, size=8))
    right = lines(*tail, *wrapped(FILL, 220), x=320, y=500)
    text = read_bytes(tmp_path, pdf(both(left, right))).text
    assert OVER in text
    assert text.split("\n").count("1 Niet bij een gekende allergie.") == 1


def test_small_print_that_runs_over_a_page_border_itself_is_no_footnote(tmp_path: Path) -> None:
    """A list of references in smaller letters below a chapter's end."""
    first, second = wrapped(OVER, WIDTH, 8), []
    first, second = first[:1], first[1:]
    one = both(lines(*wrapped(FILL, WIDTH), y=700), lines(*first, y=90, size=8))
    two = both(lines(*second, y=760, size=8, leading=10), lines(*wrapped(FILL, WIDTH), y=600))
    assert OVER in read_bytes(tmp_path, pdf(one, two)).text


def test_a_last_line_of_a_paragraph_at_a_pages_top_is_no_running_head(tmp_path: Path) -> None:
    one, two = (
        at_bottom(
            [*wrapped(FILL, WIDTH), "Controleer de pomp elk uur en noteer dit in het dossier van de patiënt en op het"],
            80,
        ),
        both(lines("blad aan het bed.", y=790), lines("en nog iets dat klein begint.", *wrapped(FILL, WIDTH), y=700)),
    )
    assert "op het blad aan het bed." in read_bytes(tmp_path, pdf(one, two)).text
