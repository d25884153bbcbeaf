"""A ward asks the owner of a document, who answers or takes it out, in a real browser before the
real API."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from rag_api.container import Container
from rag_api.db.owners.named import put_owner
from rag_api.db.people.accounts import add_account, get_account, user_of
from rag_api.domain import LOCAL_USER, Document, User
from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage
from tests.e2e.managing.conftest import Asker
from tests.e2e.managing.test_quality import DOSE, FLAG
from tests.support.world import CHILD, load

NURSE = User("nurse", "Nurse", ("everyone",), function="verpleegkundige", department="Pediatrie")
DOCUMENT = "Paracetamol intraveneus bij kinderen"


@pytest.fixture
def child(container: Container) -> Document:
    return load(
        container,
        "paracetamol-kind.pdf",
        CHILD,
        version="3",
        department="Pediatrie",
        owner="Werkgroep Pijn",
        language="nl",
    )


@pytest.fixture
def owner(container: Container) -> User:
    made = add_account(container.db, LOCAL_USER, "An Owner", "owner", "of no password", [], [])
    return user_of(get_account(container.db, made), {})


@pytest.fixture(autouse=True)
def a_nurse_asks(asker: Asker) -> None:
    asker.user = NURSE


def ask(page: Page, url: str, question: str) -> None:
    page.goto(url)
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")
    # the first question of a process waits for its models
    expect(page.locator(".turn .made")).to_be_visible(timeout=60_000)


def test_what_an_owner_promised_is_counted_on_the_first_page_beside_what_waits(
    page: Page, url: str, container: Container, child: Document, owner: User, asker: Asker
) -> None:
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    for text in ("Klopt de dosis nog?", "Klopt de leeftijd nog?"):
        path = f"{url}/api/documents/{child.id}/owner-questions"
        httpx.post(path, json={"kind": "report", "text": text}).raise_for_status()
    asker.user = owner
    page.goto(f"{url}/inbox")
    page.get_by_role("button", name="Wordt aangepast").first.click()
    expect(page.get_by_role("heading", name="Wordt aangepast")).to_be_visible()
    expect(page.get_by_role("region", name="Voor u om te beantwoorden").locator("li")).to_have_count(1)
    expect(page.get_by_role("region", name="Nog aan te passen")).to_contain_text("Klopt de dosis nog?")
    page.goto(url)
    notice = page.locator(".at-hand .notice")
    expect(notice).to_have_text("1 vraag wacht op uw antwoord; 1 wordt aangepast")
    faultless(page)
    notice.get_by_role("link").click()
    expect(page.locator(".owner-question")).to_contain_text(["Klopt de leeftijd nog?", "Klopt de dosis nog?"])
    load(container, "paracetamol-kind.pdf", f"{CHILD} Herzien.", owner="Werkgroep Pijn")
    page.goto(url)
    expect(notice).to_have_text("1 vraag wacht op uw antwoord")
    page.goto(f"{url}/inbox")
    expect(page.get_by_role("region", name="Eerder beantwoord")).to_contain_text("Klopt de dosis nog?")
    expect(page.get_by_role("region", name="Nog aan te passen")).to_have_count(0)


def test_a_report_reaches_the_owner_and_the_answer_comes_back(
    page: Page, url: str, container: Container, child: Document, owner: User, asker: Asker, tmp_path: Path
) -> None:
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    ask(page, url, DOSE)
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {DOCUMENT}").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Dit gaat naar Werkgroep Pijn.")  # before anything is sent
    expect(dialog.get_by_label("een melding dat iets niet meer klopt")).to_be_checked()
    page.set_viewport_size({"width": 1280, "height": 500})  # what is said below is under the fold
    dialog.get_by_label("Wat wilt u vragen of melden?").fill("Mevrouw Jansen, geboren op 3 mei 1961, kreeg te veel.")
    dialog.get_by_role("button", name="Verstuur").click()
    refusal = dialog.get_by_role("alert")
    expect(refusal).to_contain_text("is nog niet bewaard")
    expect(refusal).to_be_focused()
    expect(refusal).to_be_in_viewport(ratio=1)
    faultless(page)
    dialog.get_by_label("Wat wilt u vragen of melden?").fill("De hoogste dosis is 75 mg/kg.")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status")).to_contain_text("Uw melding is verstuurd aan Werkgroep Pijn.")
    expect(dialog.get_by_role("heading")).to_have_text("Melding verstuurd")
    page.screenshot(path=tmp_path / "sent.png")
    dialog.get_by_role("button", name="Sluiten").click()

    asker.user = owner
    page.goto(url)
    page.get_by_role("link", name="1 vraag wacht op uw antwoord").click()
    card = page.locator(".owner-question")
    expect(card).to_contain_text("De hoogste dosis is 75 mg/kg.")
    expect(card).to_contain_text("van verpleegkundige, Pediatrie")
    faultless(page)
    page.screenshot(path=tmp_path / "owner.png")
    card.get_by_label("Uw antwoord").fill("Versie 4 komt eraan.")
    card.get_by_role("button", name="Het wordt aangepast").click()
    expect(card).to_contain_text("Melding: Wordt aangepast")
    expect(card.get_by_label("Uw antwoord")).to_have_count(0)

    asker.user = NURSE
    load(container, "paracetamol-kind.pdf", f"{CHILD}Nieuw. ", version="4", owner="Werkgroep Pijn", language="nl")
    page.goto(url)
    page.get_by_role("link", name="1 nieuw bericht over uw vragen aan eigenaars").click()
    mine = page.locator(".owner-question")
    expect(mine).to_contain_text("(nieuw)")
    expect(mine).to_contain_text("Versie 4 komt eraan.")
    expect(mine).to_contain_text("geldt een nieuwe versie van dit document")
    faultless(page)
    page.screenshot(path=tmp_path / "asker.png")
    page.goto(url)
    expect(page.get_by_role("link", name="Zoek een procedure")).to_be_visible()
    expect(page.locator(".at-hand .notice")).to_have_count(0)  # it is seen


def test_what_was_typed_for_an_owner_is_there_again_until_it_is_sent(page: Page, url: str, child: Document) -> None:
    page.goto(f"{url}/d/{child.id}")
    opener = page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {DOCUMENT}")
    words = page.get_by_role("dialog").get_by_label("Wat wilt u vragen of melden?")
    opener.click()
    words.fill("De hoogste dosis is 75 mg/kg.")
    page.get_by_label("Dit kan een patiënt schaden").check()
    page.keyboard.press("Escape")
    expect(words).to_have_count(0)
    opener.click()
    expect(words).to_have_value("De hoogste dosis is 75 mg/kg.")
    expect(page.get_by_label("Dit kan een patiënt schaden")).to_be_checked()
    words.fill("Die dosis is 60 mg/kg.")
    page.set_viewport_size({"width": 390, "height": 780})  # the form goes where the button does
    page.get_by_text("Meer", exact=True).click()
    opener.click()
    expect(words).to_have_value("Die dosis is 60 mg/kg.")
    page.get_by_role("button", name="Verstuur").click()
    expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text("Vraag verstuurd")
    page.get_by_role("button", name="Sluiten").click()
    opener.click()
    expect(words).to_have_value("")


def test_what_was_never_right_and_can_harm_stands_first_with_the_owner(
    page: Page, url: str, container: Container, child: Document, owner: User, asker: Asker, tmp_path: Path
) -> None:
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    said = {"kind": "question", "text": "Wanneer de spiegel?"}
    httpx.post(f"{url}/api/documents/{child.id}/owner-questions", json=said).raise_for_status()
    page.goto(f"{url}/d/{child.id}")
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {DOCUMENT}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("een melding dat iets nooit klopte").check()
    dialog.get_by_label("Wat wilt u vragen of melden?").fill("15 mg moet 1,5 mg zijn.")
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / "calm.png")
    dialog.get_by_label("Dit kan een patiënt schaden").check()
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / "harm.png")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status")).to_contain_text("Uw melding is verstuurd aan Werkgroep Pijn.")
    asker.user = owner
    page.goto(f"{url}/inbox")
    cards = page.get_by_role("region", name="Voor u om te beantwoorden").locator(".owner-question")
    expect(cards.locator("h4")).to_have_text(["Melding van een fout: wacht op antwoord", "Vraag: wacht op antwoord"])
    expect(cards.first).to_contain_text("Kan een patiënt schaden, zegt wie dit verstuurde.")
    expect(cards.nth(1)).not_to_contain_text("schaden")
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / "inbox.png")


def test_the_owner_is_asked_from_the_open_document_too(
    page: Page, url: str, container: Container, child: Document, owner: User
) -> None:
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    page.goto(f"{url}/d/{child.id}")
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {DOCUMENT}").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("een vraag")).to_be_checked()
    faultless(page)
    dialog.get_by_label("Wat wilt u vragen of melden?").fill("Wanneer neem ik de spiegel af?")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status")).to_contain_text("Uw vraag is verstuurd aan Werkgroep Pijn.")
    expect(dialog.get_by_role("heading")).to_have_text("Vraag verstuurd")


def test_an_owner_that_is_named_and_has_no_account_is_told_of_in_one_sentence(
    page: Page, url: str, child: Document, asker: Asker
) -> None:
    page.goto(f"{url}/d/{child.id}#page=1")
    page.locator(".card-owner").click()
    page.get_by_label("Wat wilt u vragen of melden?").fill("Klopt dit nog?")
    page.get_by_role("dialog").get_by_role("button", name="Verstuur").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("kwaliteitsmedewerkers")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{url}/inbox")
        expect(page.locator(".owner-question")).to_contain_text(  # to who asked, whenever they look
            "maar wie dat is, is hier nog niet bekend. Dit is verstuurd, en de kwaliteitsmedewerkers hebben het."
        )
        faultless_by_day_and_by_night(page)
    asker.user = LOCAL_USER
    page.goto(f"{url}/inbox")
    card = page.locator(".owner-question").first
    expect(card).to_contain_text(" als eigenaar, maar wie dat is, is hier nog niet bekend.")
    expect(card).not_to_contain_text("eigenaar: ")


def test_of_a_refusal_the_question_goes_along_and_quality_staff_have_it_where_no_owner_is_known(
    page: Page, url: str, child: Document, asker: Asker, tmp_path: Path
) -> None:
    ask(page, url, FLAG)
    page.get_by_role("button", name="Vraag de eigenaar").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Wat wilt u vragen of melden?")).to_have_value(FLAG)
    expect(dialog).to_contain_text(re.compile("[Dd]e kwaliteitsmedewerkers lezen wat u"))  # before anything is sent
    seen = dialog.locator(".passages label")
    expect(seen).to_have_count(1)
    expect(seen.get_by_role("checkbox")).not_to_be_checked()  # it does not answer: its reader says that it goes along
    seen.get_by_role("checkbox").check()
    passage = " ".join(seen.inner_text().split())
    assert passage
    faultless(page)
    page.screenshot(path=tmp_path / "along.png")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status")).to_contain_text(
        "Voor dit document kan hier nu geen eigenaar antwoorden. De kwaliteitsmedewerkers hebben uw vraag"
    )
    page.keyboard.press("Escape")
    asker.user = LOCAL_USER  # an admin reviews, too
    page.goto(f"{url}/inbox")
    card = page.locator(".owner-question")
    expect(card.locator(".said-text").first).to_have_text(f"{FLAG} “{passage}”")
    expect(card).to_contain_text("Het document noemt geen eigenaar.")
    card.get_by_role("link", name="Zeg wie het is").click()
    expect(page.get_by_text("van 2 is niemand bekend")).to_be_visible()
    rows = page.locator(".owner-row h3")
    expect(rows).to_have_text(["Werkgroep Pijn", "Pediatrie"])  # a department answers where no owner is known
    row = page.get_by_role("form", name="Werkgroep Pijn")
    row.get_by_label("Accounts").fill("nobody-there")
    row.get_by_role("button", name="Bewaar").click()
    expect(page.get_by_role("alert")).to_contain_text("nobody-there")
    row.get_by_label("Accounts").fill("")
    row.get_by_label("Mailadres").fill("pijn@hospital.example")
    row.get_by_role("button", name="Bewaar").click()
    expect(row.get_by_role("status")).to_have_text("Bewaard.")
    expect(rows).to_have_text(["Werkgroep Pijn", "Pediatrie"])  # where it was
    page.get_by_label("Toon", exact=True).select_option("niemand bekend")
    expect(page.locator(".owner-row")).to_have_count(2)  # what was just saved stays to be seen
    page.get_by_label("In naam, mailadres of account").fill("pijn@")
    expect(page.locator(".owner-row h3")).to_have_text(["Werkgroep Pijn"])
    faultless(page)
    page.screenshot(path=tmp_path / "owners.png")
    named = {one["name"]: one["mail"] for one in httpx.get(f"{url}/api/owners").json()["owners"]}
    assert named == {"Werkgroep Pijn": "pijn@hospital.example", "Pediatrie": ""}


def test_an_owner_sees_what_was_asked_in_vain_and_takes_a_document_out(
    page: Page, url: str, container: Container, child: Document, owner: User, asker: Asker, tmp_path: Path
) -> None:
    for name in ("Werkgroep Pijn",):
        put_owner(container.db, LOCAL_USER, name, "", [owner.id])
    container.db.run("update documents set owner = 'Werkgroep Pijn'")
    httpx.post(f"{url}/api/ask", json={"question": FLAG, "mode": "sources"}).raise_for_status()
    path = f"{url}/api/documents/{child.id}/owner-questions"
    asked = httpx.post(path, json={"kind": "report", "text": "Verouderd."}).raise_for_status().json()
    asker.user = owner
    page.goto(f"{url}/inbox#{asked['question']['id']}")  # as a mail links it
    expect(page.locator(f"[id='{asked['question']['id']}']")).to_be_focused()
    expect(page.get_by_role("region", name="Vergeefs gevraagd")).to_contain_text(FLAG)
    page.get_by_role("button", name="Trek het document in").click()
    sure = page.get_by_role("group", name="intrekken?")
    expect(sure).to_contain_text(f"“{DOCUMENT}”, versie 3 (paracetamol-kind.pdf) intrekken?")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"withdraw-{width}.png", full_page=True)
    sure = page.get_by_role("button", name="Ja, trek in")
    expect(sure).to_be_disabled()
    page.get_by_label("Zonder te zeggen waarom").check()
    sure.click()
    expect(page.locator(".owner-question")).to_contain_text("Document ingetrokken")
    expect(page.locator(".reply")).to_contain_text("Antwoord van de eigenaar, Werkgroep Pijn, ")
    assert child.id not in container.store.document_ids()


@pytest.mark.parametrize("width", [320, 1920])
def test_both_pages_have_no_fault_in_english(
    new_page: NewPage,
    url: str,
    container: Container,
    child: Document,
    asker: Asker,
    width: int,
    tmp_path: Path,
) -> None:
    path = f"{url}/api/documents/{child.id}/owner-questions"
    httpx.post(path, json={"kind": "report", "text": "Out of date. " * 20}).raise_for_status()
    asker.user = LOCAL_USER
    httpx.post(path, json={"kind": "question", "text": "For neonates too?", "page": 1}).raise_for_status()
    page = new_page(locale="en-GB", width=width)
    page.goto(f"{url}/inbox")
    expect(page.locator(".owner-question")).to_have_count(3)  # two to answer, of which one is one's own
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / f"inbox-{width}.png", full_page=True)
    page.goto(f"{url}/admin/owners")
    expect(page.get_by_text("nobody is known for 2")).to_be_visible()
    faultless_by_day_and_by_night(page)
    page.screenshot(path=tmp_path / f"owners-{width}.png", full_page=True)


def test_under_a_refusal_a_reader_names_the_procedure_that_has_it_or_says_that_there_is_one_or_none(
    page: Page, url: str, container: Container, child: Document, owner: User, asker: Asker, tmp_path: Path
) -> None:
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    ask(page, url, FLAG)
    known = page.get_by_role("region", name="Weet u het beter?")
    known.get_by_role("button", name="Ik weet in welke procedure het staat").click()
    known.get_by_label("Woorden uit de titel of bestandsnaam").fill("bestaat-niet")
    expect(known).to_contain_text("Geen procedure die u mag lezen heet zo.")
    known.get_by_label("Woorden uit de titel of bestandsnaam").fill("parac")
    expect(known).to_contain_text("1 procedure: kies er een")
    faultless(page)
    page.screenshot(path=tmp_path / "refused.png")
    known.get_by_role("button", name=DOCUMENT).click()
    expect(known.get_by_role("status").last).to_contain_text("zien dat het antwoord hieruit moet komen")
    expect(known.get_by_role("link", name=DOCUMENT)).to_be_visible()
    expect(known.get_by_role("button")).to_have_count(0)
    ask(page, url, FLAG)
    known.get_by_role("button", name="Geen enkele procedure zegt dit").click()
    expect(known.get_by_role("status").last).to_contain_text("zien dat dit ontbreekt")
    ask(page, url, FLAG)
    known.get_by_role("button", name="Er is een procedure over, maar ik weet niet welke").click()
    known.get_by_label("Wat weet u er nog van?").fill("Ze hing op het bord van de nachtdienst.")
    known.get_by_role("button", name="Verstuur").click()
    expect(known.get_by_role("status").last).to_contain_text("dit staat nu bij uw vraag")

    asker.user = owner
    page.goto(f"{url}/inbox")
    vain = page.get_by_role("region", name="Vergeefs gevraagd")
    expect(vain).to_contain_text(f"Het staat in “{DOCUMENT}”, zegt een lezer")
    faultless(page)
    asker.user = LOCAL_USER
    page.goto(f"{url}/quality/gaps")
    gap = page.locator(".gap")
    expect(gap).to_contain_text("Het staat in deze procedure, zeggen lezers")
    expect(gap).to_contain_text("een procedure hierover: die is er niet (1)")
    expect(gap).to_contain_text("Ze hing op het bord van de nachtdienst.")
    faultless(page)
    page.screenshot(path=tmp_path / "gaps.png")
    gap.get_by_role("button", name=f"Geef door: {DOCUMENT}").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Dit gaat naar Werkgroep Pijn.")  # before anything is sent
    expect(dialog.get_by_label("Wat wilt u vragen of melden?")).to_have_value(FLAG)
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"passing-{width}.png")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status")).to_contain_text("Uw vraag is verstuurd aan Werkgroep Pijn.")
    dialog.get_by_role("button", name="Sluiten").click()
    expect(gap.locator(".facts")).to_contain_text("doorgegeven aan Werkgroep Pijn op")


def test_a_gap_is_passed_on_to_a_named_colleague_who_finds_it_and_answers(
    page: Page, url: str, container: Container, child: Document, asker: Asker, owner: User, tmp_path: Path
) -> None:
    ask(page, url, FLAG)
    asker.user = LOCAL_USER
    page.goto(f"{url}/quality/gaps")
    gap = page.locator(".gap")
    gap.get_by_role("button", name=f"Geef door: {DOCUMENT}").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Aan wie?").fill("niemand hier")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("alert")).to_contain_text("zo heet hier geen account")
    dialog.get_by_label("Aan wie?").fill("own")
    offered = dialog.locator("datalist option")
    expect(offered).to_have_count(1)
    expect(offered).to_have_attribute("value", "An Owner")
    dialog.get_by_label("Aan wie?").fill("an owner")
    for width in (320, 390, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"pass-on-{width}.png")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status")).to_contain_text("Uw vraag is verstuurd aan An Owner.")
    expect(gap.locator(".facts")).to_contain_text("doorgegeven aan An Owner op")
    for text in ("Klopt de dosis nog?", "Klopt de leeftijd nog?"):  # stand before it in the list
        path = f"{url}/api/documents/{child.id}/owner-questions"
        httpx.post(path, json={"kind": "report", "text": text}).raise_for_status()
    dialog.get_by_role("link", name="Lees wat ervan geworden is").click()
    work = page.get_by_role("region", name="Voor u om te beantwoorden")
    expect(work.locator(".owner-question")).to_have_count(2)  # it is no longer theirs
    opened = page.locator(".owner-question").filter(has_text="doorgegeven aan An Owner")
    expect(opened).to_be_focused()
    expect(opened).to_be_in_viewport()
    asker.user = owner
    page.goto(f"{url}/inbox")
    work = page.get_by_role("region", name="Voor u om te beantwoorden")
    expect(work.locator(".owner-question")).to_contain_text(FLAG)
    faultless(page)
    work.get_by_label("Uw antwoord").fill("Dat staat in geen procedure.")
    work.get_by_role("button", name="Beantwoord").click()
    expect(page.get_by_role("region", name="Eerder beantwoord")).to_contain_text("Antwoord van An Owner")


def test_a_gap_is_passed_on_without_a_document_to_a_colleague_who_answers_it(
    page: Page, url: str, asker: Asker, owner: User, tmp_path: Path
) -> None:
    ask(page, url, FLAG)
    asker.user = LOCAL_USER
    page.goto(f"{url}/quality/gaps")
    gap = page.locator(".gap")
    gap.get_by_role("button", name=f"Geef door aan een collega: {FLAG}").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Wat wilt u doorgeven?")).to_have_value(FLAG)
    expect(dialog.get_by_role("button", name="Verstuur")).to_be_disabled()  # to nobody yet
    dialog.get_by_label("Aan wie?").fill("niemand hier")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("alert")).to_contain_text("zo heet hier geen account dat mag lezen")
    dialog.get_by_label("Aan wie?").fill("own")
    expect(dialog.locator("datalist option")).to_have_attribute("value", "An Owner")
    dialog.get_by_label("Aan wie?").fill("an owner")
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"colleague-{width}.png")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("status")).to_contain_text("Uw vraag is verstuurd aan An Owner.")
    expect(gap.locator(".facts")).to_contain_text("doorgegeven aan An Owner op")
    asker.user = owner
    page.goto(f"{url}/inbox")
    card = page.get_by_role("region", name="Voor u om te beantwoorden").locator(".owner-question")
    expect(card).to_contain_text(FLAG)
    expect(card).not_to_contain_text("Over")
    expect(card.get_by_role("button", name="Het wordt aangepast")).to_have_count(0)  # there is no document
    faultless(page)
    page.screenshot(path=tmp_path / "colleague-inbox.png")
    card.get_by_label("Uw antwoord").fill("Dat weet de technische dienst.")
    card.get_by_role("button", name="Beantwoord").click()
    expect(page.get_by_role("region", name="Eerder beantwoord")).to_contain_text("Antwoord van An Owner")
    asker.user = LOCAL_USER
    page.goto(f"{url}/inbox")
    expect(page.get_by_role("region", name="Door u gevraagd")).to_contain_text("Dat weet de technische dienst.")


@pytest.mark.parametrize("about", ["document", "nothing"])
def test_that_a_suspended_colleague_cannot_answer_is_told_to_quality_staff_and_to_who_asked(
    page: Page, url: str, container: Container, child: Document, asker: Asker, owner: User, about: str, tmp_path: Path
) -> None:
    asker.user = LOCAL_USER
    answer = httpx.post(f"{url}/api/ask", json={"question": FLAG, "mode": "sources"}).raise_for_status().json()
    path = f"documents/{child.id}" if about == "document" else f"answers/{answer['id']}"
    said = {"text": "Klopt dit nog?", "to": "an owner"} | ({"kind": "report"} if about == "document" else {})
    httpx.post(f"{url}/api/{path}/owner-questions", json=said).raise_for_status()
    page.goto(f"{url}/inbox")
    mine = page.get_by_role("region", name="Door u gevraagd").locator(".owner-question")
    expect(mine).to_contain_text("doorgegeven aan An Owner")
    expect(page.get_by_role("region", name="Voor u om te beantwoorden")).to_have_count(0)
    container.db.run("update users set suspended_at = now() where id = %(id)s", {"id": owner.id})
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{url}/inbox")
        theirs = page.get_by_role("region", name="Voor u om te beantwoorden").locator(".owner-question")
        for card in (theirs, mine):
            expect(card).to_contain_text("Aan wie dit doorgegeven is, kan het niet meer beantwoorden.")
            expect(card).not_to_contain_text("doorgegeven aan An Owner")
        expect(mine).to_contain_text("Dit is verstuurd, en de kwaliteitsmedewerkers hebben het.")
        expect(theirs.get_by_role("link", name="Zeg wie het is")).to_have_count(0)
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"nobody-left-{width}.png", full_page=True)


def test_that_an_owner_cannot_answer_any_more_is_told_to_quality_staff_and_to_who_asked(
    page: Page, url: str, container: Container, child: Document, asker: Asker, owner: User, tmp_path: Path
) -> None:
    asker.user = LOCAL_USER
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    path, said = f"{url}/api/documents/{child.id}/owner-questions", {"kind": "question", "text": "Klopt dit nog?"}
    httpx.post(path, json=said).raise_for_status()
    page.goto(f"{url}/inbox")
    mine = page.get_by_role("region", name="Door u gevraagd").locator(".owner-question")
    expect(mine).to_contain_text("Klopt dit nog?")
    expect(mine).not_to_contain_text("kan hier nu niet antwoorden")
    expect(page.get_by_role("region", name="Voor u om te beantwoorden")).to_have_count(0)
    container.db.run("update users set password_hash = null where id = %(id)s", {"id": owner.id})
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{url}/inbox")
        theirs = page.get_by_role("region", name="Voor u om te beantwoorden").locator(".owner-question")
        for card in (theirs, mine):
            expect(card).to_contain_text("Wie voor dit document instaat, kan hier nu niet antwoorden.")
        expect(mine).to_contain_text("Dit is verstuurd, en de kwaliteitsmedewerkers hebben het.")
        expect(theirs.get_by_role("link", name="Zeg wie het is")).to_be_visible()
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"unattended-{width}.png", full_page=True)
    page.goto(f"{url}/d/{child.id}")
    page.get_by_role("button", name=f"Vraag de eigenaar of meld een fout: {DOCUMENT}").click()
    expect(page.get_by_role("dialog")).to_contain_text("Daarvoor kan hier nu niemand antwoorden")


def test_of_a_mail_that_a_colleague_could_not_get_no_owner_is_to_be_named(
    page: Page, url: str, container: Container, child: Document, asker: Asker, owner: User
) -> None:
    asker.user = LOCAL_USER
    container.db.run("update users set mail = 'an@hospital.example' where id = %(id)s", {"id": owner.id})
    path, said = f"{url}/api/documents/{child.id}/owner-questions", {"kind": "question", "text": "Klopt dit nog?"}
    httpx.post(path, json=said | {"to": "an owner"}).raise_for_status()
    container.db.run("update outbox set failed_at = now()")
    page.goto(f"{url}/inbox")
    work = page.get_by_role("region", name="Voor u om te beantwoorden").locator(".owner-question")
    expect(work).to_contain_text("De mail kon niet bezorgd worden.")
    expect(work.get_by_role("link", name="Zeg wie het is")).to_have_count(0)
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "pijn@hospital.example", [])
    container.db.run("delete from owner_questions")
    httpx.post(path, json=said).raise_for_status()
    container.db.run("update outbox set failed_at = now()")
    page.goto(f"{url}/inbox")
    expect(work).to_contain_text("De mail kon niet bezorgd worden.")
    expect(work.get_by_role("link", name="Zeg wie het is")).to_be_visible()


@pytest.mark.parametrize("named", ["document", "colleague"])
def test_a_question_that_is_deleted_meanwhile_is_not_taken_for_a_colleague_who_is_unknown(
    page: Page, url: str, container: Container, child: Document, asker: Asker, owner: User, named: str
) -> None:
    ask(page, url, FLAG)
    asker.user = LOCAL_USER
    page.goto(f"{url}/quality/gaps")
    label = f"Geef door: {DOCUMENT}" if named == "document" else f"Geef door aan een collega: {FLAG}"
    page.locator(".gap").get_by_role("button", name=label).first.click()
    dialog = page.get_by_role("dialog")
    about_title = 1 if named == "document" else 0
    expect(dialog.get_by_text("In een mail staan enkel een link en de titel.")).to_have_count(about_title)
    dialog.get_by_label("Aan wie?").fill("an owner")
    container.db.run("truncate conversations cascade")
    dialog.get_by_role("button", name="Verstuur").click()
    expect(dialog.get_by_role("alert")).to_have_text("Niet verstuurd: de vraag of het document is er niet meer.")
    faultless(page)


@pytest.mark.parametrize(("locale", "scheme"), [("nl-BE", "light"), ("en-GB", "dark")])
def test_an_answer_is_reported_with_a_line_of_text_and_reaches_its_owner_and_quality_staff(
    new_page: NewPage,
    url: str,
    container: Container,
    child: Document,
    owner: User,
    asker: Asker,
    locale: str,
    scheme: str,
    tmp_path: Path,
) -> None:
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    dutch = locale == "nl-BE"
    page = new_page(allowed="pdf|PDF", locale=locale, color_scheme=scheme, bypass_csp=True)
    ask(page, url, DOSE)
    page.get_by_role("button", name="Meld dit antwoord" if dutch else "Report this answer").click()
    dialog = page.get_by_role("dialog")
    send = dialog.get_by_role("button", name="Verstuur" if dutch else "Send")
    expect(send).to_be_disabled()  # without words nobody knows what is wrong
    expect(dialog).to_contain_text("Dit gaat naar Werkgroep Pijn." if dutch else "This goes to Werkgroep Pijn.")
    dialog.get_by_label("het is verouderd" if dutch else "it is out of date").check()
    dialog.get_by_label("Wat klopt er niet?" if dutch else "What is not right?").fill("Sinds maart is het 20 mg/kg.")
    harm = dialog.get_by_label("Dit kan een patiënt schaden" if dutch else "This can harm a patient")
    expect(harm).not_to_be_checked()
    call = "Bel dan, en wacht niet op een antwoord hier." if dutch else "Then call, and do not wait for an answer here."
    expect(dialog).to_contain_text(call)  # whatever is ticked
    harm.check()
    expect(dialog.locator(".notice.serious")).to_contain_text(call)
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless(page)
        page.screenshot(path=tmp_path / f"report-{width}.png")
    send.click()
    expect(dialog.get_by_role("status")).to_contain_text(
        "Uw melding is verstuurd aan Werkgroep Pijn." if dutch else "Your report was sent to Werkgroep Pijn."
    )
    faultless(page)

    asker.user = owner
    page.goto(f"{url}/inbox")
    card = page.locator(".owner-question")
    expect(card).to_contain_text("Sinds maart is het 20 mg/kg.")
    harms, marked = "Kan een patiënt schaden, zegt wie" if dutch else "Can harm a patient, says who", ".notice.serious"
    expect(card.locator(marked)).to_contain_text(harms)
    expect(card.locator("q")).to_have_text(DOSE)  # what was asked, and what was shown of the document
    expect(card.locator("blockquote")).to_contain_text("15 mg/kg")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless(page)
        page.screenshot(path=tmp_path / f"inbox-{width}.png", full_page=True)
    again = card.get_by_role("link", name="Stel deze vraag zelf" if dutch else "Ask this question yourself")
    expect(again).to_have_attribute("href", re.compile(r"^/\?q="))
    assert "quote=" in (card.get_by_role("link", name=DOCUMENT).get_attribute("href") or "")
    asker.user = NURSE
    page.goto(f"{url}/inbox")
    page.get_by_role("link", name="Bekijk het antwoord" if dutch else "See the answer").click()
    expect(page.locator(".turn")).to_contain_text(DOSE)
    asker.user = LOCAL_USER
    page.goto(f"{url}/quality/reviews")
    expect(page.locator(marked, has_text=harms)).to_be_visible()
    page.goto(f"{url}/inbox")  # quality staff's too, for its owner may be away
    work = page.get_by_role("region", name="Voor u om te beantwoorden" if dutch else "For you to answer")
    expect(work.locator(marked)).to_contain_text(harms)
    page.goto(f"{url}/quality/gaps")
    gap = page.locator(".gap")
    expect(gap).to_contain_text("het antwoord is verouderd (1)" if dutch else "the answer is out of date (1)")
    expect(gap).to_contain_text("Sinds maart is het 20 mg/kg.")
    expect(gap).to_contain_text("doorgegeven aan Werkgroep Pijn op" if dutch else "passed on to Werkgroep Pijn on")
    with page.expect_download() as saved:
        page.get_by_role("link", name="CSV").click()
    heading = saved.value.path().read_text(encoding="utf-8").splitlines()[0]
    assert heading.split(",")[2] == ("vraag" if dutch else "question")  # in the page's language
    faultless(page)


def set_owner(page: Page, name: str) -> None:
    page.locator(".document-form").get_by_label("Eigenaar").fill(name)
    page.get_by_role("button", name="Bewaar", exact=True).click()
    expect(page.locator(".document-said").filter(has_text="Bewaard")).to_be_visible()


def test_an_owner_whom_nobody_is_known_of_is_said_where_it_is_set_and_a_click_makes_them_hear_of_reports(
    page: Page, url: str, container: Container, child: Document, owner: User, asker: Asker, tmp_path: Path
) -> None:
    put_owner(container.db, LOCAL_USER, "Werkgroep Pijn", "", [owner.id])
    made = add_account(container.db, LOCAL_USER, "Bo Janssens", "bo", "of no password", [], [])
    add_account(container.db, LOCAL_USER, "Bo Janssens", None, None, [], [])  # nobody signs in to that one
    new = user_of(get_account(container.db, made), {})
    asker.user = LOCAL_USER
    page.goto(f"{url}/admin/documents")
    page.locator("summary", has_text=DOCUMENT).click()
    warned = page.locator(".document .notice")
    expect(page.locator(".document-form")).to_be_visible()
    expect(warned).to_have_count(0)
    set_owner(page, "Bo Janssens")
    expect(warned).to_contain_text("Van “Bo Janssens” is niemand bekend")
    faultless(page)
    page.screenshot(path=tmp_path / "unknown.png", full_page=True)
    warned.get_by_role("button", name="Laat het account Bo Janssens (bo) antwoorden").click()
    expect(warned).to_have_count(0)

    asker.user = NURSE
    path = f"{url}/api/documents/{child.id}/owner-questions"
    httpx.post(path, json={"kind": "report", "text": "De dosis is te hoog."}).raise_for_status()
    asker.user = new
    page.goto(f"{url}/inbox")
    expect(page.locator(".owner-question")).to_contain_text("De dosis is te hoog.")
    asker.user = owner
    page.goto(f"{url}/inbox")
    expect(page.get_by_text("U hebt nog niets aan een eigenaar gevraagd.")).to_be_visible()
    expect(page.locator(".owner-question")).to_have_count(0)


def test_an_owner_set_for_many_whom_nobody_is_known_of_is_said_and_stands_first_among_the_owners(
    page: Page, url: str, container: Container, child: Document, owner: User, asker: Asker, tmp_path: Path
) -> None:
    put_owner(container.db, LOCAL_USER, "Pediatrie", "kinderen@hospital.example", [])
    load(container, "wassen.pdf", "Handen wassen. Was de handen.", owner="Apotheek", language="nl")
    put_owner(container.db, LOCAL_USER, "Apotheek", "", [owner.id])
    asker.user = LOCAL_USER
    page.goto(f"{url}/admin/documents")
    page.get_by_label(f"Kies: {DOCUMENT}").check()
    page.locator(".bulk").get_by_label("Eigenaar").fill("Zorgstraat Koorts")
    page.get_by_role("button", name="Stel de eigenaar in").click()
    expect(page.locator(".bulk")).to_contain_text("1 document gewijzigd")
    expect(page.locator(".bulk .notice")).to_contain_text("Van “Zorgstraat Koorts” is niemand bekend")
    faultless(page)
    page.screenshot(path=tmp_path / "bulk.png")
    page.get_by_role("link", name="Kies een account of vul een mailadres in").click()
    expect(page.locator(".owner-row h3")).to_have_text(["Zorgstraat Koorts"])
    page.get_by_label("In naam, mailadres of account").fill("")
    expect(page.locator(".owner-row h3")).to_have_text(["Zorgstraat Koorts", "Apotheek", "Pediatrie"])
    faultless(page)
    page.screenshot(path=tmp_path / "first.png")
