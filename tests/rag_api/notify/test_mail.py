"""Owners hear by mail that something waits for them, never what; and nothing is lost while the mail
server is away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.db.outbox import Due, NotSent, send_next, waiting
from rag_api.db.owners.asking import ask_owner
from rag_api.db.owners.named import put_owner
from rag_api.db.owners.questions import OwnerQuestionKind, asked_by, detach, reply, work_of
from rag_api.db.people.accounts import Claims, add_account, get_account, signed_in_with, user_of
from rag_api.domain import LOCAL_USER, Document, User
from rag_api.notify.mail import letter, send_mail
from rag_api.notify.sender import Sender
from rag_api.upkeep.component_checks import mail
from rag_api.upkeep.finding import State
from tests.support.ports import free_port
from tests.support.waiting import until
from tests.support.world import empty, load

WORDS = "De dosis van 15 mg is te hoog"
DUE = Due(
    7,
    "apotheek@hospital.example",
    datetime(2026, 1, 2, tzinfo=UTC),
    "q1",
    "question",
    False,
    "Paracetamol bij kinderen",
    "nl",
)


class Box:
    """What a mail server took. `refuses` is what it says instead."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.refuses = ""

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        if self.refuses:
            return self.refuses
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 taken"


@pytest.fixture
def box() -> Box:
    return Box()


@pytest.fixture
def port(box: Box) -> Iterator[int]:
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield controller.port
    controller.stop()


def mailing(port: int, **more: Any) -> Settings:
    return Settings(
        smtp_host="127.0.0.1", smtp_port=port, smtp_security="off", smtp_from="bedside@hospital.example",
        public_url="https://bedside.hospital.example", **more,
    )  # fmt: skip


@pytest.fixture
def container(dsn: str, tmp_path: Path, port: int) -> Iterator[Container]:
    settings = mailing(port, data_dir=tmp_path, database_url=dsn, store="memory")
    with Container(settings) as made:
        yield made
        empty(made)
        made.db.run("truncate owners, users cascade")
        made.db.run("truncate outbox")


@pytest.fixture
def document(container: Container) -> Document:
    found = load(container, "para.pdf", f"Paracetamol bij kinderen. {WORDS}. ", owner="Apotheek", language="nl")
    put_owner(container.db, LOCAL_USER, "apotheek ", "apotheek@hospital.example", [])
    return found


def sent_now(container: Container) -> int:
    """How many were tried."""
    return sum(iter(lambda: send_next(container.db, lambda due: send_mail(container.settings, due)), False))


def body(mail: Message) -> str:
    return str(mail.get_payload(decode=True).decode("utf-8"))  # type: ignore[union-attr]


def test_a_mail_holds_a_link_and_the_title_and_nothing_that_was_asked(
    container: Container, document: Document, box: Box
) -> None:
    question, whom = ask_owner(container.db, LOCAL_USER, document.id, "report", WORDS)
    assert (whom.owner, whom.by_mail) == ("Apotheek", True)
    assert sent_now(container) == 1
    (sent,) = box.mails
    assert sent["To"] == "apotheek@hospital.example"
    assert sent["Subject"] == "Melding dat “Paracetamol bij kinderen” niet meer klopt"
    assert f"https://bedside.hospital.example/inbox#{question.id}" in body(sent)
    assert WORDS not in sent.as_string() + body(sent)
    assert sent["Auto-Submitted"] == "auto-generated"
    assert sent_now(container) == 0  # once


def test_a_mail_says_first_that_it_can_harm_and_that_it_is_an_error_and_nothing_that_was_asked(
    container: Container, document: Document, box: Box
) -> None:
    ask_owner(container.db, LOCAL_USER, document.id, "error", WORDS, can_harm=True)
    ask_owner(container.db, LOCAL_USER, document.id, "error", WORDS)
    assert sent_now(container) == 2
    urgent, calm = box.mails
    about = "elding van een fout in “Paracetamol bij kinderen”"
    assert (urgent["Subject"], urgent["Importance"]) == (f"Kan een patiënt schaden: M{about}", "high")
    assert (calm["Subject"], calm["Importance"]) == (f"M{about}", None)
    assert WORDS not in urgent.as_string() + body(urgent)
    english = letter(mailing(25), replace(DUE, language="en", is_passed=True, kind="error", can_harm=True))
    assert english["Subject"] == "Can harm a patient: A report was passed on to you"
    assert letter(mailing(25), replace(DUE, is_change=True, can_harm=True))["Importance"] is None


@pytest.mark.parametrize(
    ("kind", "nl", "en"),
    [("question", "vraag", "question"), ("report", "melding", "report"), ("error", "melding", "report")],
)
def test_whom_a_question_or_a_report_is_passed_on_to_is_not_called_its_owner(
    container: Container, document: Document, box: Box, kind: OwnerQuestionKind, nl: str, en: str
) -> None:
    made = add_account(container.db, LOCAL_USER, "maes", "maes", "of no password", [], [])
    container.db.run("update users set mail = 'maes@hospital.example' where id = %(id)s", {"id": made})
    ask_owner(container.db, LOCAL_USER, document.id, kind, WORDS, to="maes")
    assert sent_now(container) == 1
    (sent,) = box.mails
    assert (sent["To"], sent["Subject"]) == ("maes@hospital.example", f"Een {nl} is aan u doorgegeven")
    assert f"een {nl} aan u door, over “Paracetamol bij kinderen”. Lees" in body(sent)
    assert f"passed a {en} on to you, about “Paracetamol bij kinderen”. Read" in body(sent)
    assert "eigenaar" not in body(sent)
    alone = letter(mailing(25), replace(DUE, title="", language="", is_passed=True, kind=kind))
    assert alone["Subject"] == f"Een {nl} is aan u doorgegeven"
    assert f"een {nl} aan u door. Lees" in alone.get_content()
    assert f"passed a {en} on to you. Read" in alone.get_content()


def test_a_title_that_not_all_staff_may_read_is_left_out(container: Container, document: Document, box: Box) -> None:
    container.db.run("update documents set groups = '{surgery}'")
    surgeon = replace(LOCAL_USER, groups=("everyone", "surgery"))
    ask_owner(container.db, surgeon, document.id, "question", WORDS)
    assert sent_now(container) == 1
    (sent,) = box.mails
    assert "Paracetamol" not in sent.as_string() + body(sent)
    assert sent["Subject"] == "Vraag over een document waarvan u eigenaar bent"


def test_a_mail_server_that_is_away_loses_nothing(container: Container, document: Document, box: Box) -> None:
    for text in ("een", "twee"):
        ask_owner(container.db, LOCAL_USER, document.id, "question", text)
    away = container.settings.model_copy(update={"smtp_port": free_port()})
    assert send_next(container.db, lambda due: send_mail(away, due))
    assert send_next(container.db, lambda due: send_mail(away, due))
    assert not send_next(container.db, lambda due: send_mail(away, due))  # both wait a minute
    left = waiting(container.db)
    assert (left.waiting, left.failed) == (2, 0)
    assert "ConnectionRefusedError" in left.problem
    container.db.run("update outbox set next_at = now()")
    assert sent_now(container) == 2
    assert len(box.mails) == 2
    assert waiting(container.db).waiting == 0


def test_each_try_that_fails_waits_longer_and_after_a_week_it_has_failed(
    container: Container, document: Document
) -> None:
    ask_owner(container.db, LOCAL_USER, document.id, "question", WORDS)

    def no(due: Due) -> None:
        raise NotSent("away")

    waits = []
    for _ in range(12):
        container.db.run("update outbox set next_at = now()")
        assert send_next(container.db, no)
        row = container.db.one("select extract(epoch from next_at - now()) as wait, failed_at from outbox")
        assert row is not None
        assert row["failed_at"] is None
        waits.append(round(float(row["wait"])))
    assert waits[:4] == [60, 120, 240, 480]
    assert waits[-1] == 6 * 3600
    container.db.run("update outbox set next_at = now(), created_at = now() - interval '8 days'")
    assert send_next(container.db, no)
    assert waiting(container.db).failed == 1


def test_an_address_that_is_refused_for_good_brings_the_question_to_quality_staff(
    container: Container, document: Document, box: Box
) -> None:
    box.refuses = "450 later"
    ask_owner(container.db, LOCAL_USER, document.id, "question", WORDS)
    assert sent_now(container) == 1
    assert waiting(container.db).failed == 0
    box.refuses = "550 no such mailbox"
    container.db.run("update outbox set next_at = now()")
    assert sent_now(container) == 1
    assert waiting(container.db).failed == 1
    (question,) = work_of(container.db, LOCAL_USER)
    assert question.not_told
    box.refuses = ""
    put_owner(container.db, LOCAL_USER, "Apotheek", "nieuw@hospital.example", [])  # the new address hears of it
    assert sent_now(container) == 1
    assert [one["To"] for one in box.mails] == ["nieuw@hospital.example"]
    assert not work_of(container.db, LOCAL_USER)[0].not_told


def test_an_owner_who_becomes_known_hears_of_what_waits(container: Container, box: Box) -> None:
    document = load(container, "val.pdf", "Na een val. Bel de wacht. ", department="Geriatrie")
    question, whom = ask_owner(container.db, LOCAL_USER, document.id, "question", "Wie belt?")
    assert whom.owner == ""
    assert sent_now(container) == 0
    put_owner(container.db, LOCAL_USER, "Geriatrie", "geriatrie@hospital.example", [])
    assert sent_now(container) == 1
    assert question.id in body(box.mails[0])


def test_the_doctor_says_what_waits_and_what_cannot_be_delivered(
    container: Container, document: Document, box: Box
) -> None:
    found = mail(container)
    assert found is not None
    assert (found.state, found.name) == (State.OK, "mail")
    ask_owner(container.db, LOCAL_USER, document.id, "question", WORDS)
    with Container(container.settings.model_copy(update={"smtp_host": None})) as without:
        found = mail(without)
        assert found is not None
        assert (found.state, found.todo) == (State.WARN, "Set BEDSIDE_SMTP_HOST.")
    box.refuses = "550 no such mailbox"
    assert sent_now(container) == 1
    found = mail(container)
    assert found is not None
    assert (found.state, found.what) == (State.WARN, "1 mails to owners could not be delivered, 0 wait")


def test_what_was_answered_before_its_mail_went_is_not_mailed(
    container: Container, document: Document, box: Box
) -> None:
    question, _ = ask_owner(container.db, LOCAL_USER, document.id, "question", WORDS)
    reply(container.db, LOCAL_USER, question.id, "answered", "Ja.")
    assert sent_now(container) == 0
    assert box.mails == []


def test_the_thread_sends_what_waits_and_ends_when_asked_to(container: Container, document: Document, box: Box) -> None:
    ask_owner(container.db, LOCAL_USER, document.id, "question", WORDS)
    sender = Sender(container, every=0.05)
    sender.start()
    until(lambda: box.mails)
    sender.stop()
    assert len(box.mails) == 1
    assert waiting(container.db).waiting == 0


def test_a_question_that_cannot_be_kept_leaves_no_mail(container: Container, document: Document) -> None:
    with pytest.raises(Exception, match="no answer"):
        ask_owner(
            container.db, LOCAL_USER, document.id, "question", WORDS, answer_id="5f0c9a3e-6f0b-4c56-8a57-0d9b7b1f3c11"
        )
    assert waiting(container.db).waiting == 0


def ask_as(container: Container, document: Document, mail: str, subject: str = "s1") -> User:
    """Somebody who signed in with a provider asks; return who."""
    account = signed_in_with(container.db, Claims("https://sso", subject, "Dr. Claes", (), mail), may_create=True)
    asker = user_of(get_account(container.db, account), {})
    for words in (WORDS, "En bij pasgeborenen?"):
        ask_owner(container.db, asker, document.id, "question", words)
    return asker


def test_who_asked_is_told_once_that_the_procedure_changed_and_never_what(
    container: Container, document: Document, box: Box
) -> None:
    asker = ask_as(container, document, "claes@hospital.example")
    sent_now(container)
    box.mails.clear()
    load(container, "para.pdf", f"Paracetamol bij kinderen. {WORDS}. Nieuw. ", owner="Apotheek", language="nl")
    assert sent_now(container) == 1  # of two questions about it
    (told,) = box.mails
    assert (told["To"], told["Subject"]) == ("claes@hospital.example", "“Paracetamol bij kinderen” is gewijzigd")
    assert WORDS not in told.as_string() + body(told)
    assert all(one.news for one in asked_by(container.db, asker))
    assert any(f"/inbox#{one.id}" in body(told) for one in asked_by(container.db, asker))
    PgDocuments(container.db).retire(["para.pdf"])
    PgDocuments(container.db).retire(["para.pdf"])
    assert sent_now(container) == 1  # of the question that was not told of yet
    assert sent_now(container) == 0


def test_a_withdrawn_procedure_is_told_and_an_unread_owners_mail_does_not_hold_it_up(
    container: Container, document: Document, box: Box
) -> None:
    asker = ask_as(container, document, "claes@hospital.example")
    for question in asked_by(container.db, asker):
        reply(container.db, LOCAL_USER, question.id, "mended", "")
    PgDocuments(container.db).retire(["para.pdf"])
    assert sent_now(container) == 1
    assert [one["To"] for one in box.mails] == ["claes@hospital.example"]  # the owner has answered and hears nothing


def test_who_is_forgotten_is_told_nothing_and_their_address_goes(
    container: Container, document: Document, box: Box
) -> None:
    asker = ask_as(container, document, "claes@hospital.example")
    container.db.run("update outbox set sent_at = now()")
    PgDocuments(container.db).retire(["para.pdf"])
    assert detach(container.db, asker.id) == 2
    assert sent_now(container) == 0
    assert container.db.one("select 1 as n from outbox where recipient = 'claes@hospital.example'") is None


def test_nobody_is_told_without_an_address_or_of_what_they_may_not_read(
    container: Container, document: Document, box: Box
) -> None:
    ask_as(container, document, "")
    ask_as(container, document, "out@hospital.example", "s2")
    container.db.run("update outbox set sent_at = now()")
    container.db.run("update documents set groups = '{surgery}'")
    PgDocuments(container.db).retire(["para.pdf"])
    assert sent_now(container) == 0


def test_line_breaks_in_a_title_are_no_headers() -> None:
    made = letter(mailing(25), replace(DUE, title="Para\r\nBcc: all@hospital.example", language="en"))
    assert made["Subject"] == "Question about “Para Bcc: all@hospital.example”"
    assert made["Bcc"] is None
    assert letter(mailing(25), DUE)["Message-ID"] == letter(mailing(25), DUE)["Message-ID"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"smtp_from": None}, "needs BEDSIDE_SMTP_FROM"),
        ({"public_url": None}, "needs BEDSIDE_PUBLIC_URL"),
        ({"smtp_password": "a password"}, "not sent in clear text"),
    ],
)
def test_mail_by_half_is_refused_at_the_start(more: dict[str, Any], words: str) -> None:
    given = {
        "smtp_host": "mail",
        "smtp_from": "bedside@hospital.example",
        "public_url": "https://bedside.example",
        "smtp_security": "off",
    }
    with pytest.raises(ValueError, match=words):
        Settings(**{**given, **more})
