"""The documents page on the real API, database and index: an admin's word is kept, shown and
searched by."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import FilePayload, Locator, Page, Route, expect
from reportlab.pdfgen.canvas import Canvas

from rag_api.api.deps import current_user
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.db.people.accounts import add_account
from rag_api.domain import LOCAL_USER, Document, Filters, Progress, Role, TargetGroup, User
from rag_api.ingest.common.kinds import SUFFIXES
from rag_api.main import create_app
from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage, Serving
from tests.e2e.scripted import DIST
from tests.rag_api.made_files.docx_files import docx, p, r
from tests.support.waiting import until
from tests.support.world import DOUBTFUL, empty, load, load_hospital


@pytest.fixture(scope="module")
def container(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    with Container(
        Settings(data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", web_dir=DIST)
    ) as made:
        yield made


@pytest.fixture
def documents(container: Container) -> Iterator[dict[str, Document]]:
    yield load_hospital(container)
    empty(container)
    container.db.run("truncate metadata_edits, metadata_changes, document_groups, group_changes, users cascade")


@pytest.fixture
def page(
    container: Container, documents: dict[str, Document], policy: str, serving: Serving, new_page: NewPage
) -> Page:
    url = serving(create_app(container.settings, container))
    found = new_page()
    found.goto(f"{url}/admin/documents")
    return found


def pdf_of(*lines: str, footer: str = "") -> bytes:
    """A page for each line; {n} in the footer is the page's number."""
    file = io.BytesIO()
    canvas = Canvas(file)
    for n, line in enumerate(lines, 1):
        canvas.drawString(72, 720, line)
        canvas.drawString(72, 30, footer.format(n=n))
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def upload(page: Page, **files: bytes) -> None:
    """Load files; `name_pdf` is called name.pdf."""
    chosen = [
        FilePayload(name=n.replace("_", "."), mimeType="application/octet-stream", buffer=b) for n, b in files.items()
    ]
    page.get_by_label("Laad documenten").set_input_files(chosen)
    expect(page.locator(".loaded li")).to_have_count(len(files), timeout=60_000)


def opened(page: Page, title: str) -> Page:
    page.locator("summary", has_text=title).click()
    expect(page.locator(".document-form")).to_be_visible()
    return page


def form(page: Page) -> Locator:
    """Of the document that is open."""
    return page.locator(".document-form")


def test_the_list_names_every_document_and_is_searched(page: Page) -> None:
    expect(page.locator(".document")).to_have_count(3)
    page.get_by_label("In titel, bestandsnaam of eerste bladzijde").fill("paracetamol")
    expect(page.locator(".document")).to_have_count(1)
    expect(page.locator(".document .facts")).to_contain_text("paracetamol-kind.pdf")


def test_every_document_of_a_large_collection_can_be_reached(page: Page, container: Container) -> None:
    for number in range(128):
        load(container, f"werkwijze-{number:03}.pdf", f"Werkwijze {number:03}. Was de handen.")
    page.reload()
    expect(page.locator(".document")).to_have_count(50)
    expect(page.get_by_text("50 van 131 documenten")).to_be_visible()
    page.get_by_role("button", name="Toon meer").click()
    expect(page.locator(".document")).to_have_count(100)
    page.get_by_role("button", name="Toon meer").click()
    expect(page.locator(".document")).to_have_count(131)
    expect(page.locator(".document-title").last).to_have_text("Werkwijze 127")
    expect(page.get_by_role("button", name="Toon meer")).to_have_count(0)


def test_what_an_admin_says_is_kept_shown_recorded_and_searched_by(
    page: Page, container: Container, documents: dict[str, Document]
) -> None:
    opened(page, "Paracetamol")
    form(page).get_by_label("kinderen").check()
    form(page).get_by_label("Dienst").fill("Apotheek")
    form(page).get_by_label("Geldig tot").fill("2031-05-01")
    form(page).get_by_role("button", name="Bewaar").click()
    expect(form(page).get_by_role("status")).to_have_text("Bewaard; de volgende vraag zoekt ermee.")
    expect(page.locator("summary .facts").nth(2)).to_contain_text("Apotheek")
    expect(page.locator(".document-edit").first).to_contain_text("Het bestand zegt: Pediatrie.")
    page.get_by_text("3 wijzigingen").click()
    expect(page.locator(".document-history li").filter(has_text="Dienst")).to_contain_text(
        "local: Dienst van “Pediatrie” naar “Apotheek”"
    )
    found = container.store.search(
        "paracetamol", container.embedder.query("paracetamol"), 5, Filters(departments=("Apotheek",)), 0.5
    )
    assert {hit.chunk.metadata.target_groups for hit in found} == {(TargetGroup.CHILD,)}


def test_a_field_goes_back_to_what_the_file_says(page: Page) -> None:
    opened(page, "Paracetamol")
    form(page).get_by_label("Dienst").fill("Apotheek")
    form(page).get_by_role("button", name="Bewaar").click()
    page.get_by_role("button", name="Zoals het bestand").click()
    expect(form(page).get_by_label("Dienst")).to_have_value("Pediatrie")
    expect(page.locator(".document-edit")).to_have_count(0)


def test_what_makes_no_sense_is_refused_in_words(page: Page) -> None:
    opened(page, "Paracetamol")
    form(page).get_by_label("Geldig vanaf").fill("2031-05-01")
    form(page).get_by_label("Geldig tot").fill("2030-05-01")
    form(page).get_by_role("button", name="Bewaar").click()
    expect(form(page).get_by_role("status")).to_contain_text("expire before it becomes valid")


def test_files_are_loaded_from_the_page_and_each_that_cannot_be_read_is_named(page: Page, container: Container) -> None:
    files = {
        "stroom.pdf": pdf_of("Bij een stroompanne neemt de noodgroep binnen vijftien seconden over."),
        "leeg.pdf": b"",
        "kapot.pdf": b"geen pdf",
    }
    page.get_by_label("Laad documenten").set_input_files(
        [FilePayload(name=n, mimeType="application/pdf", buffer=b) for n, b in files.items()]
    )
    expect(page.locator(".loaded li > span:first-child")).to_have_text([
        "stroom.pdf: geladen; de volgende vraag vindt het",
        re.compile("^leeg.pdf: het is leeg"),
        re.compile("^kapot.pdf: het is stuk, of niet wat de naam zegt"),
    ])  # fmt: skip
    expect(page.locator(".document")).to_have_count(6)
    expect(page.locator(".document", has_text="kapot.pdf")).to_contain_text("Kon niet gelezen worden: het is stuk")
    found = container.store.search("stroompanne noodgroep", container.embedder.query("stroompanne"), 1, Filters(), 0.5)
    assert "vijftien seconden" in found[0].chunk.text
    page.get_by_label("Laad documenten").set_input_files(
        [FilePayload(name="stroom.pdf", mimeType="application/pdf", buffer=files["stroom.pdf"])]
    )
    expect(page.locator(".loaded li > span:first-child")).to_have_text(["stroom.pdf: ongewijzigd, het was er al"])


def test_every_kind_of_file_that_is_read_can_be_chosen_and_is_named(page: Page) -> None:
    chooser = page.get_by_label("Laad documenten")
    assert (chooser.get_attribute("accept") or "").split(",") == list(SUFFIXES)
    expect(chooser).to_have_accessible_description(re.compile(", ".join(suffix[1:] for suffix in SUFFIXES)))


def test_notes_on_a_document_are_seen_where_it_is_loaded_and_in_the_list(page: Page, tmp_path: Path) -> None:
    hidden = r("Geef in nood het dubbele.", "<w:vanish/>")
    word = docx(tmp_path / "spoed.docx", p(r("Spoedkar"), style="Title"), p(r("De spoedkar staat in de gang."), hidden))
    upload(page, wacht_txt=b"Wachtzaal\n\nDe wachtzaal sluit om acht uur.", spoed_docx=word.read_bytes())
    text, loaded = page.locator(".loaded li").all()
    expect(text.locator("span").first).to_have_text("wacht.txt: geladen; de volgende vraag vindt het")
    note = (
        "verborgen woorden worden niet gelezen; maak ze in Word zichtbaar of haal ze weg: “Geef in nood het dubbele.”"
    )
    expect(loaded.locator(".caution").first).to_have_text(note)
    expect(page.locator(".document", has_text="spoed.docx").locator(".caution").first).to_have_text(note)
    expect(page.locator(".document", has_text="wacht.txt").locator(".caution")).to_have_count(0)
    page.get_by_role("button", name="Show the page in English").click()
    english = "hidden words are not read; show or remove them in Word: “Geef in nood het dubbele.”"
    expect(page.locator(".document", has_text="spoed.docx").locator(".caution").first).to_have_text(english)
    page.get_by_role("button", name="Toon de pagina in het Nederlands").click()
    expect(page.locator(".document [lang=en]")).to_have_count(0)
    faultless(page)


def test_what_could_not_be_read_says_why_and_what_to_do(page: Page) -> None:
    upload(page, kapot_pdf=b"geen pdf", foto_png=b"geen document")
    advice = "Open het in het programma waarmee het gemaakt is, bewaar het als PDF en laad die."
    for place in (".loaded li", ".document"):
        broken = page.locator(place, has_text="kapot.pdf")
        expect(broken).to_contain_text("het is stuk, of niet wat de naam zegt")
        expect(broken.locator("[lang=en]")).to_have_count(0)
        expect(broken.locator(".document-advice")).to_have_text(advice)
        expect(page.locator(place, has_text="foto.png").locator(".document-advice")).to_have_text(
            "Bewaar het als PDF en laad die."
        )
    faultless(page)


def test_lines_left_out_as_page_furniture_are_shown_with_page_and_reason(page: Page) -> None:
    lines = [f"Hoofdstuk {part} gaat over de infuuspomp en haar alarmen." for part in ("een", "twee", "drie")]
    upload(page, pomp_pdf=pdf_of(*lines, footer="Apotheek | pagina {n} van 3"))
    cut = "3 regels weggelaten als koptekst, voettekst of paginanummer"
    expect(page.locator(".loaded li > span:first-child")).to_have_text(
        f"pomp.pdf: geladen; de volgende vraag vindt het; {cut}"
    )
    page.locator(".document", has_text="pomp.pdf").locator("summary").click()
    expect(page.locator(".document-cut summary")).to_have_text(cut)
    expect(page.locator(".document-cut li")).to_have_text(
        [f"p. {n}, voettekst: Apotheek | pagina {n} van 3" for n in (1, 2, 3)]
    )
    expect(page.locator(".document-cut li").first).to_be_visible()
    faultless(page)


def test_many_lines_left_out_are_folded_away(page: Page) -> None:
    lines = [
        f"Hoofdstuk {part} gaat over de infuuspomp." for part in ("een", "twee", "drie", "vier", "vijf", "zes", "zeven")
    ]
    upload(page, pomp_pdf=pdf_of(*lines, footer="Apotheek | pagina {n} van 7"))
    page.locator(".document", has_text="pomp.pdf").locator("summary").click()
    last = page.locator(".document-cut li").last
    expect(last).to_be_hidden()
    page.locator(".document-cut summary").click()
    expect(last).to_be_visible()
    expect(last).to_have_text("p. 7, voettekst: Apotheek | pagina 7 van 7")


def test_a_document_that_is_taken_out_is_listed_and_found_no_more(
    page: Page, container: Container, documents: dict[str, Document]
) -> None:
    opened(page, "Openingsuren")
    expect(page.locator(".document-form")).to_be_visible()
    expect(page.get_by_role("button", name="Trek dit document in")).to_be_in_viewport()  # above what is said of it
    page.get_by_role("button", name="Trek dit document in").click()
    expect(page.locator(".confirm")).to_contain_text("“Openingsuren van het restaurant” (restaurant.pdf) intrekken?")
    page.get_by_role("button", name="Annuleren").click()
    expect(page.locator(".document")).to_have_count(3)
    page.get_by_role("button", name="Trek dit document in").click()
    sure = page.get_by_role("button", name="Ja, trek het in")
    expect(sure).to_be_disabled()  # a reason, or that there is to be none
    page.get_by_label("Zonder te zeggen waarom").check()
    sure.click()
    expect(page.locator(".document")).to_have_count(2)
    assert documents["kitchen"].id not in container.store.document_ids()
    said = page.locator(".notice[role=status]")
    expect(said).to_have_text(
        "Ingetrokken: “Openingsuren van het restaurant”. Het staat onder “ingetrokken” en kan teruggezet worden."
    )
    expect(said).to_be_focused()  # where the focus was is gone
    faultless(page)


def test_what_would_be_withdrawn_is_told_from_what_has_its_title_and_stays(
    page: Page, container: Container, tmp_path: Path
) -> None:
    title = "MRSA, screening"
    gone = load(container, "mrsa-2021.pdf", "Screen op MRSA met twee wissers. ", version="3", title=title)
    load(container, "mrsa-2026.pdf", "Screen op MRSA. ", version="5.0", supersedes="mrsa-2021.pdf", title=title)
    page.reload()
    opened(page, "mrsa-2021.pdf")
    page.get_by_role("button", name="Trek dit document in").click()
    expect(page.locator(".confirm > span")).to_have_text(
        "“MRSA, screening”, versie 3 (mrsa-2021.pdf) intrekken? Bedside antwoordt er niet meer uit. "
        "“MRSA, screening”, versie 5.0 blijft. Bij “ingetrokken” kan het weer teruggezet worden."
    )
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
    page.get_by_label("Reden").fill("Vervangen.")
    page.get_by_role("button", name="Ja, trek het in").click()
    expect(page.locator(".notice[role=status]")).to_contain_text("Ingetrokken: “MRSA, screening”.")
    for supersedes, leads in (("mrsa-2021.pdf", "Wat nu geldt:"), ("", "Nu geldt een document met dezelfde titel:")):
        said = "update documents set supersedes = %(old)s where source = 'mrsa-2026.pdf'"
        container.db.run(said, {"old": supersedes})
        page.goto(page.url.split("/admin")[0].split("/d/")[0] + f"/d/{gone.id}#page=1")
        page.reload()
        notices = page.locator(".linked .notices")
        expect(notices).to_contain_text("Dit document is ingetrokken op")
        expect(notices).to_contain_text(f"{leads} {title}")
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"holds-{len(supersedes)}.png")
    notices.get_by_role("link", name=title).click()
    expect(page.locator(".source-head .facts")).to_contain_text("versie 5.0")


def test_a_reason_that_seems_to_name_a_patient_is_shown_as_it_would_be_kept_and_its_writer_decides(
    page: Page, container: Container, tmp_path: Path
) -> None:
    opened(page, "Openingsuren")
    page.get_by_role("button", name="Trek dit document in").click()
    reason = page.get_by_label("Reden")
    reason.fill("Vraag de nieuwe aan Jan Peeters.")
    page.get_by_role("button", name="Ja, trek het in").click()
    said = page.locator(".document").get_by_role("alert")
    expect(said).to_contain_text("is nog niet bewaard: kies hieronder, of wijzig uw tekst")
    expect(said).to_contain_text("een naam: Jan Peeters")
    expect(said).to_contain_text("Zonder: Vraag de nieuwe aan […].")
    for width in (320, 390, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"kept-{width}.png", full_page=True)
    reason.fill("Vraag de nieuwe aan Team Jansen.")
    expect(said).to_have_count(0)  # it was of other words
    page.get_by_role("button", name="Ja, trek het in").click()
    said.get_by_role("button", name="Het gaat niet over een patiënt: bewaar alles").click()
    expect(page.locator(".document")).to_have_count(2)
    page.get_by_label("Kies: Paracetamol").check()
    page.get_by_role("button", name="Trek 1 document in").click()
    page.get_by_label("Reden").fill("Vraag Jan Peeters.")
    page.get_by_role("button", name="Ja, trek ze in").click()
    said = page.locator(".bulk").get_by_role("alert")
    expect(said).to_contain_text("Zonder: Vraag […].")
    faultless(page)
    said.get_by_role("button", name="Weglaten en bewaren").click()
    expect(page.locator(".document")).to_have_count(1)
    reasons = container.db.all("select withdrawn_reason from documents where status = 'retired' order by 1")
    assert [one["withdrawn_reason"] for one in reasons] == ["Vraag […].", "Vraag de nieuwe aan Team Jansen."]


def test_a_withdrawn_document_is_listed_with_who_and_when_and_put_back(
    page: Page, container: Container, tmp_path: Path
) -> None:
    upload(page, stroom_pdf=pdf_of("Bij een stroompanne neemt de noodgroep over."))
    opened(page, "stroom")
    page.get_by_role("button", name="Trek dit document in").click()
    page.get_by_label("Reden").fill("De noodgroep is vervangen.")
    with page.expect_request(lambda request: "noodgroep" in f"{request.url}{request.post_data}") as sent:
        page.get_by_role("button", name="Ja, trek het in").click()
    assert "noodgroep" not in sent.value.url  # addresses are written in logs
    expect(page.locator(".document")).to_have_count(3)
    page.get_by_label("Toon", exact=True).select_option("ingetrokken")
    gone = page.locator(".document")
    expect(gone).to_have_count(1)
    expect(gone).to_contain_text(re.compile("Ingetrokken op .*: De noodgroep is vervangen."))
    expect(gone.get_by_role("button", name="Zet terug")).to_be_in_viewport()
    gone.get_by_role("link", name="Open het document").click()
    said = page.locator(".linked .notice")
    expect(said).to_contain_text(re.compile(r"Dit document is ingetrokken op \d.*: De noodgroep is vervangen\."))
    page.get_by_role("button", name="Sluit de bron").click()
    expect(page).to_have_url(re.compile("/admin/documents[?]shown=withdrawn$"))
    expect(page.get_by_label("Toon", exact=True)).to_have_value("withdrawn")
    gone.get_by_text("Wijzig de reden").click()
    gone.get_by_label("Reden").fill("Vervangen door de stroomkaart.")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"withdrawn-{width}.png", full_page=True)
    gone.get_by_role("button", name="Bewaar").click()
    expect(gone).to_contain_text(re.compile("Ingetrokken op .*: Vervangen door de stroomkaart."))
    gone.get_by_role("button", name="Zet terug").click()
    sure = gone.locator(".confirm")
    expect(sure).to_contain_text("Het is dan weer te vinden voor: iedereen. Bedside antwoordt er hen weer uit.")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"put-back-{width}.png", full_page=True)
    page.keyboard.press("Escape")
    expect(gone).to_have_count(1)
    gone.get_by_role("button", name="Zet terug").click()
    gone.get_by_role("button", name="Ja, zet het terug").click()
    said = page.locator(".notice[role=status]")
    expect(said).to_contain_text(
        "is teruggezet: het is te vinden voor iedereen. Bedside antwoordt eruit.", timeout=60_000
    )
    expect(said).to_be_focused()
    expect(page.get_by_text("Er past geen document bij.")).to_have_count(0)
    expect(gone).to_have_count(1)  # the same one, as it stands now
    expect(gone).to_contain_text("stroom.pdf")
    expect(gone.get_by_role("button", name="Zet terug")).to_have_count(0)
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"back-{width}.png", full_page=True)
    page.get_by_label("Toon", exact=True).select_option("ingetrokken")
    page.get_by_label("Toon", exact=True).select_option("vervallen en niet vervangen")
    expect(gone).to_have_count(0)
    page.get_by_label("Toon", exact=True).select_option("alles wat niet ingetrokken is, ook vervallen of vervangen")
    expect(page.locator(".document", has_text="stroom.pdf")).to_be_visible()
    opened(page, "stroom")
    page.get_by_text("2 wijzigingen", exact=True).click()
    for change in (
        "ingetrokken: De noodgroep is vervangen.",
        "waarom het ingetrokken is: Vervangen door de stroomkaart.",
    ):
        expect(page.locator(".document-history")).to_contain_text(change)
    found = container.store.search("stroompanne noodgroep", container.embedder.query("stroompanne"), 1, Filters(), 0.5)
    assert "noodgroep" in found[0].chunk.text


def test_what_asks_for_attention_can_be_listed(page: Page, container: Container) -> None:
    load(container, "oud.pdf", "Deze geldt niet meer. ", valid_until=date.today() - timedelta(days=1), language="nl")
    load(container, "bijna.pdf", "Deze geldt nog even. ", valid_until=date.today() + timedelta(days=9), language="nl")
    load(container, "scan.pdf", f"Een scan. {DOUBTFUL}Geef 5 mg. {DOUBTFUL}Bel de wacht. ", language="nl")
    upload(page, kapot_pdf=b"geen pdf")
    for shown, name in (
        ("vervallen en niet vervangen", "oud.pdf"), ("vervalt binnen een maand en niet vervangen", "bijna.pdf"),
        ("vervalt binnen drie maanden en niet vervangen", "bijna.pdf"),
        ("vervalt binnen zes maanden en niet vervangen", "bijna.pdf"),
        ("vervalt binnen twaalf maanden en niet vervangen", "bijna.pdf"),
        ("deels met twijfel gelezen", "scan.pdf"), ("kon niet gelezen worden", "kapot.pdf"),
    ):  # fmt: skip
        page.get_by_label("Toon", exact=True).select_option(shown)
        expect(page.locator(".document")).to_have_count(1)
        expect(page.locator(".document")).to_contain_text(name)
    page.get_by_label("Toon", exact=True).select_option("alles wat niet ingetrokken is, ook vervallen of vervangen")
    expect(page.locator(".document", has_text="oud.pdf").locator(".warn")).to_contain_text("verlopen op")
    page.get_by_label("Dienst", exact=True).select_option("Pediatrie")
    expect(page.locator(".document")).to_have_count(1)


def test_what_lapsed_longest_ago_comes_first_and_what_was_replaced_says_by_what(
    page: Page, container: Container, tmp_path: Path
) -> None:
    for name, days in (("jong", 3), ("oudst", 900), ("ouder", 400), ("vervangen", 2000)):
        load(container, f"{name}.pdf", f"Regel {name}. ", valid_until=date.today() - timedelta(days=days), owner="Raad")
    load(container, "nieuw.pdf", "Regel nieuw. ", version="2", supersedes="vervangen.pdf", owner="Raad")
    page.get_by_label("Toon", exact=True).select_option("vervallen en niet vervangen")
    expect(page.locator(".document-title")).to_have_text(["Regel oudst", "Regel ouder", "Regel jong"])
    expect(page.locator(".document .facts").first).to_contain_text("eigenaar: Raad")
    page.get_by_label("Toon", exact=True).select_option("vervangen door een ander document")
    expect(page.locator(".document")).to_have_count(1)
    expect(page.locator(".document")).to_contain_text("Vervangen door “Regel nieuw”, versie 2.")
    page.get_by_label("Toon", exact=True).select_option("alles wat niet ingetrokken is, ook vervallen of vervangen")
    page.get_by_label("Volgorde").select_option("wat eerst vervalt")
    expect(page.locator(".document-title").first).to_have_text("Regel vervangen")
    for shown in ("ingetrokken", "alles wat niet ingetrokken is, ook vervallen of vervangen"):
        page.get_by_label("Toon", exact=True).select_option(shown)
        expect(page.get_by_label("Volgorde")).to_have_value("valid_until")  # who chose it keeps it
    expect(page.locator(".document-title").first).to_have_text("Regel vervangen")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless(page)
        page.screenshot(path=tmp_path / f"overdue-{width}.png", full_page=True)
    cut = """one => { const all = one.cloneNode(true); all.style.width = "auto"; one.after(all);
      const whole = all.offsetWidth; all.remove(); return whole > one.offsetWidth; }"""
    for choice in page.locator(".finder-choices select").all():
        assert not choice.evaluate(cut), choice.evaluate("one => one.labels[0].textContent")
    page.goto(urljoin(page.url, "/procedures"))  # staff see it where they look for a procedure
    replaced = page.locator(".finder-row", has_text="Vervangen door “Regel nieuw”, versie 2.")
    expect(replaced.get_by_role("link")).to_have_text("Regel vervangen")


def test_what_another_document_replaced_is_not_found_among_what_is_valid_today(
    page: Page, container: Container
) -> None:
    load(container, "oud.pdf", "Regel oud. ", language="nl")
    load(container, "nieuw.pdf", "Regel nieuw. ", supersedes="oud.pdf", language="nl")
    page.goto(urljoin(page.url, "/procedures"))
    page.get_by_label("In titel, bestandsnaam of eerste bladzijde").fill("regel")
    rows = page.locator(".found-procedures .finder-row .document-title")
    expect(rows).to_have_text(["Regel nieuw", "Regel oud"])
    page.get_by_label("Geldigheid").select_option("vandaag geldig")
    expect(rows).to_have_text(["Regel nieuw"])


def test_a_document_that_counts_is_opened_from_its_row(page: Page) -> None:
    opened(page, "Paracetamol")
    faultless(page)
    page.get_by_role("link", name="Open het document").click()
    expect(page.get_by_text("15 mg/kg paracetamol per gift")).to_be_visible()


def test_an_earlier_version_of_a_file_is_listed_named_as_replaced_and_opened(
    page: Page, container: Container, tmp_path: Path
) -> None:
    load(container, "pomp.pdf", "Regel pomp. Spoel elk uur.", version="1")
    load(container, "pomp.pdf", "Regel pomp. Spoel elke dag.", version="2")
    page.reload()
    page.get_by_label("Toon", exact=True).select_option("eerdere versies van hetzelfde bestand")
    earlier = page.locator(".document")
    expect(earlier).to_have_count(1)
    expect(earlier).to_contain_text("Vervangen door “Regel pomp”, versie 2.")
    expect(page.get_by_role("checkbox")).to_have_count(0)  # withdrawing it would withdraw what counts now
    faultless(page)
    page.screenshot(path=tmp_path / "earlier.png", full_page=True)
    earlier.get_by_role("link", name="Open het document").click()
    expect(page.get_by_text("Dit document is intussen vervangen. Wat nu geldt: Regel pomp")).to_be_visible()
    expect(page.get_by_text("Spoel elk uur.")).to_be_visible()


def test_what_was_read_is_checked_and_corrected_where_it_was_loaded(
    page: Page, container: Container, tmp_path: Path
) -> None:
    load(container, "wonden-3.pdf", "Wondzorg. Reinig de wonde.", version="3", owner="Wondteam", department="Spoed")
    page.reload()
    expect(page.locator(".document")).to_have_count(4)
    upload(page, wonden_txt=b"Wondzorg\n\nDienst: Spoed Eigenaar: Wondteam\n\nReinig de wonde.")
    check = page.get_by_role("form", name="Kijk na wat gelezen werd")
    labels = check.locator("label")
    expect(labels.first).to_have_text(re.compile("Versie .niet gevonden."))  # what is in doubt comes first
    expect(check.get_by_label("Eigenaar")).to_have_value("Wondteam")
    expect(check.get_by_label("Dienst")).to_have_value("Spoed")
    expect(check).to_contain_text("Van “Wondteam” is niemand bekend")
    twin = page.locator(".check > .notice")
    expect(twin).to_contain_text("Er is al een geldig document “Wondzorg”, versie 3 (wonden-3.pdf)")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless(page)
        page.screenshot(path=tmp_path / f"check-{width}.png", full_page=True)
    twin.get_by_role("button", name="Ja, het vervangt dat").click()
    expect(page.locator(".check")).to_contain_text("Het vervangt nu wonden-3.pdf.")
    check.get_by_label("Versie").fill("4")
    check.get_by_role("button", name="Bewaar").click()
    expect(check.get_by_role("status")).to_have_text("Bewaard; de volgende vraag zoekt ermee.")
    rows = container.db.all("select version, supersedes from documents where source = 'wonden.txt'")
    assert rows == [{"version": "4", "supersedes": "wonden-3.pdf"}]
    expect(page.locator(".document", has_text="wonden-3.pdf")).to_contain_text("Vervangen door “Wondzorg”")


def test_a_new_version_under_another_name_and_title_is_asked_about_and_replaces_the_old_one_with_a_click(
    page: Page, container: Container, tmp_path: Path
) -> None:
    rules = (
        "Spoel de pomp met 20 ml serum.",
        "Sluit de lijn aan op de zijpoort van de katheter.",
        "Noteer het debiet en het uur in het dossier van de dienst.",
    )
    load(container, "pomp-2019.pdf", f"Infuuspomp spoelen. {' '.join(rules)}", version="3")
    upload(page, werkwijze_pdf=pdf_of("Werken met de pomp", *rules))
    asked = page.locator(".check .notice")
    expect(asked).to_have_text(
        re.compile(
            r"Er is al een geldig document “Infuuspomp spoelen”, versie 3 .pomp-2019.pdf.; \d\d\s?% van de tekst is dezelfde"
        )
    )
    faultless(page)
    page.screenshot(path=tmp_path / "predecessor.png", full_page=True)
    asked.get_by_role("button", name="Ja, het vervangt dat").click()
    expect(page.locator(".check")).to_contain_text("Het vervangt nu pomp-2019.pdf.")
    expect(page.locator(".document", has_text="pomp-2019.pdf")).to_contain_text("Vervangen door")


def test_all_that_match_are_chosen_beyond_those_shown_and_get_an_owner(page: Page, container: Container) -> None:
    for number in range(80):
        owner = "Apotheek" if number % 2 else ""
        load(container, f"werkwijze-{number:03}.pdf", f"Werkwijze {number:03}. Was de handen.", owner=owner)
    page.reload()
    expect(page.locator(".document")).to_have_count(50)
    page.get_by_label("Eigenaar", exact=True).select_option("geen eigenaar")
    page.get_by_label("In titel, bestandsnaam of eerste bladzijde").fill("werkwijze")
    expect(page.locator(".document")).to_have_count(40)
    page.get_by_label("Eigenaar", exact=True).select_option("alle")
    expect(page.get_by_text("50 van 80 documenten")).to_be_visible()
    page.get_by_label("Kies alle 80 documenten die passen").check()
    bulk = page.get_by_role("group", name="80 documenten gekozen")
    bulk.get_by_label("Eigenaar").fill("Hygiëne")
    bulk.get_by_role("button", name="Stel de eigenaar in").click()
    expect(page.locator(".bulk [role=status]")).to_have_text("80 documenten gewijzigd.", timeout=60_000)
    page.get_by_label("Eigenaar", exact=True).first.select_option("geen eigenaar")
    expect(page.locator(".document")).to_have_count(0)
    owners = container.db.all(
        "select owner, count(*) as n from documents where source like 'werkwijze%' group by owner"
    )
    assert owners == [{"owner": "Hygiëne", "n": 80}]


def test_what_could_not_be_read_is_tried_again_and_withdrawn_many_at_once(page: Page, container: Container) -> None:
    upload(page, kapot_pdf=b"%PDF-1.4 nothing", stuk_pdf=b"%PDF-1.4 nothing more")
    page.get_by_label("Toon", exact=True).select_option("kon niet gelezen worden")
    expect(page.locator(".document")).to_have_count(2)
    opened(page, "kapot")
    page.get_by_role("button", name="Probeer opnieuw te lezen").click()
    expect(page.get_by_role("alert").filter(has_text="Nog altijd niet gelezen")).to_be_visible(timeout=60_000)
    page.get_by_label("Kies alle 2 documenten die passen").check()
    page.get_by_role("button", name="Probeer 2 documenten opnieuw te lezen").click()
    expect(page.locator(".bulk .wrong")).to_have_count(2, timeout=60_000)
    page.get_by_role("button", name="Trek 2 documenten in").click()
    page.get_by_label("Reden").fill("Niet te lezen.")
    page.get_by_role("button", name="Ja, trek ze in").click()
    expect(page.locator(".document")).to_have_count(0)
    expect(page.locator(".notice[role=status]")).to_have_text(
        "Ingetrokken: 2 documenten (kapot; stuk). Ze staan onder “ingetrokken” en kunnen teruggezet worden."
    )
    reasons = container.db.all("select withdrawn_reason from documents where status = 'retired'")
    assert [one["withdrawn_reason"] for one in reasons] == ["Niet te lezen."] * 2
    page.get_by_label("Toon", exact=True).select_option("alles wat niet ingetrokken is, ook vervallen of vervangen")
    expect(page.get_by_text("3 documenten", exact=True)).to_be_visible()


def test_many_documents_are_changed_and_withdrawn_at_once_and_what_fails_stays_chosen(
    page: Page, container: Container, documents: dict[str, Document], tmp_path: Path
) -> None:
    load(container, "later.pdf", "Later geldig. ", valid_from=date(2040, 1, 1), language="nl")
    page.reload()
    page.get_by_label("Kies alle 4 documenten die passen").check()
    bulk = page.get_by_role("group", name="4 documenten gekozen")
    bulk.get_by_label("Geldig tot").fill("2035-05-01")
    faultless(page)
    page.screenshot(path=tmp_path / "bulk.png")
    bulk.get_by_role("button", name="Stel de laatste dag in").click()
    expect(page.locator(".bulk [role=status]")).to_contain_text("3 documenten gewijzigd; 1 niet, en nog gekozen:")
    expect(page.locator(".bulk .wrong")).to_contain_text("Later geldig")
    expect(page.get_by_label("Kies: Later geldig")).to_be_checked()
    page.get_by_label("Kies: Later geldig").uncheck()
    page.get_by_label("Kies: Openingsuren").check()
    page.get_by_label("Kies: Paracetamol").check()
    bulk = page.get_by_role("group", name="2 documenten gekozen")
    bulk.get_by_label("Dienst").fill("Apotheek")
    bulk.get_by_role("button", name="Stel de dienst in").click()
    expect(page.locator(".bulk [role=status]")).to_have_text("2 documenten gewijzigd.")
    expect(page.locator(".document", has_text="Apotheek")).to_have_count(2)
    page.get_by_label("Kies: After a fall").check()
    page.get_by_role("button", name="Trek 1 document in").click()
    expect(page.locator(".confirm")).to_contain_text("1 document intrekken (falls.pdf)?")
    page.get_by_label("Zonder te zeggen waarom").check()
    page.get_by_role("button", name="Ja, trek ze in").click()
    expect(page.locator(".document")).to_have_count(3)
    assert documents["fall"].id not in container.store.document_ids()


def groups_of(container: Container, document: Document) -> list[str]:
    row = container.db.one("select groups from documents where id = %(id)s", {"id": document.id})
    assert row is not None
    return list(row["groups"])


def test_who_may_read_a_document_is_shown_and_changed_where_it_is(
    page: Page, container: Container, documents: dict[str, Document], tmp_path: Path
) -> None:
    add_account(container.db, LOCAL_USER, "An Peeters", "an.peeters", None, [Role.READER], ["pediatrie"])
    opened(page, "Paracetamol")
    card = page.locator(".document", has_text="paracetamol-kind.pdf")
    expect(card.locator("summary .facts")).to_contain_text("te lezen door: iedereen")
    access = page.locator(".document-access")
    save = access.get_by_role("button", name="Bewaar wie het mag lezen")
    field = access.get_by_label("Groep toevoegen")
    expect(access.locator(".chips li")).to_have_text(["iedereen×"])
    known = access.locator(".known-groups button")
    expect(known).to_have_text(["pediatrie (1 persoon)"])  # without anything being typed
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        access.screenshot(path=tmp_path / f"groups-{width}.png")
        assert access.evaluate("one => one.scrollWidth <= one.clientWidth"), width
    field.fill("chir")
    expect(known).to_have_count(0)
    field.fill("PED")
    known.click()
    expect(access.locator(".chips li")).to_have_text(["iedereen×", "pediatrie×"])
    expect(field).to_have_value("")
    access.get_by_role("button", name="pediatrie weg").click()
    field.fill("een;twee")
    save.click()
    expect(access.get_by_text("geen komma of puntkomma")).to_be_visible()
    expect(field).to_have_value("een;twee")  # nothing is lost
    field.fill("pediatrie")
    field.press("Enter")
    expect(access.locator(".chips li")).to_have_text(["iedereen×", "pediatrie×"])
    save.click()
    expect(access.get_by_role("status")).to_contain_text("Bewaard. Het mag gelezen worden door: iedereen, pediatrie.")
    expect(card.locator("summary .facts")).to_contain_text("te lezen door: iedereen, pediatrie")
    faultless(page)
    assert groups_of(container, documents["child"]) == ["everyone", "pediatrie"]
    access.get_by_role("button", name="Zoals bij het laden of voor de dienst bepaald").click()
    expect(access.get_by_role("status")).not_to_contain_text("pediatrie")


def test_who_may_read_a_department_is_said_at_one_of_its_documents(
    page: Page, container: Container, documents: dict[str, Document]
) -> None:
    document = documents["child"]
    department = document.metadata.department
    opened(page, "Paracetamol")
    access = page.locator(".document-access")
    access.get_by_label("Groep toevoegen").fill("apotheek")
    access.get_by_label("Groep toevoegen").press("Enter")
    access.get_by_role("checkbox", name=f"Voor alle documenten van {department}").check()
    access.get_by_role("button", name="Bewaar wie het mag lezen").click()
    access.get_by_role("button", name="Toch bewaren").click()  # nobody is in that group yet
    expect(access.get_by_role("status")).to_contain_text("apotheek, iedereen. Dat is van de dienst gezegd")
    faultless(page)
    of_department = {name for name, one in documents.items() if one.metadata.department == department}
    for name, one in documents.items():
        assert (groups_of(container, one) == ["apotheek", "everyone"]) == (name in of_department)
    access.get_by_role("button", name=f"Niets eigens meer voor {department}").click()
    expect(access.get_by_role("status")).to_contain_text("Er is niets van gezegd")
    assert groups_of(container, document) == ["everyone"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_group_that_nobody_is_in_is_asked_about_and_what_vanishes_is_said(
    page: Page, container: Container, documents: dict[str, Document], width: int, scheme: str, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    add_account(container.db, LOCAL_USER, "An Peeters", "an.peeters", None, [Role.READER], ["pediatrie"])
    opened(page, "Paracetamol")
    access = page.locator(".document-access")
    access.get_by_role("button", name="Neem iedereen weg").click()
    access.get_by_label("Groep toevoegen").fill("pediatire")
    access.get_by_role("button", name="Bewaar wie het mag lezen").click()
    asked = access.get_by_role("alert")
    expect(asked).to_contain_text(
        "In de groep “pediatire” zit niemand die documenten kan lezen: niemand zal dit document nog kunnen lezen."
    )
    expect(asked).to_contain_text("U zit in geen van deze groepen: u ziet het document dan niet meer")
    expect(access.get_by_role("button", name="Toch bewaren")).to_be_enabled()
    assert groups_of(container, documents["child"]) == ["everyone"]
    faultless(page)
    page.screenshot(path=tmp_path / "asked.png", full_page=True)
    access.get_by_label("Groep toevoegen").fill("pediatrie")
    expect(asked).to_have_count(0)
    access.get_by_role("button", name="Bewaar wie het mag lezen").click()
    expect(asked).to_contain_text("U zit in geen van deze groepen")
    expect(asked).not_to_contain_text("zit niemand")
    page.get_by_label("Toon", exact=True).focus()
    access.get_by_role("button", name="Toch bewaren").click()
    said = page.locator(".notice[role=status]")
    expect(said).to_have_text(
        re.compile(
            "^Bewaard. U ziet “Paracetamol.*” niet meer: alleen wie in de groep “pediatrie” zit, mag het lezen.$"
        )
    )
    expect(said).to_be_focused()  # where the focus was is gone
    expect(page.locator(".document")).to_have_count(2)
    page.screenshot(path=tmp_path / "lost.png", full_page=True)
    assert groups_of(container, documents["child"]) == ["pediatrie"]


def test_who_may_read_what_is_loaded_is_chosen_first_and_said_of_each_file(
    page: Page, container: Container, tmp_path: Path
) -> None:
    add_account(container.db, LOCAL_USER, "An Peeters", "an.peeters", None, [Role.READER], ["pediatrie", "everyone"])
    readers = page.get_by_role("group", name="Wie mag lezen wat u laadt")
    expect(readers.get_by_label("Zoals gewoonlijk: iedereen")).to_be_checked()
    upload(page, open_txt=b"Open\n\nWas de handen.")
    expect(page.locator(".loaded li")).to_contain_text("Het mag gelezen worden door: iedereen.")
    chooser = page.get_by_label("Laad documenten")
    readers.get_by_label("Deze groepen").check()
    expect(chooser).to_be_disabled()
    expect(chooser).to_have_accessible_description(re.compile("^Kies eerst een groep."))
    readers.get_by_label("Groep toevoegen").fill("een;twee")
    expect(chooser).to_be_disabled()
    readers.get_by_label("Groep toevoegen").fill("pediatrie")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"readers-{width}.png", full_page=True)
    chooser.set_input_files(
        [
            FilePayload(name=f"{name}.txt", mimeType="text/plain", buffer=f"{name}\n\nGeef {name} niets.".encode())
            for name in ("kind", "baby")
        ]
    )
    asked = page.locator(".load").get_by_role("alert")
    expect(asked).to_contain_text("U zit in geen van deze groepen")
    assert container.db.all("select 1 from documents where source in ('kind.txt', 'baby.txt')") == []
    faultless(page)
    asked.get_by_role("button", name="Toch alle 2 laden").click()
    lines = page.locator(".loaded li")
    expect(lines).to_have_text(
        [re.compile(rf"{name}.txt: geladen.*U ziet dit document niet: alleen wie in de groep “pediatrie” zit")
         for name in ("kind", "baby")], timeout=60_000
    )  # fmt: skip
    rows = container.db.all("select source, groups from documents where source like '%.txt' order by source")
    assert [(row["source"], row["groups"]) for row in rows] == [
        ("baby.txt", ["pediatrie"]), ("kind.txt", ["pediatrie"]), ("open.txt", ["everyone"])
    ]  # fmt: skip
    readers.get_by_role("button", name="Voeg toe").click()
    readers.get_by_label("Groep toevoegen").fill("everyone")
    upload(page, open_txt=b"Open\n\nWas de handen.")  # the file as it was, for others
    expect(lines).to_contain_text("Het mag gelezen worden door: iedereen, pediatrie.")
    expect(readers.get_by_label("Deze groepen")).to_be_checked()
    faultless(page)


def test_an_admin_who_is_in_a_group_says_who_may_read_what_they_load(
    container: Container, documents: dict[str, Document], serving: Serving, new_page: NewPage, tmp_path: Path
) -> None:
    app = create_app(container.settings, container)
    app.dependency_overrides[current_user] = lambda: replace(LOCAL_USER, groups=("dialyse", "everyone"))
    page = new_page()

    def in_group(route: Route) -> None:
        told = route.fetch().json()
        told["user"]["groups"] = ["dialyse", "everyone"]
        route.fulfill(json=told)

    page.route("**/api/session", in_group)
    page.goto(f"{serving(app)}/admin/documents")
    readers = page.get_by_role("group", name="Wie mag lezen wat u laadt")
    chooser = page.get_by_label("Laad documenten")
    expect(readers.get_by_role("radio")).to_have_count(2)
    expect(readers.get_by_label("Zoals gewoonlijk: dialyse;")).not_to_be_checked()
    expect(readers.get_by_label("Deze groepen")).not_to_be_checked()
    expect(chooser).to_be_disabled()
    expect(chooser).to_have_accessible_description(re.compile("^Kies eerst wie het mag lezen: zoals gewoonlijk"))
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless(page)
        page.screenshot(path=tmp_path / f"unsaid-{width}.png", full_page=True)
    readers.get_by_label("Zoals gewoonlijk: dialyse;").check()
    upload(page, stoel_txt=b"Stoel\n\nZet de stoel vlak.")
    expect(page.locator(".loaded li")).to_contain_text("Het mag gelezen worden door: dialyse.")


def test_files_for_a_group_that_nobody_is_in_are_not_loaded_unasked(page: Page, container: Container) -> None:
    readers = page.get_by_role("group", name="Wie mag lezen wat u laadt")
    readers.get_by_label("Deze groepen").check()
    readers.get_by_label("Groep toevoegen").fill("pediatire")
    chooser = page.get_by_label("Laad documenten")
    expect(chooser).to_be_enabled()  # once it is known who is in which group
    chooser.set_input_files([FilePayload(name="kind.txt", mimeType="text/plain", buffer=b"Kind")])
    asked = page.locator(".load").get_by_role("alert")
    expect(asked).to_contain_text("In de groep “pediatire” zit niemand die documenten kan lezen")
    asked.get_by_role("button", name="Annuleer").click()
    expect(asked).to_have_count(0)
    expect(chooser).to_have_value("")
    assert container.db.all("select 1 from documents where source = 'kind.txt'") == []


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_group_that_was_filled_meanwhile_is_asked_about_no_more(
    page: Page, container: Container, asked_before: bool
) -> None:
    readers = page.get_by_role("group", name="Wie mag lezen wat u laadt")
    readers.get_by_label("Deze groepen").check()
    readers.get_by_label("Groep toevoegen").fill("everyone")
    readers.get_by_label("Groep toevoegen").press("Enter")
    readers.get_by_label("Groep toevoegen").fill("proef")
    chooser = page.get_by_label("Laad documenten")
    expect(chooser).to_be_enabled()
    kind = FilePayload(name="kind.txt", mimeType="text/plain", buffer=b"Kind\n\nBel de arts.")
    asked = page.locator(".load").get_by_role("alert")
    if asked_before:
        chooser.set_input_files([kind])
        expect(asked).to_contain_text("In de groep “proef” zit niemand die documenten kan lezen")
    add_account(container.db, LOCAL_USER, "An Peeters", "an.peeters", None, [Role.READER], ["proef"])
    if asked_before:
        page.evaluate("dispatchEvent(new Event('visibilitychange'))")  # its reader comes back to the tab
    else:
        chooser.set_input_files([kind])
    expect(page.locator(".loaded li")).to_contain_text("kind.txt: geladen", timeout=60_000)
    expect(asked).to_have_count(0)


def test_each_file_says_which_step_it_is_at_and_the_others_wait(page: Page) -> None:
    long = pdf_of(*(f"Bladzijde {n}: geef {n} mg, en noteer de tijd." for n in range(400)))
    page.evaluate("""() => {
        window.seen = new Set();
        const look = () => document.querySelectorAll('.loading li').forEach(one => window.seen.add(one.textContent));
        new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
    }""")
    upload(page, lang_pdf=long, kort_pdf=pdf_of("Kort."))
    seen = set(page.evaluate("[...window.seen]"))
    assert "kort.pdf: wacht" in seen
    assert "lang.pdf: wordt verstuurd" in seen
    assert seen & {"lang.pdf: wordt gelezen", "lang.pdf: wordt vindbaar gemaakt"}
    expect(page.locator(".loading")).to_have_count(0)


@pytest.mark.parametrize(
    ("locale", "said", "name"),
    [
        (
            "nl-BE",
            "3 van 20 documenten klaar. Nu: paracetamol-kind.pdf pagina 4 van 9 wordt van haar afbeelding gelezen.",
            "Stop dat laden",
        ),
        (
            "en-GB",
            "being loaded elsewhere: 3 of 20 documents done. Now: paracetamol-kind.pdf page 4 of 9 is being read from "
            "its image.",
            "Stop that loading",
        ),
    ],
)
def test_what_somebody_else_loads_is_said_and_can_be_stopped(
    page: Page, new_page: NewPage, container: Container, locale: str, said: str, name: str
) -> None:
    nightly = PgDocuments(container.db, User("nightly", "Nightly", ("everyone",)))
    other = new_page(locale=locale)
    with nightly.lock():
        nightly.put_progress(Progress(3, 20, 31, 80, 9.5, "paracetamol-kind.pdf", "reading", 4, 9))
        other.goto(page.url)
        expect(other.locator(".loading-elsewhere")).to_contain_text(said)
        faultless_by_day_and_by_night(other)
        other.get_by_role("button", name=name).click()
        expect(other.locator(".loading-elsewhere button")).to_have_count(0)
        until(nightly.asked_to_stop, 30)  # the database tells its listeners a moment later
    expect(other.locator(".loading-elsewhere")).to_have_count(0)


def test_a_page_of_which_something_is_left_out_is_shown_with_the_reason(page: Page, tmp_path: Path) -> None:
    page.emulate_media(color_scheme="dark")
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 720, "Geef 10 mg.")
    canvas.showPage()
    canvas.drawString(72, 720, "Geef nooit meer dan 40 mg.")
    canvas.setFillGray(1)
    canvas.drawString(72, 600, "Deze woorden ziet niemand.")
    canvas.showPage()
    canvas.save()
    upload(page, wit_pdf=file.getvalue())
    page.locator(".loaded summary", has_text="Bekijk waar dit is: 1 pagina").click()
    left_out = page.locator(".loaded .left-out")
    expect(left_out.locator("canvas")).to_have_count(1)
    expect(left_out.get_by_role("link", name="pagina 2")).to_have_attribute("href", re.compile("^/d/.*page=2"))
    expect(left_out).to_contain_text("tekst die niet te zien is")
    drawn = left_out.locator("canvas").evaluate(
        "one => [...one.getContext('2d').getImageData(0, 0, one.width, one.height).data].some(value => value < 230)"
    )
    assert drawn
    faultless(page)
    page.screenshot(path=tmp_path / "left-out.png", full_page=True)
    page.reload()
    opened(page, "wit").locator(".left-out summary").click()
    expect(page.locator(".document .left-out canvas")).to_have_count(1)
    faultless(page)


def drop(page: Page, *names: str) -> None:
    """Files where documents are loaded, each with a page of its own."""
    files = [(name, base64.b64encode(pdf_of(name)).decode()) for name in names]
    held = page.evaluate_handle(
        """files => {
            const held = new DataTransfer();
            const bytes = content => Uint8Array.from(atob(content), one => one.charCodeAt(0));
            for (const [name, content] of files) held.items.add(new File([bytes(content)], name));
            return held;
        }""",
        files,
    )
    page.dispatch_event(".load", "drop", {"dataTransfer": held})


class Held:
    """Requests that wait until they are let go."""

    def __init__(self, page: Page, address: str) -> None:
        self.waiting: list[Route] = []
        self.page, self.address = page, address
        page.route(address, lambda route: self.waiting.append(route))

    def let_go(self) -> None:
        for route in self.waiting:
            route.continue_()
        self.page.unroute(self.address)


def test_files_are_dropped_where_they_are_loaded(page: Page) -> None:
    drop(page, "gesleept.pdf")
    expect(page.locator(".loaded li")).to_contain_text("gesleept.pdf: geladen", timeout=60_000)


def test_files_that_are_dropped_while_others_load_wait_behind_them(page: Page, tmp_path: Path) -> None:
    loading = Held(page, "**/api/documents")
    drop(page, "een.pdf", "twee.pdf")
    drop(page, "drie.pdf")
    drop(page, "twee.pdf", "vier.pdf")
    lines = page.locator(".loading li")
    expect(lines).to_have_text(["een.pdf: wordt verstuurd", "twee.pdf: wacht", "drie.pdf: wacht", "vier.pdf: wacht"])
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"waiting-{width}.png", full_page=True)
    loading.let_go()
    expect(lines).to_have_count(0, timeout=60_000)
    expect(page.locator(".loaded li")).to_contain_text(
        ["een.pdf: geladen", "drie.pdf: geladen", "twee.pdf: geladen", "vier.pdf: geladen"]
    )


def test_files_that_are_dropped_before_it_is_known_who_is_in_the_group_wait(page: Page, container: Container) -> None:
    checking = Held(page, "**/api/groups")
    readers = page.get_by_role("group", name="Wie mag lezen wat u laadt")
    readers.get_by_label("Deze groepen").check()
    readers.get_by_label("Groep toevoegen").fill("everyone")
    drop(page, "een.pdf")
    drop(page, "twee.pdf")
    expect(page.locator(".loading li")).to_have_text(["een.pdf: wacht", "twee.pdf: wacht"])
    assert container.db.all("select 1 from documents where source in ('een.pdf', 'twee.pdf')") == []
    checking.let_go()
    expect(page.locator(".loaded li")).to_contain_text(["een.pdf: geladen", "twee.pdf: geladen"], timeout=60_000)


def test_files_that_are_dropped_before_a_group_is_chosen_are_named(page: Page, tmp_path: Path) -> None:
    page.get_by_role("group", name="Wie mag lezen wat u laadt").get_by_label("Deze groepen").check()
    drop(page, "een.pdf", "twee.pdf")
    said = page.locator(".load").get_by_role("alert")
    expect(said).to_contain_text("Niet genomen, want er is nog geen groep gekozen: een.pdf, twee.pdf.")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        faultless_by_day_and_by_night(page)
        page.screenshot(path=tmp_path / f"refused-{width}.png", full_page=True)
    page.get_by_label("Groep toevoegen").fill("everyone")
    expect(said).to_have_count(0)


@pytest.mark.parametrize("locale", ["nl-BE", "en-GB"])
def test_accessibility_of_the_documents_page(page: Page, new_page: NewPage, locale: str, tmp_path: Path) -> None:
    shown = new_page(locale=locale)
    shown.goto(page.url)
    opened(shown, "Paracetamol")
    expect(shown.locator(".document-access")).to_be_visible()
    faultless_by_day_and_by_night(shown)
    shown.screenshot(path=tmp_path / "documents.png", full_page=True)
