"""Permissions to read a document: what is said of it, what follows, and that it holds in the list,
the index, answers and reports alike."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.api.deps import current_user
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import DocumentQuery as Query
from rag_api.db.documents import PgDocuments, get_documents, list_documents, superseded_ids
from rag_api.db.people import permissions as permitted
from rag_api.db.people.accounts import add_account
from rag_api.db.questions.answers import get_answer, said_of, save_answer
from rag_api.db.questions.gaps import unanswered
from rag_api.db.questions.judged import read_set, save_questions
from rag_api.domain import EVERYONE, LOCAL_USER, Answer, AnswerStatus, Document, Filters, Judged, Mode, Role, User
from rag_api.errors import InvalidInput, NotFound
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.sources import survey
from rag_api.main import create_app
from rag_api.query.analysis import analyse
from rag_api.retrieval.find import find
from rag_api.stores import regroup
from tests.rag_api.made_files.pdfs import both, lines, pdf
from tests.support.http_server import served
from tests.support.scripted_server import scripted_server
from tests.support.world import empty, load

ALL = ("everyone", "icu", "surgery")
ADMIN = User("admin", "Admin", ALL, roles=frozenset({Role.ADMIN}))
NURSE = User("nurse", "Nurse", EVERYONE)
ICU = User("icu", "Nurse of the ICU", ("everyone", "icu"))
SURGEON = User("surgeon", "Surgeon", ("everyone", "surgery"))
SECRET = "Sedatie met propofol. Start propofol aan 1 mg/kg per uur en titreer op de RASS-score van de patiënt. "
OPEN = "Restaurant. Het restaurant is open van 11.30 tot 14 uur. "
QUESTION = "aan hoeveel start ik propofol"


@pytest.fixture(scope="module")
def container(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    with scripted_server() as generator:
        settings = Settings(
            data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="lance", generator_url=generator.url
        )
        with Container(settings) as made:
            yield made


@pytest.fixture(autouse=True)
def _clean(container: Container) -> Iterator[None]:
    yield
    empty(container)
    container.db.run("truncate document_groups, department_groups, group_changes, judged_questions cascade")


@pytest.fixture
def secret(container: Container) -> Document:
    load(container, "restaurant.pdf", OPEN, language="nl")
    return load(container, "propofol.pdf", SECRET, department="Intensieve zorgen", language="nl")


def permit(container: Container, document: Document, *groups: str) -> None:
    """As the API does it."""
    permitted.permit_document(container.db, ADMIN, document.id, groups, EVERYONE)
    permitted.catch_up(container.db, lambda document_id, names: regroup(container.store, document_id, names))


def found(container: Container, user: User) -> list[str]:
    return [
        hit.chunk.document_id
        for hit in find(analyse(QUESTION, container.expander, QUESTION), user, Filters(), container).hits
    ]


def write_pdf(path: Path, *lines: str) -> None:
    canvas = Canvas(str(path))
    for number, line in enumerate(lines):
        canvas.drawString(72, 760 - 20 * number, line)
    canvas.save()


def load_folder(container: Container, folder: Path) -> IngestReport:
    repo = PgDocuments(container.db, ADMIN)
    return ingest(
        survey([folder]),
        settings=container.settings,
        documents_repo=repo,
        store=container.store,
        embedder=container.embedder,
    )


def groups_of(container: Container) -> dict[str, tuple[str, ...]]:
    return {document.source: document.groups for document in list_documents(container.db, ADMIN, Query())[0]}


def indexed_groups(container: Container, document_id: str) -> set[tuple[str, ...]]:
    return {chunk.groups for chunk in container.store.chunks_of(document_id)[0]}


def test_what_is_taken_from_a_group_is_gone_from_its_next_question(container: Container, secret: Document) -> None:
    assert secret.id in found(container, NURSE)
    permit(container, secret, "icu")
    assert secret.id not in found(container, NURSE)
    assert secret.id in found(container, ICU)
    assert get_documents(container.db, NURSE, [secret.id]) == {}
    assert [d.source for d in list_documents(container.db, NURSE, Query())[0]] == ["restaurant.pdf"]


def test_the_list_decides_while_the_index_is_behind_and_nothing_tells_of_the_hidden_document(
    container: Container, secret: Document
) -> None:
    permitted.permit_document(container.db, ADMIN, secret.id, ["icu"], EVERYONE)
    assert indexed_groups(container, secret.id) == {EVERYONE}
    behind = find(analyse(QUESTION, container.expander, QUESTION), NURSE, Filters(), container)
    container.store.delete_documents([secret.id])
    without = find(analyse(QUESTION, container.expander, QUESTION), NURSE, Filters(), container)
    assert [hit.chunk.id for hit in behind.hits] == [hit.chunk.id for hit in without.hits]
    assert behind.signals["cosine"] == pytest.approx(without.signals["cosine"])
    assert (behind.signals["names"], behind.answerable) == (without.signals["names"], without.answerable)


def test_a_change_reaches_list_and_index_in_one_go(container: Container, secret: Document) -> None:
    permit(container, secret, "icu", "surgery")
    assert indexed_groups(container, secret.id) == {("icu", "surgery")}
    assert groups_of(container)["propofol.pdf"] == ("icu", "surgery")
    assert permitted.behind(container.db) == {}


def test_the_vectors_stay_when_the_groups_change(container: Container, secret: Document) -> None:
    before = container.store.chunks_of(secret.id)[1]
    permit(container, secret, "icu")
    np.testing.assert_array_equal(container.store.chunks_of(secret.id)[1], before)


def test_what_was_said_first_by_an_admin_then_by_the_source_then_by_the_department_counts(
    container: Container, secret: Document
) -> None:
    def said() -> tuple[str, tuple[str, ...]]:
        why = permitted.why(container.db, ADMIN, secret)
        assert groups_of(container)["propofol.pdf"] == why.groups
        return why.said_by, why.groups

    assert said() == ("default", EVERYONE)
    permitted.permit_department(container.db, ADMIN, " Intensieve Zorgen", ["icu"], EVERYONE)
    assert said() == ("department", ("icu",))
    permitted.put_source_groups(container.db, ADMIN, {"propofol.pdf": ["icu", "surgery"]}, EVERYONE)
    assert said() == ("source", ("icu", "surgery"))
    permitted.permit_document(container.db, ADMIN, secret.id, ["surgery"], EVERYONE)
    assert said() == ("admin", ("surgery",))
    permitted.permit_document(container.db, ADMIN, secret.id, None, EVERYONE)
    assert said() == ("source", ("icu", "surgery"))


def test_a_restricted_document_stays_so_when_it_is_loaded_again_renamed_or_its_sidecar_is_lost(
    container: Container, tmp_path: Path
) -> None:
    folder = tmp_path / "sop"
    folder.mkdir()
    write_pdf(folder / "a.pdf", "Sedatie met propofol", "Start aan 1 mg/kg per uur.")
    write_pdf(folder / "b.pdf", "Kamers", "Op zaal 3 staan vier bedden.")
    (folder / "metadata.csv").write_text("source;groups\na.pdf;icu, surgery\n")
    load_folder(container, folder)
    assert groups_of(container) == {"a.pdf": ("icu", "surgery"), "b.pdf": EVERYONE}
    (folder / "metadata.csv").unlink()
    write_pdf(folder / "a.pdf", "Sedatie met propofol", "Start aan 2 mg/kg per uur.")
    load_folder(container, folder)
    assert groups_of(container)["a.pdf"] == ("icu", "surgery")
    (folder / "a.pdf").rename(folder / "c.pdf")
    load_folder(container, folder)
    assert groups_of(container) == {"b.pdf": EVERYONE, "c.pdf": ("icu", "surgery")}
    (document,) = [d for d in list_documents(container.db, ADMIN, Query())[0] if d.source == "c.pdf"]
    assert indexed_groups(container, document.id) == {("icu", "surgery")}


def test_a_list_of_sources_that_changes_only_groups_reads_no_file_again(container: Container, tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "Sedatie met propofol", "Start aan 1 mg/kg per uur.")
    load_folder(container, tmp_path)
    (tmp_path / "metadata.csv").write_text("source,groups\na.pdf,icu\n")
    report = load_folder(container, tmp_path)
    assert (report.indexed, report.unchanged) == (0, 1)
    assert groups_of(container) == {"a.pdf": ("icu",)}
    (document,) = list_documents(container.db, ADMIN, Query())[0]
    assert indexed_groups(container, document.id) == {("icu",)}


@pytest.mark.parametrize("groups", [[], ["a,b"], ["a" * 101], [""], ["a\x00"]])
def test_a_group_without_a_name_is_refused_and_nothing_changes(
    container: Container, secret: Document, groups: list[str]
) -> None:
    with pytest.raises(InvalidInput):
        permitted.permit_document(container.db, ADMIN, secret.id, groups, EVERYONE)
    assert groups_of(container)["propofol.pdf"] == EVERYONE


def test_only_admins_say_who_may_read(container: Container, secret: Document) -> None:
    with pytest.raises(NotFound):
        permitted.permit_document(container.db, NURSE, secret.id, ["icu"], EVERYONE)
    with pytest.raises(NotFound):
        permitted.permit_department(container.db, NURSE, "Intensieve zorgen", ["icu"], EVERYONE)
    with pytest.raises(NotFound):
        permitted.why(container.db, NURSE, secret)


def test_a_document_that_one_may_not_read_supersedes_nothing_for_them(container: Container, secret: Document) -> None:
    newer = load(container, "propofol-2.pdf", SECRET + "Versie 2. ", supersedes="propofol.pdf", language="nl")
    permit(container, newer, "icu")
    today = datetime.now(UTC).date()
    assert superseded_ids(container.db, NURSE, today) == ()
    assert superseded_ids(container.db, ICU, today) == (secret.id,)
    assert secret.id in found(container, NURSE)


def answer_of(user: User, container: Container, question: str = QUESTION) -> Answer:
    retrieval = find(analyse(question, container.expander, question), user, Filters(), container)
    from rag_api.answering.quoting.citations import source_of
    from rag_api.db.documents import read_pages

    sources = tuple(
        source_of(h, retrieval.documents[h.chunk.document_id], read_pages(container.db, h.chunk.document_id))
        for h in retrieval.hits
    )
    answer = Answer(str(uuid.uuid4()), str(uuid.uuid4()), user.id, question, question, "nl", Mode.SOURCES, AnswerStatus.NOT_FOUND, SECRET,
                    sources, (), (), "m", "e", "p", {"confidence": 0.9}, datetime.now(UTC))  # fmt: skip
    save_answer(container.db, user, answer, new_conversation=True)
    return answer


def test_an_earlier_answer_no_longer_shows_what_its_reader_may_no_longer_read(
    container: Container, secret: Document
) -> None:
    answer = answer_of(NURSE, container)
    permit(container, secret, "icu")
    seen = get_answer(container.db, NURSE, answer.id)
    assert (seen.text, seen.stats, [notice.code for notice in seen.notices]) == ("", {}, ["withheld"])
    assert [source.document.source for source in seen.sources] == ["restaurant.pdf"]
    permit(container, secret, "everyone")
    assert get_answer(container.db, NURSE, answer.id) == answer


def test_drafts_are_copied_from_ones_own_answers_that_one_may_still_read(
    container: Container, secret: Document
) -> None:
    """Anybody else's would tell of themselves by the time that an answer takes."""
    answer_of(NURSE, container)
    assert said_of(container.db, NURSE, [secret.id]) == (SECRET,)
    assert said_of(container.db, ICU, [secret.id]) == ()
    assert said_of(container.db, NURSE, ["another"]) == ()
    permit(container, secret, "icu")
    assert said_of(container.db, NURSE, [secret.id]) == ()


@pytest.mark.parametrize("status", ["replaced", "retired"])
def test_no_draft_is_copied_from_an_answer_of_a_version_that_no_longer_counts(
    container: Container, secret: Document, status: str
) -> None:
    """Though another of its documents is still there, by which it is found."""
    (other,) = [s.document.id for s in answer_of(NURSE, container).sources if s.document.id != secret.id]
    assert said_of(container.db, NURSE, [other]) == (SECRET,)
    container.db.run("update documents set status = %(to)s where id = %(id)s", {"id": secret.id, "to": status})
    assert said_of(container.db, NURSE, [other]) == ()


def test_what_a_group_asks_in_vain_is_for_reviewers_of_that_group(container: Container, secret: Document) -> None:
    asked = replace(SURGEON, groups=("everyone", "surgery"))
    answer_of(asked, container)
    reviewers = {
        name: User(name, name, ("everyone", "quality", *more))
        for name, more in {"all": (), "surgery": ("surgery",)}.items()
    }
    assert unanswered(container.db, reviewers["all"]) == []
    (gap,) = unanswered(container.db, reviewers["surgery"])
    assert "propofol.pdf" in [near.document for near in gap.nearest]
    permit(container, secret, "icu")
    (gap,) = unanswered(container.db, reviewers["surgery"])
    assert [near.document for near in gap.nearest] == ["restaurant.pdf"]


def test_two_groups_may_give_a_judged_question_the_same_name(container: Container) -> None:
    icu, surgery = User("a", "a", ("icu", "quality")), User("b", "b", ("surgery", "quality"))
    mine, other = (
        Judged("1", "Hoe start ik propofol?", document="a.pdf"),
        Judged("1", "Wanneer gaan de haakjes eruit?", document="b.pdf"),
    )
    assert save_questions(container.db, icu, "ward", [mine]) == 1
    assert save_questions(container.db, surgery, "ward", [other]) == 1
    assert [q.question for q in read_set(container.db, icu, "ward")] == [mine.question]
    assert [q.question for q in read_set(container.db, surgery, "ward")] == [other.question]
    assert save_questions(container.db, icu, "ward", [replace(mine, question="Hoe dan?")]) == 0
    assert [q.question for q in read_set(container.db, surgery, "ward")] == [other.question]


@pytest.fixture
def as_user(container: Container) -> Iterator[tuple[httpx.Client, list[User]]]:
    app = create_app(container.settings, container)
    user = [ADMIN]
    app.dependency_overrides[current_user] = lambda: user[0]
    with served(app) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client, user


def test_the_api_says_who_may_read_a_document_and_why(
    as_user: tuple[httpx.Client, list[User]], container: Container, secret: Document
) -> None:
    client, user = as_user
    path = f"/documents/{secret.id}/access"
    assert client.get(path).json() == {
        "groups": ["everyone"],
        "said_by": "default",
        "user_id": "",
        "user_name": "",
        "said_at": None,
    }
    said = client.put(path, json={"groups": ["icu", "icu"]}).raise_for_status().json()
    assert (said["groups"], said["said_by"], said["user_id"], said["user_name"]) == (["icu"], "admin", "admin", "admin")
    assert indexed_groups(container, secret.id) == {("icu",)}
    user[0] = NURSE
    for method, of in [
        ("GET", path),
        ("PUT", path),
        ("GET", f"/documents/{secret.id}"),
        ("GET", f"/documents/{secret.id}/file"),
    ]:
        assert client.request(method, of, json={"groups": None} if method == "PUT" else None).status_code == 404
    user[0] = ADMIN
    assert client.put("/department-access/Intensieve zorgen", json={"groups": ["surgery"]}).json()["departments"][0][
        "groups"
    ] == ["surgery"]
    assert client.put(path, json={"groups": None}).json()["said_by"] == "department"
    assert indexed_groups(container, secret.id) == {("surgery",)}


def test_who_changed_a_document_and_who_may_read_it_is_told_by_the_account_s_name(
    as_user: tuple[httpx.Client, list[User]], container: Container, secret: Document
) -> None:
    client, user = as_user
    ann = add_account(container.db, LOCAL_USER, "Ann", "ann", None, [Role.ADMIN], [])
    user[0] = replace(ADMIN, id=ann)
    said = client.put(f"/documents/{secret.id}/access", json={"groups": ["icu"]}).raise_for_status().json()
    assert (said["user_id"], said["user_name"]) == (ann, "Ann")
    client.patch(f"/documents/{secret.id}", json={"department": "Spoed"}).raise_for_status()
    (change,) = client.get(f"/documents/{secret.id}/changes").json()["changes"]
    assert (change["user_id"], change["user_name"]) == (ann, "Ann")


def test_another_department_opens_and_closes_a_document_at_once_by_its_own_rule(
    as_user: tuple[httpx.Client, list[User]], container: Container, secret: Document
) -> None:
    client, _ = as_user
    permitted.permit_department(container.db, ADMIN, "Heelkunde", ["surgery"], EVERYONE)
    assert secret.id in found(container, NURSE)
    client.patch(f"/documents/{secret.id}", json={"department": "Heelkunde"}).raise_for_status()
    assert (secret.id in found(container, NURSE), secret.id in found(container, SURGEON)) == (False, True)
    client.patch(f"/documents/{secret.id}", json={"reset": ["department"]}).raise_for_status()
    assert secret.id in found(container, NURSE)


def test_the_api_says_why_somebody_may_read_a_document_and_why_not(
    as_user: tuple[httpx.Client, list[User]], container: Container, secret: Document
) -> None:
    client, user = as_user
    container.db.run("truncate users cascade")
    ann = add_account(container.db, LOCAL_USER, "Ann", "ann", None, [Role.READER], ["surgery"])
    path = f"/documents/{secret.id}/access/ann"
    assert client.get(path).json() == {
        "account": ann,
        "name": "Ann",
        "sees": True,
        "through": [{"group": "everyone", "given_by": ["everyone"]}],
        "reader": True,
        "suspended": False,
        "access": {"groups": ["everyone"], "said_by": "default", "user_id": "", "user_name": "", "said_at": None},
    }
    permit(container, secret, "icu", "surgery")
    said = client.get(path).json()
    assert (said["sees"], said["through"], said["access"]["said_by"]) == (
        True,
        [{"group": "surgery", "given_by": ["hand"]}],
        "admin",
    )
    container.db.run("update users set groups = '{}', claimed_groups = '{icu}'")
    assert client.get(f"/documents/{secret.id}/access/{ann}").json()["through"] == [
        {"group": "icu", "given_by": ["provider"]}
    ]
    container.db.run("update users set suspended_at = now()")
    assert [client.get(path).json()[name] for name in ("sees", "suspended")] == [False, True]
    container.db.run("update users set suspended_at = null, claimed_groups = '{}'")
    assert [client.get(path).json()[name] for name in ("sees", "through")] == [False, []]
    assert client.get(f"/documents/{secret.id}/access/nobody").status_code == 404
    user[0] = NURSE
    assert client.get(path).status_code == 404


def test_who_uploads_is_not_told_of_documents_of_others_that_get_another_title(
    as_user: tuple[httpx.Client, list[User]], container: Container, tmp_path: Path
) -> None:
    client, user = as_user
    texts = (
        "Wachtlijsten dalen in elke regio sinds vorig verslag.",
        "Kinderen krijgen een oproep voor vaccinatie met uitleg.",
    )
    for number, text in enumerate(texts):
        user[0] = replace(ADMIN, groups=("everyone", "icu"))
        content = pdf(both(lines("Raad van de Regio", size=20), lines(text, y=640)))
        client.post(
            "/documents", files={"file": (f"brief-{number}.pdf", content, "application/pdf")}
        ).raise_for_status()
    user[0] = replace(ADMIN, groups=("everyone", "surgery"))
    content = pdf(
        both(lines("Raad van de Regio", size=20), lines("Panelen bedekken het dak van de noordelijke vleugel.", y=640))
    )
    files = {"file": ("brief-2.pdf", content, "application/pdf")}
    report = client.post("/documents", files=files, data={"groups": "everyone"}).raise_for_status().json()
    titles = {d.source: d.metadata.title for d in list_documents(container.db, ADMIN, Query())[0]}
    assert titles == {"brief-0.pdf": "brief 0", "brief-1.pdf": "brief 1", "brief-2.pdf": "Raad van de Regio"}
    assert report["retitled"] == []


def test_an_upload_that_cannot_be_read_opens_and_closes_nothing(
    as_user: tuple[httpx.Client, list[User]], container: Container, tmp_path: Path
) -> None:
    client, user = as_user
    user[0] = replace(ADMIN, groups=("everyone", "icu"))
    write_pdf(tmp_path / "sop.pdf", "Sedatie met propofol", "Start aan 1 mg/kg per uur.")
    whole, broken = (tmp_path / "sop.pdf").read_bytes(), b"%PDF-1.7\nbroken"

    def load(content: bytes, name: str = "sop.pdf") -> str:
        files = {"file": (name, content, "application/pdf")}
        report = client.post("/documents", files=files, data={"groups": groups}).raise_for_status().json()
        outcome: str = report["items"][0]["outcome"]
        return outcome

    groups = "icu"
    assert load(whole) == "indexed"
    groups = "everyone"
    assert load(broken) == "failed"
    assert groups_of(container) == {"sop.pdf": ("icu",)}
    assert load(broken, "other.pdf") == "failed"  # a new one is listed for whom it was meant
    assert load(whole) == "unchanged"
    assert groups_of(container) == {"other.pdf": EVERYONE, "sop.pdf": EVERYONE}
    groups = "icu"
    assert load(whole + b"\n%") == "indexed"
    assert groups_of(container)["sop.pdf"] == ("icu",)
    groups = ",,"
    files = {"file": ("sop.pdf", broken, "application/pdf")}
    assert client.post("/documents", files=files, data={"groups": groups}).status_code == 400


def test_an_upload_is_its_uploaders_groups_and_replaces_nobody_elses(
    as_user: tuple[httpx.Client, list[User]], container: Container, tmp_path: Path
) -> None:
    client, user = as_user
    user[0] = replace(ADMIN, groups=("everyone", "icu"))
    write_pdf(tmp_path / "sop.pdf", "Sedatie met propofol", "Start aan 1 mg/kg per uur.")
    content = (tmp_path / "sop.pdf").read_bytes()
    files = {"file": ("sop.pdf", content, "application/pdf")}
    assert client.post("/documents", files=files).status_code == 200
    assert groups_of(container) == {"sop.pdf": ("icu",)}
    user[0] = replace(ADMIN, groups=("everyone", "surgery"))
    refused = client.post("/documents", files={"file": ("sop.pdf", content + b"\n%", "application/pdf")})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    opened = client.post(
        "/documents", files={"file": ("open.pdf", content, "application/pdf")}, data={"groups": "everyone, surgery"}
    )
    assert opened.status_code == 200
    assert groups_of(container) == {"open.pdf": ("everyone", "surgery"), "sop.pdf": ("icu",)}


def test_an_upload_may_name_many_groups(as_user: tuple[httpx.Client, list[User]], container: Container) -> None:
    client, user = as_user
    names = ["icu", *(f"the nursing staff of ward {number}" for number in range(9))]
    user[0] = replace(ADMIN, groups=("everyone", *names))
    files = {"file": ("sop.txt", b"Sedation\n\nStart at 1 mg/kg per hour.", "text/plain")}
    client.post("/documents", files=files, data={"groups": ",".join(names)}).raise_for_status()
    assert set(groups_of(container)["sop.txt"]) == set(names)
