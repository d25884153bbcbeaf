"""Visibility of a run of a DOCX: by what it, its styles, its table and the document's defaults say
of it, in that order.

What only the laying out of pages decides is not decided here (shapes.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from lxml import etree

from rag_api.ingest.docx.colours import BLACK, PAPER, WHITE, Colours, Ground, first, is_dark, seen
from rag_api.ingest.docx.package import Element, attribute, child, on, tag, whole
from rag_api.ingest.docx.styles import Styles

_HIDING = ("w:vanish", "w:specVanish", "w:strike", "w:dstrike")
_SMALLEST = 4  # half points
_NARROWEST = 10  # percent of a letter's width
_FURTHEST = 144  # half points above or below its line
_CLEAR = 99_000  # thousandths of a percent
_FLATTEST = 0.4  # of a letter's height: of a lower line nothing is read
_MOST_KNOWN = 10_000
_CLOSEST = 0.3  # of a letter's height, that each moves back: they lie on each other


class Unseen(Enum):
    """Why text is not seen. PALE: it is drawn as it is written on bare paper; where its page is
    drawn too, that decides, for something dark may lie behind it."""

    HIDDEN = "hidden"
    PALE = "pale"


@dataclass(frozen=True, slots=True)
class WordPageSize:
    """In twips, as all of Word's measures."""

    width: int = 11_906
    height: int = 16_838
    left: int = 1_440


@dataclass(frozen=True, slots=True)
class StylePlace:
    """What text stands in: the colours behind it, and what the styles of its table say, the
    strongest first."""

    ground: Ground = PAPER
    tables: tuple[Element, ...] = ()  # w:style and w:tblStylePr
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    styles: Styles
    colours: Colours = field(default_factory=Colours)
    page: WordPageSize = WordPageSize()
    # most runs look alike
    _known: dict[tuple[bytes, bytes, StylePlace], Unseen | None] = field(default_factory=dict, compare=False)

    def unseen(self, run: Element | None, paragraph: Element | None, place: StylePlace) -> Unseen | None:
        """Return why a run of these properties is not seen in print, or not as words that hold;
        None for one that is."""
        key = (_written(run), _written(paragraph), place)
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._judged(run, paragraph, place)
        return self._known[key]

    def _judged(self, run: Element | None, paragraph: Element | None, place: StylePlace) -> Unseen | None:
        if (
            place.hidden
            or any(self._switched(name, run, paragraph, place) for name in _HIDING)
            or self._flat(run, paragraph, place)
        ):
            return Unseen.HIDDEN
        return self._coloured(run, paragraph, place)

    def paragraph_hidden(self, paragraph: Element | None) -> bool:
        """Return whether a paragraph stands off the page."""
        frame, indent = child(paragraph, "w:framePr"), self._paragraph("w:ind", paragraph)
        x, y = (whole(attribute(frame, side)) for side in ("x", "y"))
        if abs(x) >= self.page.width or abs(y) >= self.page.height or _is_thin(frame):
            return True
        left = whole(attribute(indent, "left") or attribute(indent, "start"))
        first = left + whole(attribute(indent, "firstLine")) - whole(attribute(indent, "hanging"))
        return not -self.page.left - 200 < first < self.page.width or not -self.page.left - 200 < left < self.page.width

    def _said(self, name: str, run: Element | None, paragraph: Element | None, place: StylePlace) -> list[Element]:
        """Return what each level says of it, the strongest first; only the run's own where it says
        it itself."""
        if (own := child(run, name)) is not None:
            return [own]
        styles = self.styles
        found = [
            styles.first(attribute(child(run, "w:rStyle"), "val") or styles.default("character"), "w:rPr", name),
            styles.first(attribute(child(paragraph, "w:pStyle"), "val") or styles.default("paragraph"), "w:rPr", name),
            *(child(child(one, "w:rPr"), name) for one in place.tables),
            styles.everywhere("w:rPr", name),
        ]
        return [one for one in found if one is not None]

    def _first(self, name: str, run: Element | None, paragraph: Element | None, place: StylePlace) -> Element | None:
        return next(iter(self._said(name, run, paragraph, place)), None)

    def _switched(self, name: str, run: Element | None, paragraph: Element | None, place: StylePlace) -> bool:
        """Word adds up what the levels say of a switch, and programs differ in how: on at any level
        counts."""
        return any(on(one) for one in self._said(name, run, paragraph, place))

    def _paragraph(self, name: str, paragraph: Element | None) -> Element | None:
        own = child(paragraph, name)
        style = attribute(child(paragraph, "w:pStyle"), "val") or self.styles.default("paragraph")
        said = own if own is not None else self.styles.first(style, "w:pPr", name)
        return said if said is not None else self.styles.everywhere("w:pPr", name)

    def _flat(self, run: Element | None, paragraph: Element | None, place: StylePlace) -> bool:
        """Return whether letters are so small, narrow, close or far from their line that nobody
        reads them."""

        def said(name: str, default: int) -> int:
            return whole(attribute(self._first(name, run, paragraph, place), "val").removesuffix("%"), default)

        points = said("w:sz", 20) / 2
        if points * 2 <= _SMALLEST or said("w:w", 100) <= _NARROWEST or abs(said("w:position", 0)) >= _FURTHEST:
            return True
        if -said("w:spacing", 0) / 20 >= _CLOSEST * points or 0 < said("w:fitText", 0) <= 2 * points:
            return True
        line = self._paragraph("w:spacing", paragraph)
        exact = attribute(line, "lineRule") == "exact"
        return exact and whole(attribute(line, "line"), 240) / 20 < _FLATTEST * points

    def _coloured(self, run: Element | None, paragraph: Element | None, place: StylePlace) -> Unseen | None:
        ground, fill = self._ground(run, paragraph, place), self._first("w14:textFill", run, paragraph, place)
        if transparent(fill):
            return Unseen.HIDDEN
        if (filled := self.colours.filled(fill, ground)) is not None:
            return None if seen(filled, ground) else Unseen.HIDDEN
        said = self._first("w:color", run, paragraph, place)
        if seen((self.colours.word(said) or (WHITE if is_dark(ground) else BLACK),), ground):
            return None
        return (
            Unseen.PALE if ground == PAPER and not place.tables and not attribute(said, "themeColor") else Unseen.HIDDEN
        )

    def _ground(self, run: Element | None, paragraph: Element | None, place: StylePlace) -> Ground:
        colours = self.colours
        return first(
            [
                colours.highlight(self._first("w:highlight", run, paragraph, place)),
                colours.shading(self._first("w:shd", run, paragraph, place)),
                colours.shading(self._paragraph("w:shd", paragraph)),
            ],
            place.ground,
        )

    def on(self, place: StylePlace, shading: Element | None) -> StylePlace:
        """Return the place with this background."""
        return replace(place, ground=first([self.colours.shading(shading)], place.ground))


def _written(properties: Element | None) -> bytes:
    return etree.tostring(properties, with_tail=False) if properties is not None and len(properties) else b""


def transparent(fill: Element | None) -> bool:
    """Return whether letters are filled with nothing (Word 2010's text effects, which LibreOffice
    does not know)."""
    inside = fill.iter() if fill is not None else ()
    return any(
        tag(one) == "w14:noFill" or (tag(one) == "w14:alpha" and whole(attribute(one, "val")) >= _CLEAR)
        for one in inside
    )


def page_size(body: Element) -> WordPageSize:
    """Return the largest of a document's pages."""
    sections = [one for one in body.iter() if tag(one) == "w:sectPr"]
    sizes, margins = [child(one, "w:pgSz") for one in sections], [child(one, "w:pgMar") for one in sections]
    default = WordPageSize()
    return WordPageSize(
        max([whole(attribute(one, "w"), default.width) for one in sizes], default=default.width),
        max([whole(attribute(one, "h"), default.height) for one in sizes], default=default.height),
        max([whole(attribute(one, "left"), default.left) for one in margins], default=default.left),
    )


def _is_thin(frame: Element | None) -> bool:
    """Return whether a frame is too small for a letter."""
    flat = attribute(frame, "hRule") == "exact" and whole(attribute(frame, "h"), 999) < 100
    return flat or 0 < whole(attribute(frame, "w")) < 40
