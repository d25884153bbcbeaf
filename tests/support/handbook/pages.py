"""The pages of a procedure: their shapes, headers and footers, and the file's properties. Knows
nothing of the text on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfbase import pdfdoc
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from tests.support.handbook.look import COLUMN_MARGIN, HOSPITAL, MARGIN, SHAPES, Look, first_shape, text_width
from tests.support.handbook.source import Procedure

TOP, BOTTOM = 64.0, 58.0
Draw = Callable[[Canvas, BaseDocTemplate], None]


def templates(procedure: Procedure, look: Look, total: int) -> list[PageTemplate]:
    """One template per shape, the first page's shape first. total: the pages there will be, for the
    footer."""
    made = [_template(shape, procedure, look, total) for shape in SHAPES]
    return sorted(made, key=lambda template: template.id != first_shape(procedure))


def _template(shape: str, procedure: Procedure, look: Look, total: int) -> PageTemplate:
    # A rotated page is a portrait page with /Rotate 90, drawn sideways, so that it reads as
    # landscape; reportlab swaps width and height of such a page itself.
    wide = shape in ("landscape", "rotated")
    size = landscape(A4) if wide else A4
    begin, end = _begin(shape, procedure, look), _end(shape, procedure, look, total)
    template = PageTemplate(shape, _frames(shape, size), onPage=begin, onPageEnd=end, pagesize=size)
    template.rotation = 90 if shape == "rotated" else 0
    return template


def _frames(shape: str, size: tuple[float, float]) -> list[Frame]:
    plain = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
    if shape == "scan":
        return [Frame(0, 0, *size, **plain)]
    width, height = text_width(shape), size[1] - TOP - BOTTOM
    lefts = (COLUMN_MARGIN, size[0] - COLUMN_MARGIN - width) if shape == "columns" else (MARGIN,)
    return [Frame(left, BOTTOM, width, height, **plain) for left in lefts]


def _begin(shape: str, procedure: Procedure, look: Look) -> Draw:
    def begin(canvas: Canvas, document: BaseDocTemplate) -> None:
        if shape == "rotated":
            canvas.translate(A4[0], 0)
            canvas.rotate(90)
        if shape == "scan":
            return
        width, height = document.pageTemplate.pagesize
        canvas.setFillColor(look.colour)
        canvas.setFont("Vera-Bold", 9)
        canvas.drawString(MARGIN, height - 38, HOSPITAL)
        canvas.setFont("Vera", 8)
        canvas.drawRightString(width - MARGIN, height - 38, f"{procedure.department} | {procedure.number}")
        canvas.setStrokeColor(look.colour)
        canvas.line(MARGIN, height - 44, width - MARGIN, height - 44)

    return begin


def _end(shape: str, procedure: Procedure, look: Look, total: int) -> Draw:
    def end(canvas: Canvas, document: BaseDocTemplate) -> None:
        if shape == "scan":
            return
        label, width = look.label, document.pageTemplate.pagesize[0]
        since = f"{label['from']} {procedure.valid_from:%d/%m/%Y}"
        canvas.setFillColor(colors.HexColor("#555555"))
        canvas.setFont("Vera", 7.5)
        canvas.drawString(MARGIN, 36, f"{procedure.number} | {label['version']} {procedure.version} | {since}")
        canvas.drawRightString(width - MARGIN, 36, f"{label['page']} {document.page} {label['of']} {total}")
        canvas.drawString(MARGIN, 26, label["copy"])

    return end


class Properties(pdfdoc.PDFInfo):  # type: ignore[misc]  # reportlab has no types
    """The information dictionary with fields of our own; reportlab itself writes only the standard
    ones."""

    def __init__(self, procedure: Procedure, look: Look) -> None:
        super().__init__()
        groups = (look.label[group] for group in procedure.target_groups)
        self.title, self.author = procedure.title, procedure.owner
        self.subject = f"{look.label[procedure.document_type]} - {procedure.department}"
        self.keywords = ", ".join((procedure.number, procedure.department, *groups))
        self.fields = {
            "Creator": "Bedside sample handbook",
            "Producer": "ReportLab",
            "DocumentNumber": procedure.number,
            "Version": procedure.version,
            "ValidFrom": procedure.valid_from.isoformat(),
            "ValidUntil": procedure.valid_until.isoformat() if procedure.valid_until else "",
            "Department": procedure.department,
            "DocumentType": procedure.document_type,
            "TargetGroups": ";".join(procedure.target_groups),
            "Language": procedure.language,
            "Supersedes": f"{procedure.supersedes}.pdf" if procedure.supersedes else "",
        }

    def format(self, document: Any) -> Any:
        standard = {"Title": self.title, "Author": self.author, "Subject": self.subject, "Keywords": self.keywords}
        texts = {name: pdfdoc.PDFString(value) for name, value in {**standard, **self.fields}.items()}
        dates = dict.fromkeys(("CreationDate", "ModDate"), pdfdoc.PDFDate(ts=document._timeStamp))
        return pdfdoc.PDFDictionary({**texts, **dates}).format(document)
