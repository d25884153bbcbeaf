"""Quality staff judge in a real browser what staff were answered, and see why a question was
refused."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from pathlib import Path

import httpx
from playwright.sync_api import Page, expect

from rag_api.answering.warnings.notice_texts import notice as noticed
from rag_api.container import Container
from rag_api.db.people.accounts import add_account, get_account, user_of
from rag_api.domain import LOCAL_USER, Role, User
from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night
from tests.e2e.conftest import until
from tests.e2e.managing.conftest import Asker
from tests.e2e.scripted import ROWS, Script, build_pdf, table
from tests.support.world import load

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"
FLAG = "Welke vlag hangt er op het stadhuis van Ieper?"
NURSE = User("nurse", "Nurse Jansen", ("everyone",), function="paediatric_nurse", department="Pediatrie")
JUDGE = replace(LOCAL_USER, id="judge", roles=frozenset({Role.READER, Role.JUDGE}))


def asked(url: str, asker: Asker) -> None:
    asker.user = NURSE
    for question in (DOSE, FLAG):
        httpx.post(f"{url}/api/ask", json={"question": question, "mode": "sources"}, timeout=30).raise_for_status()
    asker.user = JUDGE


def said_of(container: Container) -> str:
    found = container.db.one("select id from documents where source = 'paracetamol-kind.pdf'")
    assert found
    return str(found["id"])


def test_an_answer_is_judged_with_a_remark_that_its_owner_reads_and_a_refusal_says_why(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    asked(url, asker)
    page.goto(f"{url}/quality/reviews")
    page.get_by_label("Woorden in de vraag").fill("vlag")
    expect(page.locator(".review")).to_have_count(1)
    page.get_by_label("Woorden in de vraag").fill("")
    expect(page.locator(".review")).to_have_count(2)
    page.get_by_label("Gevraagd voor").fill("2020-01-01T08:00")
    expect(page.locator(".review")).to_have_count(0)
    page.get_by_label("Gevraagd voor").fill("")
    fields = (page.get_by_label("Periode"), page.get_by_label("Woorden in de vraag"))
    assert len({field.evaluate("one => Math.round(one.getBoundingClientRect().top)") for field in fields}) == 1
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless(page)
        page.screenshot(path=tmp_path / f"reviews-{width}.png", full_page=True)
    flag, dose = page.locator(".review").first, page.locator(".review").last
    expect(flag.get_by_role("heading", level=3)).to_have_text(FLAG)
    expect(flag.locator(".missed")).to_contain_text("Bedside is er niet zeker genoeg van")
    expect(dose.locator(".facts")).to_contain_text("PediatrieKinderverpleegkundige")
    expect(page.get_by_text("Jansen")).to_have_count(0)
    dose.get_by_label("kan schade doen").check()
    dose.get_by_label("Opmerking", exact=True).fill("De dosis per dag ontbreekt.")
    dose.get_by_label("Stuur de opmerking").select_option(label="Paracetamol intraveneus bij kinderen")
    expect(dose.get_by_text("geen eigenaar")).to_contain_text("De kwaliteitsmedewerkers lezen wat u vraagt.")
    dose.get_by_role("button", name="Bewaar").click()
    expect(dose.get_by_role("status")).to_have_text("Bewaard.")
    nobody = "Van deze procedure is geen eigenaar bekend: de kwaliteitsmedewerkers hebben de opmerking."
    expect(dose.get_by_text(nobody)).to_be_visible()
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
    expect(page.locator(".owner-asked").first).to_contain_text(DOSE)
    container.db.run("truncate conversations, owner_questions cascade")


def test_a_second_judgement_leaves_the_first_to_be_read_answers_the_report_and_reaches_who_asked(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    asked(url, asker)
    asker.user = NURSE
    (answer,) = container.db.all("select id from answers where question = %(dose)s", {"dose": DOSE})
    report = {"reported": "wrong", "comment": "Klopt dit?", "document_id": said_of(container)}
    httpx.post(f"{url}/api/answers/{answer['id']}/feedback", json=report).raise_for_status()
    asker.user = JUDGE
    page.goto(f"{url}/quality/reviews")
    dose = page.locator(".review", has_text=DOSE)
    expect(dose).to_contain_text("Wie het vroeg, leest uw oordeel en opmerking bij het antwoord, zonder uw naam.")
    dose.get_by_label("juist", exact=True).check()
    dose.get_by_label("De opmerking beantwoordt ook de melding").uncheck()
    dose.get_by_label("Opmerking", exact=True).fill("Dit lijkt mij juist.")
    dose.get_by_role("button", name="Bewaar").click()
    expect(dose.get_by_role("status")).to_have_text("Bewaard.")
    dose.get_by_label("deels juist").check()
    dose.get_by_label("De opmerking beantwoordt ook de melding").check()
    dose.locator("textarea").fill("De dosis per dag ontbreekt.")
    dose.get_by_role("button", name="Bewaar").click()
    expect(dose.get_by_role("heading", name="Eerder beoordeeld")).to_be_visible()
    before = dose.locator(".review-form li")
    expect(before).to_have_text(re.compile("^juist Beoordeeld door judge op .*“Dit lijkt mij juist.”$"))
    expect(dose.get_by_label("De opmerking beantwoordt")).to_have_count(0)
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"judged-{width}.png", full_page=True)
    asker.user = replace(JUDGE, id="colleague")
    page.goto(f"{url}/quality/reviews")
    page.get_by_label("enkel nog niet beoordeeld").uncheck()
    expect(dose.locator(".review-form li")).to_have_count(2)  # with what a colleague said last
    expect(dose.get_by_label("Opmerking", exact=True)).to_have_value("")
    expect(dose.get_by_role("radio", checked=True)).to_have_count(0)
    asker.user = NURSE
    page.goto(f"{url}/inbox")
    expect(page.locator(".owner-question h4")).to_contain_text("Melding: Beantwoord")
    expect(page.locator(".reply")).to_contain_text("Antwoord van kwaliteitsmedewerkers, ")
    page.goto(f"{url}/a/{answer['id']}")
    told = page.locator(".turn .notice", has_text="De kwaliteitsmedewerkers beoordeelden dit op")
    expect(told).to_contain_text(re.compile(": deels juist. De dosis per dag ontbreekt.$"))
    expect(told).not_to_contain_text("judge")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"told-{width}.png", full_page=True)
    container.db.run("truncate conversations, owner_questions cascade")


def test_what_was_judged_is_listed_alone_and_what_is_shown_stays_when_one_comes_back_from_a_source(
    page: Page, url: str, asker: Asker, container: Container
) -> None:
    asked(url, asker)
    container.db.run("update answers set created_at = created_at - interval '40 days'")
    page.goto(f"{url}/quality/reviews")
    expect(page.get_by_text("Er past geen vraag bij.")).to_be_visible()
    page.get_by_label("Periode").select_option("laatste 90 dagen")
    expect(page.locator(".review")).to_have_count(2)
    dose = page.locator(".review", has_text=DOSE)
    dose.get_by_label("juist", exact=True).check()
    dose.get_by_role("button", name="Bewaar").click()
    expect(dose.get_by_role("status")).to_have_text("Bewaard.")
    page.get_by_label("enkel al beoordeeld").check()
    expect(page.get_by_label("enkel nog niet beoordeeld")).not_to_be_checked()
    expect(page.locator(".review h3")).to_have_text([DOSE])
    faultless(page)
    page.goto(
        f"{url}{page.locator('.review').get_by_role('link').first.get_attribute('href')}"
    )  # in a window of its own
    expect(page).to_have_url(re.compile("/d/"))
    page.go_back()
    expect(page.get_by_label("Periode")).to_have_value("90")
    expect(page.get_by_label("enkel al beoordeeld")).to_be_checked()
    expect(page.locator(".review h3")).to_have_text([DOSE])
    page.get_by_label("enkel nog niet beoordeeld").check()
    expect(page.locator(".review h3")).to_have_text([FLAG])
    container.db.run("truncate conversations cascade")


def test_a_closed_source_leaves_everything_as_its_judge_had_it(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    asked(url, asker)
    page.set_viewport_size({"width": 1280, "height": 400})
    page.goto(f"{url}/quality/reviews")
    page.get_by_label("Periode").select_option("laatste 90 dagen")
    words = page.get_by_label("Woorden in de vraag")
    words.fill("paracetamol")
    dose = page.locator(".review", has_text=DOSE)
    expect(page.locator(".review")).to_have_count(1)
    dose.get_by_label("deels juist").check()
    dose.get_by_label("Opmerking", exact=True).fill("De dosis")
    source = dose.get_by_role("link").first
    for width, height in ((1280, 400), (1024, 720), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        source.scroll_into_view_if_needed()
        at = source.bounding_box()
        assert at
        source.click()
        pane = page.locator(".source")
        expect(pane).to_contain_text("Het document kan hier niet getoond worden.")  # it is a PDF in name only
        if width > 1023:
            beside = source.bounding_box()
            assert beside
            assert abs(beside["y"] - at["y"]) < 3
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"opened-{width}.png")
        pane.get_by_role("button", name="Sluit de bron").click()
        expect(pane).to_have_count(0)
        expect(source).to_be_focused()
        back = source.bounding_box()
        assert back
        assert abs(back["y"] - at["y"]) < 3
        expect(page).to_have_url(f"{url}/quality/reviews?days=90")
        expect(words).to_have_value("paracetamol")
        expect(dose.get_by_label("deels juist")).to_be_checked()
        expect(dose.locator("textarea")).to_have_value("De dosis")
    source.click()
    expect(page.locator(".source h2")).to_be_visible()
    page.go_back()  # on a phone the pane lies over the list
    expect(page.locator(".source")).to_have_count(0)
    expect(words).to_have_value("paracetamol")
    page.get_by_label("enkel nog niet beoordeeld").uncheck()
    save = dose.get_by_role("button", name="Bewaar")
    save.scroll_into_view_if_needed()
    until(page, "history.state.left.within === document.querySelector('.conversation').scrollTop")
    page.reload()
    expect(words).to_have_value("paracetamol")
    expect(page).to_have_url(f"{url}/quality/reviews?days=90&unjudged=false")
    expect(page.get_by_label("enkel nog niet beoordeeld")).not_to_be_checked()
    expect(page.locator(".review")).to_have_count(1)
    expect(save).to_be_in_viewport()  # as far down as before
    page.evaluate("""() => {
      const kept = JSON.parse(sessionStorage['bedside.words']);
      for (const one of Object.values(kept)) one.whose = 'another';
      sessionStorage['bedside.words'] = JSON.stringify(kept);
    }""")
    page.reload()
    expect(page.locator(".review")).to_have_count(2)
    expect(words).to_have_value("")  # what somebody else typed here
    container.db.run("truncate conversations cascade")


def test_an_answer_from_what_its_judge_may_not_read_says_so(
    page: Page, url: str, asker: Asker, container: Container
) -> None:
    asker.user = NURSE
    httpx.post(f"{url}/api/ask", json={"question": DOSE}, timeout=30).raise_for_status()
    asker.user = JUDGE
    container.db.run("update documents set groups = '{others}'")
    page.goto(f"{url}/quality/reviews")
    expect(page.locator(".review")).to_contain_text("Dit antwoord komt uit een procedure die u niet mag lezen.")
    container.db.run("truncate conversations cascade")


def test_a_judge_lists_what_lapses_first_with_its_owner_and_what_names_no_day(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    for name, days in (("later", 80), ("bijna", 9), ("ver", 200)):
        until = date.today() + timedelta(days=days)
        load(container, f"{name}.pdf", f"Regel {name}. ", valid_until=until, owner="Raad", language="nl")
    asker.user = JUDGE
    page.goto(f"{url}/procedures")
    rows, validity = page.locator(".found-procedures .finder-row .document-title"), page.get_by_label("Geldigheid")
    validity.select_option("vervalt binnen drie maanden en niet vervangen")
    expect(rows).to_have_text(["Regel bijna", "Regel later"])
    expect(page.get_by_text("Wat geen einddatum heeft, staat hier niet bij")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Bewaar deze lijst als CSV").click()
    table = list(csv.DictReader(saved.value.path().read_text("utf-8-sig").splitlines()))
    dates = [(date.today() + timedelta(days=days)).isoformat() for days in (9, 80)]
    assert [(row["Titel"], row["Bestand"], row["Eigenaar"], row["Geldig tot"]) for row in table] == [
        ("Regel bijna", "bijna.pdf", "Raad", dates[0]), ("Regel later", "later.pdf", "Raad", dates[1]),
    ]  # fmt: skip
    expect(page.locator(".finder-row").first).to_contain_text("eigenaar: Raad")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless(page)
        page.screenshot(path=tmp_path / f"lapsing-{width}.png", full_page=True)
    validity.select_option("vervalt binnen een maand en niet vervangen")
    expect(rows).to_have_text(["Regel bijna"])
    validity.select_option("zonder einddatum en niet vervangen")
    expect(page.get_by_text("Wat geen einddatum heeft")).to_have_count(0)
    expect(rows.filter(has_text="Openingsuren van het restaurant")).to_be_visible()
    expect(rows.filter(has_text="Regel")).to_have_count(0)


def test_a_judge_says_of_what_lapses_that_it_still_holds_and_finds_it_when_its_day_comes(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    today = date.today()
    made = load(container, "handen.pdf", "Was de handen. ", valid_until=today + timedelta(days=9), language="nl")
    asker.user = JUDGE
    page.goto(f"{url}/procedures")
    validity = page.get_by_label("Geldigheid")
    validity.select_option("vervalt binnen een maand en niet vervangen")
    row = page.locator(".finder-row", has_text="Was de handen")
    row.get_by_text("Nakijken of plannen").click()
    day, save = row.get_by_label("Na te kijken uiterlijk op"), row.get_by_role("button", name="Bewaar")
    day.fill(today.isoformat())
    save.click()
    expect(row.locator(".facts")).not_to_contain_text("nagekeken")  # the day comes after today
    day.fill((today + timedelta(days=21)).isoformat())
    save.click()
    facts = row.locator(".facts")
    expect(facts).to_contain_text("na te kijken uiterlijk op")
    expect(facts).not_to_contain_text("nagekeken")  # nobody said so
    row.get_by_label("Ik keek dit na: het klopt nog").check()
    day.fill((today + timedelta(days=20)).isoformat())
    save.click()
    expect(row.get_by_role("status")).to_have_text("Bewaard. Niemand krijgt bericht: het is van niemand bij naam.")
    expect(facts).to_contain_text(re.compile(r"nagekeken op \d+ \w+\.? \d{4} door judge, opnieuw uiterlijk op \d+"))
    expect(facts).to_contain_text("geldig tot")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"reviewed-{width}.png", full_page=True)
    validity.select_option("na te kijken binnen een maand, of te laat")
    expect(page.locator(".found-procedures .finder-row .document-title")).to_have_text(["Was de handen"])
    asker.user = NURSE
    page.reload()
    expect(row.locator(".facts")).to_contain_text("opnieuw uiterlijk op")
    expect(row).not_to_contain_text("door judge")
    asker.user = LOCAL_USER
    container.db.run("update metadata_changes set after = '2020-01-01' where document_id = %(id)s", {"id": made.id})
    page.goto(f"{url}/admin/documents")
    page.get_by_label("Toon", exact=True).select_option("na te kijken binnen een maand, of te laat")
    late = page.locator(".document", has_text="Was de handen")
    expect(late.locator(".warn")).to_contain_text("opnieuw uiterlijk op 1 jan 2020")
    late.locator("summary").first.click()
    late.get_by_text("Nakijken of plannen").click()
    late.get_by_label("Ik keek dit na: het klopt nog").check()
    late.get_by_label("Na te kijken uiterlijk op").fill("2999-12-31")
    late.locator(".still-holds").get_by_role("button", name="Bewaar").click()
    expect(late.locator(".warn")).to_have_count(0)
    late.get_by_text("3 wijzigingen").click()
    expect(late.locator(".document-history")).to_contain_text("nagekeken, opnieuw uiterlijk op 31 dec 2999")
    faultless(page)
    page.screenshot(path=tmp_path / "reviewed-admin.png", full_page=True)
    container.db.run("truncate metadata_changes")


def test_what_holds_is_saved_where_its_reviewer_shares_a_name(
    page: Page, url: str, asker: Asker, container: Container
) -> None:
    document = load(container, "handen.pdf", "Was de handen. ", language="nl")
    for login in ("maes", "maes.b"):
        add_account(container.db, LOCAL_USER, "Dr. Maes", login, "of no password", [Role.JUDGE], [])
    asker.user = JUDGE
    given = {"next_review": "2999-12-31", "to": "maes"}
    httpx.put(f"{url}/api/documents/{document.id}/review", json=given).raise_for_status()
    page.goto(f"{url}/procedures?search=handen")
    row = page.locator(".finder-row", has_text="Was de handen")
    row.get_by_text("Nakijken of plannen").click()
    who = row.get_by_label("Door wie?")
    expect(who).to_have_value("Dr. Maes")
    row.get_by_label("Na te kijken uiterlijk op").fill("2999-12-30")
    row.get_by_label("Ik keek dit na: het klopt nog").check()
    page.wait_for_timeout(1500)  # longer than a name is waited for
    row.get_by_role("button", name="Bewaar").click()
    expect(row.get_by_role("status")).to_contain_text("Bewaard")
    container.db.run("truncate metadata_changes, users cascade")


def test_a_review_is_given_to_a_colleague_who_finds_it_and_cleared(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    load(container, "handen.pdf", "Was de handen. ", language="nl")
    made = add_account(container.db, LOCAL_USER, "Dr. Maes", "maes", "of no password", [Role.JUDGE], [])
    add_account(container.db, LOCAL_USER, "Nina", "nina", "of no password", [], [])
    asker.user = JUDGE
    page.goto(f"{url}/procedures?search=handen")
    row = page.locator(".finder-row", has_text="Was de handen")
    row.get_by_text("Nakijken of plannen").click()
    save = row.get_by_role("button", name="Bewaar")
    expect(row.get_by_role("button", name="Niet meer gepland")).to_have_count(0)
    row.get_by_label("Na te kijken uiterlijk op").fill("2999-12-31")
    row.get_by_label("Door wie?").fill("niemand hier")
    expect(save).to_be_enabled()  # somebody's name may yet be typed
    row.get_by_label("Waarom nakijken?").focus()
    expect(row.get_by_role("alert")).to_contain_text("Zo heet hier geen account")  # before anything is saved
    expect(save).to_be_disabled()
    row.get_by_label("Door wie?").fill("Nina")
    expect(row.get_by_role("alert")).to_have_text(
        "Nina mag dit document lezen, maar niet zeggen dat het nog klopt: kies een collega uit de lijst."
    )
    expect(save).to_be_disabled()
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"not-a-reviewer-{width}.png", full_page=True)
    row.get_by_label("Door wie?").fill("")
    offered = row.locator("datalist option")
    expect(offered).to_have_count(1)  # who may say that it holds
    expect(offered).to_have_attribute("value", "Dr. Maes")
    row.get_by_label("Door wie?").fill("maes")
    row.get_by_label("Waarom nakijken?").fill("Mevrouw Jansen, geboren op 3 mei 1961, kreeg te veel.")
    save.click()
    expect(row.get_by_role("alert")).to_contain_text("is nog niet bewaard")
    row.get_by_label("Waarom nakijken?").fill("De pompen zijn vervangen.")
    save.click()
    facts = row.locator(".facts")
    why = "na te kijken uiterlijk op 31 dec 2999 door Dr. Maes: “De pompen zijn vervangen.”"
    expect(facts).to_contain_text(why)
    told = "Bewaard. Dr. Maes vindt dit bij “Vragen aan eigenaars”; er gaat geen mail uit."
    expect(row.get_by_role("status")).to_have_text(told)
    for width in (320, 390, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"given-{width}.png", full_page=True)
    asker.user = user_of(get_account(container.db, made), {})
    page.goto(url)
    waiting = page.locator(".at-hand .notice")
    expect(waiting).to_have_text("1 procedure is door u na te kijken")
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"waiting-{width}.png", full_page=True)
    waiting.get_by_role("link").click()
    work = page.get_by_role("region", name="Door u na te kijken")
    expect(work.get_by_role("listitem")).to_contain_text("uiterlijk op 31 dec 2999")
    expect(work.get_by_role("listitem")).to_contain_text("Waarom: De pompen zijn vervangen.")
    expect(work.get_by_role("link", name="Was de handen")).to_be_visible()
    expect(work).not_to_contain_text("aan niemand bij naam gegeven")
    faultless(page)
    asker.user = JUDGE
    page.goto(url)
    expect(page.locator(".at-hand")).to_be_visible()
    expect(waiting).to_have_count(0)  # it is another's, and not due
    container.db.run("update users set suspended_at = now() where id = %(id)s", {"id": made})
    page.goto(f"{url}/inbox")
    expect(work.get_by_role("listitem")).to_contain_text(
        "Gegeven aan Dr. Maes, die dit niet meer kan nakijken: geef het aan iemand anders."
    )
    faultless_by_day_and_by_night(page)
    container.db.run("update metadata_changes set after = '2020-02-01' where field = 'planned_review'")
    container.db.run("update metadata_changes set after = '' where field = 'reviewer'")
    page.goto(url)
    expect(waiting).to_have_text("1 procedure is door u na te kijken")
    page.goto(f"{url}/inbox")
    expect(work.get_by_role("listitem")).to_contain_text("uiterlijk op 1 feb 2020")
    expect(work.get_by_role("listitem")).to_contain_text("aan niemand bij naam gegeven")
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"due-{width}.png", full_page=True)
    page.goto(f"{url}/procedures?search=handen")
    row.get_by_text("Nakijken of plannen").click()
    row.get_by_role("button", name="Niet meer gepland").click()
    expect(row.get_by_role("status")).to_have_text("Bewaard.")
    expect(facts).not_to_contain_text("na te kijken")
    container.db.run("truncate metadata_changes, users cascade")


def test_two_chances_that_differ_are_told_apart(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    asked(url, asker)
    container.db.run(
        """update answers set stats = stats || '{"refused": {"by": "unsure", "sure": 0.2561, "needed": 0.2604}}'"""
        " where status = 'not_found'"
    )
    page.goto(f"{url}/quality/reviews")
    flag = page.locator(".review", has_text=FLAG)
    why = flag.locator(".missed")
    plain = "Bedside is er niet zeker genoeg van dat een van de procedures deze vraag beantwoordt."
    expect(why.locator("p").first).to_have_text(plain)
    expect(why.get_by_text("Bedside antwoordt pas")).to_be_hidden()
    why.get_by_text("Hoe dat bepaald is").click()
    expect(why.get_by_text("Bedside antwoordt pas")).to_contain_text("klopt: 25,6%. Bedside antwoordt pas vanaf 26,0%.")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"refused-{width}.png", full_page=True)
    container.db.run("truncate conversations cascade")


def test_a_judge_sees_the_doubt_and_the_columns_that_the_asker_saw(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    asked(url, asker)
    said = container.db.one("select id, sha256 from documents where source = 'paracetamol-kind.pdf'")
    assert said
    (container.settings.data_dir / "files" / f"{said.pop('sha256')}.pdf").write_bytes(build_pdf())
    text, spans = table(Script())
    quoted = [{**one.model_dump(mode="json"), "source_start": 0, "source_end": 1, **said} for one in spans]
    container.db.run(
        "update answers set status = 'answered', text = %(text)s, citations = %(quoted)s::jsonb,"
        " notices = %(unsure)s::jsonb where question = %(dose)s",
        {
            "text": text,
            "quoted": json.dumps([{**one, "document_id": one["id"]} for one in quoted]),
            "unsure": json.dumps([asdict(noticed("unsure", "nl"))]),
            "dose": DOSE,
        },
    )
    page.goto(f"{url}/quality/reviews")
    dose = page.locator(".review", has_text=DOSE)
    expect(dose.get_by_text("Bedside is er niet zeker van dat dit de vraag beantwoordt")).to_be_visible()
    expect(dose.get_by_role("columnheader")).to_have_text(list(ROWS[0]))
    expect(dose.get_by_role("cell")).to_have_text(list(ROWS[1][1:]))
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"given-{width}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 800})
    dose.locator(".part-place").click()
    pane = page.locator(".source")
    expect(pane.locator(".rank")).to_have_text(str(spans[0].rank))  # as the answer numbers it
    expect(pane.locator(".highlight.current")).to_have_count(sum(len(at.rects) for one in spans for at in one.rects))
    expect(pane.locator(".highlight.current").first).to_be_in_viewport()
    faultless(page)
    page.screenshot(path=tmp_path / "compared.png")
    container.db.run("truncate conversations cascade")


def test_a_periods_report_with_its_weeks_and_most_quoted_procedures_is_saved_as_csv_and_printed_alone(
    page: Page, url: str, asker: Asker, container: Container, tmp_path: Path
) -> None:
    asked(url, asker)
    asked(url, asker)
    container.db.run(
        "update answers set status = 'answered', citations = (select jsonb_agg(jsonb_build_object('document_id', id))"
        " from documents where source = 'paracetamol-kind.pdf') where question = %(dose)s",
        {"dose": DOSE},
    )
    page.goto(f"{url}/quality/usage")
    report = page.get_by_role("region", name="Rapport van een maand")
    today = datetime.now().astimezone().date()
    expect(report.get_by_label("Van")).to_have_value(re.compile(r"-01$"))  # the month before, which is over
    report.get_by_label("Van").fill(str(today - timedelta(days=1)))
    report.get_by_label("Tot en met").fill(str(today + timedelta(days=1)))
    expect(report.get_by_role("row", name="Gestelde vragen 4")).to_be_visible()
    quoted = re.compile(r"Paracetamol intraveneus bij kinderen\s*2 antwoorden")
    expect(report.get_by_role("listitem")).to_have_text([quoted, re.compile(re.escape(FLAG))])
    expect(report.get_by_role("table").last).to_contain_text("Seconden, 95% binnen")
    expect(page.get_by_text("Jansen")).to_have_count(0)
    faultless(page)
    with page.expect_download() as download:
        report.get_by_role("button", name="CSV").click()
    table = list(csv.reader(download.value.path().read_text(encoding="utf-8-sig").splitlines()))
    assert table[:2] == [["Wat", "Waarde"], ["Vanaf", str(today - timedelta(days=1))]]  # in the page's language
    assert ["Gestelde vragen", "4"] in table
    assert [f"Het meest gevraagd zonder antwoord: {FLAG}", "2"] in table
    most = "Procedures waar het meest naar gevraagd werd: Paracetamol intraveneus bij kinderen"
    assert [most, "2"] in table
    weeks = table[next(n for n, row in enumerate(table) if row[0] == "Week van") + 1 :]
    assert sum(int(row[1]) for row in weeks) == 4
    assert date.fromisoformat(weeks[-1][0]).weekday() == 0
    page.emulate_media(media="print")
    for table_ in report.get_by_role("table").all():
        expect(table_).to_be_visible()
    expect(report.get_by_role("link", name="Paracetamol")).to_be_visible()
    page.screenshot(path=tmp_path / "report.png", full_page=True)
    expect(report.get_by_role("button", name="CSV")).to_be_hidden()
    expect(page.get_by_text("Hoe voorzichtig Bedside antwoordt")).to_be_hidden()
    container.db.run("truncate conversations cascade")
