"""Agreement of a second reader: what stands elsewhere than the best passage, or nowhere."""

from __future__ import annotations

from dataclasses import replace

from rag_api.answering.agreement_decision import is_second_choice, stands_elsewhere
from rag_api.answering.builder import AnswerBuilder, Question
from rag_api.answering.choosing.span_selection import Section
from rag_api.domain import LOCAL_USER, Candidate, Chunk, Filters, Hit, Mode
from rag_api.retrieval.find import Retrieval


def hit(name: str) -> Hit:
    return Hit(Chunk(name, name, name, (1,), 0, 4, "tekst"), 0.9, 0.9, 1.0, 1)


def test_a_quote_of_another_document_than_the_first_passages_stands_elsewhere() -> None:
    quote = Candidate("kalium", 0, 4, (), "tekst", 0.0, 1)
    found = Retrieval((), 0.9, answerable=True, may_be_quoted=(hit("kalium"), hit("natrium")))
    assert not stands_elsewhere([quote], found)
    assert stands_elsewhere([quote], replace(found, may_be_quoted=found.may_be_quoted[::-1]))
    assert not stands_elsewhere([], found)


def test_where_nothing_may_be_quoted_nothing_is_asked_of_the_generator_as_a_quote() -> None:
    found = Retrieval((), 0.9, answerable=True, may_be_quoted=(hit("kalium"),))
    question = Question("a", "c", is_new=True, text="kalium?", mode=Mode.VERBATIM, filters=Filters())
    quoted = Section((Candidate("kalium", 0, 4, (), "tekst", 0.0, 1),))
    builder = AnswerBuilder(question, LOCAL_USER, "nl", "kalium?", sections=(Section(()),))
    assert is_second_choice(builder, found)
    assert not is_second_choice(replace(builder, sections=(Section(()), quoted)), found)
    written = replace(question, mode=Mode.ANSWER)
    assert not is_second_choice(replace(builder, question=written), found)
