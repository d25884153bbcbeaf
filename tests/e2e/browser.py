"""Chromium for the page tests: the machine's own where there is one, else the one that Playwright
brought."""

from __future__ import annotations

import os
import shutil

from playwright.sync_api import Browser, Playwright

FLAGS = (
    "--no-sandbox",  # as root in a container there is no other way
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # letters lie where the page has them, with a window or without
)


def launch(playwright: Playwright, *, whole: bool = False) -> Browser:
    """Without the window around the page, which costs as much as the page; `whole`: with it, and
    with speech."""
    names = (*([] if whole else ["chromium-headless-shell"]), "chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    channel = "chromium" if whole and path is None else None  # else Playwright's own has no window either
    return playwright.chromium.launch(executable_path=path, channel=channel, args=list(FLAGS), headless=True)
