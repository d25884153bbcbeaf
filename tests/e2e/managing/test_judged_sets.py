"""The page of judged sets in a real browser before the real API: questions are changed, deleted,
put in from a file and taken out."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from rag_api.container import Container
from rag_api.db.questions.judged import read_halves
from rag_api.domain import LOCAL_USER, User
from tests.e2e.accessibility import faultless
from tests.e2e.managing.conftest import Asker

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"
FILE = (
    "id,question,document,page,span,split,function\n"
    f"1,{DOSE},paracetamol-kind.pdf,1,15 mg/kg paracetamol per gift,validate,nurse\n"
    "2,Welke vlag hangt er op het stadhuis?,,,,test,\n"
    "3,When do I call the rapid response team after a fall?,fall-prevention.pdf,1,,test,physician\n"
)


@pytest.fixture
def filled(url: str) -> str:
    httpx.post(f"{url}/api/judged/ronde 1/csv", json={"csv": FILE}).raise_for_status()
    return f"{url}/quality/sets?set=ronde%201"


def opened(page: Page, question: str) -> Locator:
    row = page.locator(".judged", has_text=question)
    row.locator("summary").click()
    expect(row.locator(".question-form")).to_be_visible()
    return row


def test_a_judged_question_is_changed_in_the_page_and_stays_so(page: Page, filled: str, container: Container) -> None:
    page.goto(filled)
    expect(page.locator(".judged")).to_have_count(3)
    row = opened(page, DOSE)
    save = row.get_by_role("button", name="Bewaar")
    expect(save).to_be_disabled()
    row.get_by_label("Functie van wie vraagt").fill("paediatrician")
    row.get_by_label("Dienst").fill("Pediatrie")
    row.get_by_label("Over welke patiënten").select_option("child")
    row.get_by_label("Helft").select_option("test")
    row.get_by_label("Antwoord gevonden?").select_option("partly")
    row.get_by_label("Nota").fill("dosis per gift")
    place = row.get_by_role("group", name="Plaats 1")
    place.get_by_label("de woorden die antwoorden").fill("99 mg/kg")
    save.click()
    expect(row.get_by_role("status")).to_contain_text("deze woorden staan daar niet")
    place.get_by_label("de woorden die antwoorden").fill("zes uur")
    save.click()
    expect(row.get_by_role("status")).to_have_text("Bewaard in ronde 1.")
    if folder := os.environ.get("E2E_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / "judged-set.png", full_page=False)
    faultless(page)
    one = read_halves(container.db, LOCAL_USER, "ronde 1")[0][0]
    assert (one.function, one.department, one.group, one.split) == ("paediatrician", "Pediatrie", "child", "test")
    assert (one.found, one.note, one.span) == ("partly", "dosis per gift", "zes uur")
    page.reload()
    row = opened(page, DOSE)
    expect(row.get_by_label("Nota")).to_have_value("dosis per gift")


def test_a_place_is_added_taken_away_and_found_by_its_name(page: Page, filled: str, container: Container) -> None:
    page.goto(filled)
    row = opened(page, "Welke vlag")
    expect(row.get_by_label("Geen enkel document beantwoordt dit")).to_be_checked()
    row.get_by_role("button", name="Voeg een plaats toe").click()
    expect(row.get_by_label("Geen enkel document beantwoordt dit")).not_to_be_checked()
    document = row.get_by_label("Document (bestandsnaam)")
    document.fill("para")
    expect(row.locator("datalist option[value='paracetamol-kind.pdf']")).to_have_count(1)
    document.fill("paracetamol-kind.pdf")
    row.get_by_role("button", name="Bewaar").click()
    expect(row.get_by_role("status")).to_have_text("Bewaard in ronde 1.")
    row.get_by_role("button", name="Verwijder plaats 1").click()
    row.get_by_role("button", name="Bewaar").click()
    expect(row.get_by_role("status")).to_contain_text("open")
    expect(page.get_by_text("2 vragen: 1 om op te kiezen, 1 om over te rapporteren; 1 open")).to_be_visible()
    complete, left_open = read_halves(container.db, LOCAL_USER, "ronde 1")
    assert ([q.id for q in complete], [q.id for q in left_open]) == (["1", "3"], ["2"])


def test_deleting_asks_first_and_the_keyboard_suffices(page: Page, filled: str, container: Container) -> None:
    page.goto(filled)
    row = page.locator(".judged", has_text="Welke vlag")
    row.locator("summary").focus()
    page.keyboard.press("Enter")
    row.get_by_role("button", name="Verwijder deze vraag").focus()
    page.keyboard.press("Enter")
    expect(row.get_by_role("button", name="Annuleren")).to_be_focused()
    page.keyboard.press("Escape")
    expect(row.get_by_role("button", name="Verwijder deze vraag")).to_be_focused()
    assert len(read_halves(container.db, LOCAL_USER, "ronde 1")[0]) == 3
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".judged")).to_have_count(2)
    expect(page.get_by_role("searchbox")).to_be_focused()
    assert [q.id for q in read_halves(container.db, LOCAL_USER, "ronde 1")[0]] == ["1", "3"]


def test_questions_are_found_by_words_and_by_half_and_a_new_one_is_written(
    page: Page, filled: str, container: Container
) -> None:
    page.goto(filled)
    page.get_by_label("Toon").select_option("none")
    expect(page.locator(".judged")).to_have_count(1)
    page.get_by_label("Toon").select_option("all")
    page.get_by_role("searchbox").fill("FALL rapid")
    expect(page.locator(".judged")).to_have_count(1)
    page.get_by_role("searchbox").fill("niets daarvan")
    expect(page.get_by_text("Geen enkele vraag past hierbij.")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Nieuwe vraag").click()
    form = page.locator(".new-question")
    expect(form.get_by_label("Vraag", exact=True)).to_be_focused()
    page.keyboard.type("Wie kalibreert de weegschaal?")
    form.get_by_label("Geen enkel document beantwoordt dit").check()
    form.get_by_role("button", name="Bewaar").click()
    expect(form.get_by_role("status")).to_have_text("Bewaard in ronde 1.")
    expect(page.locator(".judged")).to_have_count(4)
    assert read_halves(container.db, LOCAL_USER, "ronde 1")[0][-1].question == "Wie kalibreert de weegschaal?"


def test_a_file_is_looked_at_then_put_in_and_a_bad_one_names_every_row(
    page: Page, url: str, container: Container, tmp_path: Path
) -> None:
    page.goto(f"{url}/quality/sets")
    expect(page.get_by_text("Er zijn nog geen beoordeelde vragen.")).to_be_visible()
    faultless(page)
    good, bad = tmp_path / "Ronde 1.csv", tmp_path / "slecht.csv"
    good.write_text(FILE)
    bad.write_text("id,question,document,page\n1,anders,a.pdf,1\n,geen id,b.pdf,1\n9,x,c.pdf,drie\n")
    page.get_by_label("CSV-bestand").set_input_files(good)
    expect(page.get_by_label("Reeks beoordeelde vragen", exact=True)).to_have_value("Ronde 1")
    page.get_by_role("button", name="Bekijk het").click()
    expect(page.get_by_text("3 vragen voor Ronde 1: 3 nieuw, 0 in de plaats van wat er staat.")).to_be_visible()
    page.get_by_role("button", name="Laad", exact=True).click()
    expect(page.get_by_text("3 vragen geladen in Ronde 1.")).to_be_visible()
    page.get_by_label("CSV-bestand").set_input_files(bad)
    page.get_by_role("button", name="Bekijk het").click()
    expect(page.get_by_role("alert")).to_contain_text("Er is niets geladen: 2 rijen kunnen niet gelezen worden.")
    expect(page.locator(".bad-rows li")).to_have_count(2)
    expect(page.locator(".bad-rows li").last).to_contain_text("Regel 4: page is “drie”, geen getal vanaf 1.")
    if folder := os.environ.get("E2E_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / "judged-sets.png")
    faultless(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download als CSV").click()
    text = Path(download.value.path()).read_text()
    assert text.splitlines()[1].startswith(f"1,{DOSE}")
    assert read_halves(container.db, LOCAL_USER, "Ronde 1")[0][0].question == DOSE
    page.get_by_role("button", name="Verwijder de reeks").click()
    page.get_by_role("button", name="Ja, verwijder").click()
    expect(page.get_by_text("Er zijn nog geen beoordeelde vragen.")).to_be_visible()


def test_a_question_whose_id_has_a_slash_is_changed_and_deleted(page: Page, url: str, container: Container) -> None:
    csv = f"id,question,document\nspoed/7 a,{DOSE},paracetamol-kind.pdf\n"
    httpx.post(f"{url}/api/judged/ronde 1/csv", json={"csv": csv}).raise_for_status()
    page.goto(f"{url}/quality/sets?set=ronde%201")
    row = opened(page, DOSE)
    row.get_by_label("Nota").fill("nagekeken")
    row.get_by_role("button", name="Bewaar").click()
    expect(row.get_by_role("status")).to_have_text("Bewaard in ronde 1.")
    (one,) = read_halves(container.db, LOCAL_USER, "ronde 1")[0]
    assert (one.id, one.note) == ("spoed/7 a", "nagekeken")
    row.get_by_role("button", name="Verwijder deze vraag").click()
    row.get_by_role("button", name="Ja, verwijder").click()
    expect(page.locator(".judged")).to_have_count(0)


def test_who_may_not_review_finds_no_judged_sets(page: Page, filled: str, asker: Asker) -> None:
    asker.user = User("nurse", "Nurse", ("everyone",))
    page.goto(filled)
    expect(page.get_by_role("heading", name="Er is niets op dit adres")).to_be_visible()
