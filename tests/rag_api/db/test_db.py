"""The database holds documents, pages and answers as they were, and shows each user only what is
theirs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import numpy as np
import psycopg
import psycopg_pool
import pytest

from rag_api.db import Database, translated
from rag_api.db.documents import (
    DocumentQuery,
    PgDocuments,
    ask_to_stop,
    count_indexed,
    get_document,
    get_documents,
    list_documents,
    read_cut,
    read_page_sizes,
    read_pages,
    read_uncertain,
    superseding,
)
from rag_api.db.ingestion.structures import read_packed
from rag_api.db.metadata_edits import changes_of
from rag_api.db.questions.answers import (
    add_feedback,
    answers_of,
    change_conversation,
    delete_conversation,
    get_answer,
    get_conversation,
    list_conversations,
    queries_of,
    save_answer,
)
from rag_api.db.questions.judged import read_set
from rag_api.domain import (
    EVERYONE,
    LOCAL_USER,
    Answer,
    AnswerStatus,
    Chunk,
    Citation,
    CutLine,
    Document,
    DocumentStatus,
    Edit,
    Hit,
    Indexed,
    Metadata,
    Mode,
    Notice,
    Page,
    PageRects,
    Rect,
    Source,
    TargetGroup,
    Titles,
    User,
    Validity,
)
from rag_api.errors import BedsideError, Conflict, DatabaseUnavailable, DiskFull, InvalidInput, NotFound
from rag_api.text.blocks import blocks_of, unpacked
from tests.support.waiting import until

STRANGER = User(id="stranger", name="Somebody else", groups=("surgery",))


def document(source: str, number: int = 1, **changes: object) -> Document:
    fields: dict[str, object] = {
        "id": f"{abs(hash((source, number))):032x}"[:32],
        "source": source,
        "sha256": f"{number:064x}",
        "media_type": "application/pdf",
        "status": DocumentStatus.INDEXED,
        "reason": "",
        "metadata": Metadata(
            title="Paracetamol bij kinderen",
            department="Pediatrie",
            target_groups=(TargetGroup.CHILD, TargetGroup.NEONATE),
            version="3",
            valid_from=date(2026, 1, 1),
            valid_until=None,
            language="nl",
        ),
        "page_count": 2,
        "chunk_count": 5,
        "byte_count": 5_000_000_000,
        "fingerprint": "e5/800/160",
        "warnings": ("page 2 has no text",),
    }
    return Document(**(fields | changes))  # type: ignore[arg-type]


def page(number: int, start: int, text: str) -> Page:
    boxes = np.stack(
        [
            np.arange(len(text)) * 5.0,
            np.full(len(text), 70.0),
            np.arange(len(text)) * 5.0 + 4.5,
            np.full(len(text), 81.0),
        ],
        1,
    )
    boxes[[i for i, c in enumerate(text) if c.isspace()]] = np.nan
    return Page(number, 595.3, 841.9, 90, start, text, boxes.astype(np.float32))


@pytest.fixture
def documents(db: Database) -> Iterator[PgDocuments]:
    yield PgDocuments(db)
    db.run("truncate documents cascade")


def test_a_document_and_its_pages_come_back_as_they_were(db: Database, documents: PgDocuments) -> None:
    saved, pages = (
        document("a.pdf"),
        [page(1, 0, "Dosis: 15 mg/kg p.o. µ—é\n"), page(2, 25, "Bij allergie: zie prot. 12. ")],
    )
    documents.save_indexed([Indexed(saved, pages)])
    back = get_document(db, LOCAL_USER, saved.id)
    assert back.created_at is not None
    assert back.updated_at is not None
    assert replace(back, created_at=None, updated_at=None) == saved
    for before, after in zip(pages, documents.pages(saved.id), strict=True):
        np.testing.assert_allclose(after.boxes, before.boxes, atol=0.04)
        names = ("number", "width", "height", "rotation", "start", "text", "text_from")
        assert [getattr(after, name) for name in names] == [getattr(before, name) for name in names]
    assert [p.number for p in read_pages(db, saved.id, [2])] == [2]
    assert [(s.number, s.width, s.rotation) for s in read_page_sizes(db, saved.id)] == [(1, 595.3, 90), (2, 595.3, 90)]


def test_a_documents_blocks_are_stored_and_replaced_with_it(documents: PgDocuments, db: Database) -> None:
    saved = document("lijst.pdf")
    text = "4 Dosis\n- een\n- twee\n"
    documents.save_indexed([Indexed(saved, [page(1, 0, text)], blocks=blocks_of(text))])
    assert unpacked(read_packed(db, [saved.id])[saved.id]) == blocks_of(text)
    db.run(
        "insert into sentences_kept (document_id, made_by, title, sentences) values (%(id)s, 'embedder', 'Lijst', 2)",
        {"id": saved.id},
    )
    documents.save_indexed([Indexed(saved, [page(1, 0, "tekst")])])
    assert not read_packed(db, [saved.id])
    kept = db.one("select made_by from sentences_kept where document_id = %(id)s", {"id": saved.id})
    assert kept == {"made_by": ""}, "its sentences are looked at again"


def test_places_read_in_doubt_are_kept_with_their_document_until_it_is_saved_again(
    db: Database, documents: PgDocuments
) -> None:
    saved = document("a.pdf")
    documents.save_indexed([Indexed(saved, [page(1, 0, "Geef 8 mg. Wacht.")], (), [(0, 11), (12, 17)])])
    assert read_uncertain(db, [saved.id, "another"]) == {saved.id: [(0, 11), (12, 17)]}
    documents.save_indexed([Indexed(saved, [page(1, 0, "Geef 8 mg. Wacht.")], (), [(0, 11)])])
    assert read_uncertain(db, [saved.id]) == {saved.id: [(0, 11)]}
    documents.save_failed(saved)
    assert read_uncertain(db, [saved.id]) == {}


def test_lines_that_were_cut_are_kept_with_their_document_until_it_is_saved_again(
    db: Database, documents: PgDocuments
) -> None:
    saved = document("a.pdf")
    cut = [
        CutLine(1, "Apotheek | pagina 1 van 2", "footer"),
        CutLine(2, "2", "page_number"),
        CutLine(2, "Apotheek", "footer"),
    ]
    documents.save_indexed([Indexed(saved, [page(1, 0, "tekst")], cut)])
    assert read_cut(db, saved.id) == cut
    documents.save_indexed([Indexed(saved, [page(1, 0, "tekst")], cut[:1])])
    assert read_cut(db, saved.id) == cut[:1]
    documents.save_failed(saved)
    assert read_cut(db, saved.id) == []


def test_other_content_under_the_same_source_replaces_the_document(db: Database, documents: PgDocuments) -> None:
    first, second = document("a.pdf", 1), document("a.pdf", 2)
    documents.save_indexed([Indexed(first, [page(1, 0, "oud")])])
    documents.save_indexed([Indexed(second, [page(1, 0, "nieuw")])])
    assert documents.current() == {"a.pdf": get_document(db, LOCAL_USER, second.id)}
    assert get_document(db, LOCAL_USER, first.id).status == DocumentStatus.REPLACED
    assert [p.text for p in documents.pages(first.id)] == ["oud"]  # old answers still quote it


def test_the_old_content_again_brings_the_old_document_back(documents: PgDocuments) -> None:
    first, second = document("a.pdf", 1), document("a.pdf", 2)
    for saved in (first, second, first):
        documents.save_indexed([Indexed(saved, [page(1, 0, saved.sha256)])])
    assert [d.id for d in documents.current().values()] == [first.id]
    assert len(documents.pages(first.id)) == 1


def test_a_failed_document_is_current_and_keeps_no_pages(db: Database, documents: PgDocuments) -> None:
    saved = document("a.pdf")
    documents.save_indexed([Indexed(saved, [page(1, 0, "tekst")])])
    documents.save_failed(replace(saved, status=DocumentStatus.FAILED, reason="encrypted"))
    assert documents.current()["a.pdf"].reason == "encrypted"
    assert documents.pages(saved.id) == []
    assert count_indexed(db, LOCAL_USER) == 0


def test_a_retired_document_is_no_longer_current(db: Database, documents: PgDocuments) -> None:
    documents.save_indexed([Indexed(document("a.pdf"), [page(1, 0, "tekst")])])
    documents.retire(["a.pdf", "never seen.pdf"])
    assert documents.current() == {}
    assert list_documents(db, LOCAL_USER, DocumentQuery())[1] == 0
    assert list_documents(db, LOCAL_USER, DocumentQuery(status=DocumentStatus.RETIRED))[1] == 1


def test_metadata_that_postgres_cannot_hold_is_made_storable(db: Database, documents: PgDocuments) -> None:
    odd = document("a.pdf", metadata=Metadata(title="A\x00B\ud800C"))
    documents.save_indexed([Indexed(odd, [])])
    assert get_document(db, LOCAL_USER, odd.id).metadata.title == "AB?C"


def test_a_document_that_cannot_be_saved_whole_leaves_nothing(db: Database, documents: PgDocuments) -> None:
    with pytest.raises(Conflict):
        documents.save_indexed([Indexed(document("a.pdf"), [page(1, 0, "een"), page(1, 3, "weer een")])])
    assert documents.current() == {}


def test_the_list_is_searched_and_paged(db: Database, documents: PgDocuments) -> None:
    for number, title in enumerate(["Sepsis", "Anafylaxie", "100% zuurstof", "Sepsis bij kinderen"]):
        documents.save_indexed([Indexed(document(f"{number}.pdf", metadata=Metadata(title=title)), [])])

    def titles(**query: object) -> tuple[list[str], int]:
        found, total = list_documents(db, LOCAL_USER, DocumentQuery(**query))  # type: ignore[arg-type]
        return [d.metadata.title for d in found], total

    assert titles() == (["100% zuurstof", "Anafylaxie", "Sepsis", "Sepsis bij kinderen"], 4)
    assert titles(text="SEPSIS") == (["Sepsis", "Sepsis bij kinderen"], 2)
    assert titles(text="%") == (["100% zuurstof"], 1)
    assert titles(limit=1, offset=1) == (["Anafylaxie"], 4)


def test_what_begins_a_word_is_listed_before_what_is_within_one_and_titles_before_the_first_page(
    db: Database, documents: PgDocuments
) -> None:
    for title, source, text in (
        ("Antibiotica", "a.pdf", "Eigenaar: stewardship"),
        ("Beleid", "b.pdf", "Afdeling: Hip-unit"),
        ("Chip vervangen", "c.pdf", ""),
        ("Fractuur", "zorg/0_hip_pad.pdf", ""),
        ("Zorgpad: hip fracture (ouderen)", "z.pdf", ""),
        ("Delier", "d.pdf", "Niets"),
    ):
        documents.save_indexed([Indexed(document(source, metadata=Metadata(title=title)), [page(1, 0, text)])])

    def titles(text: str) -> list[str]:
        return [one.metadata.title.split()[0] for one in list_documents(db, LOCAL_USER, DocumentQuery(text))[0]]

    assert titles("HIP") == ["Zorgpad:", "Fractuur", "Chip", "Beleid", "Antibiotica"]
    lapsed = Metadata(title="Aanpak: hip fracture", valid_until=date(2020, 1, 1))
    documents.save_indexed([Indexed(document("oud.pdf", metadata=lapsed), [page(1, 0, "")])])
    assert titles("HIP")[:3] == ["Zorgpad:", "Aanpak:", "Fractuur"], "of two alike the one that counts"
    assert titles("")[0] == "Aanpak:", "a list of all is by title"
    assert titles("hip fracture (") == ["Zorgpad:"]
    assert titles("\\") == []


@pytest.mark.parametrize(
    ("today", "validity", "last", "after"),
    [
        (date(2026, 6, 1), "expires_later", date(2026, 9, 1), date(2026, 9, 2)),  # 92 days
        (date(2026, 1, 31), "expires_later", date(2026, 4, 30), date(2026, 5, 1)),
        (date(2026, 8, 31), "expires_in_6_months", date(2027, 2, 28), date(2027, 3, 1)),
        (date(2028, 2, 29), "expires_in_12_months", date(2029, 2, 28), date(2029, 3, 1)),
        (date(2026, 1, 31), "expires_soon", date(2026, 2, 28), date(2026, 3, 1)),
    ],
)
def test_what_expires_within_months_is_told_by_the_calendar(
    db: Database, documents: PgDocuments, today: date, validity: Validity, last: date, after: date
) -> None:
    for name, day in (("today", today), ("last", last), ("after", after)):
        documents.save_indexed([Indexed(document(f"{name}.pdf", metadata=Metadata(valid_until=day)), [])])
    found, _ = list_documents(db, LOCAL_USER, DocumentQuery(validity=validity, today=today))
    assert {one.source for one in found} == {"today.pdf", "last.pdf"}


def test_a_document_is_found_by_its_number_on_the_first_page_behind_those_that_are_named_so(
    db: Database, documents: PgDocuments
) -> None:
    first, other = (document(f"{name}.pdf", metadata=Metadata(title=name)) for name in ("a", "b"))
    documents.save_indexed([Indexed(first, [page(1, 0, "Nummer INW-012"), page(2, 14, "zie MAT-005")])])
    documents.save_indexed([Indexed(other, [page(1, 0, "Niets")])])
    documents.save_indexed([Indexed(document("inw-012.pdf", metadata=Metadata(title="z")), [])])

    def sources(text: str) -> list[str]:
        return [one.source for one in list_documents(db, LOCAL_USER, DocumentQuery(text))[0]]

    assert sources("inw-012") == ["inw-012.pdf", "a.pdf"]
    assert sources("MAT-005") == []


def test_the_list_is_narrowed_by_department_type_and_validity(db: Database, documents: PgDocuments) -> None:
    first, last = date(2026, 1, 1), date(2026, 12, 31)
    about = {
        "old": Metadata(title="old", department="IC", document_type="protocol", valid_until=date(2025, 12, 31)),
        "now": Metadata(title="now", department="IC", document_type="protocol", valid_from=first, valid_until=last),
        "soon": Metadata(title="soon", department="SEH", document_type="protocol", valid_from=date(2027, 1, 1)),
        "always": Metadata(title="always", department="SEH", document_type="procedure"),
    }
    for name, metadata in about.items():
        documents.save_indexed([Indexed(document(f"{name}.pdf", metadata=metadata), [])])

    def listed(**query: object) -> list[str]:
        found, total = list_documents(db, LOCAL_USER, DocumentQuery(**query, limit=3))  # type: ignore[arg-type]
        assert total >= len(found)
        return [d.metadata.title for d in found]

    assert listed(department="IC") == ["now", "old"]
    assert listed(department="SEH", document_type="protocol") == ["soon"]
    assert listed(department="I") == []
    for day in (first, last):
        assert listed(validity="valid", today=day) == ["always", "now"]
        assert listed(validity="expired", today=day) == ["old"]
        assert listed(validity="upcoming", today=day) == ["soon"]


def test_what_lapsed_is_listed_from_the_earliest_on_without_what_was_replaced(
    db: Database, documents: PgDocuments
) -> None:
    today = date(2026, 6, 1)
    about = {
        "a": Metadata(title="a", valid_until=date(2026, 1, 1)),
        "b": Metadata(title="b", valid_until=date(2024, 1, 1)),
        "c": Metadata(title="c", valid_until=date(2020, 1, 1)),
        "d": Metadata(title="d", supersedes="c.pdf"),
        "e": Metadata(title="e", supersedes="b.pdf", valid_from=date(2027, 1, 1)),
    }
    for name, metadata in about.items():
        documents.save_indexed([Indexed(document(f"{name}.pdf", metadata=metadata), [])])

    def listed(**query: object) -> list[str]:
        found, total = list_documents(db, LOCAL_USER, DocumentQuery(**query, today=today))  # type: ignore[arg-type]
        assert total == len(found)
        return [d.metadata.title for d in found]

    assert listed(order="valid_until") == ["c", "b", "a", "d", "e"]
    assert listed(validity="expired", order="valid_until", replaced=False) == ["b", "a"]
    assert listed(replaced=True) == ["c"]


def test_what_was_kept_is_listed_in_its_present_version_to_who_may_read_it(
    db: Database, documents: PgDocuments
) -> None:
    kept, other = document("a.pdf"), document("b.pdf")
    documents.save_indexed([Indexed(kept, []), Indexed(other, [])])
    newer = document("a.pdf", 2)
    assert newer.id != kept.id
    documents.save_indexed([Indexed(newer, [])])
    query = DocumentQuery(versions_of=[kept.id, "0" * 32])
    assert [one.id for one in list_documents(db, LOCAL_USER, query)[0]] == [newer.id]
    assert list_documents(db, STRANGER, query) == ([], 0)


def test_a_document_of_another_group_does_not_exist_for_the_user(db: Database, documents: PgDocuments) -> None:
    saved = document("a.pdf")
    documents.save_indexed([Indexed(saved, [])])
    with pytest.raises(NotFound):
        get_document(db, STRANGER, saved.id)
    assert list_documents(db, STRANGER, DocumentQuery()) == ([], 0)
    assert get_documents(db, STRANGER, [saved.id]) == {}
    assert count_indexed(db, STRANGER) == 0


def test_a_renamed_document_keeps_its_history_edits_and_judged_questions(db: Database, documents: PgDocuments) -> None:
    first, second = document("map/a.pdf", 1), document("map/a.pdf", 2)
    documents.save_indexed([Indexed(first, [])])
    documents.save_indexed([Indexed(second, [])])
    documents.put_folders({"map/a.pdf": "/share"})
    db.run(
        "insert into metadata_edits (source, field, value, said, user_id) values ('map/a.pdf', 'title', "
        "'Anafylaxie', 'a', 'local')"
    )
    db.run(
        """insert into metadata_changes (document_id, source, field, before, after, user_id)
        values (%(id)s, 'map/a.pdf', 'title', 'a', 'b', 'x')""",
        {"id": second.id},
    )
    db.run(
        "insert into judged_questions (set_name, id, question, split, user_id) values ('s', '1', 'dosis?', 'test', "
        "'local')"
    )
    db.run("insert into judged_places (set_name, id, position, document) values ('s', '1', 0, 'map/a.pdf')")
    newer = replace(document("nieuw.pdf", 3), metadata=Metadata(title="Nieuw", supersedes="a.pdf"))
    documents.save_indexed([Indexed(newer, [])])
    try:
        documents.rename("map/a.pdf", "b.pdf", ("a", "b"))
        assert documents.current()["b.pdf"].id == second.id
        assert documents.sources()[first.id] == "b.pdf"
        assert documents.folders() == {}
        assert documents.edits() == {"b.pdf": {"title": Edit("Anafylaxie", "b")}}
        assert [change.after for change in changes_of(db, LOCAL_USER, second.id)] == ["b"]
        assert [question.document for question in read_set(db, LOCAL_USER, "s")] == ["b.pdf"]
        assert superseding(db, LOCAL_USER, date(2026, 6, 1)) == {second.id: newer.id}
        documents.rename("b.pdf", "map/a.pdf", ("b", "a"))
        assert documents.edits() == {"map/a.pdf": {"title": Edit("Anafylaxie", "a")}}
        documents.put_source_groups({"map/a.pdf": ["everyone", "spoed"]})
        documents.rename("map/a.pdf", "a-oud.pdf", ("a", "a oud"), taken=True)  # another file is called map/a.pdf now
        assert documents.current()["a-oud.pdf"].id == second.id
        assert documents.edits() == {"a-oud.pdf": {"title": Edit("Anafylaxie", "a oud")}}
        assert [question.document for question in read_set(db, LOCAL_USER, "s")] == ["map/a.pdf"]
        assert [documents.groups_of(name, "") for name in ("map/a.pdf", "a-oud.pdf")] == [("everyone", "spoed")] * 2
        assert superseding(db, LOCAL_USER, date(2026, 6, 1)) == {second.id: newer.id}
    finally:
        for table in (
            "metadata_edits",
            "document_groups",
            "metadata_changes",
            "judged_questions",
            "former_names",
            "document_folders",
        ):
            db.run(f"truncate {table} cascade")


def test_a_second_ingestion_waits_for_the_first(documents: PgDocuments) -> None:
    order: list[str] = []

    def second() -> None:
        with documents.lock():
            order.append("second")

    with documents.lock():
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(timeout=0.3)
        order.append("first")
    thread.join(timeout=300)
    assert order == ["first", "second"]


def test_who_ingests_can_be_asked_to_stop_and_the_next_one_is_not(db: Database, documents: PgDocuments) -> None:
    ask_to_stop(db)  # nobody hears it
    with documents.lock():
        assert not documents.asked_to_stop()
        ask_to_stop(db)
        until(documents.asked_to_stop)  # it is told a moment later
    with documents.lock():
        assert not documents.asked_to_stop()
        db.run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bedside ingest'")
        assert not documents.asked_to_stop()
    assert not documents.asked_to_stop()


def test_readings_without_an_end_are_counted_until_they_have_one(documents: PgDocuments) -> None:
    assert [documents.begin_reading("a"), documents.begin_reading("a"), documents.begin_reading("b")] == [1, 2, 1]
    documents.end_reading(["a", "unknown"])
    assert [documents.begin_reading("a"), documents.begin_reading("b")] == [1, 2]
    documents.end_reading(["a", "b"])


def test_a_lock_is_freed_when_its_connection_dies(db: Database, documents: PgDocuments) -> None:
    with documents.lock():
        db.run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bedside ingest'")
        with documents.lock():
            pass


def answer(conversation_id: str, **changes: object) -> Answer:
    saved = document("a.pdf", created_at=datetime(2026, 1, 2, tzinfo=UTC), updated_at=datetime(2026, 1, 3, tzinfo=UTC))
    chunk = Chunk(
        str(uuid4()), saved.id, "Paracetamol", (1, 2), 10, 31, 'Geef 15 mg/kg p.o.\u2028 "<b>\\', saved.metadata
    )
    rects = (PageRects(1, (Rect(1.5, 2.25, 3.125, 4.0625),)),)
    fields: dict[str, object] = {
        "id": str(uuid4()),
        "conversation_id": conversation_id,
        "user_id": LOCAL_USER.id,
        "question": "Hoeveel paracetamol?",
        "query": "hoeveel paracetamol",
        "language": "nl",
        "mode": Mode.VERBATIM,
        "status": AnswerStatus.ANSWERED,
        "text": "Geef 15 mg/kg p.o.",
        "sources": (Source(Hit(chunk, 0.1 + 0.2, 0.8431, 12.75, 1), saved, 1, rects),),
        "citations": (Citation(0, 18, saved.id, 10, 28, "Geef 15 mg/kg p.o.", 1, rects, 1),),
        "notices": (Notice("demo_model", "Niet voor klinisch gebruik."),),
        "model": "demo",
        "embedder": "e5",
        "prompt_version": "thesis-nl-1",
        "stats": {"tokens_per_step": 3.5, "settings": {"alpha": 0.7}},
        "created_at": datetime(2026, 11, 21, 3, 4, 5, 678901, tzinfo=UTC),
    }
    return Answer(**(fields | changes))  # type: ignore[arg-type]


def started(db: Database, question: str) -> Answer:
    """The first answer of a new conversation, from a document that is there."""
    first = answer(str(uuid4()), question=question)
    PgDocuments(db).save_failed(first.sources[0].document)
    save_answer(db, LOCAL_USER, first, new_conversation=True)
    return first


def test_an_answer_comes_back_exactly_as_it_was_shown(db: Database) -> None:
    first = started(db, "Hoeveel paracetamol?")
    second = answer(first.conversation_id, created_at=datetime(2026, 11, 21, 4, tzinfo=UTC))
    save_answer(db, LOCAL_USER, second)
    assert get_answer(db, LOCAL_USER, first.id) == first
    assert answers_of(db, LOCAL_USER, first.conversation_id) == [first, second]


def test_a_conversation_is_named_after_its_first_question_and_newest_comes_first(db: Database) -> None:
    old = started(db, "Wat\nis " + "x" * 200).conversation_id
    new = started(db, "Tweede").conversation_id
    listed, total = list_conversations(db, LOCAL_USER)
    assert [c.id for c in listed[:2]] == [new, old]
    assert total >= 2
    assert listed[1].title.startswith("Wat is xx")
    assert len(listed[1].title) == 80
    save_answer(db, LOCAL_USER, answer(old))
    assert list_conversations(db, LOCAL_USER)[0][0].id == old


def test_a_clock_that_is_set_back_leaves_answers_in_their_order(db: Database) -> None:
    first = started(db, "Eerst")
    follows = answer(
        first.conversation_id, question="Dan", query="Dan", created_at=first.created_at - timedelta(hours=1)
    )
    save_answer(db, LOCAL_USER, follows)
    kept = answer(
        first.conversation_id, question="Ervoor", query="Ervoor", created_at=first.created_at - timedelta(seconds=1)
    )
    save_answer(db, LOCAL_USER, kept, late=True)
    assert [one.question for one in answers_of(db, LOCAL_USER, first.conversation_id)] == ["Ervoor", "Eerst", "Dan"]
    assert [query for query, _ in queries_of(db, LOCAL_USER, first.conversation_id, 1)] == ["Dan"]


def test_conversations_are_found_by_title_question_and_the_documents_they_were_answered_from(db: Database) -> None:
    asker = replace(LOCAL_USER, id=str(uuid4()))

    def ids(search: str) -> list[str]:
        listed, total = list_conversations(db, asker, search=search)
        assert total == len(listed)
        return [one.id for one in listed]

    kept = []
    for question, title in (
        ("Hoeveel morfine?", "Pijn bij 100% van de kinderen"),
        ("Waar ligt de sleutel?", "Sleutelplan"),
    ):
        first = answer(str(uuid4()), question=question)
        shown = replace(
            first.sources[0].document, id=uuid4().hex, metadata=replace(first.sources[0].document.metadata, title=title)
        )
        first = replace(first, sources=(replace(first.sources[0], document=shown),))
        PgDocuments(db).save_failed(shown)
        save_answer(db, asker, first, new_conversation=True)
        save_answer(db, asker, answer(first.conversation_id, question=f"en daarna {question}"))
        kept.append((first.conversation_id, shown.id))
    (pain, about_pain), (key, _) = kept
    assert ids("MORFINE") == ids("100%") == ids("daarna morfine kinderen") == [pain]
    assert ids("sleutelplan") == [key]
    assert ids("daarna") == [key, pain]
    assert ids("morfine sleutelplan") == ids("_") == []
    assert change_conversation(db, asker, pain, title="Nachtdienst", pinned=True).title == "Nachtdienst"
    assert ids("nachtdienst") == [pain]
    assert ids("") == [pain, key], "what is pinned stands first"
    assert [one.id for one in list_conversations(db, asker, limit=1, offset=1)[0]] == [key]
    assert change_conversation(db, asker, pain, pinned=False).title == "Nachtdienst"
    assert ids("") == [key, pain], "naming it is no question"
    db.run("update documents set groups = '{icu}' where id = %(id)s", {"id": about_pain})
    assert ids("100%") == [], "the title of a document that may no longer be read tells nothing"
    assert ids("morfine") == [pain]


def test_nobody_reads_continues_or_deletes_a_conversation_of_another(db: Database) -> None:
    saved = started(db, "Van mij")
    conversation = saved.conversation_id
    forbidden: list[Callable[[], object]] = [
        lambda: get_conversation(db, STRANGER, conversation),
        lambda: delete_conversation(db, STRANGER, conversation),
        lambda: change_conversation(db, STRANGER, conversation, title="Van mij", pinned=True),
        lambda: get_answer(db, STRANGER, saved.id),
        lambda: save_answer(db, STRANGER, answer(conversation)),
        lambda: add_feedback(db, STRANGER, saved.id, verdict="yes", document_id=None, page=None, comment=""),
    ]
    for attempt in forbidden:
        with pytest.raises(NotFound):
            attempt()
    assert answers_of(db, STRANGER, conversation) == []
    assert list_conversations(db, STRANGER, search="mij") == ([], 0)
    assert get_conversation(db, LOCAL_USER, conversation).pinned is False
    assert answers_of(db, LOCAL_USER, conversation) == [saved]


def test_deleting_a_conversation_deletes_its_answers_and_feedback(db: Database) -> None:
    saved = started(db, "Weg")
    given, _ = add_feedback(db, LOCAL_USER, saved.id, verdict="partly", document_id="d", page=2, comment="bijna")
    kept = "select id, found, document_id, page, comment from feedback where answer_id = %(answer)s"
    row = {"id": given.id, "found": "partly", "document_id": "d", "page": 2, "comment": "bijna"}
    assert db.all(kept, {"answer": saved.id}) == [row]
    delete_conversation(db, LOCAL_USER, saved.conversation_id)
    with pytest.raises(NotFound):
        get_answer(db, LOCAL_USER, saved.id)
    assert db.all(kept, {"answer": saved.id}) == []
    with pytest.raises(NotFound):
        delete_conversation(db, LOCAL_USER, saved.conversation_id)


def test_a_text_that_postgres_cannot_hold_is_the_askers_error(db: Database) -> None:
    for text in ("NUL \x00", "half \ud800"):
        with pytest.raises(InvalidInput):
            started(db, text)


def test_a_dead_connection_is_replaced_without_a_failed_call(db: Database) -> None:
    db.ping()
    with psycopg.connect(db.dsn, autocommit=True) as other:
        other.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'bedside'")
    assert db.ping().startswith("18")


def subclasses(kind: type[BaseException]) -> set[type[BaseException]]:
    return {kind} | {deeper for direct in kind.__subclasses__() for deeper in subclasses(direct)}


def test_no_exception_of_the_driver_that_a_user_can_cause_leaves_the_package() -> None:
    pool = {psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed, psycopg_pool.TooManyRequests}
    kinds = (
        subclasses(psycopg.OperationalError) | subclasses(psycopg.InterfaceError) | subclasses(psycopg.DataError) | pool
    )
    for kind in kinds:
        with pytest.raises(BedsideError) as caught, translated():
            raise kind("words")
        assert isinstance(caught.value, DatabaseUnavailable | DiskFull | InvalidInput | Conflict), kind


def test_errors_of_our_own_sql_stay_visible() -> None:
    with pytest.raises(psycopg.ProgrammingError), translated():
        raise psycopg.ProgrammingError("syntax error")


def test_what_documents_may_be_called_is_kept_for_the_indexed_ones(documents: PgDocuments) -> None:
    def save(source: str, *names: str, borne: bool = True) -> Document:
        saved = document(source, metadata=Metadata(title=names[0]))
        documents.save_indexed(
            [Indexed(saved, [page(1, 0, f"tekst van {source}")], titles=Titles(names, patients=True, borne=borne))]
        )
        return saved

    one, two = save("een.pdf", "Raad van de Streek", "Wachtlijsten"), save("twee.pdf", "RAAD, van de streek.")
    said, gone = save("drie.pdf", "Raad van de Streek", borne=False), save("vier.pdf", "Raad van de Streek")
    documents.retire(["vier.pdf"])
    key = "raad van de streek"
    assert {k: sorted(ids) for k, ids in documents.bearers([key, "wachtlijsten", "niets"]).items()} == {
        key: sorted([one.id, two.id, said.id]),
        "wachtlijsten": [one.id],
    }
    assert (documents.shared_titles(2), documents.shared_titles(4)) == ([key], [])
    assert documents.bearers(["wachtlijsten"]) == {"wachtlijsten": {one.id: EVERYONE}}
    assert documents.openings([one.id, gone.id]) == {one.id: "tekst van een.pdf", gone.id: "tekst van vier.pdf"}
    assert [(d.source, titles.names) for d, titles in documents.called([key])] == [
        ("een.pdf", ("Raad van de Streek", "Wachtlijsten")),
        ("twee.pdf", ("RAAD, van de streek.",)),
    ]
    before, titles = documents.called([key])[0]
    documents.amend(replace(before, metadata=replace(before.metadata, title="Wachtlijsten"), fingerprint=""), titles)
    after = documents.current()["een.pdf"]
    assert (after.metadata.title, after.fingerprint, after.page_count) == ("Wachtlijsten", "", before.page_count)
    assert [d.source for d, _ in documents.called([key])] == ["twee.pdf"]
    assert documents.pages(one.id)[0].text == "tekst van een.pdf"
