"""Dialogs over an answer, and what opens under a refusal: one look for all of it, and in view."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import faultless, looks
from tests.e2e.conftest import NewPage
from tests.e2e.scripted import TITLE, Script
from tests.e2e.test_states import ask

REPORT = {"nl-BE": "Meld dit antwoord", "en-GB": "Report this answer"}
WRONG = {"nl-BE": f"Vraag de eigenaar of meld een fout: {TITLE}", "en-GB": f"Ask the owner or report an error: {TITLE}"}
KEYS = {"nl-BE": "Sneltoetsen", "en-GB": "Keyboard shortcuts"}
LOOK = """dialog => {
  const own = getComputedStyle(dialog), probe = document.createElement('i');
  document.body.append(probe);
  const token = name => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
  const links = [...dialog.querySelectorAll('a')].map(a => getComputedStyle(a).color === token('--accent'));
  const said = {
    line: own.borderTopColor === token('--line'), width: own.borderTopWidth, ground: own.backgroundColor === token('--surface'),
    size: own.fontSize, links: links.every(Boolean),
  };
  probe.remove();
  return said;
}"""
ONE = {"line": True, "width": "1px", "ground": True, "size": "15px", "links": True}


def under(page: Page) -> Locator:
    return page.locator(".after-refusal")


def is_above_the_box(found: Locator) -> bool:
    """Whether all of it is in the window, and nothing of it under the question box."""
    above: bool = found.evaluate(
        "one => { const at = one.getBoundingClientRect(), box = document.querySelector('.ask').getBoundingClientRect();"
        " return at.top >= 0 && at.bottom <= box.top; }"
    )
    return above


@looks(1280, 320)
def test_every_dialog_has_one_look_and_room_before_its_buttons(
    new_page: NewPage, base_url: str, locale: str, scheme: str, width: int
) -> None:
    page = new_page(locale=locale, color_scheme=scheme, width=width, bypass_csp=True)
    page.goto(base_url)
    ask(page, "rijtje")
    dialog = page.locator("dialog[open]")
    for opener in (REPORT[locale], WRONG[locale]):
        page.get_by_role("button", name=opener).first.click()
        assert dialog.evaluate(LOOK) == ONE
        expect(dialog.locator(".muted").first).not_to_be_empty()
        gap = "foot => foot.getBoundingClientRect().top - foot.previousElementSibling.getBoundingClientRect().bottom"
        assert dialog.locator(".dialog-foot").evaluate(gap) >= 16
        faultless(page)
        dialog.locator("textarea, input:not([type=radio], [type=checkbox])").fill("De dosis is oud.")
        dialog.locator("[type=submit]").click()
        expect(dialog.locator("[type=submit]")).to_have_count(0)
        assert dialog.evaluate(LOOK) == ONE
        faultless(page)
        page.keyboard.press("Escape")
    page.locator(".turn .question").click()
    page.keyboard.press("?")
    expect(dialog.get_by_role("heading", name=KEYS[locale])).to_be_visible()
    assert dialog.evaluate(LOOK) == ONE


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (320, 568)])
def test_the_finder_of_procedures_opens_in_view_with_the_focus_and_so_does_what_it_finds(
    new_page: NewPage, base_url: str, width: int, height: int
) -> None:
    page = new_page(width=width, height=height)
    page.goto(base_url)
    ask(page, "vraag zonder antwoord")
    under(page).get_by_role("button", name="Ik weet in welke procedure het staat").click()
    field = under(page).get_by_label("Woorden uit de titel of bestandsnaam")
    expect(field).to_be_focused()
    assert is_above_the_box(field)
    field.fill("parac")
    found = under(page).get_by_role("button", name=TITLE)
    expect(found).to_be_visible()
    assert is_above_the_box(found)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (320, 568)])
def test_who_knows_a_procedure_but_not_its_title_says_so_by_one_press_and_may_add_words(
    new_page: NewPage, base_url: str, script: Script, width: int, height: int
) -> None:
    page = new_page(width=width, height=height, bypass_csp=True)
    page.goto(base_url)
    ask(page, "vraag zonder antwoord")
    under(page).get_by_role("button", name="Er is een procedure over, maar ik weet niet welke").dblclick()
    expect(under(page).get_by_role("status")).to_contain_text("zien dat er een is")
    assert [(one["found"], one["missing"]) for one in script.said] == [("no", "procedure")]
    send = under(page).get_by_role("button", name="Verstuur")
    expect(send).to_be_disabled()
    assert is_above_the_box(send)
    faultless(page)
    under(page).get_by_label("Wat weet u er nog van?").fill("In de map van de nachtdienst.")
    send.click()
    expect(under(page).get_by_role("status")).to_have_text("Dank u, dit staat nu bij uw vraag.")
    assert script.said[1]["comment"] == "In de map van de nachtdienst."
    expect(under(page).locator("textarea")).to_have_count(0)


def test_under_an_answer_that_answer_alone_is_printed_its_warning_with_its_table(
    new_page: NewPage, base_url: str
) -> None:
    page = new_page()
    page.add_init_script("window.print = () => undefined")
    page.goto(base_url)
    for asked, question in enumerate(("hoeveel paracetamol mag een kind?", "rijtje onvolledig"), 1):
        ask(page, question)
        expect(page.get_by_role("button", name="Druk af (enkel dit antwoord)")).to_have_count(asked)
    warning = page.locator(".part-table thead td")
    expect(warning).to_be_hidden()
    page.get_by_role("button", name="Druk af (enkel dit antwoord)").last.click()
    page.emulate_media(media="print")
    expect(page.locator(".question:visible")).to_have_text(["rijtje onvolledig"])
    expect(page.locator(".printed-sources:visible")).to_have_count(1)
    expect(warning).to_have_text("Deze tabel is niet volledig (2 van de 9 rijen): open de bron voor de andere.")
    expect(warning).to_be_visible()
    expect(page.locator(".part-table thead")).to_have_css("display", "table-header-group")  # on each sheet again
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".question:visible")).to_have_count(2)


def test_after_no_it_is_said_who_sees_it_and_that_no_procedure_says_it_can_be_chosen(
    new_page: NewPage, base_url: str, script: Script
) -> None:
    page = new_page()
    page.goto(base_url)
    ask(page)
    feedback = page.get_by_role("group", name="Antwoord gevonden?")
    feedback.get_by_role("button", name="nee", exact=True).click()
    expect(feedback.locator(".said")).to_have_text("Dank u. De kwaliteitsmedewerkers zien dit bij uw vraag.")
    feedback.get_by_role("button", name="geen enkele procedure zegt dit").click()
    expect(feedback.get_by_role("button", name="geen enkele procedure zegt dit")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert script.said[-1]["missing"] == "document"


def test_one_press_prints_once(new_page: NewPage, base_url: str) -> None:
    page = new_page()
    page.add_init_script("window.prints = 0; window.print = () => { window.prints += 1; }")
    page.goto(base_url)
    for asked in range(1, 3):
        ask(page)
        expect(page.get_by_role("button", name="Druk af (enkel dit antwoord)")).to_have_count(asked)
        page.get_by_role("button", name="Druk af (enkel dit antwoord)").last.click()
        assert page.evaluate("window.prints") == asked
