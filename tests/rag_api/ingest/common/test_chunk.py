"""Chunks: slices of a document that overlap, and lose no word."""

from __future__ import annotations

import uuid
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_api.domain import Metadata, Page
from rag_api.ingest.common.boxed_text import no_boxes
from rag_api.ingest.common.chunk import chunk, embedding_text, spans
from tests.rag_api.made_files.pdfs import HANDBOOK, handbook_document

pytestmark = pytest.mark.quick

META = Metadata(title="Kaliumsubstitutie")


def pages_of(*texts: str) -> list[Page]:
    pages, start = [], 0
    for number, text in enumerate(texts, start=1):
        pages.append(Page(number, 595, 842, 0, start, text, no_boxes(len(text))))
        start += len(text)
    return pages


def handbook(name: str = "mews-escalatie.pdf") -> list[Page]:
    return list(handbook_document(name).pages)


def test_chunks_are_slices_of_the_document_text_and_end_with_its_white_space() -> None:
    pages = handbook()
    text = "".join(page.text for page in pages)
    chunks = chunk("d" * 32, META, pages)
    assert len(chunks) > 3
    for one in chunks:
        assert one.text == text[one.start : one.end]
        assert not one.text[0].isspace()
        assert one.text[-1].isspace()
        assert one.end == len(text) or not text[one.end].isspace()
        assert len(one.text.rstrip()) <= 800


def test_chunks_overlap_and_go_on_over_page_borders() -> None:
    pages = handbook()
    chunks = chunk("d" * 32, META, pages)
    assert any(len(one.pages) == 2 for one in chunks)
    assert any(two.start < one.end for one, two in pairwise(chunks))
    assert all(one.end - two.start <= 170 for one, two in pairwise(chunks))


def test_white_space_that_the_splitter_says_by_itself_moves_nothing() -> None:
    assert spans("i Zi ", 1, 0) == [(0, 2), (2, 3), (3, 5)]


def test_a_chunk_names_only_pages_it_has_words_of() -> None:
    chunks = chunk("d" * 32, META, pages_of("Eerste pagina.\n\n", "", "Derde pagina.\n"))
    assert [one.pages for one in chunks] == [(1, 3)]
    assert [
        one.pages for one in chunk("d" * 32, META, pages_of("Eerste.\n\n", "  \n", "Derde.\n"), size=10, overlap=0)
    ] == [(1,), (3,)]


def test_a_heading_stays_with_its_text() -> None:
    for one in chunk("d" * 32, META, handbook()):
        last = one.text.rstrip().rpartition("\n")[2]
        assert not last.startswith(("1. ", "2. ", "3. ", "4. ", "5. ", "6. ", "7. ")) or len(last) > 60, last


def test_ids_follow_from_document_and_position() -> None:
    one, again, other = (chunk(name * 32, META, pages_of("Bel de arts.\n"))[0] for name in "aab")
    assert one.id == again.id != other.id
    assert str(uuid.UUID(one.id)) == one.id


def test_what_is_embedded_begins_with_the_title() -> None:
    one = chunk("d" * 32, META, pages_of("Bel de arts.\n"))[0]
    assert embedding_text(one) == "Titel: Kaliumsubstitutie\nTekst: Bel de arts.\n"


@settings(deadline=None)  # the first example imports the splitter
@given(st.text(st.sampled_from("ab. \n"), max_size=3000), st.integers(20, 200))
def test_no_word_is_lost_between_chunks(text: str, size: int) -> None:
    """Repetitive text too, where a piece could be found in the wrong place."""
    covered, last = [False] * len(text), -1
    for start, end in spans(text, size, size // 5):
        assert last < start < end <= len(text)
        last = start
        covered[start:end] = [True] * (end - start)
    assert all(done or character.isspace() for done, character in zip(covered, text, strict=True))


def test_every_handbook_document_is_covered_by_its_chunks() -> None:
    for path in sorted(Path(HANDBOOK).glob("paracetamol*.pdf")):
        pages = handbook(path.name)
        text = "".join(page.text for page in pages)
        covered = [False] * len(text)
        for one in chunk("d" * 32, META, pages):
            covered[one.start : one.end] = [True] * len(one.text)
        assert all(covered)
