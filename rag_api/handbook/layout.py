"""How a procedure looks: page templates, headers and footers, tables, and the shapes that real handbooks have
(landscape and rotated pages, columns, scans). Knows nothing of files; the same procedure always gives the same bytes.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    Image,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus import Paragraph as Text

from rag_api.handbook.source import Block, Callout, Heading, Hint, ListBlock, Paragraph, Procedure, TableBlock

HOSPITAL = "Sint-Aurelia Ziekenhuis Gent"
PORTRAIT_PAGES = ("portrait", "columns", "scan")
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
        "copy": "Een afgedrukt exemplaar is enkel geldig op de dag van afdruk.", "none": "n.v.t.",
        "adult": "volwassenen", "child": "kinderen", "neonate": "neonaten", "pregnancy": "zwangeren",
        "procedure": "procedure", "protocol": "protocol", "guideline": "richtlijn", "leaflet": "patiëntenfolder",
        "instruction": "werkinstructie",
    },
    "en": {
        "number": "Document number", "version": "Version", "from": "Valid from", "until": "Valid until", "owner": "Owner",
        "department": "Department", "groups": "Target group", "type": "Document type", "supersedes": "Supersedes",
        "page": "Page", "of": "of",
        "copy": "Printed copies are valid on the day of printing only.", "none": "n/a",
        "adult": "adults", "child": "children", "neonate": "neonates", "pregnancy": "pregnant women",
        "procedure": "procedure", "protocol": "protocol", "guideline": "guideline", "leaflet": "patient leaflet",
        "instruction": "work instruction",
    },
}  # fmt: skip


def _register_fonts() -> None:
    """Bitstream Vera, which reportlab ships: free to embed and to redistribute."""
    for name, file in (("Vera", "Vera"), ("Vera-Bold", "VeraBd"), ("Vera-Italic", "VeraIt"), ("Vera-BoldItalic", "VeraBI")):
        pdfmetrics.registerFont(TTFont(name, f"{file}.ttf"))
    pdfmetrics.registerFontFamily("Vera", normal="Vera", bold="Vera-Bold", italic="Vera-Italic", boldItalic="Vera-BoldItalic")


class _Info(pdfdoc.PDFInfo):  # type: ignore[misc]  # reportlab has no types
    """The information dictionary with fields of our own; reportlab itself writes only the standard ones."""

    fields: dict[str, str]

    def format(self, document: Any) -> Any:
        everything = {
            "Title": self.title,
            "Author": self.author,
            "Subject": self.subject,
            "Keywords": self.keywords,
            "Creator": "Bedside sample handbook",
            "Producer": "ReportLab",
            **self.fields,
        }
        dates = dict.fromkeys(("CreationDate", "ModDate"), pdfdoc.PDFDate(ts=document._timeStamp))
        return pdfdoc.PDFDictionary({**{k: pdfdoc.PDFString(v) for k, v in everything.items()}, **dates}).format(document)


def render(procedure: Procedure, scans: Path) -> bytes:
    """The PDF's bytes. `scans` is the folder that scan hints name their images in."""
    _register_fonts()
    total = _Builder(procedure, scans, total=0).build()[1]
    return _Builder(procedure, scans, total).build()[0]


class _Builder:
    """One run over a procedure; the first of two runs only counts the pages."""

    def __init__(self, procedure: Procedure, scans: Path, total: int) -> None:
        self.procedure = procedure
        self.scans = scans
        self.total = total
        self.label = LABELS[procedure.language]
        self.colour = THEMES[procedure.layout.get("theme", "blue")]
        self.size = float(procedure.layout.get("size", 10))
        self.body = self._style("body", alignment=TA_JUSTIFY if procedure.layout.get("align") == "justify" else TA_LEFT)
        self.cell = self._style("cell", fontSize=self.size - 1, leading=(self.size - 1) * 1.3, spaceAfter=0)
        self.cell_head = self._style("head", parent=self.cell, fontName="Vera-Bold", textColor=colors.white)
        self.cell_head.hyphenationLang = ""
        self.widths: list[float] | None = None
        self.frame_width = 0.0

    def _style(self, name: str, parent: ParagraphStyle | None = None, **values: Any) -> ParagraphStyle:
        base = {"fontName": "Vera", "fontSize": self.size, "leading": self.size * 1.42, "spaceAfter": self.size * 0.6}
        language = {"nl": "nl_NL", "en": "en_GB"}[self.procedure.language]
        hyphens = {"hyphenationLang": language, "hyphenationMinWordLength": 7, "allowWidows": 1, "allowOrphans": 1}
        return ParagraphStyle(name, parent=parent, **{**({} if parent else base), **hyphens, **values})

    # the document

    def build(self) -> tuple[bytes, int]:
        out = io.BytesIO()
        document = BaseDocTemplate(out, pagesize=A4, pageTemplates=self._templates(), invariant=1, pageCompression=1)
        info = self._info()
        document.title, document.author, document.subject, document.keywords = info.title, info.author, info.subject, info.keywords
        document.build(self._story(), canvasmaker=lambda *args, **kwargs: self._canvas(info, *args, **kwargs))
        return out.getvalue(), document.page

    def _canvas(self, info: _Info, *args: Any, **kwargs: Any) -> Canvas:
        canvas = Canvas(*args, **kwargs)
        canvas._doc.info = info
        canvas.setCatalogEntry("Lang", pdfdoc.PDFString(self.procedure.language))
        return canvas

    def _info(self) -> _Info:
        procedure, info = self.procedure, _Info()
        info.title, info.author = procedure.title, procedure.owner
        info.subject = f"{self.label[procedure.document_type]} - {procedure.department}"
        info.keywords = ", ".join((procedure.number, procedure.department, *(self.label[g] for g in procedure.target_groups)))
        info.fields = {
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
        return info

    def _templates(self) -> list[PageTemplate]:
        (w, h), side, top, foot = A4, 56, 64, 58
        plain = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
        body = h - top - foot
        gap = 22
        half = (w - 2 * 42 - gap) / 2
        frames = {
            "portrait": [Frame(side, foot, w - 2 * side, body, **plain)],
            "columns": [Frame(42, foot, half, body, **plain), Frame(42 + half + gap, foot, half, body, **plain)],
            "scan": [Frame(0, 0, w, h, **plain)],
            "landscape": [Frame(side, foot, h - 2 * side, w - top - foot, **plain)],
            "rotated": [Frame(side, foot, h - 2 * side, w - top - foot, **plain)],
        }
        # A rotated page is a portrait page with /Rotate 90, drawn sideways, so that it reads as landscape;
        # reportlab swaps width and height of such a page itself.
        sizes = dict.fromkeys(("landscape", "rotated"), landscape(A4))
        templates = [
            PageTemplate(name, frames[name], onPage=self._begin(name), onPageEnd=self._end(name), pagesize=sizes.get(name, A4))
            for name in sorted(frames, key=lambda name: name != self._first_template())
        ]
        for template in templates:
            template.rotation = 90 if template.id == "rotated" else 0
        return templates

    def _first_template(self) -> str:
        first = self.procedure.blocks[0]
        return first.name if isinstance(first, Hint) and first.name in ("columns", "scan") else "portrait"

    # headers and footers

    def _begin(self, template: str) -> Any:
        def begin(canvas: Canvas, _: BaseDocTemplate) -> None:
            if template == "rotated":
                canvas.translate(A4[0], 0)
                canvas.rotate(90)
            if template == "scan":
                return
            width, height = A4 if template in PORTRAIT_PAGES else landscape(A4)
            canvas.setFillColor(self.colour)
            canvas.setFont("Vera-Bold", 9)
            canvas.drawString(56, height - 38, HOSPITAL)
            canvas.setFont("Vera", 8)
            canvas.drawRightString(width - 56, height - 38, f"{self.procedure.department} | {self.procedure.number}")
            canvas.setStrokeColor(self.colour)
            canvas.line(56, height - 44, width - 56, height - 44)

        return begin

    def _end(self, template: str) -> Any:
        def end(canvas: Canvas, document: BaseDocTemplate) -> None:
            if template == "scan":
                return
            width = A4[0] if template in PORTRAIT_PAGES else A4[1]
            version = f"{self.label['version']} {self.procedure.version}"
            canvas.setFillColor(colors.HexColor("#555555"))
            canvas.setFont("Vera", 7.5)
            canvas.drawString(56, 36, f"{self.procedure.number} | {version} | {self.label['from']} {_day(self.procedure.valid_from)}")
            canvas.drawRightString(width - 56, 36, f"{self.label['page']} {document.page} {self.label['of']} {self.total}")
            canvas.drawString(56, 26, self.label["copy"])

        return end

    # the story

    def _story(self) -> list[Flowable]:
        self.frame_width = self._width(self._first_template())
        story: list[Flowable] = [] if self._first_template() == "scan" else self._title()
        for index, block in enumerate(self.procedure.blocks):
            story += self._flow(block, first=index == 0)
        return story

    def _width(self, template: str) -> float:
        if template == "columns":
            return float(A4[0] - 84 - 22) / 2
        return float(A4[0] if template in PORTRAIT_PAGES else A4[1]) - 112

    def _title(self) -> list[Flowable]:
        size = 15 if self._first_template() == "columns" else 17
        style = self._style("title", fontName="Vera-Bold", fontSize=size, leading=size * 1.25, textColor=self.colour, spaceAfter=8)
        style.hyphenationLang = ""
        return [Text(self.procedure.title, style), self._metadata(), Spacer(1, 10)]

    def _metadata(self) -> Table:
        p, label = self.procedure, self.label
        groups = ", ".join(label[group] for group in p.target_groups) or label["none"]
        pairs = [
            (label["number"], p.number), (label["version"], p.version),
            (label["from"], _day(p.valid_from)), (label["until"], _day(p.valid_until) if p.valid_until else label["none"]),
            (label["owner"], p.owner), (label["department"], p.department),
            (label["groups"], groups), (label["type"], label[p.document_type]),
        ]  # fmt: skip
        if p.supersedes:
            pairs.append((label["supersedes"], p.layout.get("supersedes", p.supersedes)))
        if self._first_template() == "columns":
            rows, widths = [list(pair) for pair in pairs], [0.42, 0.58]
        else:
            pairs += [("", "")] * (len(pairs) % 2)
            rows, widths = [[*a, *b] for a, b in zip(pairs[::2], pairs[1::2], strict=True)], [0.21, 0.31, 0.17, 0.31]
        small = self._style("meta", fontSize=8, leading=10.5, spaceAfter=0)
        small.hyphenationLang = ""
        bold = self._style("metabold", parent=small, fontName="Vera-Bold")
        bold.hyphenationLang = ""
        cells = [[Text(text, small if i % 2 else bold) for i, text in enumerate(row)] for row in rows]
        grid = [("BOX", (0, 0), (-1, -1), 0.8, self.colour), ("INNERGRID", (0, 0), (-1, -1), 0.25, colors.grey)]
        return Table(cells, [w * self.frame_width for w in widths], style=TableStyle([*grid, ("VALIGN", (0, 0), (-1, -1), "TOP")]))

    def _flow(self, block: Block, first: bool) -> list[Flowable]:
        match block:
            case Hint():
                return self._hint(block, first)
            case Heading():
                return self._heading(block)
            case Paragraph(text):
                return [Text(_inline(text), self.body)]
            case Callout(text):
                return [self._warning(text), Spacer(1, self.size * 0.6)]
            case ListBlock():
                return [self._list(block), Spacer(1, self.size * 0.5)]
            case TableBlock():
                return [self._table(block), Spacer(1, self.size * 0.8)]

    def _hint(self, hint: Hint, first: bool) -> list[Flowable]:
        if hint.name == "widths":
            self.widths = [float(part) for part in hint.value.split()]
            return []
        if hint.name in ("portrait", "landscape", "rotated", "columns"):
            self.frame_width = self._width(hint.name)
            return [] if first else [NextPageTemplate(hint.name), PageBreak()]
        if hint.name == "scan":
            picture = Image(str(self.scans / hint.value), A4[0] - 1, A4[1] - 1)
            return [picture] if first else [NextPageTemplate("scan"), PageBreak(), picture]
        breaks: dict[str, Flowable] = {"page": PageBreak(), "column": FrameBreak()}
        if hint.name in breaks:
            return [breaks[hint.name]]
        assert hint.name == "space", f"unknown hint {hint.name}"
        return [Spacer(1, float(hint.value))]

    def _heading(self, heading: Heading) -> list[Flowable]:
        size = self.size + (2.5 if heading.level == 1 else 0.8)
        style = self._style(f"h{heading.level}", fontName="Vera-Bold", fontSize=size, leading=size * 1.3, textColor=self.colour)
        style.spaceBefore, style.spaceAfter, style.hyphenationLang = size * 0.7, size * 0.35, ""
        numbered = "" if self.procedure.layout.get("numbers") is False else f"{heading.number} "
        # Room for the heading and two lines; keepWithNext would carry whole paragraphs over, and none would cross a page.
        return [CondPageBreak(75), Text(_inline(numbered + heading.text), style)]

    def _list(self, block: ListBlock) -> ListFlowable:
        style = self._style("item", parent=self.body, spaceAfter=self.size * 0.25)
        items = [ListItem(Text(_inline(item), style)) for item in block.items]
        kind: dict[str, Any] = {"bulletType": "1", "bulletFormat": "%s."} if block.ordered else {"bulletType": "bullet", "start": "•"}
        return ListFlowable(items, leftIndent=18, bulletFontName="Vera", bulletFontSize=self.size, **kind)

    def _warning(self, text: str) -> Table:
        cells = [[Text(_inline(text), self._style("warning", parent=self.body, spaceAfter=0))]]
        tint = colors.Color(self.colour.red, self.colour.green, self.colour.blue, alpha=0.1)
        style = [
            ("BACKGROUND", (0, 0), (-1, -1), tint),
            ("LINEBEFORE", (0, 0), (0, -1), 3, self.colour),
            ("LEFTPADDING", (0, 0), (-1, -1), 9),
        ]
        return Table(cells, [self.frame_width], style=TableStyle(style))

    def _table(self, block: TableBlock) -> Table:
        shares, self.widths = self.widths or [1.0] * len(block.header), None
        widths = [self.frame_width * share / sum(shares) for share in shares]
        rows = [[Text(_inline(cell), self.cell_head) for cell in block.header]]
        rows += [[Text(_inline(cell), self.cell) for cell in row] for row in block.rows]
        style = [
            ("BACKGROUND", (0, 0), (-1, 0), self.colour),
            ("GRID", (0, 0), (-1, -1), 0.4, colors.HexColor("#9aa5b1")),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, colors.HexColor("#f3f5f7")]),
        ]
        return Table(rows, widths, repeatRows=1, style=TableStyle(style))


def _day(day: Any) -> str:
    return f"{day:%d/%m/%Y}"


def _inline(text: str) -> str:
    """**bold** and *italic* as reportlab's tags; & and < are escaped."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text))
