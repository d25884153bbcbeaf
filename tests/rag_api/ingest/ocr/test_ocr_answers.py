"""A scan that was read in doubt: found, shown with its page, said to be a scan; what is in doubt is
neither quoted nor told to a model."""

from __future__ import annotations

import json

import pytest

from rag_api.api.mapping import answer_out
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import Answer, AnswerStatus, Mode
from rag_api.ingest.common.notes import note
from rag_api.text.quotable.uncertain import BLANK, is_same
from tests.rag_api.answering.test_ask import asked, last, settings
from tests.support.scripted_server import Scripted
from tests.support.world import DOUBTFUL, load

__all__ = ["settings"]

DOUBTED = "Geef kinderen van 10 tot 50 kg 75 mg/kg paracetamol per gift. "
SCAN = (
    f"Paracetamol intraveneus bij kinderen. {DOUBTFUL}{DOUBTED}{DOUBTFUL}"
    "Wacht ten minste zes uur tussen twee giften paracetamol. De maximale dosis is 60 mg/kg per dag. "
)
QUESTION = "Hoeveel paracetamol mag een kind van 12 kg per gift?"


@pytest.fixture
def scan(container: Container) -> None:
    load(container, "paracetamol-scan.pdf", SCAN, language="nl")


async def _answer(container: Container, mode: Mode) -> Answer:
    return last(await asked(container, QUESTION, mode=mode))


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_scan_is_found_and_said_to_be_one(container: Container, scan: None, mode: Mode) -> None:
    (source,) = answer_out(await _answer(container, mode)).sources
    assert (source.text_from, source.uncertain) == ("ocr", True)
    assert "scan_in_doubt" in [caution.code for caution in source.cautions]
    assert source.rects
    assert "75" not in source.text
    assert BLANK in source.text
    assert is_same(source.text, SCAN.replace(DOUBTFUL, ""))


@pytest.mark.parametrize("mode", [Mode.VERBATIM, Mode.ANSWER])
async def test_what_is_in_doubt_is_neither_quoted_nor_told_to_a_model(
    container: Container, scan: None, server: Scripted, mode: Mode
) -> None:
    answer = await _answer(container, mode)
    assert "75" not in answer.text
    assert all("75" not in citation.text for citation in answer.citations)
    assert all("75" not in json.dumps(request) for request in server.requests)


async def test_the_other_sentences_of_a_scan_are_quoted_with_their_places(container: Container, scan: None) -> None:
    answer = last(
        await asked(container, "Hoe lang wachten tussen twee giften paracetamol bij een kind?", mode=Mode.VERBATIM)
    )
    assert answer.status == AnswerStatus.ANSWERED
    assert answer.citations
    assert all(citation.rects for citation in answer.citations)


async def test_a_scan_without_doubt_is_said_to_be_one_too(container: Container) -> None:
    load(
        container, "scan.pdf", SCAN.replace(DOUBTFUL, "").replace(DOUBTED, "") + f"{DOUBTFUL}x{DOUBTFUL}", language="nl"
    )
    container.db.run("delete from uncertain_places")
    (source,) = (await _answer(container, Mode.SOURCES)).sources
    assert source.text_from == "ocr"
    assert "scan" in [caution.code for caution in source.cautions]


async def test_letters_in_doubt_that_no_image_was_read_for_are_said_to_be_that(
    container: Container, scan: None
) -> None:
    """Nobody is told of a scan, nor of words for a machine."""
    container.db.run("update pages set text_from = 'pdf'")
    (source,) = (await _answer(container, Mode.SOURCES)).sources
    assert source.uncertain
    assert [caution.code for caution in source.cautions] == ["in_doubt"]


async def test_a_document_of_which_little_can_be_quoted_says_so_on_its_card(container: Container, scan: None) -> None:
    (document,) = PgDocuments(container.db).current().values()
    PgDocuments(container.db).put_warnings(document.id, [note("mostly_in_doubt", share="40%")])
    (source,) = (await _answer(container, Mode.SOURCES)).sources
    assert [caution.code for caution in source.cautions] == ["scan_in_doubt", "mostly_in_doubt"]
