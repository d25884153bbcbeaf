"""The page's language before the real API: the reader's own, whatever language a question has and
whatever language the answer is quoted in."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage
from tests.e2e.managing.test_quality import DOSE, FLAG

FALL = "What must I do after a fall of a patient?"
NO_ANSWER = "Which flag flies on the town hall of Ypres?"
# of a page's locale: questions in the other language, with and without an answer; the language they
# are quoted in; words of the page that stay
ASKED = {
    "nl-BE": (FALL, NO_ANSWER, "en", ("Nieuwe vraag", "Antwoord kopiëren", "pagina 1", "niet zeker genoeg")),
    "en-GB": (DOSE, FLAG, "nl", ("New question", "Copy answer", "page 1", "not sure enough")),
}


OTHER = {"nl-BE": "en-GB", "en-GB": "nl-BE"}
SWITCH = {"nl-BE": "Show the page in English", "en-GB": "Toon de pagina in het Nederlands"}


def stays(page: Page, locale: str, quoted: str) -> None:
    """The page says all of its own in its language; the document keeps its own."""
    anew, copy, place, notice = ASKED[locale][3]
    expect(page.locator("html")).to_have_attribute("lang", locale[:2])
    answered, refused = page.locator(".turn").first, page.locator(".turn").last
    expect(page.get_by_role("button", name=anew)).to_be_visible()
    expect(answered.get_by_role("button", name=copy, exact=True)).to_be_visible()
    expect(answered.locator(".answer-text [lang]").first).to_have_attribute("lang", quoted)
    expect(refused.locator(".notice").first).to_contain_text(notice)
    assert refused.locator(".notice").first.evaluate("it => it.closest('[lang]').lang") == locale[:2]
    # an earlier answer's sources are folded; of the refusal the nearest are shown
    expect(refused.locator(".card-place").first).to_contain_text(place)
    for made in page.locator(".made").all():
        assert made.evaluate("it => it.closest('[lang]').lang") == locale[:2]


@pytest.mark.parametrize("locale", ASKED)
def test_a_question_in_the_other_language_leaves_the_page_in_its_own_and_notices_follow_the_page(
    new_page: NewPage, url: str, locale: str
) -> None:
    quoted = ASKED[locale][2]
    page = new_page(allowed="pdf|PDF", locale=locale)
    page.goto(url)
    for count, question in enumerate(ASKED[locale][:2], 1):
        page.locator("#question").fill(question)
        page.keyboard.press("Enter")
        # the first question of a process waits for its models
        expect(page.locator(".turn .made")).to_have_count(count, timeout=60_000)
    stays(page, locale, quoted)
    page.reload()
    expect(page.locator(".turn .made")).to_have_count(2)
    stays(page, locale, quoted)
    page.get_by_role("button", name=SWITCH[locale]).click()
    stays(page, OTHER[locale], quoted)
