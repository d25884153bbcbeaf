"""The pages for admins and auditors on the real API, each opened by who is signed in: accounts,
keys, the audit trail."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from rag_api.api.sign_in.cookies import SESSION
from rag_api.api.sign_in.passwords import hash_password
from rag_api.audit.entry import Event, Result
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.people.accounts import add_account, change_account, get_account
from rag_api.db.people.api_keys import revoke_key
from rag_api.db.people.permissions import permit_document
from rag_api.db.people.sessions import end_sessions
from rag_api.domain import EVERYONE, LOCAL_USER, Document, Role, Scope, User
from rag_api.main import create_app
from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night
from tests.e2e.asking.test_shown import INSIDE
from tests.e2e.conftest import NewPage, until
from tests.e2e.scripted import DIST
from tests.support.http_server import served
from tests.support.people import ROLE_GROUPS, People, hired, key_of, signed_in
from tests.support.world import load

PASSWORD = "een heel lang wachtwoord"
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def container(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", web_dir=DIST, sign_in="local", role_groups=ROLE_GROUPS,
        generator_url="http://127.0.0.1:9/v1", sentence_vectors_mb=0, questions_per_minute=0, requests_per_minute=0,
    )  # fmt: skip
    with Container(settings) as made:
        yield made


@pytest.fixture(scope="module")
def people(container: Container) -> People:
    return hired(container.db)


@pytest.fixture(scope="module")
def document(container: Container) -> Document:
    return load(
        container, "wondzorg.pdf", "Spoel de wonde.", title="Zorg voor wonden", department="Chirurgie", language="nl"
    )


@pytest.fixture(scope="module")
def url(container: Container, people: People, document: Document) -> Iterator[str]:
    with served(create_app(container.settings, container)) as address:
        yield address


@pytest.fixture
def open_as(new_page: NewPage, url: str, people: People) -> Open:
    """Return what opens a page in the name of one of the people."""

    def opened(who: str, path: str, **options: object) -> Page:
        page = new_page(**options)
        token = signed_in(people.db, people.ids[who])
        page.context.add_cookies([{"name": SESSION, "value": token, "url": url}])
        page.goto(url + path)
        return page

    return opened


def row(page: Page, name: str) -> Locator:
    return page.locator(".card.document").filter(has=page.locator(".document-title", has_text=re.compile(f"^{name}$")))


def opened_row(page: Page, name: str) -> Locator:
    found = row(page, name)
    found.locator("summary").first.click()
    return found


# --- Who may read a document


def test_an_admin_does_not_give_away_a_document_that_nobody_else_could_give_back(
    open_as: Open, container: Container, document: Document, tmp_path: Path
) -> None:
    page = open_as("membership admin", "/admin/documents")
    page.locator("summary", has_text="Zorg voor wonden").click()
    access = page.locator(".document-access")
    access.get_by_role("button", name="Neem iedereen weg").click()
    field = access.get_by_label("Groep toevoegen")
    field.fill("pediatrie")
    access.get_by_role("button", name="Bewaar wie het mag lezen").click()
    access.get_by_role("button", name="Toch bewaren").click()
    said = access.get_by_role("alert").filter(has_text="Niet bewaard")
    expect(said).to_contain_text("niemand anders kan u het document teruggeven")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"refused-{width}.png", full_page=True)
    groups = "select groups from documents where id = %(id)s"
    assert container.db.one(groups, {"id": document.id}) == {"groups": ["everyone"]}
    readers = page.get_by_role("group", name="Wie mag lezen wat u laadt")
    readers.get_by_label("Deze groepen").check()
    readers.get_by_label("Groep toevoegen").fill("pediatrie")
    chooser = page.get_by_label("Laad documenten")
    expect(chooser).to_be_enabled()
    chooser.set_input_files([FilePayload(name="wondzorg.pdf", mimeType="application/pdf", buffer=b"een nieuwe versie")])
    page.get_by_role("button", name="Toch laden").click()
    expect(page.locator(".loaded li")).to_contain_text("niemand anders kan u het document teruggeven")
    assert container.db.one(groups, {"id": document.id}) == {"groups": ["everyone"]}
    field.fill("elsewhere")  # where there is another admin
    access.get_by_role("button", name="Bewaar wie het mag lezen").click()
    access.get_by_role("button", name="Toch bewaren").click()
    expect(page.locator(".notice[role=status]")).to_contain_text("U ziet “Zorg voor wonden” niet meer")
    assert container.db.one(groups, {"id": document.id}) == {"groups": ["elsewhere"]}
    permit_document(
        container.db, User("x", "X", ("elsewhere",), roles=frozenset({Role.ADMIN})), document.id, None, EVERYONE
    )


# --- Accounts


def test_people_are_found_by_words_role_group_and_state(open_as: Open) -> None:
    page = open_as("admin", "/admin/accounts")
    expect(row(page, "owner")).to_contain_text("lezer")
    page.get_by_label("Naam of aanmeldnaam").fill("ADMIN")
    expect(page.locator(".card .document-title")).to_have_text(["admin", "foreign admin", "membership admin"])
    page.get_by_label("Groep", exact=True).select_option("elsewhere")
    expect(page.locator(".card .document-title")).to_have_text(["foreign admin"])
    page.get_by_label("Naam of aanmeldnaam").fill("niemand heet zo")
    expect(page.locator(".empty-list")).to_contain_text("Geen account past hierbij")
    page.get_by_label("Naam of aanmeldnaam").fill("")
    page.get_by_label("Groep", exact=True).select_option("")
    page.get_by_label("Rol", exact=True).select_option("auditor")
    expect(page.locator(".card .document-title")).to_have_text(["auditor", "machine"])
    page.get_by_label("Rol", exact=True).select_option("")
    page.get_by_label("Toestand").select_option("suspended")
    expect(page.locator(".card .document-title")).to_have_text(["suspended"])
    expect(row(page, "suspended").locator(".caution")).to_contain_text("geschorst sinds")


def test_roles_and_groups_are_changed_and_a_group_that_is_only_typed_counts(open_as: Open, people: People) -> None:
    page = open_as("membership admin", "/admin/accounts")
    one = opened_row(page, "outsider")
    one.get_by_label("beoordelaar").check()
    one.get_by_label("Groep toevoegen").fill("a;b")
    one.get_by_role("button", name="Bewaar").click()
    expect(one.get_by_role("status").first).to_contain_text("geen komma of puntkomma")
    expect(one.get_by_label("Groep toevoegen")).to_have_value("a;b")  # nothing is lost
    one.get_by_label("Groep toevoegen").fill("cardiology")
    one.get_by_label("Groep toevoegen").press("Enter")
    one.get_by_label("Groep toevoegen").fill("geriatrics")
    one.get_by_role("button", name="Bewaar").click()
    expect(one.get_by_role("status").first).to_have_text("Bewaard. Het geldt vanaf het volgende verzoek.")
    account = get_account(people.db, "outsider")
    assert (set(account.groups), account.roles) == ({"elsewhere", "cardiology", "geriatrics"}, (Role.JUDGE,))
    one.get_by_role("button", name="Neem geriatrics weg").click()
    one.get_by_role("button", name="Bewaar").click()
    expect(one.get_by_role("status").first).to_have_text("Bewaard. Het geldt vanaf het volgende verzoek.")
    assert set(get_account(people.db, "outsider").groups) == {"elsewhere", "cardiology"}
    change_account(people.db, LOCAL_USER, people.ids["outsider"], roles=[], groups=["elsewhere"])


def test_a_function_and_a_department_are_given_and_stand_beside_their_next_question(
    open_as: Open, people: People, document: Document, tmp_path: Path
) -> None:
    page = open_as("admin", "/admin/accounts", width=390)
    one = opened_row(page, "colleague")
    said = one.get_by_role("group", name="Functie en dienst").get_by_label("Functie").locator("option:checked")
    expect(said).to_have_text("niet opgegeven")
    one.get_by_label("Functie").select_option("Verpleegkundige")
    one.get_by_label("Dienst", exact=True).fill("Chirurgie")
    one.get_by_role("button", name="Bewaar").click()
    expect(one.get_by_role("status").first).to_have_text("Bewaard. Het geldt vanaf het volgende verzoek.")
    expect(one.locator(".facts").first).to_contain_text("Verpleegkundige, Chirurgie")
    faultless(page)
    page.screenshot(path=tmp_path / "account.png", full_page=True)
    assert get_account(people.db, "colleague").function == "nurse"

    theirs = open_as("colleague", "/")
    expect(theirs.locator(".scope summary")).to_have_text("Verpleegkundige · Chirurgie")
    theirs.locator(".scope summary").click()
    chosen = theirs.get_by_label("Functie", exact=True)
    expect(chosen.locator("option").first).to_have_text("Verpleegkundige (volgens uw account)")
    theirs.screenshot(path=tmp_path / "asker.png")
    chosen.select_option("Apotheker")
    expect(theirs.locator(".scope summary")).to_have_text("Apotheker · Chirurgie")
    change_account(people.db, LOCAL_USER, people.ids["colleague"], function="", department="")


def test_who_is_no_membership_admin_sees_the_groups_and_has_nothing_to_change_them_with(
    open_as: Open, people: People
) -> None:
    page = open_as("admin", "/admin/accounts")
    one = opened_row(page, "auditor")
    expect(one.locator(".chips")).to_have_text("surgery")
    expect(one.locator(".chips button")).to_have_count(0)
    expect(one.get_by_label("Groep toevoegen")).to_have_count(0)
    expect(one.get_by_text("wijzigt iemand met de rol groepenbeheerder")).to_be_visible()
    expect(one.get_by_label("auditor", exact=False).first).to_be_disabled()
    expect(one.get_by_label("groepenbeheerder")).to_have_count(0)
    page.get_by_role("button", name="Nieuw account").click()
    expect(page.get_by_role("form", name="Nieuw account").get_by_label("Groep toevoegen")).to_have_count(0)
    foreign = opened_row(open_as("admin", "/admin/accounts"), "foreign admin")
    foreign.get_by_label("Nieuw wachtwoord").fill("een heel lang wachtwoord")
    foreign.get_by_role("button", name="Stel het wachtwoord in").click()
    expect(foreign.get_by_text("hebt u de rol groepenbeheerder nodig")).to_be_visible()


def test_an_admin_cannot_take_the_own_role_away_and_is_told_so(open_as: Open, people: People) -> None:
    one = opened_row(open_as("admin", "/admin/accounts"), "admin")
    one.get_by_label("beheerder").uncheck()
    one.get_by_role("button", name="Bewaar").click()
    expect(one.get_by_role("status").first).to_contain_text("een andere beheerder doet dat")
    assert get_account(people.db, "admin").roles == (Role.ADMIN,)


def test_a_new_account_keeps_what_was_written_until_it_is_made_and_then_signs_in(
    open_as: Open, new_page: NewPage, url: str
) -> None:
    page = open_as("membership admin", "/admin/accounts")
    page.get_by_role("button", name="Nieuw account").click()
    form = page.get_by_role("form", name="Nieuw account")
    expect(form.get_by_label("Aanmeldnaam")).to_be_focused()
    form.get_by_label("Aanmeldnaam").fill("owner")
    form.get_by_label("Naam", exact=True).fill("Bo Jans")
    password, show = form.get_by_label("Wachtwoord"), form.get_by_role("button", name="Toon", exact=True)
    expect(password).to_have_attribute("type", "password")  # nobody reads it over a shoulder
    expect(password).to_have_attribute("autocomplete", "new-password")
    password.fill("te kort")
    show.click()
    expect(show).to_have_attribute("aria-pressed", "true")
    expect(password).to_have_attribute("type", "text")
    expect(password).to_have_value("te kort")
    show.click()
    expect(password).to_have_attribute("type", "password")
    form.get_by_role("button", name="Maak het account").click()
    expect(form.locator(":invalid")).not_to_have_count(0)  # the browser itself says what is wrong
    form.get_by_label("Wachtwoord").fill(PASSWORD)
    form.get_by_label("Groep toevoegen").fill("staff")
    form.get_by_role("button", name="Maak het account").click()
    expect(form.get_by_role("alert")).to_contain_text("Deze aanmeldnaam bestaat al")
    for label, value in (("Naam", "Bo Jans"), ("Wachtwoord", PASSWORD), ("Groep toevoegen", "staff")):
        expect(form.get_by_label(label, exact=True)).to_have_value(value)
    form.get_by_label("Aanmeldnaam").fill("bo.jans")
    form.get_by_role("button", name="Maak het account").click()
    expect(page.get_by_text("Het account van Bo Jans is gemaakt.")).to_be_visible()
    expect(row(page, "Bo Jans")).to_contain_text("nog nooit aangemeld")

    own = new_page()
    own.goto(url)
    own.get_by_label("Gebruikersnaam").fill("bo.jans")
    own.get_by_label("Wachtwoord").fill(PASSWORD)
    own.get_by_role("button", name="Aanmelden").click()
    expect(own.locator("#question")).to_be_visible()


def test_suspending_asks_first_ends_everything_and_can_be_taken_back(open_as: Open, people: People) -> None:
    theirs = open_as("colleague", "/")
    expect(theirs.locator("#question")).to_be_visible()
    one = opened_row(open_as("admin", "/admin/accounts"), "colleague")
    one.get_by_role("button", name="Schors").click()
    expect(one.get_by_role("button", name="Annuleren")).to_be_focused()
    one.page.keyboard.press("Escape")
    assert get_account(people.db, "colleague").suspended_at is None
    one.get_by_role("button", name="Schors").click()
    one.get_by_role("button", name="Ja, schors").click()
    expect(one.locator(".account-ends").get_by_role("status")).to_contain_text("Geschorst")
    expect(one.locator(".caution")).to_contain_text("geschorst sinds")
    theirs.reload()
    expect(theirs.get_by_label("Wachtwoord")).to_be_visible()
    one.get_by_role("button", name="Laat weer aanmelden").click()
    expect(one.locator(".account-ends").get_by_role("status")).to_contain_text("Sleutels blijven ingetrokken")
    assert get_account(people.db, "colleague").suspended_at is None


def test_somebody_is_signed_out_everywhere(open_as: Open) -> None:
    theirs = open_as("judge", "/")
    expect(theirs.locator("#question")).to_be_visible()
    page = open_as("admin", "/admin/accounts")
    expect(row(page, "judge")).to_contain_text("nu aangemeld op")
    one = opened_row(page, "judge")
    one.get_by_role("button", name="Meld overal af").click()
    one.get_by_role("button", name="Ja, meld af").click()
    expect(one.locator(".account-ends").get_by_role("status")).to_contain_text("Beëindigd: ")
    theirs.reload()
    expect(theirs.get_by_label("Wachtwoord")).to_be_visible()


def test_the_page_says_why_somebody_sees_a_document_and_why_another_does_not(
    open_as: Open, people: People, document: Document
) -> None:
    page = open_as("admin", "/admin/accounts")
    sent = httpx.put(
        f"{page.url.split('/admin')[0]}/api/documents/{document.id}/access",
        json={"groups": ["surgery"]},
        headers={"authorization": f"Bearer {people.keys['admin']}"},  # type: ignore[index]
    )
    assert sent.status_code == 200

    def asked(name: str) -> Locator:
        one = opened_row(page, name)
        one.get_by_text("Waarom ziet deze persoon een document?").click()
        one.get_by_label("Titel of bestandsnaam").fill("wonden")
        one.get_by_role("button", name="Zorg voor wonden").click()
        return one.locator(".why-answer")

    sees = asked("owner")
    expect(sees).to_contain_text("owner ziet “Zorg voor wonden”.")
    expect(sees).to_contain_text("Door de groep “surgery”: een beheerder gaf die met de hand.")
    expect(sees).to_contain_text("Een beheerder zei dat van dit document")
    not_seen = asked("outsider")
    expect(not_seen).to_contain_text("outsider ziet “Zorg voor wonden” niet.")
    expect(not_seen).to_contain_text("zit in geen van de groepen")


# --- Keys


def test_a_key_is_shown_once_works_and_is_revoked_after_a_question(open_as: Open, url: str, people: People) -> None:
    page = open_as("admin", "/admin/keys?account=colleague", permissions=["clipboard-read", "clipboard-write"])
    form = page.get_by_role("form", name="Nieuwe sleutel")
    expect(form.get_by_label("Account dat ermee werkt")).to_have_value("colleague")
    form.get_by_label("Waarvoor hij dient").fill("scanner op zaal 4")
    form.get_by_role("button", name="Maak de sleutel").click()
    expect(form.get_by_role("alert")).to_have_text("Kies minstens één doel.")
    form.get_by_label("Account dat ermee werkt").fill("nobody-known")
    form.get_by_label(re.compile("^read")).check()
    form.get_by_role("button", name="Maak de sleutel").click()
    expect(form.get_by_role("alert")).to_have_text("Er is geen account met die naam.")
    expect(form.get_by_label("Waarvoor hij dient")).to_have_value("scanner op zaal 4")
    form.get_by_label("Account dat ermee werkt").fill("colleague")
    form.get_by_role("button", name="Maak de sleutel").click()
    made = page.get_by_role("region", name="De nieuwe sleutel")
    key = made.get_by_role("textbox").input_value()
    made.get_by_role("button", name="Kopieer").click()
    expect(made.get_by_role("status")).to_have_text("Gekopieerd.")
    assert page.evaluate("navigator.clipboard.readText()") == key
    shown = {"authorization": f"Bearer {key}"}
    assert httpx.get(f"{url}/api/documents", headers=shown).status_code == 200
    made.get_by_role("button", name="Ik heb hem weggeborgen").click()
    expect(page.get_by_role("button", name="Nieuwe sleutel")).to_be_focused()
    page.reload()
    expect(page.get_by_text("scanner op zaal 4")).to_be_visible()
    assert key not in page.content()
    card = page.locator(".card").filter(has_text="scanner op zaal 4")
    expect(card).to_contain_text("werkt als colleague")
    card.get_by_role("button", name="Trek in").click()
    card.get_by_role("button", name="Ja, trek in").click()
    expect(page.get_by_text("“scanner op zaal 4” is ingetrokken.")).to_be_visible()
    expect(card).to_have_count(0)
    assert httpx.get(f"{url}/api/documents", headers=shown).status_code == 401
    page.get_by_label("Toon").select_option("all")
    expect(card).to_contain_text("ingetrokken op")


def test_a_key_that_ends_soon_says_so_and_without_any_the_page_says_that(open_as: Open, people: People) -> None:
    page = open_as("admin", "/admin/keys")
    expect(page.locator(".card .caution").first).to_have_text("eindigt binnen een dag")  # the tests' keys hold a day
    for one in people.db.all(
        "select id from api_keys where revoked_at is null and name = 'a test''s' and not 'admin' = any(scopes)"
    ):
        revoke_key(people.db, LOCAL_USER, one["id"])
    page.reload()
    expect(page.locator(".card")).to_have_count(1)


# --- Who may


@pytest.mark.parametrize(
    ("who", "refused"),
    [
        (
            "owner",
            {
                "/admin/accounts": "beheerder",
                "/admin/keys": "beheerder",
                "/quality/sets": "beoordelaar of beheerder",
                "/audit/trail": "auditor",
            },
        ),
        ("judge", {"/admin/accounts": "beheerder"}),
        ("admin", {"/audit/trail": "auditor"}),
        ("auditor", {"/admin/accounts": "beheerder", "/admin/documents": "lezer, beoordelaar of beheerder"}),
    ],
)
def test_a_page_of_others_is_refused_and_says_which_role_is_lacking(
    open_as: Open, url: str, who: str, refused: dict[str, str]
) -> None:
    page = open_as(who, next(iter(refused)))
    for path, role in refused.items():
        page.goto(url + path)
        expect(page.get_by_role("heading", name="Deze pagina is niet voor u")).to_be_visible()
        expect(page.get_by_text(f"Ze is voor wie de rol {role} heeft; een beheerder kan die geven.")).to_be_visible()
        expect(page.locator(".card, .entries, form")).to_have_count(0)


@pytest.mark.parametrize(("who", "loads"), [("owner", 0), ("judge", 0), ("admin", 1)])
def test_who_may_not_load_documents_sees_nothing_to_load_them_with(
    open_as: Open, who: str, loads: int, tmp_path: Path
) -> None:
    page = open_as(who, "/admin/documents")
    expect(page.locator(".card.document").first).to_be_visible()
    expect(page.locator("input[type=file]")).to_have_count(loads)
    page.locator(".card.document summary").first.click()
    expect(page.get_by_role("button", name="Trek dit document in")).to_have_count(loads)
    expect(page.get_by_text("Alleen beheerders kunnen dit wijzigen.")).to_have_count(1 - loads)
    expect(page.get_by_text("Nakijken plant u hieronder.")).to_have_count(int(who == "judge"))
    expect(page.get_by_text("Nakijken of plannen")).to_have_count(int(who != "owner"))
    title = page.locator(".document-form").get_by_label("Titel", exact=True)
    expect(title).to_be_enabled(enabled=loads == 1)
    framed = "one => !/, 0\\)$/.test(getComputedStyle(one).borderTopColor)"
    assert title.evaluate(framed) == (loads == 1)  # what is only read does not look writable
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"{who}-{width}.png", full_page=True)
    # nobody is told to fill in what is not theirs
    expect(page.get_by_text("Wat u hier invult")).to_have_count(loads)
    expect(page.get_by_text("andere staan en tellen hier niet mee")).to_have_count(1 - loads)


@pytest.mark.parametrize("path", ["/quality/gaps", "/quality/reviews"])
def test_whose_questions_a_list_for_quality_staff_holds_is_said_by_their_groups(open_as: Open, path: str) -> None:
    page = open_as("judge", path)
    said = (
        "Hier staan en tellen alleen vragen van wie in uw groep “staff” of “surgery” zit, "
        "of in geen andere groep dan “iedereen” zit."
    )
    expect(page.get_by_text(said)).to_be_visible()


MENUS = {
    "owner": {},
    "judge": {
        "Kwaliteit": [
            "Documenten",
            "Antwoorden beoordelen",
            "Testsessie",
            "Beoordeelde vragen",
            "Onbeantwoorde vragen",
            "Gebruik",
        ]
    },
    "admin": {
        "Kwaliteit": ["Antwoorden beoordelen", "Testsessie", "Beoordeelde vragen", "Onbeantwoorde vragen", "Gebruik"],
        "Beheer": ["Documenten", "Eigenaars", "Accounts", "API-sleutels", "Webhooks"],
    },
}


@pytest.mark.parametrize("who", MENUS)
def test_what_belongs_to_a_task_lies_in_a_menu_of_those_who_have_it(open_as: Open, url: str, who: str) -> None:
    page = open_as(who, "/history")
    for path in ("/history", "/"):
        page.goto(url + path)
        expect(page.locator(".page-links > a", has_text="Procedures")).to_be_visible()
        expect(page.locator(".page-links .menu")).to_have_count(len(MENUS[who]))
        for name, pages in MENUS[who].items():
            page.locator(".page-links summary", has_text=name).click()
            menu = page.locator(".page-links .menu[open]")
            expect(menu).to_have_count(1)  # the one before it is closed
            expect(menu.locator("a")).to_have_text(pages)
    page.locator("summary", has_text="Eerder").click()
    expect(page.locator(".menu[open] a")).to_have_text(["Alle eerdere vragen"])


@pytest.mark.parametrize("locale", ["nl-BE", "en-GB"])
def test_the_bar_is_one_line_for_who_sees_most_of_it_and_names_them(
    open_as: Open, url: str, people: People, locale: str, tmp_path: Path
) -> None:
    name = "Annelies Vandenbroucke-Van Puyvelde"
    people.db.run("update users set name = %(name)s where id = %(id)s", {"name": name, "id": people.ids["admin"]})
    page = open_as("admin", "/admin/accounts", width=1366, height=800, locale=locale)
    for path, widths in (("/admin/accounts", [1366]), ("/", [1366, 1200, 1024, 768, 390, 320])):
        page.goto(url + path)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            expect(page.locator(".bar .menu").first).to_be_visible()
            # the page follows the width a moment later
            until(page, "document.documentElement.scrollWidth <= innerWidth")
            until(page, "document.querySelector('.bar').offsetHeight < 56")
            if width < 1200:
                page.locator(".bar summary", has_text="Menu").click()
            expect(page.locator(".signed-in")).to_have_text(name)
            expect(page.locator(".signed-in")).to_be_in_viewport()
            page.screenshot(path=tmp_path / f"{path[-5:].strip('/')}-{width}.png")
            if width < 1200:
                page.keyboard.press("Escape")


def test_an_auditor_comes_to_the_trail_and_is_shown_the_way_to_nothing_else(open_as: Open) -> None:
    page = open_as("auditor", "/")
    expect(page.get_by_role("heading", name="Logboek")).to_be_visible()
    expect(page.locator(".page-links a")).to_have_text(["Logboek"])
    refused = open_as("auditor", "/admin/accounts")
    refused.get_by_role("link", name="Logboek").click()
    expect(refused.get_by_role("heading", name="Logboek")).to_be_visible()


def test_on_a_phone_the_ways_to_pages_are_folded_and_lead_on(open_as: Open) -> None:
    page = open_as("admin", "/admin/accounts", width=360, height=740)
    expect(page.locator(".card.document").first).to_be_visible()
    bar = page.locator(".bar").bounding_box()
    assert bar
    assert bar["height"] < 100
    page.locator(".bar summary", has_text="Menu").click()
    page.get_by_role("link", name="API-sleutels").click()
    expect(page.get_by_role("heading", name="API-sleutels")).to_be_visible()


def test_an_auditors_page_asks_for_nothing_that_is_refused(open_as: Open) -> None:
    """Each refusal would be an entry of the trail that the auditor came to read."""
    page = open_as("auditor", "/")
    expect(page.locator(".entry").first).to_be_visible()
    page.get_by_label("Wie", exact=True).fill("auditor")
    page.get_by_label("Wat", exact=True).select_option("service.looked_at")
    page.get_by_role("button", name="Toon", exact=True).click()
    expect(page.locator(".empty-list")).to_be_visible()


# --- Sessions


@pytest.mark.parametrize(
    ("locale", "said", "box", "ask"),
    [
        ("nl-BE", "Uw sessie is afgelopen. Meld u opnieuw aan; uw vraag is bewaard.", "Gebruikersnaam", "Vraag"),
        ("en-GB", "Your session has ended. Sign in again; your question is kept.", "User name", "Ask"),
    ],
)
def test_who_asks_after_the_session_ended_signs_in_and_finds_the_question(
    open_as: Open, people: People, locale: str, said: str, box: str, ask: str
) -> None:
    name = f"ward-{locale[:2]}"
    people.ids[name] = add_account(people.db, LOCAL_USER, name, name, hash_password(PASSWORD), [Role.READER], [])
    page = open_as(name, "/", locale=locale)
    page.locator("#question").fill("Waarmee spoel ik de wonde?")
    page.wait_for_load_state("networkidle")  # else another of its requests may hear of the end first
    end_sessions(people.db, LOCAL_USER, people.ids[name])
    page.get_by_role("button", name=ask, exact=True).click()
    expect(page.get_by_role("status")).to_contain_text(said)
    expect(page.get_by_role("status")).to_contain_text("15 minut")
    expect(page.get_by_text("Authorization")).to_have_count(0)
    page.get_by_label(box).fill(name)
    page.locator("input[type=password]").fill(PASSWORD)
    page.locator("form button[type=submit]").click()
    expect(page.locator("#question")).to_have_value("Waarmee spoel ik de wonde?")


def test_a_tab_that_lies_idle_leaves_the_session_to_the_one_in_use(open_as: Open, people: People, url: str) -> None:
    people.ids["tabs"] = add_account(people.db, LOCAL_USER, "tabs", "tabs", None, [Role.READER], [])
    used = open_as("tabs", "/")
    clock = used.context.clock
    clock.install()
    idle = used.context.new_page()
    for page in (idle, used):
        page.goto(url)
        page.wait_for_load_state("networkidle")  # what watches is fetched later
    for _ in range(3):
        clock.fast_forward(10 * 60_000)
        used.locator("#question").press("Control")
    clock.run_for(2_000)
    for page in (idle, used):
        expect(page.locator("#question")).to_be_visible()
        expect(page.locator(".idle")).to_have_count(0)
    clock.fast_forward(16 * 60_000)
    for page in (idle, used):
        expect(page.locator("input[type=password]")).to_be_visible()


def test_a_timer_runs_on_and_rings_after_the_session_ended_without_saying_what_it_is_for(
    open_as: Open, people: People
) -> None:
    people.ids["timing"] = add_account(people.db, LOCAL_USER, "timing", "timing", None, [Role.READER], [])
    page = open_as("timing", "/")
    expect(page.locator("#question")).to_be_visible()
    page.clock.install()
    until = page.evaluate("Date.now()") + 300_000
    timer = {"id": 1, "step": "Spoel de lijn", "language": "nl", "words": "5 minuten", "seconds": 300, "until": until}
    kept = {"person": people.ids["timing"], "lists": [], "timers": [timer]}
    page.evaluate("kept => sessionStorage.setItem('bedside.steps', JSON.stringify(kept))", kept)
    page.reload()
    expect(page.locator(".timers")).to_contain_text("Spoel de lijn")
    page.locator("#question").fill("Waarmee spoel ik?")
    page.wait_for_load_state("networkidle")  # else another of its requests may hear of the end first
    end_sessions(people.db, LOCAL_USER, people.ids["timing"])
    page.get_by_role("button", name="Vraag", exact=True).click()
    expect(page.locator("input[type=password]")).to_be_visible()
    expect(page.get_by_role("timer")).to_be_visible()
    page.clock.fast_forward(301_000)
    expect(page.get_by_role("alert").filter(has_text="5 minuten: de tijd is om")).to_be_visible()
    expect(page.get_by_text("Spoel de lijn")).to_have_count(0)
    faultless(page)
    page.get_by_role("button", name="Klaar", exact=True).click()
    expect(page.locator(".timer-due")).to_have_count(0)


def test_the_sign_in_page_says_why_it_came_back_and_speaks_both_languages(
    open_as: Open, people: People, url: str
) -> None:
    page = open_as("owner", "/")
    expect(page.locator("#question")).to_be_visible()
    end_sessions(people.db, LOCAL_USER, people.ids["owner"])
    page.goto(url)
    expect(page.get_by_role("status")).to_have_text(
        "Uw sessie is afgelopen. Meld u opnieuw aan. Dat gebeurt na 15 minuten zonder gebruik."
    )
    expect(page.get_by_text("Wachtwoord vergeten? Vraag een nieuw aan de IT-dienst van uw ziekenhuis.")).to_be_visible()
    faultless_by_day_and_by_night(page)
    page.get_by_role("button", name="Show the page in English").click()
    expect(page.get_by_role("status")).to_contain_text("Your session has ended. Sign in again.")
    faultless_by_day_and_by_night(page)
    for width in (320, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        faultless(page)
    page.context.clear_cookies()
    page.evaluate("sessionStorage.clear()")
    page.goto(url)
    expect(page.get_by_text("Sign in to ask your hospital's own procedures.")).to_be_visible()


def test_who_is_suspended_reads_so_at_sign_in(open_as: Open, people: People, url: str, tmp_path: Path) -> None:
    people.ids["gone"] = add_account(people.db, LOCAL_USER, "Gone", "gone", hash_password(PASSWORD), [Role.READER], [])
    page = open_as("gone", "/")
    expect(page.locator("#question")).to_be_visible()
    change_account(people.db, LOCAL_USER, people.ids["gone"], suspended=True)
    page.goto(url)
    page.get_by_label("Gebruikersnaam").fill("gone")
    page.locator("input[type=password]").fill(PASSWORD)
    page.locator("form button[type=submit]").click()
    expect(page.get_by_role("alert")).to_have_text("Uw account is geschorst. Vraag een beheerder waarom.")
    faultless(page)
    page.screenshot(path=tmp_path / "suspended.png")


# --- The trail


def shown_entries(page: Page) -> Locator:
    expect(page.locator(".made [role=status]")).not_to_contain_text("…")
    return page.locator(".entry")


def test_an_entry_of_many_documents_names_a_few_until_it_is_opened(
    open_as: Open, url: str, people: People, container: Container, document: Document, tmp_path: Path
) -> None:
    for number in range(6):
        load(container, f"regel-{number}.pdf", f"Regel {number}. Was de handen.")
    key = {"authorization": f"Bearer {key_of(people.db, people.ids['machine'], [Scope.READ])}"}
    httpx.get(f"{url}/api/documents?search=regel-", headers=key).raise_for_status()
    page = open_as("auditor", "/audit/trail")
    expect(shown_entries(page)).not_to_have_count(1)  # of everything
    page.get_by_label("Document", exact=True).fill("regel-5")
    page.get_by_role("button", name="Toon", exact=True).click()
    expect(shown_entries(page)).to_have_count(1)
    expect(page.locator(".entry-what")).to_contain_text("regel-0.pdf, regel-1.pdf, regel-2.pdf en nog 3")
    page.screenshot(path=tmp_path / "folded.png")
    page.locator(".entry summary").click()
    expect(page.locator(".entry-detail")).to_contain_text("regel-5.pdf")
    container.db.run("delete from documents where source like 'regel-%'")


def test_the_trail_says_where_no_document_is_called_so_and_tells_nothing_of_their_pages(
    open_as: Open, people: People, container: Container, document: Document
) -> None:
    load(container, "regel-nummer.pdf", "Regel nummer. Document INW-012. Was de handen.")
    page = open_as("auditor", "/audit/trail")
    field, send = page.get_by_label("Document", exact=True), page.get_by_role("button", name="Toon", exact=True)
    field.fill("INW-012")
    send.click()
    expect(page.locator(".empty-list")).to_have_text(
        "Geen document heeft “INW-012” in zijn titel of bestandsnaam, of als id. Naar nummers op de bladzijden wordt "
        "hier niet gezocht."
    )
    faultless(page)
    field.fill("regel-nummer")
    send.click()
    expect(page.locator(".empty-list")).to_contain_text("Geen regel past hierbij")
    container.db.run("delete from documents where source like 'regel-%'")


def test_the_trail_is_read_by_person_action_document_and_period_and_each_reading_is_an_entry(
    open_as: Open, url: str, people: People, document: Document
) -> None:
    key = {"authorization": f"Bearer {people.keys['admin']}"}  # type: ignore[index]
    httpx.get(f"{url}/api/documents/{document.id}/access", headers=key).raise_for_status()
    page = open_as("auditor", "/audit/trail")
    expect(shown_entries(page).first).to_be_visible()
    page.get_by_label("Wie", exact=True).fill("mach")
    page.get_by_label("Wat", exact=True).select_option(label="las wie een document mag lezen")
    page.get_by_label("Document", exact=True).fill("zorg voor")
    page.get_by_role("button", name="Toon", exact=True).click()
    expect(shown_entries(page)).to_have_count(1)
    expect(page.locator(".entry-who")).to_have_text("machine")
    expect(page.locator(".entry-what")).to_contain_text("las wie een document mag lezen")
    page.locator(".entry summary").click()
    detail = page.locator(".entry-detail")
    expect(detail).to_contain_text("GET /documents/{document_id}/access")
    expect(detail).to_contain_text("wondzorg.pdf")
    expect(detail).to_contain_text("127.0.0.1")
    expect(detail).to_contain_text("beheerder, auditor, lezer")
    page.get_by_label("Tot en met").fill("2001-01-01")
    page.get_by_label("Vanaf").fill("2001-01-02")
    page.get_by_role("button", name="Toon", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("De laatste dag ligt voor de eerste.")
    page.get_by_label("Tot en met").fill("2001-01-03")
    page.get_by_role("button", name="Toon", exact=True).click()
    expect(page.locator(".empty-list")).to_contain_text("Geen regel past hierbij")
    expect(page.get_by_label("Wie", exact=True)).to_have_value("mach")  # what was asked stays to be changed
    expect(page.get_by_role("button", name="Toon", exact=True)).to_be_focused()
    page.get_by_role("button", name="Toon alles").click()
    expect(shown_entries(page).first).to_contain_text("las het logboek")
    expect(shown_entries(page).first.locator(".entry-who")).to_have_text("auditor")


def test_the_trail_says_of_an_answer_what_it_quoted_what_it_showed_and_that_it_was_refused(
    open_as: Open, container: Container, document: Document
) -> None:
    other = load(container, "verband.pdf", "Regel verband.", title="Verband")
    documents = [{"id": one.id, "source": one.source} for one in (document, other)]
    for status, cited in (("answered", [{"id": document.id}]), ("answered", [{"id": other.id}]), ("not_found", [])):
        on = {"status": status, "documents": documents, "cited": cited}
        container.trail.write(Event("question.answered", Result.SUCCESS, {"name": "Vrager"}, on=on))
    page = open_as("auditor", "/audit/trail")
    page.get_by_label("Document", exact=True).fill("wondzorg.pdf")
    use, said = page.get_by_label("Antwoorden: het document werd"), page.locator(".entry-what")
    for chosen, words in (
        ("geciteerd", "kreeg een antwoord te zien geciteerd: wondzorg.pdf getoond bij de bronnen: verband.pdf"),
        (
            "getoond bij de bronnen",
            "kreeg een antwoord te zien geciteerd: verband.pdf getoond bij de bronnen: wondzorg.pdf",
        ),
        (
            "getoond bij een weigering",
            "kreeg geen antwoord: de vraag werd geweigerd getoond bij een weigering: wondzorg.pdf, verband.pdf",
        ),
    ):
        use.select_option(label=chosen)
        page.get_by_role("button", name="Toon", exact=True).click()
        expect(said).to_have_text([words])
    page.locator(".entry summary").click()
    expect(page.locator(".entry-detail")).to_contain_text("wondzorg.pdf, getoond bij een weigering")
    faultless(page)
    container.db.run("delete from documents where source = 'verband.pdf'")


def test_from_an_entry_one_comes_to_all_of_its_request(open_as: Open, people: People, url: str) -> None:
    key = {"authorization": f"Bearer {people.keys['admin']}"}  # type: ignore[index]
    httpx.post(
        f"{url}/api/keys", json={"user": "machine", "name": "x", "scopes": ["admin"]}, headers=key
    ).raise_for_status()
    page = open_as("auditor", "/audit/trail")
    page.get_by_label("Wat", exact=True).select_option(label="maakte een sleutel")
    page.get_by_label("Afloop").select_option("success")
    page.get_by_role("button", name="Toon", exact=True).click()
    expect(shown_entries(page).first).to_be_visible()
    page.locator(".entry summary").first.click()
    page.get_by_role("button", name="alles van dit verzoek").click()
    expect(page.locator(".entry-result")).to_have_text(["gedaan", "begonnen"])
    expect(page.locator(".made")).to_be_focused()  # where the focus was is gone


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("nl-BE", "getoond, nieuwste eerst, in Midden-Europese tijd; bewaard worden alle die passen."),
        ("en-GB", "shown, newest first, in Central European Time; all that fit are saved."),
    ],
)
def test_the_trail_says_whose_clock_it_tells_and_that_more_than_it_shows_is_saved(
    open_as: Open, locale: str, said: str
) -> None:
    page = open_as("auditor", "/audit/trail", locale=locale, timezone_id="Europe/Brussels", width=320)
    expect(page.get_by_role("status").get_by_text(said)).to_be_visible()
    faultless(page)


def test_who_asks_for_opened_documents_is_told_of_those_that_opened_beside_an_answer(
    open_as: Open, tmp_path: Path
) -> None:
    page = open_as("auditor", "/audit/trail")
    what = page.get_by_label("Wat", exact=True)
    what.select_option("document.opened")
    hint = page.locator(".audit-filters .field-help")
    expect(hint).to_contain_text("zonder het te openen, is een andere handeling")
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"hint-{width}.png", full_page=True)
    hint.get_by_role("button", name="voeg die ook toe").click()
    expect(hint).to_have_count(0)
    expect(page.locator(".chips li")).to_contain_text(["opende een document", "zonder het zelf te openen"])


def test_the_trail_is_verified_by_a_button_and_what_is_wrong_is_named(open_as: Open, container: Container) -> None:
    page = open_as("auditor", "/audit/trail")
    chain = page.get_by_role("region", name="De keten")
    chain.get_by_role("button", name="Verifieer nu").click()
    expect(chain.locator(".sound")).to_contain_text("zijn zoals ze geschreven werden")
    page.reload()
    expect(chain.locator(".sound")).to_contain_text("Geverifieerd op")
    expect(chain).to_contain_text("Sindsdien")
    with container.db.connection() as connection:
        connection.execute("alter table audit_entries disable trigger user")
        connection.execute("update audit_entries set previous = decode(repeat('11', 32), 'hex') where sequence = 3")
    before = (
        "update audit_entries set previous = (select hash from audit_entries where sequence = 2) where sequence = 3"
    )
    try:
        chain.get_by_role("button", name="Verifieer nu").click()
        expect(chain.locator(".notice.serious")).to_contain_text("regel 3 klopt niet. Hij volgt niet op de vorige")
    finally:
        with container.db.connection() as connection:
            connection.execute(before)
            connection.execute("alter table audit_entries enable trigger user")


def test_what_is_shown_of_the_trail_is_saved_as_lines(open_as: Open, tmp_path: Path) -> None:
    page = open_as("auditor", "/audit/trail")
    page.get_by_label("Wat", exact=True).select_option("audit.read")
    page.get_by_role("button", name="Toon", exact=True).click()
    expect(shown_entries(page).first).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role(
            "link", name="Bewaar deze als JSON-regels", description=re.compile("vragen woord voor woord")
        ).click()
    assert started.value.suggested_filename == "bedside-audit.jsonl"
    lines = [json.loads(line) for line in Path(started.value.path()).read_text("utf-8").splitlines()]
    assert lines
    assert {line["action"] for line in lines} == {"audit.read"}


def test_changes_of_several_kinds_are_saved_as_one_table_with_a_line_for_each_act(
    open_as: Open, url: str, people: People
) -> None:
    key = {"authorization": f"Bearer {people.keys['admin']}"}  # type: ignore[index]
    judge = httpx.get(f"{url}/api/accounts?search=judge", headers=key).json()["accounts"][0]["id"]
    httpx.patch(f"{url}/api/accounts/{judge}", json={"department": "=1+1"}, headers=key).raise_for_status()
    new_key = {"user": "machine", "name": "=cmd", "scopes": ["admin"]}
    httpx.post(f"{url}/api/keys", json=new_key, headers=key).raise_for_status()
    page = open_as("auditor", "/audit/trail")
    what = page.get_by_label("Wat", exact=True)
    for words in ("maakte een sleutel", "wijzigde een account", "las het logboek"):
        what.select_option(label=words)
    page.get_by_role("button", name="Niet meer: las het logboek").click()
    page.get_by_role("button", name="Toon", exact=True).click()
    said = page.locator(".entry-what")
    expect(said.nth(0)).to_contain_text("maakte een sleutel")
    expect(said.nth(1)).to_have_text("wijzigde een account judge (judge)")
    assert "begonnen" not in page.locator(".entry-result").all_inner_texts()
    faultless(page)
    with page.expect_download() as started:
        page.get_by_role("button", name="Bewaar deze als CSV").click()
    today = date.today().isoformat()
    assert started.value.suggested_filename == f"bedside-audit_{today}_{today}.csv"  # of its entries
    text = Path(started.value.path()).read_text("utf-8-sig")
    head, *rows = csv.reader(text.splitlines())
    assert head[0] == "Nummer"
    assert head[1].startswith("Wanneer (")
    assert len(rows) == page.locator(".entry").count()
    expect(page.locator(".made [role=status]")).to_have_text(re.compile(f"^{len(rows)} regels getoond"))
    assert {row[4] for row in rows} == {"maakte een sleutel", "wijzigde een account"}
    changed = [row for row in rows if row[4] == "wijzigde een account"][-1]  # this one: the oldest stands first
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", changed[1])
    assert (changed[3], changed[5], changed[6]) == ("machine", "gedaan", "judge (judge)")
    assert not [cell for row in [head, *rows] for cell in row if cell[:1] in tuple("=+-@")]


def test_only_who_reviews_is_offered_to_say_that_a_document_holds(open_as: Open, document: Document) -> None:
    for who, count in (("judge", 1), ("owner", 0)):
        page = open_as(who, "/procedures")
        row = page.locator(".finder-row", has_text=document.metadata.title)
        expect(row.get_by_role("button", name="Favoriet")).to_be_visible()
        expect(row.get_by_text("Ik keek dit na: het klopt nog")).to_have_count(count)


def test_what_a_judge_searched_with_is_gone_when_they_sign_out(open_as: Open) -> None:
    left = "() => JSON.stringify([history.state, {...sessionStorage}, {...localStorage}, location.href])"
    page = open_as("judge", "/quality/reviews")
    page.get_by_label("Woorden in de vraag").fill("Jansen")
    assert "Jansen" in page.evaluate(left)
    page.locator("a[href='/inbox']").first.click()
    expect(page).to_have_url(re.compile("/inbox$"))
    page.get_by_role("button", name="Afmelden").click()
    expect(page.get_by_role("button", name="Aanmelden")).to_be_visible()
    for _ in range(2):
        page.go_back()
        expect(page.get_by_role("button", name="Aanmelden")).to_be_visible()
        assert "Jansen" not in page.evaluate(left)
    expect(page).to_have_url(re.compile("/quality/reviews$"))


# --- How they look


@pytest.mark.parametrize(
    ("who", "path"), [("admin", "/admin/accounts"), ("admin", "/admin/keys"), ("auditor", "/audit/trail")]
)
def test_accessibility_of_the_pages_for_admins_and_auditors(open_as: Open, who: str, path: str) -> None:
    """axe finds nothing, with a row and a form opened, and nothing is wider than the screen."""
    page = open_as(who, path, width=1366, height=800)
    expect(page.locator(".card, .entry").first).to_be_visible()
    if who == "admin":
        page.get_by_role("button", name=re.compile("^Nieuw")).click()
    if page.locator("li details").count():
        page.locator("li details > summary").first.click()
    for width in (1366, 360):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        assert page.evaluate(INSIDE, "main input, main button, main select, main dd, main summary")


def test_the_pages_speak_english_too(open_as: Open) -> None:
    page = open_as("admin", "/admin/accounts", locale="en-GB")
    expect(page.get_by_role("heading", name="Accounts")).to_be_visible()
    expect(row(page, "owner")).to_contain_text("reader")
    audit = open_as("auditor", "/audit/trail", locale="en-GB")
    expect(audit.get_by_role("heading", name="Audit trail")).to_be_visible()


# --- The API's description


def test_the_api_is_shown_and_tried_out_by_who_may_read(open_as: Open, new_page: NewPage, url: str) -> None:
    asked_of: set[str] = set()
    page = open_as("owner", "/")
    page.on("request", lambda request: asked_of.add(httpx.URL(request.url).host))
    page.goto(f"{url}/docs")
    expect(page.locator("[data-path='/ask']")).to_be_visible()
    for width in (320, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        faultless(page, beside=())  # the order of its headings is Swagger UI's own
    facets = page.locator(".opblock", has=page.locator("[data-path='/facets']"))
    facets.locator(".opblock-summary-control").click()
    facets.get_by_role("button", name="Try it out").click()
    facets.get_by_role("button", name="Execute").click()
    expect(facets.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    expect(facets.locator(".live-responses-table")).to_contain_text("Chirurgie")
    expect(page.get_by_role("button", name="Authorize").first).to_be_visible()  # with a key
    assert asked_of <= {httpx.URL(url).host, ""}
    stranger = new_page()
    stranger.goto(f"{url}/docs")
    expect(stranger.get_by_role("link", name="Sign in")).to_have_attribute("href", "/")
    expect(stranger.locator(".opblock")).to_have_count(0)
