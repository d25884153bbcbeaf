"""A procedure's blocks -> what reportlab flows over the pages: title, first page's table, headings,
text, lists, tables, scans."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    Image,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageBreak,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus import Paragraph as Text

from tests.support.handbook.look import SHAPES, Look, first_shape, text_width
from tests.support.handbook.source import Block, Callout, Heading, Hint, ListBlock, Paragraph, Procedure, TableBlock


def story(procedure: Procedure, look: Look, scans: Path) -> list[Flowable]:
    """scans: the folder that scan hints name their images in."""
    shape = first_shape(procedure)
    flow = _Flow(look, scans, text_width(shape))
    flowables = [] if shape == "scan" else _title(procedure, look, shape)
    for index, block in enumerate(procedure.blocks):
        flowables += flow.of(block, first=index == 0)
    return flowables


def _title(procedure: Procedure, look: Look, shape: str) -> list[Flowable]:
    size = 15 if shape == "columns" else 17
    values: dict[str, Any] = {"fontName": "Vera-Bold", "fontSize": size, "leading": size * 1.25, "spaceAfter": 8}
    style = look.style("title", textColor=look.colour, hyphenationLang="", **values)
    return [Text(procedure.title, style), _metadata(procedure, look, shape), Spacer(1, 10)]


def _metadata(p: Procedure, look: Look, shape: str) -> Table:
    """The first page's table: two pairs in a row, one where columns leave no room."""
    pairs = _pairs(p, look.label)
    if shape == "columns":
        rows, shares = [list(pair) for pair in pairs], [0.42, 0.58]
    else:
        pairs += [("", "")] * (len(pairs) % 2)
        rows, shares = [[*a, *b] for a, b in zip(pairs[::2], pairs[1::2], strict=True)], [0.21, 0.31, 0.17, 0.31]
    small = look.style("meta", fontSize=8, leading=10.5, spaceAfter=0, hyphenationLang="")
    bold = look.style("metabold", parent=small, fontName="Vera-Bold", hyphenationLang="")
    cells = [[Text(text, small if i % 2 else bold) for i, text in enumerate(row)] for row in rows]
    grid = [("BOX", (0, 0), (-1, -1), 0.8, look.colour), ("INNERGRID", (0, 0), (-1, -1), 0.25, colors.grey)]
    return Table(
        cells,
        [share * text_width(shape) for share in shares],
        style=TableStyle([*grid, ("VALIGN", (0, 0), (-1, -1), "TOP")]),
    )


def _pairs(p: Procedure, label: dict[str, str]) -> list[tuple[str, str]]:
    groups = ", ".join(label[group] for group in p.target_groups) or label["none"]
    pairs = [
        (label["number"], p.number),
        (label["version"], p.version),
        (label["from"], f"{p.valid_from:%d/%m/%Y}"),
        (label["until"], f"{p.valid_until:%d/%m/%Y}" if p.valid_until else label["none"]),
        (label["owner"], p.owner),
        (label["department"], p.department),
        (label["groups"], groups),
        (label["type"], label[p.document_type]),
    ]
    return [*pairs, (label["supersedes"], p.layout.get("supersedes", p.supersedes))] if p.supersedes else pairs


class _Flow:
    """Blocks in order; a hint changes what comes after it: the columns of the next table, the shape
    of the next page."""

    def __init__(self, look: Look, scans: Path, width: float) -> None:
        self.look = look
        self.scans = scans
        self.width = width
        self.shares: list[float] | None = None

    def of(self, block: Block, first: bool) -> list[Flowable]:
        size = self.look.size
        match block:
            case Hint():
                return self._hint(block, first)
            case Heading():
                return self._heading(block)
            case Paragraph(text):
                return [Text(_inline(text), self.look.body)]
            case Callout(text):
                return [self._callout(text), Spacer(1, size * 0.6)]
            case ListBlock():
                return [self._list(block), Spacer(1, size * 0.5)]
            case TableBlock():
                return [self._table(block), Spacer(1, size * 0.8)]

    def _hint(self, hint: Hint, first: bool) -> list[Flowable]:
        if hint.name == "widths":
            self.shares = [float(part) for part in hint.value.split()]
            return []
        assert hint.name in SHAPES, f"unknown hint {hint.name}"
        self.width = text_width(hint.name)
        page = [] if first else [NextPageTemplate(hint.name), PageBreak()]
        return [*page, Image(str(self.scans / hint.value), A4[0] - 1, A4[1] - 1)] if hint.name == "scan" else page

    def _heading(self, heading: Heading) -> list[Flowable]:
        size = self.look.size + (2.5 if heading.level == 1 else 0.8)
        space: dict[str, Any] = {"leading": size * 1.3, "spaceBefore": size * 0.7, "spaceAfter": size * 0.35}
        looks: dict[str, Any] = {
            "fontName": "Vera-Bold",
            "fontSize": size,
            "textColor": self.look.colour,
            "hyphenationLang": "",
        }
        number = f"{heading.number} " if self.look.numbered else ""
        # Room for the heading and two lines; keepWithNext would carry whole paragraphs over, and
        # none would cross a page.
        return [
            CondPageBreak(75),
            Text(_inline(number + heading.text), self.look.style(f"h{heading.level}", **space, **looks)),
        ]

    def _list(self, block: ListBlock) -> ListFlowable:
        style = self.look.style("item", parent=self.look.body, spaceAfter=self.look.size * 0.25)
        items = [ListItem(Text(_inline(item), style)) for item in block.items]
        kind: dict[str, Any] = (
            {"bulletType": "1", "bulletFormat": "%s."} if block.ordered else {"bulletType": "bullet", "start": "•"}
        )
        return ListFlowable(items, leftIndent=18, bulletFontName="Vera", bulletFontSize=self.look.size, **kind)

    def _callout(self, text: str) -> Table:
        colour = self.look.colour
        cells = [[Text(_inline(text), self.look.style("callout", parent=self.look.body, spaceAfter=0))]]
        style = [
            ("BACKGROUND", (0, 0), (-1, -1), colors.Color(colour.red, colour.green, colour.blue, alpha=0.1)),
            ("LINEBEFORE", (0, 0), (0, -1), 3, colour),
            ("LEFTPADDING", (0, 0), (-1, -1), 9),
        ]
        return Table(cells, [self.width], style=TableStyle(style))

    def _table(self, block: TableBlock) -> Table:
        shares, self.shares = self.shares or [1.0] * len(block.header), None
        rows = [[Text(_inline(cell), self.look.cell_head) for cell in block.header]]
        rows += [[Text(_inline(cell), self.look.cell) for cell in row] for row in block.rows]
        style = [
            ("BACKGROUND", (0, 0), (-1, 0), self.look.colour),
            ("GRID", (0, 0), (-1, -1), 0.4, colors.HexColor("#9aa5b1")),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, colors.HexColor("#f3f5f7")]),
        ]
        return Table(
            rows, [self.width * share / sum(shares) for share in shares], repeatRows=1, style=TableStyle(style)
        )


def _inline(text: str) -> str:
    """**bold** and *italic* as reportlab's tags; &, < and > are escaped."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text))
