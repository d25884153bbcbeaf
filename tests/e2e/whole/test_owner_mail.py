"""A question to an owner, sent by a real mail server, and its link opened in the browser."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from rag_api.container import Container
from rag_api.db.owners.named import put_owner
from rag_api.db.people.accounts import add_account, get_account, user_of
from rag_api.domain import LOCAL_USER, User
from tests.e2e.conftest import NewPage
from tests.e2e.managing.conftest import Asker
from tests.e2e.whole.conftest import Box
from tests.support.waiting import until

NURSE = User("nurse", "Nurse", ("everyone",))
TITLE, WORDS = "Paracetamol intraveneus bij kinderen", "Klopt het maximum per dag nog?"


def test_the_link_in_a_mail_leads_its_owner_to_the_question(
    new_page: NewPage, url: str, container: Container, box: Box, asker: Asker
) -> None:
    account = add_account(container.db, LOCAL_USER, "An Owner", "owner", "of no password", [], [])
    document = container.db.one("select id, owner from documents where source = 'paracetamol-iv-kinderen.pdf'")
    assert document
    put_owner(container.db, LOCAL_USER, document["owner"], "apotheek@hospital.example", [account])
    asker.user = NURSE
    page = new_page()
    page.goto(f"{url}/d/{document['id']}")
    page.get_by_role("button", name=re.compile("^Vraag de eigenaar")).click()
    page.get_by_label("Wat wilt u vragen of melden?").fill(WORDS)
    page.get_by_role("dialog").get_by_role("button", name="Verstuur").click()
    expect(page.get_by_role("dialog").get_by_role("status").first).to_contain_text("Uw vraag is verstuurd aan")
    until(lambda: box.mails)
    (mail,) = box.mails
    body = mail.get_payload(decode=True).decode("utf-8")  # type: ignore[union-attr]
    assert (mail["To"], WORDS in body) == ("apotheek@hospital.example", False)
    (link,) = set(re.findall(r"http\S+", body))
    asker.user = user_of(get_account(container.db, account), {})
    theirs = new_page()
    theirs.goto(link)
    question = theirs.locator(".owner-question", has_text=WORDS)
    expect(question).to_be_in_viewport()
    question.get_by_label("Uw antwoord").fill("Ja, zie pagina 1.")
    question.get_by_role("button", name="Beantwoord").click()
    expect(question.get_by_label("Uw antwoord")).to_have_count(0)
    asker.user = NURSE
    page.goto(f"{url}/inbox")
    expect(page.locator("main")).to_contain_text("Ja, zie pagina 1.")
