"""The pages for quality staff in a real browser before the real API: a session is judged, exported,
imported and measured alike."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import httpx
from playwright.sync_api import Page, expect

from evaluation.quality import report
from rag_api.api.schemas.usage import RiskName
from rag_api.cli.quality.measuring import measure
from rag_api.container import Container
from rag_api.db.questions.judged import read_set
from rag_api.domain import LOCAL_USER, User
from rag_api.evaluate.judged import read_judged
from rag_api.retrieval.decision.calibration import FILE, calibration, write
from tests.e2e.accessibility import faultless, faultless_by_day_and_by_night
from tests.e2e.managing.conftest import Asker
from tests.support.world import CHILD

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"
FLAG = "Welke vlag hangt er op het stadhuis van Ieper?"


def ask(page: Page, question: str) -> None:
    turns = page.locator(".turn").count()
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator(".judge")).to_have_count(turns + 1)


def figures(container: Container, questions: list[Any]) -> dict[str, Any]:
    return report(measure(container, questions))


def test_a_set_made_in_the_page_exported_and_imported_again_gives_the_same_figures(
    page: Page, url: str, container: Container, tmp_path: Path
) -> None:
    page.goto(f"{url}/quality/session")
    page.get_by_label("Reeks beoordeelde vragen").fill("ronde 1")
    page.get_by_label("Functie van wie vraagt").fill("verpleegkundige")
    ask(page, DOSE)
    panel = page.locator(".judge").first
    panel.get_by_label("ja", exact=True).check()
    panel.get_by_label("1. Paracetamol intraveneus bij kinderen").check()
    words = panel.get_by_label("de woorden die antwoorden").input_value()
    assert words  # those that the answer quotes
    assert words in CHILD
    panel.get_by_role("button", name="Bewaar").click()
    expect(panel.get_by_role("status")).to_have_text("Bewaard in ronde 1.")
    ask(page, FLAG)
    panel = page.locator(".judge").last
    panel.get_by_label("nee", exact=True).check()
    panel.get_by_label("Geen enkel document beantwoordt dit").check()
    panel.get_by_role("button", name="Bewaar").click()
    expect(panel.get_by_role("status")).to_have_text("Bewaard in ronde 1.")
    expect(page.get_by_text("2 vragen")).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "ronde.csv")
    from_file = read_judged(tmp_path / "ronde.csv")
    body = {"csv": (tmp_path / "ronde.csv").read_text()}
    assert httpx.post(f"{url}/api/judged/ronde 2/csv", json=body).raise_for_status().json() == {
        "questions": 2,
        "new": 2,
    }
    made, imported = (read_set(container.db, LOCAL_USER, name) for name in ("ronde 1", "ronde 2"))
    assert made == imported == from_file
    assert [(q.function, q.found, q.span) for q in made] == [
        ("verpleegkundige", "yes", words),
        ("verpleegkundige", "no", ""),
    ]
    assert figures(container, made) == figures(container, imported) == figures(container, from_file)
    assert figures(container, made)["hit@1"] == 1.0


def test_words_that_do_not_stand_there_are_refused_in_the_page(page: Page, url: str) -> None:
    page.goto(f"{url}/quality/session")
    ask(page, DOSE)
    panel = page.locator(".judge")
    expect(panel.get_by_role("button", name="Bewaar")).to_be_disabled()
    panel.get_by_label("1. Paracetamol intraveneus bij kinderen").check()
    panel.get_by_label("de woorden die antwoorden").fill("Geef 99 mg/kg.")
    panel.get_by_role("button", name="Bewaar").click()
    expect(panel.get_by_role("status")).to_contain_text("deze woorden staan daar niet")


def test_selected_words_become_the_place(page: Page, url: str) -> None:
    page.goto(f"{url}/quality/session")
    ask(page, DOSE)
    panel = page.locator(".judge")
    panel.get_by_label("1. Paracetamol intraveneus bij kinderen").check()
    page.evaluate(
        """() => {
          const walker = document.createTreeWalker(document.querySelector('.passage'), NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf('zes uur');
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + 7);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            return;
          }
        }"""
    )
    panel.get_by_role("button", name="Neem de geselecteerde woorden").click()
    expect(panel.get_by_label("de woorden die antwoorden")).to_have_value("zes uur")


def test_the_gap_report_names_what_was_asked_in_vain_and_the_nearest_documents(
    page: Page, url: str, asker: Asker
) -> None:
    asker.user = replace(LOCAL_USER, function="verpleegkundige", department="Spoed")
    for question in (FLAG, "welke vlag hangt aan stadhuis Ieper"):
        asked = httpx.post(f"{url}/api/ask", json={"question": question, "mode": "sources"}, timeout=60).json()
        said = {"found": "no", "missing": "document"}
        httpx.post(f"{url}/api/answers/{asked['id']}/feedback", json=said).raise_for_status()
    asker.user = LOCAL_USER
    page.goto(url)
    page.locator("summary", has_text="Kwaliteit").click()
    page.get_by_role("link", name="Onbeantwoorde vragen").click()
    card = page.locator(".gap")
    expect(card).to_have_count(1)
    expect(card.get_by_role("heading", level=3)).to_have_text(FLAG)
    expect(card).to_contain_text("2 keer gevraagd")
    expect(card).to_contain_text("Spoed")
    expect(card).to_contain_text("Procedures die er het dichtst bij liggen")
    expect(
        page.get_by_text("Hier staan en tellen alleen vragen van wie in geen andere groep dan “iedereen” zit.")
    ).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    (row,) = csv.DictReader(download.value.path().read_text(encoding="utf-8-sig").splitlines())
    assert row["gemist"] == "geen enkele procedure zegt dit (2)"
    with page.expect_response(lambda response: "/gaps?since=" in response.url) as told:
        page.get_by_label("Periode").select_option("laatste 7 dagen")
    assert told.value.status == 200
    expect(card).to_have_count(1)
    page.get_by_label("Dienst").select_option("Spoed")
    expect(card).to_have_count(1)
    faultless(page)


def test_a_judged_answer_can_be_used_by_everybody(page: Page, url: str) -> None:
    page.goto(f"{url}/quality/session")
    ask(page, DOSE)
    page.get_by_label("1. Paracetamol intraveneus bij kinderen").check()
    faultless(page)


def test_what_a_reader_says_of_an_answer_becomes_a_judged_question(page: Page, url: str, asker: Asker) -> None:
    asker.user = User("nurse", "Nurse", ("everyone",), function="verpleegkundige")
    page.goto(url)
    page.locator("#question").fill(DOSE)
    page.keyboard.press("Enter")
    feedback = page.get_by_role("group", name="Antwoord gevonden?")
    feedback.get_by_role("button", name="nee", exact=True).click()
    feedback.get_by_role("button", name="een dosis, stap of getal").click()
    expect(feedback.get_by_role("button", name="een dosis, stap of getal")).to_have_attribute("aria-pressed", "true")
    feedback.get_by_role("button", name="ja", exact=True).click()
    expect(feedback.locator(".said")).to_have_text("Dank u.")
    feedback.get_by_role("button", name="Bron 1 bevatte het antwoord").click()
    expect(feedback.get_by_role("button", name="Bron 1 bevatte het antwoord")).to_have_attribute("aria-pressed", "true")
    faultless(page)
    asker.user = LOCAL_USER
    assert httpx.post(f"{url}/api/judged/log/feedback").json() == {"placed": 1, "open": 0}
    (question,) = httpx.get(f"{url}/api/judged/log").json()["questions"]
    assert (question["found"], question["function"]) == ("yes", "verpleegkundige")
    assert [place["document"] for place in question["places"]] == ["paracetamol-kind.pdf"]


def test_who_may_not_review_finds_nothing_there(page: Page, url: str, asker: Asker) -> None:
    asker.user = User("nurse", "Nurse", ("everyone",))
    for path in ("session", "sets", "gaps"):
        page.goto(f"{url}/quality/{path}")
        expect(page.get_by_role("heading", name="Er is niets op dit adres")).to_be_visible()


def test_an_admin_sees_how_much_was_asked_and_chooses_how_readily_it_answers(
    page: Page, url: str, container: Container
) -> None:
    for question in (DOSE, FLAG):
        httpx.post(f"{url}/api/ask", json={"question": question, "mode": "verbatim"}, timeout=60).raise_for_status()
    page.goto(url)
    page.locator("summary", has_text="Kwaliteit").click()
    page.get_by_role("link", name="Gebruik").click()
    expect(page.get_by_role("img", name="Vragen per week: 2")).to_be_visible()
    expect(page.get_by_role("img", name="Fout gemeld per week: 0")).to_be_visible()
    page.get_by_text("Elke week in een tabel").click()
    expect(page.locator("details .figures tbody tr").first.locator("td").first).to_have_text("2")
    page.get_by_role("combobox", name="Periode").select_option("53")
    expect(page.locator("details .figures tbody tr")).to_have_count(53)

    expect(page.get_by_label("Voorzichtig")).to_be_checked()
    choose = page.get_by_role("button", name="Kies dit")
    expect(choose).to_be_disabled()
    page.get_by_label("Vlot").check()
    choose.click()
    expect(page.get_by_text(f"Vlot: gekozen door {LOCAL_USER.name}")).to_be_visible()
    assert container.risk == "ready"
    page.reload()
    expect(page.get_by_label("Vlot")).to_be_checked()
    faultless(page)
    page.get_by_role("button", name="Terug naar de instellingen (Voorzichtig)").click()
    expect(page.get_by_label("Voorzichtig")).to_be_checked()


def test_reported_answers_and_waiting_are_plotted_week_by_week(page: Page, url: str, container: Container) -> None:
    for back, seconds, reported in ((0, 2, True), (1, 8, True), (1, 4, True), (2, 6, False)):
        asked = httpx.post(f"{url}/api/ask", json={"question": DOSE, "mode": "verbatim"}, timeout=60).json()
        assert asked["status"] == "answered"
        if reported:
            said = {"reported": "wrong", "comment": "Dit klopt niet."}
            httpx.post(f"{url}/api/answers/{asked['id']}/feedback", json=said).raise_for_status()
        container.db.run(
            "update answers set created_at = created_at - %(back)s * interval '1 week', finished_at = created_at"
            " - %(back)s * interval '1 week' + %(seconds)s * interval '1 second' where id = %(id)s",
            {"id": asked["id"], "back": back, "seconds": seconds},
        )
    page.goto(f"{url}/quality/usage")

    def bars(name: str, part: int) -> list[float]:
        """How high the last three weeks' are, of the highest whole column."""
        plot = page.locator(".plot", has=page.get_by_role("img", name=name))
        expect(plot).to_have_count(1)
        found = plot.locator(f"rect.part-{part}").all()[-3:]
        return [round(float(one.get_attribute("height") or 0) / 160, 2) for one in found]

    assert bars("Fout gemeld per week: 2", 0) == [0, 1, 0.5]
    took = "Seconden tot het antwoord, per week: 7,8"  # 95% of 4 and 8, by interpolation
    assert bars(took, 0) == [0.77, 0.77, 0.26]
    assert bars(took, 1) == [0, 0.23, 0]
    title = page.locator(".plot", has=page.get_by_role("img", name=took)).locator("title").all_text_contents()[-2]
    assert title.endswith(": de helft binnen 6,0, 95% binnen 7,8")
    faultless_by_day_and_by_night(page)


def test_each_risk_shows_what_it_cost_by_the_running_services_own_calibration(
    page: Page, url: str, container: Container
) -> None:
    """More caution refuses more and is wrong less; a service that measured anew shows other
    figures."""

    def shown() -> list[tuple[int, int]]:
        page.goto(f"{url}/quality/usage")
        costs = page.locator(".risk-choice .muted")
        expect(costs).to_have_count(3)
        found = [re.findall(r"(\d+)%", one) for one in costs.all_inner_texts()]
        return [(int(refused), int(wrong)) for refused, wrong in found]

    folder = container.settings.data_dir
    shipped = calibration(container.embedder.name, folder)
    fitted = shipped.not_found
    assert fitted is not None
    points = [min(fitted.curve, key=lambda one: abs(one.threshold - fitted.at(name))) for name in get_args(RiskName)]
    careful, balanced, ready = first = shown()
    assert first == [(round(100 * one.refused), round(100 * one.risk)) for one in points]
    assert careful[0] > balanced[0] > ready[0]
    assert careful[1] < balanced[1] < ready[1]
    anew = replace(
        fitted, curve=tuple(replace(one, refused=one.refused / 2, risk=one.risk / 2) for one in fitted.curve)
    )
    write(folder / FILE, container.embedder.name, replace(shipped, not_found=anew))
    try:
        assert shown() == [(round(50 * one.refused), round(50 * one.risk)) for one in points]
    finally:
        (folder / FILE).unlink()
