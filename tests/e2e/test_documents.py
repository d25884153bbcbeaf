"""The documents page on the real API, database and index: an admin's word is kept, shown and searched by."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from playwright.sync_api import FilePayload, Page, expect
from reportlab.pdfgen.canvas import Canvas

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import Document, Filters, TargetGroup
from rag_api.main import create_app
from tests.e2e.browser import serve
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import DIST
from tests.e2e.test_states import AXE
from tests.support.world import empty, load, load_hospital


@pytest.fixture(scope="module")
def container(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    with Container(Settings(data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", web_dir=DIST)) as made:
        yield made


@pytest.fixture
def documents(container: Container) -> Iterator[dict[str, Document]]:
    yield load_hospital(container)
    empty(container)
    container.db.run("truncate metadata_edits, metadata_changes")


@pytest.fixture
def page(new_page: NewPage, container: Container, documents: dict[str, Document], policy: str) -> Iterator[Page]:
    app = create_app(container.settings, container)
    with serve(app) as url:
        found = new_page()
        found.goto(f"{url}/admin/documents")
        yield found


def pdf_of(line: str) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 720, line)
    canvas.save()
    return file.getvalue()


def opened(page: Page, title: str) -> Page:
    page.locator("summary", has_text=title).click()
    expect(page.locator(".document-form")).to_be_visible()
    return page


def test_the_list_names_every_document_and_is_searched(page: Page) -> None:
    expect(page.locator(".document")).to_have_count(3)
    page.get_by_label("In titel of bestandsnaam").fill("paracetamol")
    expect(page.locator(".document")).to_have_count(1)
    expect(page.locator(".document .facts")).to_contain_text("paracetamol-kind.pdf")


def test_every_document_of_a_large_collection_can_be_reached(page: Page, container: Container) -> None:
    for number in range(118):
        load(container, f"werkwijze-{number:03}.pdf", f"Werkwijze {number:03}. Was de handen.")
    page.reload()
    expect(page.locator(".document")).to_have_count(50)
    expect(page.get_by_text("50 van 121 documenten")).to_be_visible()
    page.get_by_role("button", name="Toon meer").click()
    expect(page.locator(".document")).to_have_count(100)
    page.get_by_role("button", name="Toon meer").click()
    expect(page.locator(".document")).to_have_count(121)
    expect(page.locator(".document-title").last).to_have_text("Werkwijze 117")
    expect(page.get_by_role("button", name="Toon meer")).to_have_count(0)


def test_what_an_admin_says_is_kept_shown_recorded_and_searched_by(
    page: Page, container: Container, documents: dict[str, Document]
) -> None:
    opened(page, "Paracetamol")
    page.get_by_label("kinderen").check()
    page.get_by_label("Dienst").fill("Apotheek")
    page.get_by_label("Geldig tot").fill("2031-05-01")
    page.get_by_role("button", name="Bewaar").click()
    expect(page.get_by_role("status")).to_have_text("Bewaard; de volgende vraag zoekt ermee.")
    expect(page.locator("summary .facts").nth(2)).to_contain_text("Apotheek")
    expect(page.locator(".document-edit").first).to_contain_text("Het bestand zegt: Pediatrie.")
    page.get_by_text("3 wijzigingen").click()
    expect(page.locator(".document-history li").filter(has_text="Dienst")).to_contain_text("local: Dienst van “Pediatrie” naar “Apotheek”")
    found = container.store.search("paracetamol", container.embedder.query("paracetamol"), 5, Filters(departments=("Apotheek",)), 0.5)
    assert {hit.chunk.metadata.target_groups for hit in found} == {(TargetGroup.CHILD,)}


def test_a_field_goes_back_to_what_the_file_says(page: Page) -> None:
    opened(page, "Paracetamol")
    page.get_by_label("Dienst").fill("Apotheek")
    page.get_by_role("button", name="Bewaar").click()
    page.get_by_role("button", name="Zoals het bestand").click()
    expect(page.get_by_label("Dienst")).to_have_value("Pediatrie")
    expect(page.locator(".document-edit")).to_have_count(0)


def test_what_makes_no_sense_is_refused_in_words(page: Page) -> None:
    opened(page, "Paracetamol")
    page.get_by_label("Geldig vanaf").fill("2031-05-01")
    page.get_by_label("Geldig tot").fill("2030-05-01")
    page.get_by_role("button", name="Bewaar").click()
    expect(page.get_by_role("status")).to_contain_text("expire before it becomes valid")


def test_files_are_loaded_from_the_page_and_each_that_cannot_be_read_is_named(page: Page, container: Container) -> None:
    files = {
        "stroom.pdf": pdf_of("Bij een stroompanne neemt de noodgroep binnen vijftien seconden over."),
        "leeg.pdf": b"",
        "kapot.pdf": b"geen pdf",
    }
    page.get_by_label("Laad PDF").set_input_files([FilePayload(name=n, mimeType="application/pdf", buffer=b) for n, b in files.items()])
    expect(page.locator(".loaded li")).to_have_text([
        "stroom.pdf: geladen; de volgende vraag vindt het",
        "leeg.pdf: het is leeg",
        "kapot.pdf: het is stuk, of niet wat de naam zegt",
    ])  # fmt: skip
    expect(page.locator(".document")).to_have_count(6)
    expect(page.locator(".document", has_text="kapot.pdf")).to_contain_text("Kon niet gelezen worden: het is stuk")
    found = container.store.search("stroompanne noodgroep", container.embedder.query("stroompanne"), 1, Filters(), 0.5)
    assert "vijftien seconden" in found[0].chunk.text
    page.get_by_label("Laad PDF").set_input_files([FilePayload(name="stroom.pdf", mimeType="application/pdf", buffer=files["stroom.pdf"])])
    expect(page.locator(".loaded li")).to_have_text(["stroom.pdf: ongewijzigd, het was er al"])


def test_a_document_that_is_taken_out_is_listed_and_found_no_more(page: Page, container: Container, documents: dict[str, Document]) -> None:
    opened(page, "Openingsuren")
    page.get_by_role("button", name="Haal dit document weg").click()
    page.get_by_role("button", name="Behoud").click()
    expect(page.locator(".document")).to_have_count(3)
    page.get_by_role("button", name="Haal dit document weg").click()
    page.get_by_role("button", name="Ja, haal het weg").click()
    expect(page.locator(".document")).to_have_count(2)
    assert documents["kitchen"].id not in container.store.document_ids()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility_of_the_documents_page(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    opened(page, "Paracetamol")
    page.evaluate(AXE.read_text())
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = page.evaluate("tags => axe.run({runOnly: tags})", tags)
    assert [(v["id"], [node["html"] for node in v["nodes"]]) for v in found["violations"]] == []
