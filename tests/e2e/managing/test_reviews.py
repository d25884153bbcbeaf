"""Quality staff judge in a real browser what staff were answered, and see why a question was
refused."""

from __future__ import annotations

from dataclasses import replace

import httpx
from playwright.sync_api import Page, expect

from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Role, User
from tests.e2e.accessibility import faultless
from tests.e2e.managing.conftest import Asker

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"
FLAG = "Welke vlag hangt er op het stadhuis van Ieper?"
NURSE = User("nurse", "Nurse Jansen", ("everyone",), function="verpleegkundige", department="Pediatrie")
JUDGE = replace(LOCAL_USER, id="judge", roles=frozenset({Role.READER, Role.JUDGE}))


def asked(url: str, asker: Asker) -> None:
    asker.user = NURSE
    for question in (DOSE, FLAG):
        httpx.post(f"{url}/api/ask", json={"question": question, "mode": "sources"}, timeout=30).raise_for_status()
    asker.user = JUDGE


def test_an_answer_is_judged_with_a_remark_that_its_owner_reads_and_a_refusal_says_why(
    page: Page, url: str, asker: Asker, container: Container
) -> None:
    asked(url, asker)
    page.goto(f"{url}/quality/reviews")
    flag, dose = page.locator(".review").first, page.locator(".review").last
    expect(flag.get_by_role("heading", level=3)).to_have_text(FLAG)
    expect(flag.locator(".missed")).to_contain_text("Geweigerd: ")
    expect(dose.locator(".facts")).to_contain_text("Pediatrie")
    expect(page.get_by_text("Jansen")).to_have_count(0)
    dose.get_by_label("kan schade doen").check()
    dose.get_by_label("Opmerking", exact=True).fill("De dosis per dag ontbreekt.")
    dose.get_by_label("Stuur de opmerking").select_option(label="Paracetamol intraveneus bij kinderen")
    dose.get_by_role("button", name="Bewaar").click()
    expect(dose.get_by_role("status")).to_have_text("Bewaard.")
    expect(dose.get_by_text("op de hoogte gebracht")).to_be_visible()
    faultless(page)
    page.get_by_label("enkel nog niet beoordeeld").uncheck()
    page.get_by_label("enkel geweigerd").check()
    expect(page.locator(".review")).to_have_count(1)
    expect(flag.get_by_role("heading", level=3)).to_have_text(FLAG)
    page.reload()
    expect(page.locator(".review")).to_have_count(1)
    expect(page.get_by_role("heading", level=3)).to_have_text(FLAG)
    page.goto(f"{url}/inbox")
    expect(page.get_by_text("De dosis per dag ontbreekt.").first).to_be_visible()
    container.db.run("truncate conversations, owner_questions cascade")
