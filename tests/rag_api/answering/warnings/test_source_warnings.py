"""Warnings above an answer are of the documents that it was taken from; and the words that name a
patient are read as such."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rag_api.answering.warnings.notice_texts import expired, for_whom, notice, the_patient
from rag_api.answering.warnings.source_warnings import in_doubt, of_other_drugs, of_refusal, of_used, usable, warned
from rag_api.domain import Chunk, Document, DocumentStatus, Filters, Hit, Metadata, Notice, Source, TargetGroup, User
from rag_api.guard.people.patient import patient_of
from tests.support.questions import analysed

SAID = (
    Notice("generator_down", "of the whole"),
    Notice("expired", "of source 1", (1,)),
    Notice("twins", "of sources 1 and 3", (1, 3)),
    Notice("versions", "of source 2", (2,)),
)


def source(rank: int) -> Source:
    name = f"document {rank}"
    document = Document(
        name, f"{name}.pdf", "", "application/pdf", DocumentStatus.INDEXED, "", Metadata(title=name), 1, 1, 1
    )
    return Source(Hit(Chunk(name, name, name, (1,), 0, 1, "x"), 0.5, 0.5, 0.5, rank), document, 1, ())


SOURCES = [source(rank) for rank in (1, 2, 3)]


def test_a_notice_of_a_document_that_is_not_quoted_goes() -> None:
    assert [one.text for one in of_used(SAID, [3], SOURCES)] == ["of the whole", "of sources 1 and 3"]


def test_an_answer_without_quotes_keeps_them_all() -> None:
    assert of_used(SAID, [], SOURCES) == list(SAID)


def test_a_refusal_says_nothing_of_a_source_but_that_there_are_twins() -> None:
    assert [one.code for one in of_refusal(SAID, SOURCES)] == ["generator_down", "twins"]


def test_a_refusal_says_nothing_of_twins_of_which_one_may_not_answer() -> None:
    other = replace(SOURCES[2], cautions=(Notice("other_drug", "names it not"),))
    assert [one.code for one in of_refusal(SAID, [*SOURCES[:2], other])] == ["generator_down"]


@pytest.mark.parametrize(
    ("language", "card", "none"),
    [
        ("nl", "Het woord heparin staat niet in dit document;", "Het woord heparin staat in geen van deze documenten;"),
        (
            "en",
            "The word heparin does not stand in this document;",
            "The word heparin stands in none of these documents;",
        ),
    ],
)
def test_of_a_drug_no_more_is_said_than_that_its_word_is_not_there(language: str, card: str, none: str) -> None:
    found = of_other_drugs(SOURCES[:1], analysed("heparin dose?"), {SOURCES[0].document.id}, language)
    assert found.sources[0].cautions[0].text.startswith(card)
    assert found.notices[0].text.startswith(none)


ENDINGS = {
    "adult": ("bij een volwassene", "in an adult"),
    "child": ("bij een kind", "in a child"),
    "neonate": ("bij een pasgeborene", "in a newborn"),
    "pregnancy": ("bij een zwangere", "in a pregnant woman"),
}


@pytest.mark.parametrize(("group", "ending"), [(group, ending) for group, both in ENDINGS.items() for ending in both])
def test_the_words_with_which_the_page_completes_a_question_name_one_patient(group: str, ending: str) -> None:
    assert patient_of(f"adrenaline {ending}?").groups == {TargetGroup(group)}
    assert ending in (Path(__file__).parents[4] / "web/src/text/documents/patient.ts").read_text()


def twin(rank: int, title: str, group: TargetGroup) -> Source:
    document = Document(
        title,
        f"{title}.pdf",
        "",
        "application/pdf",
        DocumentStatus.INDEXED,
        "",
        Metadata(title=title, target_groups=(group,)),
        1,
        1,
        1,
    )
    return Source(Hit(Chunk(title, title, title, (1,), 0, 1, "x"), 0.5, 0.5, 0.5, rank), document, 1, ())


TWINS = [
    twin(1, "Vancomycine bij kinderen", TargetGroup.CHILD),
    twin(2, "Vancomycine bij volwassenen", TargetGroup.ADULT),
]


@pytest.mark.parametrize(
    ("child", "adult", "function", "left"),
    [
        (90.3, 92.8, "", 2),  # the row that is asked for stands in the adults' table
        (90.8, 90.5, "", 2),  # as good as each other: few questions about an adult say so
        (92.9, 90.5, "", 1),  # what is asked stands in the children's alone
        (90.3, 92.8, "paediatrician", 1),  # who cares for children asks about them
        (90.3, 92.8, "internist", 2),
    ],
)
def test_of_twins_the_adults_is_answered_from_unless_the_other_has_a_clearly_better_sentence(
    child: float, adult: float, function: str, left: int
) -> None:
    user = User(id="u", name="U", groups=("everyone",), function=function)
    likely = {TWINS[0].document.id: child, TWINS[1].document.id: adult}
    container: Any = SimpleNamespace(settings=SimpleNamespace(passages=3))
    said = warned(TWINS, analysed("vancomycine pomp bij egfr 24 hoeveel"), user, Filters(), "nl", container, likely)
    assert [one.hit.rank for one in usable(said.sources, 7)] == [left]
    assert "twins" in [one.code for one in said.notices]


@pytest.mark.parametrize(
    "said",
    ["vanco bij opa met egfr 24", "vanco drip, grown up with eGFR 45", "an old lady on vancomycin", "meneer op vanco"],
)
def test_everyday_words_for_an_adult_name_an_adult(said: str) -> None:
    assert patient_of(said).groups == {TargetGroup.ADULT}


@pytest.mark.parametrize(
    ("newborns", "twins"), [("Bij een lage glycemie: geef glucose.", False), ("Koppel de insulinepomp af.", True)]
)
def test_twins_are_told_where_the_other_says_as_much_of_what_is_asked(newborns: str, twins: bool) -> None:
    said = {TargetGroup.ADULT: "Koppel de insulinepomp af bij een lage glycemie.", TargetGroup.NEONATE: newborns}
    titles = {TargetGroup.ADULT: "Hypoglykemie bij volwassenen", TargetGroup.NEONATE: "Hypoglykemie bij pasgeborenen"}
    pair = [twin(rank, titles[group], group) for rank, group in enumerate(said, 1)]
    pair = [
        replace(s, hit=replace(s.hit, chunk=replace(s.hit.chunk, text=text)))
        for s, text in zip(pair, said.values(), strict=True)
    ]
    user, container = (
        User(id="u", name="U", groups=("everyone",)),
        SimpleNamespace(settings=SimpleNamespace(passages=3)),
    )
    notices = warned(
        pair, analysed("insulinepomp afkoppelen?"), user, Filters(), "nl", cast(Any, container), {}
    ).notices
    assert ("twins" in [one.code for one in notices]) == twins


@pytest.mark.parametrize(
    ("ranks", "codes"), [([1, 2], []), ([2], ["other_document"]), ([3, 1], ["other_document"]), ([], [])]
)
def test_an_answer_that_begins_in_another_document_than_the_first_source_says_so(
    ranks: list[int], codes: list[str]
) -> None:
    assert [one.code for one in in_doubt((), ranks, SOURCES, "nl")] == codes
    assert [one.code for one in in_doubt(("polio",), ranks, SOURCES, "nl")] == ["not_named", *codes]


def test_a_notice_has_its_values_in_each_language_and_its_text_in_the_questions() -> None:
    until = replace(SOURCES[0].document.metadata, valid_until=date(2024, 3, 1), target_groups=(TargetGroup.CHILD,))
    old = replace(SOURCES[0], document=replace(SOURCES[0].document, metadata=until))
    (said,) = expired([old], date(2025, 1, 1), "en")
    assert said.text == "document 1 expired on 1 March 2024."
    assert said.texts == {"nl": "document 1 is vervallen op 1 maart 2024.", "en": said.text}
    groups = [TargetGroup.NEONATE, TargetGroup.CHILD]
    twins = notice("card_other_group", "nl", for_whom=for_whom(groups), patient=the_patient([TargetGroup.ADULT]))
    assert twins.texts == {
        "nl": "Dit document is voor kinderen en pasgeborenen; de vraag noemt een volwassene.",
        "en": "This document is for children and newborns; the question mentions an adult.",
    }


def test_a_drug_that_the_answer_does_not_name_is_told_apart_from_other_words() -> None:
    drug, other = in_doubt(("polio", "ibuprofen"), [], SOURCES, "nl")
    assert (drug.code, other.code) == ("drug_not_named", "not_named")
    assert "ibuprofen" in drug.text
    assert "polio" in other.text
    assert "ibuprofen" not in other.text
