"""Words of a document that speak to a machine -> what the admin is told when it is loaded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from rag_api.domain import Note, Page
from rag_api.ingest.common.notes import note
from rag_api.text.quotable.prompt_injection import addressed

_SHOWN, _LENGTH = 3, 120  # places, and characters of each


def told_spoken(title: str, pages: Sequence[Page]) -> tuple[Note, ...]:
    """Return a warning that names the places, or none. The title is shown with every source, so it
    is named too."""
    text = "".join(page.text for page in pages)
    starts = [page.start for page in pages]
    found = [(f"page {pages[bisect_right(starts, a) - 1].number}", text[a:b]) for a, b in addressed(text)]
    found += [("title", title)] if addressed(title) else []
    if not found:
        return ()
    named = "; ".join(f"{where}: {' '.join(words.split())[:_LENGTH]!r}" for where, words in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return (note("speaks_to_machine", words=named + more),)
