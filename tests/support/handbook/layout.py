"""Procedure -> PDF, with the shapes that real handbooks have: landscape and rotated pages, columns,
scans.

Knows nothing of where files are kept; the same procedure always gives the same bytes.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from reportlab.pdfbase import pdfdoc
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate

from tests.support.handbook.look import Look, register_fonts
from tests.support.handbook.pages import Properties, templates
from tests.support.handbook.source import Procedure
from tests.support.handbook.story import story


def render(procedure: Procedure, scans: Path) -> bytes:
    """The PDF's bytes. scans: the folder that scan hints name their images in."""
    register_fonts()
    total = _build(procedure, scans, total=0)[1]  # "page 1 of n" needs a run that only counts
    return _build(procedure, scans, total)[0]


def _build(procedure: Procedure, scans: Path, total: int) -> tuple[bytes, int]:
    look, out = Look(procedure), io.BytesIO()
    info = Properties(procedure, look)

    def canvas(*args: Any, **kwargs: Any) -> Canvas:
        made = Canvas(*args, **kwargs)
        made._doc.info = info
        made.setCatalogEntry("Lang", pdfdoc.PDFString(procedure.language))
        return made

    document = BaseDocTemplate(out, pageTemplates=templates(procedure, look, total), invariant=1, pageCompression=1)
    document.title, document.author, document.subject, document.keywords = (
        info.title,
        info.author,
        info.subject,
        info.keywords,
    )
    document.build(story(procedure, look, scans), canvasmaker=canvas)
    return out.getvalue(), document.page
