"""Scrolling of a long PDF, measured: `python -m tests.e2e.scrolling`. A document of 300 pages is
opened at its first page and turned by the wheel to its last; told is how long each frame took, and
whether a page stood in sight that was not drawn.

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

from playwright.sync_api import Page, sync_playwright

from tests.e2e.browser import launch
from tests.e2e.scripted import Script, build_pdf, create_app
from tests.support.http_server import served

PAGES = 300
NOTCH = 800  # pixels a turn of the wheel
EVERY = 0.05  # seconds
SLOW = 50  # milliseconds: a frame that lasts longer is seen to stutter

HEAD = (
    "run", "pages", "seconds", "frames", "half of them within, ms", "95 of 100 within, ms", "the longest, ms", "longer than 50 ms",
    "with a page in sight not drawn", "seconds until the last page is drawn", "load of the machine",
)  # fmt: skip
# How long each frame took, and in how many of them a page stood in sight that was not drawn yet.
FRAMES = """() => {
    const pane = document.querySelector('.pages').getBoundingClientRect();
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


def scrolled(page: Page, url: str) -> tuple[list[float], int, float, float]:
    """Return the milliseconds of each frame; in how many something was white; the seconds of the
    way; and until the last page is drawn."""
    page.goto(f"{url}/d/paracetamol-kind?page=1")
    page.locator("[data-page='1'][data-drawn='true']").wait_for()
    box = page.locator(".pages").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate(FRAMES)
    began = time.monotonic()
    while not page.evaluate(AT_END):
        page.mouse.wheel(0, NOTCH)
        time.sleep(EVERY)
    seconds = time.monotonic() - began
    frames, white = page.evaluate("(cancelAnimationFrame(window.counting), [window.frames_, window.white_])")
    page.locator(f"[data-page='{PAGES}'][data-drawn='true']").wait_for()
    return frames, white, seconds, time.monotonic() - began - seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    script = Script()
    script.pages, script.pdf = PAGES, build_pdf(PAGES)
    rows = csv.writer(sys.stdout)
    rows.writerow(HEAD)
    with sync_playwright() as playwright, served(create_app(script, {})) as url:
        browser = launch(playwright, whole=True)
        for run in range(1, given.times + 1):
            page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="nl-BE")
            frames, white, seconds, last = scrolled(page, url)
            cuts = statistics.quantiles(frames, n=100)
            slow = sum(one > SLOW for one in frames) / len(frames)
            rows.writerow(
                [run, PAGES, f"{seconds:.1f}", len(frames), f"{cuts[49]:.1f}", f"{cuts[94]:.1f}", f"{max(frames):.0f}", f"{slow:.1%}",
                 f"{white / len(frames):.1%}", f"{last:.2f}", f"{os.getloadavg()[0]:.1f}"]
            )  # fmt: skip
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
