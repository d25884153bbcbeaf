"""Judged sets in the database and in CSV: what goes in comes out, who may see it, and what a
deletion takes along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from rag_api.db import Database
from rag_api.db.questions.answers import add_feedback, delete_conversation, save_answer
from rag_api.db.questions.judged import (
    Made,
    answers_with_feedback,
    delete_question,
    delete_set,
    list_sets,
    read_question,
    read_set,
    save_open,
    save_questions,
)
from rag_api.domain import LOCAL_USER, Answer, AnswerStatus, Mode, User
from rag_api.errors import InvalidInput, NotFound
from rag_api.evaluate.judged import Judged, Place, half_of, judged_csv, parse_judged

NURSE = User("nurse", "Nurse", ("everyone",), function="nurse", department="Pediatrie")
REVIEWER = User("quality", "Quality", ("everyone", "quality"))
STRANGER = User("stranger", "Quality elsewhere", ("elsewhere", "quality"))

QUESTIONS = [
    Judged(
        "1",
        'regel\n"twee", met komma',
        "nl",
        "a.pdf",
        2,
        "Geef 1 g.",
        "validate",
        "child",
        "",
        "nurse",
        "SEH",
        "c1",
        "partly",
    ),
    Judged(
        "2", "Waar nog?", document="a.pdf", page=1, span="hier", more=(Place("b.pdf", 3, "en hier"), Place("c.pdf"))
    ),
    Judged("3", "geen antwoord?", split="validate", found="no"),
]


@pytest.fixture(autouse=True)
def _clean(db: Database) -> Iterator[None]:
    yield
    db.run("truncate judged_questions, conversations, documents cascade")


def answered(db: Database, user: User = NURSE, question: str = "Hoeveel?") -> Answer:
    answer = Answer(
        str(uuid4()), str(uuid4()), user.id, question, question, "nl", Mode.SOURCES, AnswerStatus.NOT_FOUND, "", (), (), (), "", "", "", {},
        datetime.now(UTC),
    )  # fmt: skip
    save_answer(db, user, answer, new_conversation=True)
    return answer


def test_csv_holds_every_field_and_every_place() -> None:
    assert parse_judged(judged_csv(QUESTIONS)) == QUESTIONS


def test_a_further_row_of_an_id_is_a_further_place() -> None:
    text = "id,question,document,page,span\n1,x,a,1,p\n1,,b,2,q\n2,y,,,\n"
    assert [q.places for q in parse_judged(text)] == [(Place("a", 1, "p"), Place("b", 2, "q")), ()]


def test_every_bad_row_is_named_by_its_line() -> None:
    text = 'id,question,document,page,group\n1,"een\nvraag",a,1,\n2,y,b,nul,\n3,,c,,\n4,z,d,,hond\n5,w,e,2,child\n'
    with pytest.raises(InvalidInput, match=r"the file, line 4: page is 'nul'.* and 2 more") as raised:
        parse_judged(text)
    assert [row.where for row in raised.value.rows] == ["line 4", "line 5", "line 6"]
    assert "hond" in raised.value.rows[2].what


@pytest.mark.parametrize(
    ("rows", "code", "values"),
    [
        ("id,question\n", "no_column", {"columns": "document"}),
        (f"id,question,document\n1,{'x' * 200_000},a\n", "no_csv", {}),  # more than the csv module reads
        ("id,question,document\n1,x\0,a\n", "no_character", {"column": "question"}),
        ("id,question,document\n1,x,a,b\n", "more_fields", {}),
        ("id,question,document\n1,,a\n", "empty", {}),
        (f"id,question,document\n1,{'x' * 4001},a\n", "too_long", {"column": "question", "most": "4000"}),
        ("id,question,document\n1,x,a\n1,y,b\n", "id_taken", {"id": "1"}),
        ("id,question,document\n1,x,a\n1,,\n", "no_place", {"id": "1"}),
        ("id,question,document,split\n1,x,a,dev\n", "bad_split", {"value": "dev"}),
        ("id,question,document,found\n1,x,a,ja\n", "bad_found", {"value": "ja"}),
        ("id,question,document,group\n1,x,a,hond\n", "bad_group", {"value": "hond"}),
        ("id,question,document,page\n1,x,a,0\n", "bad_page", {"value": "0"}),
    ],
)
def test_what_is_wrong_has_a_code_that_the_page_has_words_for_in_both_languages(
    rows: str, code: str, values: dict[str, str]
) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse_judged(rows)
    assert [(row.code, row.values) for row in raised.value.rows] == [(code, values)]
    for language in ("nl", "en"):
        words = (Path(__file__).parents[4] / "web" / "src" / "i18n" / "staff" / f"{language}.ts").read_text(
            encoding="utf-8"
        )
        assert f"\n      {code}: (" in words


def test_semicolons_and_a_byte_order_mark_are_read_as_spreadsheets_write_them() -> None:
    (one,) = parse_judged('\ufeffid;question;document;page\r\n1;"Hoeveel; en hoe?";a.pdf;2\r\n')
    assert (one.question, one.document, one.page) == ("Hoeveel; en hoe?", "a.pdf", 2)


def test_words_with_a_comma_and_no_quotes_are_named_not_cut() -> None:
    with pytest.raises(InvalidInput, match="line 2: there are more fields than columns"):
        parse_judged("id,question,document\n1,hoeveel, en hoe,a.pdf\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,question,document\n1,x,\n1,,b\n", "line 3.*further document"),
        ("id,question,document\n1,x,a\n1,,\n", "line 3.*further document"),
        ("id,question,document,found\n1,x,a,maybe\n", "found is 'maybe'"),
        ("id,question,document,page\n1,x,a,0\n", "page is '0'"),
    ],
)
def test_rows_that_contradict_are_refused_with_their_line(text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse_judged(text)


def test_a_question_asked_twice_belongs_to_one_half() -> None:
    assert half_of("Hoeveel  paracetamol?") == half_of("hoeveel paracetamol?")
    halves = [half_of(f"vraag {n}") for n in range(200)]
    assert 60 < halves.count("test") < 140


def test_a_stored_set_reads_as_it_was_saved(db: Database) -> None:
    assert save_questions(db, REVIEWER, "ronde 1", QUESTIONS) == 3
    assert read_set(db, REVIEWER, "ronde 1") == QUESTIONS
    (found,) = list_sets(db, REVIEWER)
    assert (found.name, found.questions, found.validate, found.test, found.no_answer, found.incomplete) == (
        "ronde 1",
        3,
        2,
        1,
        1,
        0,
    )


def test_saving_again_replaces_by_id(db: Database) -> None:
    save_questions(db, REVIEWER, "s", QUESTIONS)
    assert save_questions(db, REVIEWER, "s", [replace(QUESTIONS[1], more=()), Judged("4", "nieuw?")]) == 1
    assert [len(q.places) for q in read_set(db, REVIEWER, "s")] == [1, 1, 0, 0]


def test_a_question_left_open_is_neither_exported_nor_counted(db: Database) -> None:
    save_open(db, REVIEWER, "s", Judged("open", "wie weet?"), Made())
    assert read_set(db, REVIEWER, "s") == []
    assert (list_sets(db, REVIEWER)[0].questions, list_sets(db, REVIEWER)[0].incomplete) == (0, 1)
    assert read_question(db, REVIEWER, "s", "open").question == "wie weet?"


def test_only_reviewers_see_judged_sets_and_only_those_of_their_groups(db: Database) -> None:
    save_questions(db, REVIEWER, "s", QUESTIONS)
    for call in (
        lambda: list_sets(db, NURSE),
        lambda: read_set(db, NURSE, "s"),
        lambda: answers_with_feedback(db, NURSE),
    ):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(NotFound):
        save_questions(db, NURSE, "s", QUESTIONS)
    assert list_sets(db, STRANGER) == []
    with pytest.raises(NotFound):
        delete_set(db, STRANGER, "s")
    assert save_questions(db, STRANGER, "s", QUESTIONS[:1]) == 1  # a set of its own, of the same name
    assert list_sets(db, LOCAL_USER)[0].questions == 3
    delete_set(db, STRANGER, "s")
    assert list_sets(db, LOCAL_USER)[0].questions == 3


def test_a_question_and_a_set_can_be_deleted(db: Database) -> None:
    save_questions(db, REVIEWER, "s", QUESTIONS)
    delete_question(db, REVIEWER, "s", "1")
    assert [q.id for q in read_set(db, REVIEWER, "s")] == ["2", "3"]
    delete_set(db, REVIEWER, "s")
    with pytest.raises(NotFound):
        read_set(db, REVIEWER, "s")


def test_deleting_a_conversation_takes_the_question_copied_from_it_and_leaves_the_judges_own(db: Database) -> None:
    theirs, own = answered(db), answered(db, REVIEWER)
    made = [Made(copied_from=theirs.id), Made(answer_id=own.id), Made()]
    save_questions(db, REVIEWER, "s", QUESTIONS, made)
    delete_conversation(db, NURSE, theirs.conversation_id)
    delete_conversation(db, REVIEWER, own.conversation_id)
    assert [q.id for q in read_set(db, REVIEWER, "s")] == ["2", "3"]  # "1" was copied from somebody


def test_feedback_names_the_asker_and_the_last_verdict(db: Database) -> None:
    answer = answered(db)
    answered(db, question="zonder oordeel")
    for verdict in ("no", "partly"):
        add_feedback(db, NURSE, answer.id, verdict=verdict, document_id=None, page=None, comment="")
    (said,) = answers_with_feedback(db, REVIEWER)
    assert (said.answer_id, said.found, said.function, said.department, said.places) == (
        answer.id,
        "partly",
        "nurse",
        "Pediatrie",
        (),
    )
    assert answers_with_feedback(db, STRANGER) == []
