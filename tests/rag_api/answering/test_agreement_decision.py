"""Agreement of a second reader: what stands elsewhere than the best passage."""

from __future__ import annotations

from dataclasses import replace

from rag_api.answering.agreement_decision import stands_elsewhere
from rag_api.domain import Candidate, Chunk, Hit
from rag_api.retrieval.find import Retrieval


def hit(name: str) -> Hit:
    return Hit(Chunk(name, name, name, (1,), 0, 4, "tekst"), 0.9, 0.9, 1.0, 1)


def test_a_quote_of_another_document_than_the_first_passages_stands_elsewhere() -> None:
    quote = Candidate("kalium", 0, 4, (), "tekst", 0.0, 1)
    found = Retrieval((), 0.9, answerable=True, may_be_quoted=(hit("kalium"), hit("natrium")))
    assert not stands_elsewhere([quote], found)
    assert stands_elsewhere([quote], replace(found, may_be_quoted=found.may_be_quoted[::-1]))
    assert not stands_elsewhere([], found)
