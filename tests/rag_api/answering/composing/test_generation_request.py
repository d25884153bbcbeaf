"""Generation requests leave out a part that holds no words to quote."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag_api.answering.ask import chosen, new_question
from rag_api.answering.choosing.span_selection import Section
from rag_api.answering.composing.generation_request import requests_of, sections_of
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER
from rag_api.query.analysis import analyse
from tests.rag_api.retrieval.reader_model.test_pointing_reader import QUESTION
from tests.support.scripted_server import Scripted

pytestmark = pytest.mark.usefixtures("documents")


@pytest.fixture
def settings(settings: Settings, server: Scripted) -> Settings:
    return settings.model_copy(update={"generator_url": server.url})


@pytest.mark.parametrize("other", ["", "Hoe laat is het restaurant open?"])
def test_a_section_without_words_is_left_out_and_what_it_was_asked_for_is_said(
    container: Container, other: str
) -> None:
    builder, _ = chosen(new_question(LOCAL_USER, container, QUESTION), LOCAL_USER, container)
    (own, *_) = sections_of(builder)
    asked = analyse(other, container.expander) if other else own.asked
    builder.sections = (own, replace(own, candidates=(), asked=asked))
    requests = requests_of(builder, container)
    assert [bool(one.request.candidates) for one in requests] == [True]
    said = [one.text for one in builder.notices if one.code == "part_not_found"]
    assert len(said) == bool(other)
    assert all(other in text for text in said)
    builder.sections = (Section(()),)
    assert [one.request.candidates for one in requests_of(builder, container)] == [None], "nothing to quote at all"
