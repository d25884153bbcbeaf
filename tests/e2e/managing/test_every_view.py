"""Every view with an address, in both languages, light and dark, wide, wider and narrow: axe finds
nothing in it, nothing is wider than the window, and its bar is that of all others."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from rag_api.container import Container
from tests.e2e.accessibility import LANGUAGES, faultless, faultless_by_day_and_by_night
from tests.e2e.conftest import NewPage
from tests.e2e.managing.test_quality import DOSE, FLAG
from tests.support.world import load_hospital

VIEWS = (
    "/", "/history", "/procedures", "/inbox", "/admin/documents", "/admin/owners", "/admin/accounts", "/admin/keys", "/admin/webhooks",
    "/quality/reviews", "/quality/session", "/quality/sets", "/quality/gaps", "/quality/usage", "/audit/trail", "/nowhere",
)  # fmt: skip


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize(("width", "wider"), [(320, None), (1440, 1920)])
def test_no_view_has_a_fault(
    new_page: NewPage, url: str, container: Container, locale: str, width: int, wider: int | None, tmp_path: Path
) -> None:
    child = load_hospital(container)["child"]
    with httpx.Client(base_url=f"{url}/api", timeout=60) as client:
        for question in (FLAG, DOSE):
            client.post("/ask", json={"question": question, "mode": "sources"}).raise_for_status()
        client.post(
            f"/documents/{child.id}/owner-questions", json={"kind": "report", "text": "Verouderd."}
        ).raise_for_status()
        answer = client.post("/ask", json={"question": DOSE, "mode": "sources"}).raise_for_status().json()
    page = new_page(allowed="pdf|PDF|Failed to load", locale=locale, bypass_csp=True)
    for path in (*VIEWS, f"/c/{answer['conversation_id']}", f"/d/{child.id}?page=1"):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(url + path)
        expect(page.locator("main, .linked").first).to_be_visible()
        expect(page.locator(".muted", has_text="…")).to_have_count(0)
        page.wait_for_load_state("networkidle")
        faultless_by_day_and_by_night(page)
        if wider:  # its colours are those of the other
            page.set_viewport_size({"width": wider, "height": 900})
            faultless(page)
        page.screenshot(path=tmp_path / f"{path.strip('/').replace('/', '-').split('?')[0] or 'first'}.png")


BAR = """[...document.querySelectorAll('.bar .wordmark, .bar .quiet:not(.icon)')].filter(one => one.checkVisibility())
  .map(one => `${one.innerText} ${Math.round(one.getBoundingClientRect().x)}`)"""


@pytest.mark.parametrize("width", [1440, 320])
def test_the_bar_stays_as_it_is_from_view_to_view(
    new_page: NewPage, url: str, container: Container, width: int
) -> None:
    child = load_hospital(container)["child"]
    asked = (
        httpx.post(f"{url}/api/ask", json={"question": FLAG, "mode": "sources"}, timeout=60).raise_for_status().json()
    )
    page = new_page(allowed="pdf|PDF|Failed to load", width=width)
    bars = {}
    for path in (*VIEWS, f"/d/{child.id}"):
        page.goto(url + path)
        expect(page.locator("main, .linked").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        bars[path] = page.evaluate(BAR)
    assert bars == dict.fromkeys(bars, bars["/"])
    assert [one.rsplit(" ", 1)[0] for one in bars["/"]][:3] == ["Bedside", "Nieuwe vraag", "Eerder"]
    page.locator("summary", has_text="Eerder").click()
    page.get_by_role("button", name=FLAG).click()
    expect(page).to_have_url(f"{url}/c/{asked['conversation_id']}")
    expect(page.locator(".turn")).to_have_count(1)
