"""The words of a presentation (.pptx), to compare with what its pages show; hidden slides and notes
are not shown, and named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rag_api.ingest.common.notes import note
from rag_api.ingest.docx.package import Element, Package, attribute, tag


@dataclass(frozen=True, slots=True)
class Slides:
    text: str
    properties: dict[str, str]
    warnings: tuple[str, ...]


def read_slides(path: Path, name: str) -> Slides:
    """Raises UnreadableDocument: broken, too_large."""
    with Package(path, name) as package:
        parts = sorted(package.parts("ppt/slides/slide"), key=_number)
        roots = {_number(part): package.xml(part) for part in parts}
        notes = sum(
            bool(_words(package.xml(part)).strip(" 0123456789")) for part in package.parts("ppt/notesSlides/notesSlide")
        )
        hidden = [number for number, root in roots.items() if attribute(root, "show") in ("0", "false")]
        text = "\n".join(_words(root) for number, root in roots.items() if number not in hidden)
        warnings = []
        if hidden:
            warnings.append(note("hidden_slides", count=len(hidden)))
        if notes:
            warnings.append(note("slide_notes", count=notes))
        return Slides(text, package.properties(), tuple(warnings))


def _number(part: str) -> int:
    found = re.search(r"(\d+)\.xml$", part)
    return int(found.group(1)) if found else 0


def _words(root: Element | None) -> str:
    """A line for each paragraph; fields (page numbers, dates) are left out, as each program fills
    them in anew."""
    paragraphs = (one for one in root.iter() if tag(one) == "a:p") if root is not None else ()
    return "\n".join(
        "".join(one.text or "" for run in paragraph if tag(run) == "a:r" for one in run if tag(one) == "a:t")
        for paragraph in paragraphs
    )
