"""A database as an older Bedside left it, brought to today: what was kept is there, and questions
are answered from it.

tests/fixtures/old-database/0009.sql is PostgreSQL's own dump (`pg_dump --inserts`) of a database
that Bedside made and filled when migration 0009 was its newest: three documents, one of them for a
group, an answer, a judged question.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import DocumentQuery as Query
from rag_api.db.documents import list_documents, read_pages
from rag_api.db.migrate import migrate, outstanding, read_migrations
from rag_api.db.questions.answers import get_answer
from rag_api.db.questions.judged import read_set
from rag_api.domain import LOCAL_USER, Filters, Role, User
from rag_api.ingest.common.chunk import chunk, embedding_text
from rag_api.query.analysis import analyse
from rag_api.retrieval.find import find

OLD = Path(__file__).parents[2] / "fixtures" / "old-database" / "0009.sql"
ICU = User("icu", "Nurse of the ICU", ("everyone", "icu"))
ADMIN = User("admin", "Admin", ("everyone", "icu"), roles=frozenset({Role.ADMIN}))
NEWER = [migration.name for migration in read_migrations() if migration.version > 9]


@pytest.fixture(scope="module")
def migrated(empty_database: str) -> str:
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute(OLD.read_text(encoding="utf-8").encode())
    assert outstanding(empty_database) == NEWER
    assert migrate(empty_database) == NEWER
    return empty_database


@pytest.fixture(scope="module")
def container(migrated: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    """Indexed from the pages that the old database holds."""
    folder = tmp_path_factory.mktemp("data")
    settings = Settings(data_dir=folder, database_url=migrated, store="memory", generator_url="http://127.0.0.1:1/v1")
    with Container(settings) as made:
        for document in list_documents(made.db, ADMIN, Query())[0]:
            chunks = chunk(document.id, document.metadata, read_pages(made.db, document.id), groups=document.groups)
            made.store.replace_document(
                document.id, chunks, made.embedder.passages([embedding_text(one) for one in chunks])
            )
        yield made


def test_documents_keep_their_words_and_their_readers(container: Container) -> None:
    def sources(user: User) -> list[str]:
        return sorted(document.source for document in list_documents(container.db, user, Query())[0])

    assert sources(ICU) == ["falls.pdf", "paracetamol-kind.pdf", "restaurant.pdf"]
    assert sources(LOCAL_USER) == ["paracetamol-kind.pdf", "restaurant.pdf"]
    child = next(d for d in list_documents(container.db, ICU, Query())[0] if d.source == "paracetamol-kind.pdf")
    (page,) = read_pages(container.db, child.id)
    assert (child.metadata.version, child.metadata.department) == ("3", "Pediatrie")
    assert "15 mg/kg paracetamol per gift" in page.text
    assert len(page.boxes) == len(page.text)


def test_answers_and_judged_questions_are_there(container: Container) -> None:
    answer = get_answer(container.db, LOCAL_USER, "a1")
    assert (answer.text, answer.unsupported, answer.not_named) == (
        "Wacht ten minste zes uur tussen twee giften.",
        (),
        (),
    )
    (judged,) = read_set(container.db, LOCAL_USER, "eigen")
    assert (judged.document, judged.page, judged.span) == ("paracetamol-kind.pdf", 1, "zes uur")


def test_questions_are_answered_from_it(container: Container) -> None:
    def first(question: str, user: User) -> str:
        found = find(analyse(question, container.expander, question), user, Filters(), container)
        return found.hits[0].chunk.text if found.hits else ""

    assert "15 mg/kg" in first("hoeveel paracetamol iv bij een kind van 12 kg?", LOCAL_USER)
    assert "nurse has examined" in first("may a patient be moved after a fall?", ICU)
    assert "nurse has examined" not in first("may a patient be moved after a fall?", LOCAL_USER)
