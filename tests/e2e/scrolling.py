"""Scrolling of a long PDF or conversation, and the first paint, measured: `python -m
tests.e2e.scrolling [document | conversation | start]`.

A document of 300 pages is opened at its first page and turned by the wheel to its last, or a
conversation of 5,000 messages from its last to its first; told is how long each frame took, and of
a document whether a page stood in sight that was not drawn. `start`: seconds until the start page
is first painted, in a browser that has nothing of it.

No test: another machine, or another load of it, gives other numbers. The load is told with them. A
run takes a minute.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import sys
import time

from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.browser import launch
from tests.e2e.conversations.test_long import LONG, TURNS, held
from tests.e2e.scripted import Script, build_pdf, create_app
from tests.support.http_server import served

PAGES = 300
NOTCH = 800  # pixels a turn of the wheel
EVERY = 0.05  # seconds
SLOW = 50  # milliseconds: a frame that lasts longer is seen to stutter

HEAD = (
    "run", "pages or messages", "seconds", "frames", "half of them within, ms", "95 of 100 within, ms",
    "the longest, ms", "longer than 50 ms", "with a page in sight not drawn",
    "seconds until the last page or answer is drawn", "load of the machine",
)  # fmt: skip
PAINT_HEAD = ("run", "first paint, s", "first words, s", "load of the machine")
# How long each frame took, and in how many of them a page stood in sight that was not drawn yet.
FRAMES = """() => {
    const pane = (document.querySelector('.pages') ?? document.body).getBoundingClientRect();
    const white = page => {
        const {top, bottom} = page.getBoundingClientRect();
        return bottom > pane.top && top < pane.bottom && page.dataset.drawn !== 'true';
    };
    let last = performance.now();
    window.frames_ = [];
    window.white_ = 0;
    const frame = now => {
        window.frames_.push(now - last);
        window.white_ += [...document.querySelectorAll('[data-page]')].some(white);
        last = now;
        window.counting = requestAnimationFrame(frame);
    };
    window.counting = requestAnimationFrame(frame);
}"""

AT_END = "(pane => pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 1)(document.querySelector('.pages'))"
AT_START = "!!document.querySelector('#a-m0 .made') && document.querySelector('#a-m0').getBoundingClientRect().top >= 0"
PAINTS = "performance.getEntriesByType('paint').map(one => [one.name, one.startTime])"


def scrolled(page: Page, url: str) -> tuple[list[float], int, float, float]:
    """Return the milliseconds of each frame; in how many something was white; the seconds of the
    way; and until the last page is drawn."""
    page.goto(f"{url}/d/paracetamol-kind?page=1")
    page.locator("[data-page='1'][data-drawn='true']").wait_for()
    began = time.monotonic()
    frames, white, seconds = wheeled(page, ".pages", NOTCH, AT_END)
    page.locator(f"[data-page='{PAGES}'][data-drawn='true']").wait_for()
    return frames, white, seconds, time.monotonic() - began - seconds


def talked(page: Page, url: str) -> tuple[list[float], int, float, float]:
    """Return the same of a conversation, upwards, and the seconds until its last answer stood."""
    began = time.monotonic()
    page.goto(f"{url}/c/{LONG}")
    page.locator(f"#a-m{TURNS - 1} .made").wait_for()
    opened = time.monotonic() - began
    return *wheeled(page, "main", -NOTCH, AT_START), opened


def wheeled(page: Page, over: str, notch: int, end: str) -> tuple[list[float], int, float]:
    box = page.locator(over).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate(FRAMES)
    began = time.monotonic()
    while not page.evaluate(end):
        page.mouse.wheel(0, notch)
        time.sleep(EVERY)
    seconds = time.monotonic() - began
    frames, white = page.evaluate("(cancelAnimationFrame(window.counting), [window.frames_, window.white_])")
    return frames, white, seconds


def painted(browser: Browser, url: str) -> dict[str, float]:
    """Return the seconds until the first paint and the first words, of a browser that has nothing
    of the page."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="nl-BE")
    page = context.new_page()
    page.goto(url)
    page.get_by_role("textbox").first.wait_for()
    told = {name: milliseconds / 1000 for name, milliseconds in page.evaluate(PAINTS)}
    context.close()
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["document", "conversation", "start"], default="document")
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    script = Script()
    script.pages, script.pdf = PAGES, build_pdf(PAGES)
    held(script, TURNS)
    rows = csv.writer(sys.stdout)
    rows.writerow(PAINT_HEAD if given.what == "start" else HEAD)
    with sync_playwright() as playwright, served(create_app(script, {})) as url:
        browser = launch(playwright, whole=True)
        for run in range(1, given.times + 1):
            if given.what == "start":
                told = painted(browser, url)
                seen = (f"{told[name]:.3f}" for name in ("first-paint", "first-contentful-paint"))
                rows.writerow([run, *seen, f"{os.getloadavg()[0]:.1f}"])
                continue
            page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="nl-BE")
            frames, white, seconds, last = (talked if given.what == "conversation" else scrolled)(page, url)
            cuts = statistics.quantiles(frames, n=100)
            slow = sum(one > SLOW for one in frames) / len(frames)
            many = 2 * TURNS if given.what == "conversation" else PAGES
            within = (f"{cuts[49]:.1f}", f"{cuts[94]:.1f}", f"{max(frames):.0f}", f"{slow:.1%}")
            load = f"{os.getloadavg()[0]:.1f}"
            rows.writerow(
                [run, many, f"{seconds:.1f}", len(frames), *within, f"{white / len(frames):.1%}", f"{last:.2f}", load]
            )
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
