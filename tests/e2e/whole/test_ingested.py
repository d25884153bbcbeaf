"""Documents that the real pipeline read, in the browser: their excerpts, and links to their words
after they were read again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rag_api.container import Container
from rag_api.db.documents import read_cut
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


LINES = """() => Object.values(Object.groupBy(
    [...document.querySelectorAll(".page[data-page='1'] .textLayer span")].filter(one => one.firstChild?.data?.trim()),
    one => Math.round(one.getBoundingClientRect().y)))"""
SELECT = f"""number => {{
    const line = ({LINES})()[number], [first, last] = [line[0].firstChild, line.at(-1).firstChild];
    getSelection().setBaseAndExtent(first, 0, last, last.data.length);
}}"""


def test_a_link_to_selected_words_is_made_for_every_line_that_was_read(
    new_page: NewPage, url: str, container: Container
) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    row = container.db.one("select id from documents where source = %(source)s", {"source": PROCEDURES[0]})
    assert row
    cut = ["".join(one.text.split()) for one in read_cut(container.db, row["id"])]  # heads and feet of pages
    page.goto(f"{url}/d/{row['id']}#page=1")
    expect(page.locator(".page[data-page='1'][data-drawn=true]")).to_be_visible()
    said = page.locator(".reader-link-said")
    lines = page.evaluate(f"() => ({LINES})().map(line => line.map(one => one.textContent).join(' '))")
    assert len(lines) > 30
    for number, words in enumerate(lines):
        page.evaluate("getSelection().empty()")
        expect(said).to_be_empty()
        page.evaluate(SELECT, number)
        page.locator(".source-tools").get_by_role("button", name="Kopieer link").or_(
            page.locator(".source-tools").get_by_role("button", name="Link gekopieerd")
        ).click()
        expect(said).not_to_be_empty()
        left_out = any("".join(words.split()) in one for one in cut)
        assert said.inner_text().startswith("Deze woorden" if left_out else "De link leidt"), words
