"""A written answer in the page, by the real service, from a model that says nothing: the sources
are shown, never its prompt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.main import create_app
from tests.e2e.conftest import NewPage, Serving
from tests.e2e.scripted import DIST
from tests.e2e.test_states import ask
from tests.support.scripted_server import Scripted, Step, piece
from tests.support.world import empty, load_hospital

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"


def echo(request: dict[str, Any]) -> list[Step]:
    """As a small model does: the prompt's last words once more, and the frame around them."""
    asked = request["messages"][-1]["content"]
    said: list[Step] = [
        piece(f"Vraag: {DOSE}\n\n"),
        piece("Antwoord: "),
        piece(DOSE),
        piece(finish="stop"),
        "data: [DONE]\n\n",
    ]
    assert DOSE in asked
    return said


@pytest.fixture
def container(dsn: str, tmp_path: Path, server: Scripted) -> Iterator[Container]:
    settings = Settings(
        data_dir=tmp_path,
        database_url=dsn,
        store="memory",
        generator_url=server.url,
        web_dir=DIST,
        written_answers="offered",
    )
    with Container(settings) as made:
        load_hospital(made)
        yield made
        empty(made)


@pytest.fixture
def page(container: Container, serving: Serving, new_page: NewPage) -> Page:
    url = serving(create_app(container.settings, container))
    found = new_page(allowed="pdf|PDF")  # the small hospital's files are PDFs in name only
    found.goto(url)
    return found


def test_a_model_that_repeats_its_prompt_is_not_shown_and_the_sources_are(page: Page, server: Scripted) -> None:
    server.script = echo
    page.get_by_label("Antwoord met").select_option("answer")
    ask(page, DOSE)
    expect(page.locator(".made")).to_be_visible()
    assert server.requests
    expect(page.locator(".answer-text")).to_have_count(0)
    expect(page.locator(".notices")).to_be_visible()
    expect(page.locator(".card h3").first).to_be_visible()
    assert page.locator("main").inner_text().count("Antwoord:") == 0


def test_a_document_under_a_written_answer_is_read_whole_at_a_click(page: Page, server: Scripted) -> None:
    """The same question of that document alone; one that is too long is told in words."""
    sentence = "Geef kinderen van 10 tot 50 kg 15 mg/kg paracetamol per gift."
    server.script = lambda _: [piece(sentence), piece(finish="stop"), "data: [DONE]\n\n"]
    ask(page, DOSE)
    expect(page.locator(".made")).to_be_visible()
    whole = page.get_by_role("button", name="Lees het hele document")
    expect(whole).to_have_count(0)  # of quotes there is nothing to read on for
    page.get_by_label("Antwoord met").select_option("answer")
    ask(page, DOSE)
    expect(page.locator(".made")).to_have_count(2)
    title = page.locator(".turn").last.locator(".card h3").first.inner_text()
    whole.first.click()
    expect(page.locator(".made")).to_have_count(3)
    expect(page.locator(".notices").last).to_contain_text(f"Dit antwoord komt uit heel {title}")
    assert [len(request["documents"]) for request in server.requests[1:]] == [len(server.requests[1]["documents"]), 1]
    assert server.requests[2]["bedside"]["retrieved"]
    server.status, server.body = 400, '{"error": {"message": "too long", "code": "context_length_exceeded"}}'
    whole.first.click()
    expect(page.locator(".notice", has_text="Dit document is te lang om in één keer gelezen te worden")).to_be_visible()


def test_a_written_answer_can_be_chosen_and_is_not_what_the_next_reader_begins_with(page: Page) -> None:
    choice = page.get_by_label("Antwoord met")
    choice.select_option("answer")
    page.reload()
    expect(choice).to_have_value("default")
    expect(choice.locator("option")).to_have_text(
        ["Standaardantwoord", "Alleen letterlijke zinnen", "Geschreven antwoord", "Alleen bronnen"]
    )


@pytest.mark.parametrize(
    ("settings", "offered"),
    [
        ({}, False),
        ({"generator_model": "a-70b"}, True),
        ({"generator_model": "a-70b", "written_answers": "hidden"}, False),
    ],
)
def test_written_answers_are_offered_where_the_model_can_be_trusted(
    dsn: str, tmp_path: Path, serving: Serving, new_page: NewPage, settings: dict[str, Any], offered: bool
) -> None:
    """By default not in the demonstration."""
    made = Settings(
        data_dir=tmp_path,
        database_url=dsn,
        store="memory",
        generator_url="http://127.0.0.1:1/v1",
        web_dir=DIST,
        **settings,
    )
    with Container(made) as container:
        page = new_page()
        page.goto(serving(create_app(made, container)))
        expect(page.get_by_label("Antwoord met").locator("option")).to_have_count(4 if offered else 3)
        expect(page.get_by_role("option", name="Geschreven antwoord")).to_have_count(1 if offered else 0)
