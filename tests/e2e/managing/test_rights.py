"""Links, favourites, exports and what was opened last, before the real API: each asks for rights
again, and who lacks them is shown nothing of the document."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Page, expect
from starlette.types import Message, Receive, Scope, Send

from rag_api.api.deps import current_user
from rag_api.container import Container
from rag_api.domain import Document, Role, User
from rag_api.main import create_app
from tests.e2e.conftest import NewPage, Serving
from tests.e2e.managing.conftest import Asker
from tests.support.world import load

TITLE = "Zorg na een schildklieroperatie"
WORDS = "Geef de patiënt elke vier uur 20 ml bessensap."
QUESTION = "Hoeveel sap krijgt iemand om de vier uur?"
ADMIN = User("admin", "Admin", ("everyone", "surgery"), roles=frozenset(Role))
SURGEON = User("surgeon", "Surgeon", ("everyone", "surgery"))
OUTSIDER = User("outsider", "Outsider", ("everyone",))
PLACE, CONVERSATION, KEPT = "/place", "/api/conversations/", "/api/favourites"
MOVED = User("surgeon", "Surgeon", ("everyone",))  # works elsewhere since


Sent = list[tuple[str, int, bytes]]


@pytest.fixture
def sent() -> Sent:
    """What the API has sent: path, status and body, in parts."""
    return []


@pytest.fixture
def url(container: Container, asker: Asker, serving: Serving, sent: Sent) -> str:
    app = create_app(container.settings, container)
    app.dependency_overrides[current_user] = lambda: asker.user

    async def heard(scope: Scope, receive: Receive, send: Send) -> None:
        status = 0

        async def note(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            if scope["path"].startswith("/api/"):
                sent.append((scope["path"], status, message.get("body", b"")))
            await send(message)

        await app(scope, receive, note if scope["type"] == "http" else send)

    return serving(heard)


@dataclass
class Seen:
    """What a page is sent by the API, and what it shows."""

    page: Page
    sent: Sent

    def at(self, address: str, asks: str) -> str:
        """Everything, once what the page `asks` for has come."""
        self.page.goto("about:blank")
        self.sent.clear()
        self.page.goto(address)
        end = time.monotonic() + 20
        while not any(asks in path and body for path, _, body in self.sent):
            assert time.monotonic() < end, (asks, [path for path, *_ in self.sent])
            self.page.wait_for_timeout(50)
        expect(self.page.locator("main").first).to_be_visible()
        return self.page.content() + b"".join(body for *_, body in self.sent).decode("utf-8", "replace")


@dataclass(frozen=True)
class Kept:
    """What the surgeon asked, kept and opened; `page` is the ward's computer."""

    document: Document
    page: Page
    link: str
    answer: str
    conversation: str


@pytest.fixture
def kept(url: str, container: Container, asker: Asker, new_page: NewPage, sent: Sent) -> Iterator[Kept]:
    document = load(container, "schildklier.pdf", f"{TITLE}. {WORDS} ", language="nl")
    with httpx.Client(base_url=f"{url}/api", timeout=60) as client:
        asker.user = ADMIN
        client.put(f"/documents/{document.id}/access", json={"groups": ["surgery"]}).raise_for_status()
        asker.user = SURGEON
        client.put(f"/favourites/{document.id}").raise_for_status()
        told = client.post("/ask", json={"question": QUESTION, "mode": "verbatim"}).raise_for_status().json()
    link = f"{url}/d/{document.id}#page=1&quote={quote(WORDS)}"
    page = new_page(allowed="pdf|PDF", accept_downloads=True)
    shown = Seen(page, sent)
    assert TITLE in shown.at(link, PLACE)
    assert WORDS in shown.at(f"{url}/a/{told['id']}", CONVERSATION)
    assert TITLE in shown.at(url, KEPT)
    yield Kept(document, page, link, told["id"], told["conversation_id"])
    container.db.run("truncate document_groups, group_changes")


def hidden(text: str) -> bool:
    return TITLE not in text and "bessensap" not in text


def test_a_link_shows_another_person_no_title_no_words_and_no_page(
    kept: Kept, url: str, asker: Asker, new_page: NewPage, sent: Sent
) -> None:
    asker.user = OUTSIDER
    theirs = Seen(new_page(), sent)
    for link, asked in (
        (kept.link, PLACE),
        (f"{url}/a/{kept.answer}", "/api/answers/"),
        (f"{url}/c/{kept.conversation}", CONVERSATION),
    ):
        # the words of a quote stand in the link itself
        assert hidden(theirs.at(link.split("&quote")[0], asked)), link
        expect(theirs.page.locator("canvas, .page, .card, .turn")).to_have_count(0)
        assert 404 in {status for _, status, _ in theirs.sent}
    theirs.at(kept.link, PLACE)
    expect(
        theirs.page.get_by_role("heading", name="Dit document bestaat niet, of u mag het niet lezen.")
    ).to_be_visible()
    expect(theirs.page.get_by_text("bessensap")).to_have_count(0)
    assert theirs.page.request.get(f"{url}/api/documents/{kept.document.id}/file").status == 404


@pytest.mark.parametrize("who", [OUTSIDER, MOVED], ids=lambda who: who.id)
def test_on_a_wards_computer_what_was_kept_and_opened_is_shown_to_who_may_read_it(
    kept: Kept, url: str, asker: Asker, sent: Sent, who: User
) -> None:
    asker.user = who
    theirs = Seen(kept.page, sent)
    for path, asked in (("", KEPT), ("/procedures", "/api/documents"), ("/history", "/api/conversations")):
        assert hidden(theirs.at(url + path, asked)), path


def test_an_answer_is_withheld_and_not_exported_once_its_source_may_not_be_read(
    kept: Kept, url: str, asker: Asker, sent: Sent, tmp_path: Path
) -> None:
    def exported() -> str:
        kept.page.goto(f"{url}/history")
        with kept.page.expect_download() as saved:
            kept.page.get_by_role("button", name="Markdown").click()
        saved.value.save_as(tmp_path / "saved.md")
        return (tmp_path / "saved.md").read_text("utf-8")

    assert WORDS in exported()
    asker.user = MOVED
    assert hidden(exported())
    mine = Seen(kept.page, sent)
    for link in (f"/c/{kept.conversation}", f"/a/{kept.answer}"):
        assert hidden(mine.at(url + link, CONVERSATION)), link
        expect(kept.page.locator("h2.question")).to_have_text(QUESTION)
        expect(kept.page.locator(".notice").first).to_be_visible()
