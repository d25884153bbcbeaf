"""What is said above an answer is of the documents that it was taken from; and the words that name a patient are read as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.answering.source_warnings import of_refusal, of_used
from rag_api.domain import Chunk, Document, DocumentStatus, Hit, Metadata, Notice, Source, TargetGroup
from rag_api.guard.patient import patient_of

SAID = (
    Notice("generator_down", "of the whole"),
    Notice("expired", "of source 1", (1,)),
    Notice("twins", "of sources 1 and 3", (1, 3)),
    Notice("versions", "of source 2", (2,)),
)


def source(rank: int) -> Source:
    name = f"document {rank}"
    document = Document(name, f"{name}.pdf", "", "application/pdf", DocumentStatus.INDEXED, "", Metadata(title=name), 1, 1, 1)
    return Source(Hit(Chunk(name, name, name, (1,), 0, 1, "x"), 0.5, 0.5, 0.5, rank), document, 1, ())


SOURCES = [source(rank) for rank in (1, 2, 3)]


def test_a_notice_of_a_document_that_is_not_quoted_goes() -> None:
    assert [one.text for one in of_used(SAID, [3], SOURCES)] == ["of the whole", "of sources 1 and 3"]


def test_an_answer_without_quotes_keeps_them_all() -> None:
    assert of_used(SAID, [], SOURCES) == list(SAID)


def test_a_refusal_says_nothing_of_a_source_but_that_there_are_twins() -> None:
    assert [one.code for one in of_refusal(SAID)] == ["generator_down", "twins"]


ENDINGS = {
    "adult": ("bij een volwassene", "in an adult"),
    "child": ("bij een kind", "in a child"),
    "neonate": ("bij een pasgeborene", "in a newborn"),
    "pregnancy": ("bij een zwangere", "in a pregnant woman"),
}


@pytest.mark.parametrize(("group", "ending"), [(group, ending) for group, both in ENDINGS.items() for ending in both])
def test_the_words_with_which_the_page_completes_a_question_name_one_patient(group: str, ending: str) -> None:
    assert patient_of(f"adrenaline {ending}?").groups == {TargetGroup(group)}
    assert ending in (Path(__file__).parents[2] / "web/src/text/patient.ts").read_text()
