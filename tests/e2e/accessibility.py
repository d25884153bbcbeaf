"""Accessibility of a page in each state: axe-core's rules find nothing, and nothing is wider than
the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")

LANGUAGES = ("nl-BE", "en-GB")


def looks(*widths: int) -> pytest.MarkDecorator:
    """Give a test its `locale`, `scheme` and `width`. Each two of them meet, in half of the ways in
    which all three can: a fault of a view that only all three make together is not looked for."""
    nl, en = LANGUAGES
    turns = (((nl, "light"), (en, "dark")), ((nl, "dark"), (en, "light")))
    ways = [(*way, width) for number, width in enumerate(widths) for way in turns[number % 2]]
    return pytest.mark.parametrize(("locale", "scheme", "width"), ways)


def faultless_by_day_and_by_night(page: Page) -> None:
    """Assert it of the light page and of the dark one, as it stands: only its colours change."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        faultless(page)


def faultless(page: Page, part: str = "body", beside: Sequence[str] = ("best-practice",)) -> None:
    """Assert it of what is in the `part` that a selector names. The text layer is see-through on
    purpose: its words are the drawn ones."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found = page.evaluate(
        "([part, rules]) => axe.run({include: part, exclude: ['.textLayer']}, {runOnly: rules})",
        [part, [*WCAG, *beside]],
    )
    faults = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]
    assert faults == [], f"{page.url}: {faults}"
    wide, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= window, f"{page.url}: {wide} pixels wide in a window of {window}"
