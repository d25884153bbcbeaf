"""The look of the pages and the text of one procedure: words of its language, colours, fonts and
paragraph styles."""

from __future__ import annotations

from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from tests.support.handbook.source import Hint, Procedure

HOSPITAL = "Sint-Aurelia Ziekenhuis Gent"
MARGIN = 56.0  # points, left and right
COLUMN_MARGIN, GUTTER = 42.0, 22.0  # of the two-column leaflet
SHAPES = ("portrait", "landscape", "rotated", "columns", "scan")
THEMES = {
    "blue": colors.HexColor("#1d4f7c"),
    "green": colors.HexColor("#2d6a4f"),
    "red": colors.HexColor("#8c2f39"),
    "plain": colors.HexColor("#333333"),
}
LABELS = {
    "nl": {
        "number": "Documentnummer", "version": "Versie", "from": "Geldig vanaf", "until": "Geldig tot", "owner": "Eigenaar",
        "department": "Dienst", "groups": "Doelgroep", "type": "Documenttype", "supersedes": "Vervangt", "page": "Pagina", "of": "van",
        "copy": "Fictief ziekenhuis, niet voor klinisch gebruik. Een afdruk is enkel geldig op de dag van afdruk.", "none": "n.v.t.",
        "adult": "volwassenen", "child": "kinderen", "neonate": "neonaten", "pregnancy": "zwangeren",
        "procedure": "procedure", "protocol": "protocol", "guideline": "richtlijn", "leaflet": "patiëntenfolder",
        "instruction": "werkinstructie",
    },
    "en": {
        "number": "Document number", "version": "Version", "from": "Valid from", "until": "Valid until", "owner": "Owner",
        "department": "Department", "groups": "Target group", "type": "Document type", "supersedes": "Supersedes",
        "page": "Page", "of": "of",
        "copy": "Fictional hospital, not for clinical use. Printed copies are valid on the day of printing only.", "none": "n/a",
        "adult": "adults", "child": "children", "neonate": "neonates", "pregnancy": "pregnant women",
        "procedure": "procedure", "protocol": "protocol", "guideline": "guideline", "leaflet": "patient leaflet",
        "instruction": "work instruction",
    },
}  # fmt: skip


def register_fonts() -> None:
    """Bitstream Vera, which reportlab ships: free to embed and to redistribute."""
    for name, file in (
        ("Vera", "Vera"),
        ("Vera-Bold", "VeraBd"),
        ("Vera-Italic", "VeraIt"),
        ("Vera-BoldItalic", "VeraBI"),
    ):
        pdfmetrics.registerFont(TTFont(name, f"{file}.ttf"))
    pdfmetrics.registerFontFamily(
        "Vera", normal="Vera", bold="Vera-Bold", italic="Vera-Italic", boldItalic="Vera-BoldItalic"
    )


class Look:
    """The looks of one procedure, from its front matter's `layout`: theme, size, align."""

    def __init__(self, procedure: Procedure) -> None:
        self.label = LABELS[procedure.language]
        self.colour = THEMES[procedure.layout.get("theme", "blue")]
        self.size = float(procedure.layout.get("size", 10))
        self.numbered = procedure.layout.get("numbers", True)
        self._language = {"nl": "nl_NL", "en": "en_GB"}[procedure.language]
        self.body = self.style("body", alignment=TA_JUSTIFY if procedure.layout.get("align") == "justify" else TA_LEFT)
        self.cell = self.style("cell", fontSize=self.size - 1, leading=(self.size - 1) * 1.3, spaceAfter=0)
        self.cell_head = self.style(
            "head", parent=self.cell, fontName="Vera-Bold", textColor=colors.white, hyphenationLang=""
        )

    def style(self, name: str, parent: ParagraphStyle | None = None, **values: Any) -> ParagraphStyle:
        base = {"fontName": "Vera", "fontSize": self.size, "leading": self.size * 1.42, "spaceAfter": self.size * 0.6}
        hyphens = {
            "hyphenationLang": self._language,
            "hyphenationMinWordLength": 7,
            "allowWidows": 1,
            "allowOrphans": 1,
        }
        return ParagraphStyle(name, parent=parent, **{**({} if parent else base), **hyphens, **values})


def first_shape(procedure: Procedure) -> str:
    """The shape of the first page: a leaflet's columns and a scan begin at once, all else on an
    upright page."""
    first = procedure.blocks[0]
    return first.name if isinstance(first, Hint) and first.name in ("columns", "scan") else "portrait"


def text_width(shape: str) -> float:
    """Points between the margins; of one column where there are two."""
    if shape == "columns":
        return float(A4[0] - 2 * COLUMN_MARGIN - GUTTER) / 2
    return float(A4[1] if shape in ("landscape", "rotated") else A4[0]) - 2 * MARGIN
