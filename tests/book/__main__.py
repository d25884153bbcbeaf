"""The docs' tables and picture anew: `python -m tests.book` (`make book`)."""

from __future__ import annotations

from evaluation import tables
from tests.book import picture, settings_table

DOCS = tables.ROOT / "docs"


def main() -> None:
    tables.stale(write=True)
    page = DOCS / "settings.md"
    page.write_text(settings_table.written(page.read_text(encoding="utf-8")), encoding="utf-8")
    (DOCS / "architecture.svg").write_text(picture.draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
