"""The page when a question is held up: it asks before a patient's identity is sent on, and says
when to try again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.accessibility import faultless
from tests.e2e.conftest import NewPage
from tests.e2e.test_states import ask, complete

QUESTION = "Hoeveel paracetamol krijgt Karel Dumoulin, 12 kg?"
WITHOUT = "Hoeveel paracetamol krijgt […], 12 kg?"
SEEN = [
    {
        "where": "body.question",
        "what": "name",
        "code": "name",
        "values": {"text": "Karel Dumoulin", "start": "27", "end": "41"},
    }
]


def refusing(
    page: Page, status: int, body: dict[str, Any], headers: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    """The first question is refused, further ones reach the service; what was sent, each time."""
    sent: list[dict[str, Any]] = []

    def answer(route: Route) -> None:
        sent.append(dict(route.request.post_data_json or {}))
        if len(sent) > 1:
            return route.continue_()
        text = json.dumps({"title": "x", "status": status, "detail": "x"} | body)
        route.fulfill(status=status, body=text, content_type="application/problem+json", headers=headers or {})
        return None

    page.route("**/api/ask", answer)
    return sent


@pytest.fixture
def page(new_page: NewPage, base_url: str) -> Page:
    found = new_page()
    found.goto(base_url)
    return found


@pytest.mark.parametrize(("button", "choice"), [("Weglaten en vragen", "remove"), ("Toch zo vragen", "keep")])
def test_a_question_with_a_name_waits_for_its_askers_word(page: Page, button: str, choice: str) -> None:
    sent = refusing(page, 422, {"code": "personal_data", "errors": SEEN, "instead": WITHOUT})
    ask(page, QUESTION)
    expect(page.locator(".identity")).to_contain_text("een naam: Karel Dumoulin")
    expect(page.locator(".identity")).to_contain_text(WITHOUT)
    expect(page.get_by_role("button", name="Weglaten en vragen")).to_be_focused()
    faultless(page, ".identity")
    page.get_by_role("button", name=button).click()
    complete(page)
    assert [one["personal_data"] for one in sent] == ["stop", choice]
    expect(page.locator(".turn")).to_have_count(1)


def test_where_the_hospital_refuses_there_is_one_way(page: Page) -> None:
    refusing(page, 422, {"code": "personal_data_refused", "errors": SEEN, "instead": WITHOUT})
    ask(page, QUESTION)
    expect(page.locator(".identity .button")).to_have_text(["Weglaten en vragen"])


def test_while_other_questions_are_answered_the_page_counts_down_and_asks_again_by_itself(
    page: Page, tmp_path: Path
) -> None:
    sent = refusing(page, 429, {"code": "too_busy"}, {"Retry-After": "3"})
    ask(page)
    expect(page.locator(".progress")).to_contain_text(
        "Bedside beantwoordt eerst andere vragen en stelt de uwe vanzelf opnieuw over 3 s."
    )
    faultless(page)
    page.screenshot(path=tmp_path / "waits.png")
    expect(page.locator(".progress")).to_contain_text("over 1 s.")
    complete(page)
    expect(page.locator(".turn")).to_have_count(1)
    assert len(sent) == 2


def test_a_question_that_waits_for_a_place_is_stopped(page: Page) -> None:
    sent = refusing(page, 429, {"code": "too_busy"}, {"Retry-After": "9"})
    ask(page)
    expect(page.locator(".progress")).to_contain_text("over 9 s.")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".notices")).to_contain_text("Het antwoord is gestopt")
    assert len(sent) == 1
