"""Look of the cells of a Word table: by its style's parts (first row, bands ...), and whether they
are wide and high enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag_api.ingest.docx.colours import first
from rag_api.ingest.docx.package import Element, attribute, child, on, tag, whole
from rag_api.ingest.docx.visibility import Look, StylePlace

_SMALLEST = 100  # twips: no letter is read in less
_PARTS = {
    "firstRow": 0x20,
    "lastRow": 0x40,
    "firstColumn": 0x80,
    "lastColumn": 0x100,
    "noHBand": 0x200,
    "noVBand": 0x400,
}


@dataclass(frozen=True, slots=True)
class TableLook:
    look: Look
    place: StylePlace  # that the table stands in
    chain: tuple[Element, ...]  # its style, and those that it is based on
    parts: frozenset[str]  # that its own properties switch on
    widths: tuple[int, ...]  # of its columns in twips
    fixed: bool  # else columns grow with their words
    rows: int
    own: Element | None  # its properties

    def cell(self, properties: Element | None, row: int, column: int, span: int) -> StylePlace:
        """Return what the text of a cell stands in. properties: w:tcPr; row, column: where it
        begins."""
        last = max(len(self.widths), 1)
        parts = [part for name in self._parts(row, column, column + span >= last) for part in self._named(name)]
        styles = (*parts, *self.chain)
        shadings = [
            child(properties, "w:shd"),
            *(child(child(one, "w:tcPr"), "w:shd") for one in styles),
            child(self.own, "w:shd"),
        ]
        ground = first([self.look.colours.shading(one) for one in shadings], self.place.ground)
        return replace(
            self.place,
            ground=ground,
            tables=styles,
            hidden=self.place.hidden or self._is_narrow(properties, column, span),
        )

    def width(self, column: int, span: int) -> float:
        """Return a cell's width in points, the page's where it is not fixed."""
        return (sum(self.widths[column : column + span]) if self.fixed else self.look.page.width) / 20

    def _is_narrow(self, properties: Element | None, column: int, span: int) -> bool:
        if not self.fixed:
            return False
        said, own = child(properties, "w:tcW"), sum(self.widths[column : column + span])
        wide = whole(attribute(said, "w"), own) if attribute(said, "type") == "dxa" else own
        known = attribute(said, "type") == "dxa" or column + span <= len(self.widths)
        return known and max(wide, own if column + span <= len(self.widths) else 0) < _SMALLEST

    def _parts(self, row: int, column: int, last_column: bool) -> list[str]:
        """Return the parts of the style that a cell belongs to, the strongest first."""
        tops, lefts = "firstRow" in self.parts and row == 0, "firstColumn" in self.parts and column == 0
        bottoms, rights = "lastRow" in self.parts and row == self.rows - 1, "lastColumn" in self.parts and last_column
        corners = [
            ("nwCell", tops and lefts),
            ("neCell", tops and rights),
            ("swCell", bottoms and lefts),
            ("seCell", bottoms and rights),
        ]
        sides = [("firstRow", tops), ("lastRow", bottoms), ("firstCol", lefts), ("lastCol", rights)]
        found = [name for name, applies in (*corners, *sides) if applies]
        if "noHBand" not in self.parts and not tops and not bottoms:
            found.append(f"band{1 + self._band(row, 'firstRow', 'w:tblStyleRowBandSize') % 2}Horz")
        if "noVBand" not in self.parts and not lefts and not rights:
            found.append(f"band{1 + self._band(column, 'firstColumn', 'w:tblStyleColBandSize') % 2}Vert")
        return [*found, "wholeTable"]

    def _band(self, number: int, before: str, size: str) -> int:
        sizes = (child(child(one, "w:tblPr"), size) for one in self.chain)
        wide = next((whole(attribute(one, "val"), 1) for one in sizes if one is not None), 1)
        return (number - (before in self.parts)) // max(wide, 1)

    def _named(self, name: str) -> list[Element]:
        return [
            part
            for style in self.chain
            for part in style
            if tag(part) == "w:tblStylePr" and attribute(part, "type") == name
        ]


def table_look(look: Look, table: Element, place: StylePlace, rows: Sequence[Element]) -> TableLook:
    own = child(table, "w:tblPr")
    chain = tuple(look.styles.chain(attribute(child(own, "w:tblStyle"), "val") or look.styles.default("table")))
    grid = child(table, "w:tblGrid")
    widths = tuple(whole(attribute(one, "w")) for one in grid if tag(one) == "w:gridCol") if grid is not None else ()
    layouts = [child(own, "w:tblLayout"), *(child(child(one, "w:tblPr"), "w:tblLayout") for one in chain)]
    fixed = next((attribute(one, "type") == "fixed" for one in layouts if one is not None), False)
    beyond = replace(place, tables=(), hidden=place.hidden or _off_page(own, look, sum(widths)))
    return TableLook(look, beyond, chain, _switched_on(child(own, "w:tblLook")), widths, fixed, len(rows), own)


def row_height(row: Element) -> float | None:
    """Return the height in points that a row keeps, whatever stands in it; None when it grows."""
    said = child(child(row, "w:trPr"), "w:trHeight")
    return whole(attribute(said, "val")) / 20 if attribute(said, "hRule") == "exact" else None


def row_hidden(row: Element) -> bool:
    height = row_height(row)
    return on(child(child(row, "w:trPr"), "w:hidden")) or (height is not None and height * 20 < _SMALLEST)


def _off_page(own: Element | None, look: Look, wide: int) -> bool:
    floating, indent = child(own, "w:tblpPr"), child(own, "w:tblInd")
    x, y = (whole(attribute(floating, side)) for side in ("tblpX", "tblpY"))
    left = whole(attribute(indent, "w")) if attribute(indent, "type") in ("", "dxa") else 0
    outside = wide > 0 and min(x, left) <= -wide - look.page.left
    return outside or max(abs(x), abs(left)) >= look.page.width or abs(y) >= look.page.height


def _switched_on(said: Element | None) -> frozenset[str]:
    """Return the parts of its style that a table uses; without a word of them, none and no
    bands."""
    if said is None:
        return frozenset({"noHBand", "noVBand"})
    digits = attribute(said, "val")
    mask = int(digits, 16) if digits and all(c in "0123456789abcdefABCDEF" for c in digits) else 0
    named = {name: attribute(said, name) for name in _PARTS}
    return frozenset(
        n for n, bit in _PARTS.items() if named[n] in ("1", "true", "on") or (named[n] == "" and mask & bit)
    )


def inner(element: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, also of those that stand in a content
    control."""
    for one in element:
        if tag(one) == name:
            yield one
        elif tag(one) in ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"):
            yield from inner(one, name)


def framed_in(row: Element) -> Element | None:
    """Return the only cell of a row where several paragraphs with words stand in it."""
    cell = next(inner(row, "w:tc"))
    if child(child(cell, "w:tcPr"), "w:vMerge") is not None or child(child(cell, "w:tcPr"), "w:cellDel") is not None:
        return None
    worded = {one.getparent().getparent() for one in cell.iter() if tag(one) == "w:t" and (one.text or "").strip()}
    return cell if len(worded) > 1 else None


def without_gaps(cells: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """An empty cell before a full one is said, in a table of three columns and more: its neighbour
    must not slip into its column."""
    last = max(n for n, (_, _, text) in enumerate(cells) if text)
    filled = [(column, span, text or ("–" if len(cells) > 2 else "")) for column, span, text in cells[: last + 1]]
    return [cell for cell in filled if cell[2]]
