"""Citations: what is quoted is said to be of the source that holds it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rag_api.answering.builder import AnswerBuilder, Question
from rag_api.answering.generator.prompt_passages import PromptPassage
from rag_api.answering.quoting.citations import cite, source_of
from rag_api.domain import Candidate, Chunk, Filters, Hit, Metadata, Mode, Page, TargetGroup, User
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander
from services.contract import wire

pytestmark = pytest.mark.quick

TITLE, SENTENCE = "Pijn bij kinderen\n", "Een kind van 12 kg krijgt 15 mg/kg per gift."
TEXT = f"{TITLE}\n1. Doel\nDeze procedure is voor de pediatrie.\n\n2. Dosis\n{SENTENCE}\n"
AT = TEXT.index(SENTENCE)


def builder_of(text: str, asked: str, chunks: list[tuple[int, int]], *groups: TargetGroup) -> AnswerBuilder:
    """chunks: places in the text, best first; groups: whom the document is for."""
    builder = AnswerBuilder(
        Question("a", "c", True, asked, Mode.VERBATIM, Filters()),
        User(id="u", name="U", groups=("everyone",)),
        "nl",
        asked,
    )
    document: Any = SimpleNamespace(id="d", metadata=Metadata(target_groups=groups))
    sources = [
        SimpleNamespace(hit=Hit(Chunk(str(n), "d", "", (1,), a, b, text[a:b]), 1.0, 1.0, 1.0, n), document=document)
        for n, (a, b) in enumerate(chunks, 1)
    ]
    builder.sources = tuple(sources)  # type: ignore[arg-type]
    builder.pages = {"d": [Page(1, 595, 842, 0, 0, text, np.full((len(text), 4), np.nan, np.float32))]}
    builder.texts, builder.analysis = {"d": text}, analyse(asked, Expander([]))
    builder.prompt_passages = (PromptPassage("d", 0, text),)
    return builder


def write(builder: AnswerBuilder, start: int, words: str) -> None:
    before = len(builder.text)
    builder.text += words
    span = wire.CopiedSpanOut(
        start=before, end=len(builder.text), document="0", source_start=start, source_end=start + len(words)
    )
    assert cite(span, builder)


def cited(chunks: list[tuple[int, int]], asked: str = "hoeveel voor een kind van 12 kg") -> list[tuple[str, int]]:
    """Title and sentence written one after the other, with their sources' ranks."""
    builder = builder_of(TEXT, asked, chunks)
    for start, words in ((0, TITLE), (AT, SENTENCE)):
        write(builder, start, words)
    return [(one.text, one.rank) for one in builder.citations]


def test_a_sentence_is_of_the_source_that_holds_it_and_its_title_with_it() -> None:
    assert cited([(AT - 9, len(TEXT)), (0, AT - 9)]) == [(TITLE, 1), (SENTENCE, 1)]


def test_what_no_source_holds_is_of_the_nearest() -> None:
    assert cited([(30, 35), (AT - 4, AT - 1)]) == [(TITLE, 2), (SENTENCE, 2)]


CHILDREN = "Kinderen drinken tot 1 uur voor de ingreep. Melk mag niet."
ALL = "Drinken mag tot 2 uur voor de ingreep. Melk mag niet."


@pytest.mark.parametrize(
    ("text", "asked", "groups", "stands_out"),
    [
        (ALL, "tot wanneer mag een patiënt drinken", (), True),
        (CHILDREN, "tot wanneer mag een patiënt drinken", (), False),
        (CHILDREN, "tot wanneer mag een kind drinken", (), True),
        (CHILDREN, "tot wanneer mag een patiënt drinken", (TargetGroup.CHILD,), True),
    ],
)
def test_what_is_for_patients_whom_the_question_does_not_name_does_not_stand_out(
    text: str, asked: str, groups: tuple[TargetGroup, ...], stands_out: bool
) -> None:
    builder, sentence = builder_of(text, asked, [(0, len(text))], *groups), text.index(" Melk")
    builder.said = {"d": [(0, sentence)]}
    write(builder, 0, text)
    assert any(piece.asked for one in builder.citations for piece in one.pieces) is stands_out


def place_of(*said: Candidate, start: int = 0, end: int = len(TEXT)) -> int:
    """The page of a passage whose letters have no place: two pages, the sentence on the second."""
    cut = TEXT.index("2. Dosis")
    pages = [
        Page(number, 595, 842, 0, begin, words, np.full((len(words), 4), np.nan, np.float32))
        for number, begin, words in ((1, 0, TEXT[:cut]), (2, cut, TEXT[cut:]))
    ]
    document: Any = SimpleNamespace(id="d")
    chunk = Chunk("c", "d", "", (1, 2), start, end, TEXT[start:end])
    return source_of(Hit(chunk, 1.0, 1.0, 1.0, 1), document, pages, (), said).page


def test_a_passage_over_two_pages_is_opened_where_most_of_it_stands_or_at_its_sentence_that_fits_best() -> None:
    said = [Candidate(name, at, at + 5, (), "", 0.0, 1) for name, at in (("other", 0), ("d", AT), ("d", 20))]
    assert place_of(start=TEXT.index("voor de pediatrie")) == 2
    assert place_of() == 1
    assert place_of(*said) == 2
    assert place_of(*said, end=AT) == 1
