"""Documents that the real pipeline read, in the browser: their excerpts, and links to their words
after they were read again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rag_api.container import Container
from tests.e2e.conftest import NewPage
from tests.e2e.whole.conftest import DOSE, LETTERS, PROCEDURES, outcomes

RECTS = """[...document.querySelectorAll('.highlight.current')].map(one => {
  const {x, y, width, height} = one.getBoundingClientRect(), page = one.closest('.page').getBoundingClientRect();
  return [one.closest('[data-page]')?.dataset.page, x - page.x, y - page.y, width, height].map(v => Math.round(v)); })"""


def ask(page: Page, url: str, question: str) -> None:
    page.goto(url)
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")
    # the first question of a process waits for its models
    expect(page.locator(".turn .made")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("Wanneer wordt het linnen van een bed vervangen?", True),
        ("Waarmee spoel ik een steekwonde?", True),
        ("Welke vlag hangt er op het stadhuis van Ieper?", False),
    ],
)
def test_an_excerpt_is_never_a_letterhead(new_page: NewPage, url: str, question: str, answered: bool) -> None:
    page = new_page()
    ask(page, url, question)
    expect(page.locator(".card mark")).to_have_count(int(answered))
    shown = 0
    for title, *texts in LETTERS.values():
        for passage in page.locator(".card", has_text=title).locator(".passage").all():
            begins = passage.inner_text().removeprefix("… ")
            assert any(begins.startswith(text) for text in texts)
            shown += 1
    assert shown


def test_a_copied_link_marks_the_same_words_once_the_same_file_was_read_anew(
    new_page: NewPage, url: str, container: Container, folder: Path, tmp_path: Path
) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    ask(page, url, DOSE)
    page.locator(".turn").get_by_role("button", name="Kopieer link").click()
    expect(page.get_by_role("button", name="Link gekopieerd")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")

    def marks() -> list[dict[str, float]]:
        page.goto("about:blank")
        page.goto(link)
        expect(page.locator(".highlight.current").first).to_be_in_viewport()
        return page.evaluate(RECTS)  # type: ignore[no-any-return]

    def passages() -> int:
        found = container.db.one("select sum(chunk_count)::int as n from documents where status = 'indexed'")
        assert found
        return int(found["n"])

    before, were = marks(), passages()
    smaller = container.settings.model_copy(update={"chunk_size": 200, "chunk_overlap": 20})
    shutil.copy(folder / PROCEDURES[0], tmp_path)
    assert outcomes(container, tmp_path, smaller) == {"indexed"}
    assert passages() > were
    assert marks() == before
    expect(page.locator(".notice.serious")).to_have_count(0)
