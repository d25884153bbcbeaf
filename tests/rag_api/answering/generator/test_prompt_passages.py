"""Text that the generator may quote, as places of the passages that it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from rag_api.answering.generator import client as gen
from rag_api.answering.generator.prompt_passages import to_quote
from rag_api.domain import Candidate, Chunk, Hit
from rag_api.retrieval.decision.calibration import shipped

pytestmark = pytest.mark.quick

WRITING = next(iter(shipped().values())).writing("", "nl")
FIRST, SECOND = "Spoel wekelijks. Bel bij koorts. ", "Verwijder na 14 dagen. Meld het. "
BEGINS = 250_000  # a document that is too long to be at hand


def hit(number: int, start: int, text: str, rank: int, document: str = "d") -> Hit:
    return Hit(
        Chunk(f"{document}{number}", document, "PICC", (1,), start, start + len(text), text), 0.5, 0.5, 1.0, rank
    )


def candidate(
    text: str, start: int, rank: int, lead: tuple[tuple[int, int], ...] = (), document: str = "d"
) -> Candidate:
    return Candidate(document, start, start + len(text) - sum(b - a for a, b in lead), lead, text, 1.0, rank)


def quoted(
    hits: Sequence[Hit], sentences: Sequence[Candidate], texts: Mapping[str, str]
) -> tuple[gen.GeneratorRequest, list[str]]:
    """And the words that stand in the request's places."""
    request, passages = to_quote("hoe?", "nl", hits, sentences, WRITING, texts, 100)
    assert [passage.text for passage in passages] == [passage.text for passage in request.passages]
    return request, [
        "".join(request.passages[int(c.document)].text[place.start : place.end] for place in (*c.lead, c))
        for c in request.candidates or ()
    ]


def test_a_sentence_of_a_long_document_is_a_place_of_the_chunk_that_holds_it_whatever_the_ranks_are() -> None:
    """Two things were asked: the hits are numbered anew, the sentences are as each search found
    them."""
    hits = [hit(1, BEGINS, FIRST, 1), hit(2, BEGINS + 5_000, SECOND, 2)]
    sentences = [
        candidate("Verwijder na 14 dagen. ", BEGINS + 5_000, rank=1),
        candidate("Spoel wekelijks. ", BEGINS, rank=1),
    ]
    request, words = quoted(hits, sentences, {})
    assert words == [one.text for one in sentences]
    assert len(request.passages) == 2


def test_a_sentence_that_no_hit_holds_is_not_quoted() -> None:
    hits = [hit(1, BEGINS, FIRST, 1)]
    elsewhere = candidate("Verwijder na 14 dagen. ", BEGINS + 5_000, rank=1)
    other = candidate("Spoel wekelijks. ", BEGINS, rank=1, document="e")
    assert quoted(hits, [elsewhere, other, candidate("Bel bij koorts. ", BEGINS + 17, rank=1)], {})[1] == [
        "Bel bij koorts. "
    ]


@pytest.mark.parametrize("at_hand", [True, False])
def test_a_sentence_in_whose_place_other_words_stand_is_not_quoted(
    at_hand: bool, caplog: pytest.LogCaptureFixture
) -> None:
    text = "Niet bij:\nkinderen. Spoel wekelijks. "
    true = candidate("Niet bij:\nSpoel wekelijks. ", 20, 1, ((0, 10),))
    assert text[true.start : true.end] == "Spoel wekelijks. "
    hits, texts = [hit(1, 0, text, 1)], {"d": text} if at_hand else {}
    assert quoted(hits, [true], texts)[1] == [true.text]
    assert not caplog.records
    shifted = [replace(true, start=true.start - 1, end=true.end - 1), replace(true, lead=((1, 11),))]
    assert quoted(hits, shifted, texts)[1] == []
    assert [record.message.split(":")[0] for record in caplog.records] == ["a sentence of document d is not quoted"] * 2


def test_sentences_of_one_document_that_stand_far_apart_are_shown_without_what_stands_between() -> None:
    text = FIRST + "Tussendoor. " * 30_000 + SECOND
    hits = [hit(1, 0, FIRST, 1), hit(2, len(text) - len(SECOND), SECOND, 2)]
    sentences = [
        candidate("Spoel wekelijks. ", 0, rank=1),
        candidate("Verwijder na 14 dagen. ", len(text) - len(SECOND), rank=2),
        candidate("Bel bij koorts. ", len("Spoel wekelijks. "), rank=1),
    ]
    request, words = quoted(hits, sentences, {"d": text})
    assert words == [one.text for one in sentences]
    assert [int(one.document) for one in request.candidates or ()] == [0, 1, 0]
    assert all(len(passage.text) < 100 for passage in request.passages)
