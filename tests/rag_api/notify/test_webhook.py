"""Other systems hear of changed documents: signed, in the transaction of the change, again while
they are away, never of what is hidden."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.db.outbox import DueMessage, NotSent, send_next_message
from rag_api.db.webhooks import add_webhook, delete_webhook, deliveries_of, list_webhooks, put_test, tell_of_expired
from rag_api.domain import LOCAL_USER, DocumentStatus, Indexed, Page, User
from rag_api.errors import InvalidInput, NotFound
from rag_api.notify.sender import Sender
from rag_api.notify.webhook import check_url, key_in, new_secret, send_message, signature
from tests.support.ports import free_port
from tests.support.waiting import until
from tests.support.world import boxes, empty, load

SECRET = "a secret of twenty-four characters"
TEXT = "Geef 15 mg/kg paracetamol per gift. "


class Receiver:
    """Another system. `status`: what it answers."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(receiver.status)
                if receiver.status == 302:
                    self.send_header("location", "/elsewhere")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/bedside"

    def events(self) -> list[tuple[str, str]]:
        found = [json.loads(body) for _, body in self.got]
        return [(one["type"], one["data"].get("source", "")) for one in found]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.fixture
def container(dsn: str, tmp_path: Path) -> Iterator[Container]:
    with Container(Settings(data_dir=tmp_path, database_url=dsn, store="memory", webhook_http=True)) as made:
        yield made
        empty(made)
        made.db.run("truncate webhooks cascade")
        made.db.run("truncate outbox")


@pytest.fixture
def webhook(container: Container, receiver: Receiver) -> str:
    return add_webhook(container.db, LOCAL_USER, receiver.url, SECRET)


def sent_now(container: Container) -> int:
    """How many were tried."""
    return sum(iter(lambda: send_next_message(container.db, lambda due: send_message(due, True)), False))


def test_a_document_that_is_loaded_renewed_withdrawn_and_put_back_is_told_in_that_order(
    container: Container, receiver: Receiver, webhook: str
) -> None:
    first = load(container, "para.pdf", TEXT, version="1", department="Apotheek")
    load(container, "para.pdf", TEXT)  # the same again is no news, but for what it says of itself
    second = load(container, "para.pdf", TEXT + "Nieuw. ", version="2")
    load(container, "kapot.pdf", "x", status=DocumentStatus.FAILED)
    documents = PgDocuments(container.db)
    documents.retire(["para.pdf", "kapot.pdf"])
    documents.restore(second.id)
    assert sent_now(container) == 4
    assert receiver.events() == [
        ("document.indexed", "para.pdf"), ("document.new_version", "para.pdf"), ("document.withdrawn", "para.pdf"),
        ("document.indexed", "para.pdf"),
    ]  # fmt: skip
    told = json.loads(receiver.got[1][1])["data"]
    assert (told["document_id"], told["version"], told["title"], told["valid_until"]) == (
        second.id,
        "2",
        "Geef 15 mg/kg paracetamol per gift",
        None,
    )
    assert first.id != second.id
    assert b"Nieuw" not in receiver.got[1][1]  # nothing of its text
    assert sent_now(container) == 0


def test_a_message_is_signed_as_the_standard_says_and_its_id_stays_at_each_try(
    container: Container, receiver: Receiver, webhook: str
) -> None:
    put_test(container.db, LOCAL_USER, webhook)
    receiver.status = 503
    assert sent_now(container) == 1
    receiver.status = 200
    container.db.run("update outbox set next_at = now()")
    assert sent_now(container) == 1
    (first, body), (second, again) = receiver.got
    assert (first["webhook-id"], body) == (second["webhook-id"], again)
    signed = f"{second['webhook-id']}.{second['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()).decode()
    assert second["webhook-signature"] == f"v1,{wanted}"
    assert abs(int(second["webhook-timestamp"]) - datetime.now(UTC).timestamp()) < 60
    # The specification's own example.
    key = key_in("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    assert (
        signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


def test_one_that_is_away_is_tried_again_later_and_keeps_no_other_waiting(
    container: Container, receiver: Receiver, webhook: str
) -> None:
    away = add_webhook(container.db, LOCAL_USER, f"http://127.0.0.1:{free_port()}/", SECRET)
    for name in ("een.pdf", "twee.pdf"):
        load(container, name, f"{name}. {TEXT}")
    assert sent_now(container) == 3  # what waits for the one that is away is not tried one by one
    assert receiver.events() == [("document.indexed", "een.pdf"), ("document.indexed", "twee.pdf")]
    told = {one.id: one for one in list_webhooks(container.db, LOCAL_USER)}
    assert (told[webhook].waiting, told[webhook].problem) == (0, "")
    assert told[away].waiting == 2
    assert "ConnectError" in told[away].problem
    waits = {one.document: one.next_at for one in deliveries_of(container.db, LOCAL_USER, away)}
    assert min(one for one in waits.values() if one) > datetime.now(UTC) + timedelta(seconds=30)


def test_a_webhook_is_deleted_while_a_message_to_it_fails(container: Container, webhook: str) -> None:
    """Whoever deletes one waits for who is sending to it: neither holds what the other wants
    next."""
    for _ in range(2):
        put_test(container.db, LOCAL_USER, webhook)
    container.db.run("update outbox set next_at = now() - interval '1 minute' where id = (select max(id) from outbox)")
    deleting = threading.Thread(target=lambda: delete_webhook(container.db, LOCAL_USER, webhook))
    waits = "select 1 as n from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from webhooks%%'"

    def sending(due: DueMessage) -> None:
        deleting.start()
        until(lambda: container.db.one(waits))
        raise NotSent("away")

    assert send_next_message(container.db, sending)
    deleting.join()
    assert list_webhooks(container.db, LOCAL_USER) == []
    assert container.db.all("select id from outbox") == []


@pytest.mark.parametrize(
    ("status", "problem", "for_good"),
    [(302, "redirects are not followed", False), (410, "410 Gone", True), (500, "500", False)],
)
def test_what_is_not_taken_says_why(
    container: Container, receiver: Receiver, webhook: str, status: int, problem: str, for_good: bool
) -> None:
    receiver.status = status
    put_test(container.db, LOCAL_USER, webhook)
    assert sent_now(container) == 1
    (told,) = deliveries_of(container.db, LOCAL_USER, webhook)
    assert problem in told.problem
    assert (told.failed_at is not None, told.tries, told.sent_at) == (for_good, 1, None)
    assert len(receiver.got) == 1


def test_a_change_that_does_not_come_to_pass_is_not_told(
    container: Container, receiver: Receiver, webhook: str
) -> None:
    document = load(container, "para.pdf", TEXT)
    assert sent_now(container) == 1
    newer = replace(document, id="f" * 32, sha256="f" * 64)
    no_page = Page(0, 595.0, 842.0, 0, 0, TEXT, boxes(TEXT), "pdf")  # the database takes no page 0
    with pytest.raises(Exception, match="pages_number_check"):
        PgDocuments(container.db).save_indexed([Indexed(newer, [no_page], (), [])])
    assert sent_now(container) == 0
    assert len(deliveries_of(container.db, LOCAL_USER, webhook)) == 1


def test_a_document_that_expires_is_told_once_and_again_when_it_gets_another_last_day(
    container: Container, receiver: Receiver, webhook: str
) -> None:
    yesterday = date.today() - timedelta(days=1)
    load(container, "oud.pdf", TEXT, valid_until=yesterday)
    load(container, "nog.pdf", f"Nog. {TEXT}", valid_until=date.today())
    assert [tell_of_expired(container.db) for _ in range(2)] == [1, 0]
    container.db.run("update documents set valid_until = valid_until - 1 where source = 'oud.pdf'")
    assert tell_of_expired(container.db) == 1
    sent_now(container)
    assert receiver.events()[-2:] == [("document.expired", "oud.pdf")] * 2


def test_a_webhook_hears_only_of_what_its_maker_may_read_and_only_they_see_it(
    container: Container, receiver: Receiver
) -> None:
    surgeon: User = replace(LOCAL_USER, id="surgeon", groups=("surgery",))
    made = add_webhook(container.db, surgeon, receiver.url, SECRET)
    load(container, "open.pdf", TEXT)
    assert sent_now(container) == 0
    stranger = replace(LOCAL_USER, groups=("elsewhere",))
    assert list_webhooks(container.db, stranger) == []
    for refused in (deliveries_of, put_test, delete_webhook):
        with pytest.raises(NotFound):
            refused(container.db, stranger, made)
    with pytest.raises(NotFound):
        add_webhook(container.db, replace(surgeon, roles=frozenset()), receiver.url, SECRET)
    delete_webhook(container.db, surgeon, made)
    assert list_webhooks(container.db, surgeon) == []


def test_the_server_sends_without_a_mail_server(container: Container, receiver: Receiver, webhook: str) -> None:
    assert container.settings.smtp_host is None
    put_test(container.db, LOCAL_USER, webhook)
    sender = Sender(container, every=0.05)
    sender.start()
    until(lambda: len(receiver.got) == 1)
    sender.stop()
    assert receiver.events() == [("test", "")]


@pytest.mark.parametrize(
    "url", ["ftp://a.example", "https://", "http://a.example", "https://user:word@a.example", "https://a.example/#x"]
)
def test_an_address_that_is_none_or_not_safe_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        check_url(url, http=False)


def test_http_is_a_setting_that_counts_for_what_waits_too() -> None:
    check_url("http://a.example/x", http=True)
    due = DueMessage(1, "http://a.example/x", SECRET, datetime.now(UTC), {"type": "test", "data": {}})
    with pytest.raises(NotSent, match="https") as refused:
        send_message(due, False)
    assert refused.value.for_good


@pytest.mark.parametrize("secret", ["short", "whsec_short", "whsec_no base64 at all, as it seems"])
def test_a_secret_that_is_weak_or_none_is_refused(secret: str) -> None:
    with pytest.raises(InvalidInput):
        key_in(secret)
    assert len(key_in(new_secret())) == 32
