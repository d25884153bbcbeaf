"""Drawings of a DOCX, where they stand and how they are filled: whether words in them are seen, and
whether they may cover others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rag_api.ingest.docx.colours import PAPER, Colours, Ground, first
from rag_api.ingest.docx.package import Element, attribute, child, tag, whole
from rag_api.ingest.docx.visibility import StylePlace, WordPageSize

FRAMES = ("wp:anchor", "wp:inline")
SHAPES = ("wps:wsp", "v:shape", "v:rect", "v:roundrect", "v:oval")
_EMU = 635  # in a twip
_SMALLEST = 100  # twips: no letter is read in less
_DENSEST = 33.0 / 1.3  # square points that a letter takes, and less than any that is read


@dataclass(frozen=True, slots=True)
class TextBox:
    """A text box come by: its content, what it stands in, and its size in points (0, 0 where it
    grows with its words)."""

    content: Element
    place: StylePlace
    size: tuple[float, float] = (0.0, 0.0)


def off_page(frame: Element, page: WordPageSize) -> bool:
    """Return whether a drawing (wp:anchor, wp:inline) is hidden, has no size, or lies beyond the
    page."""
    if attribute(child(frame, "wp:docPr"), "hidden") in ("1", "true"):
        return True
    extent = child(frame, "wp:extent")
    wide, high = (whole(attribute(extent, side), 9_999_999) // _EMU for side in ("cx", "cy"))
    if min(wide, high) < _SMALLEST:
        return True
    return _beyond(frame, "wp:positionH", page.width, wide) or _beyond(frame, "wp:positionV", page.height, high)


def _beyond(frame: Element, axis: str, page: int, size: int) -> bool:
    position = child(frame, axis)
    said = child(position, "wp:posOffset")
    offset = whole((said.text or "") if said is not None else "") // _EMU
    # from a margin, a column, a paragraph
    before = -size if attribute(position, "relativeFrom") == "page" else -size - page // 4
    return offset <= before + _SMALLEST or offset >= page - _SMALLEST


def covers(frame: Element) -> bool:
    """Return whether a drawing lies over text, so that only a rendering tells what it covers."""
    if tag(frame) != "wp:anchor" or attribute(frame, "behindDoc") in ("1", "true"):
        return False
    return child(frame, "wp:wrapNone") is not None and any(_is_filled(one) for one in frame.iter())


def older_covers(shape: Element) -> bool:
    """The same of a shape as Word 2007 wrote it."""
    style = styled(shape)
    floats = style.get("position") == "absolute" and not style.get("z-index", "0").startswith("-")
    wrapped = any(tag(one) == "w10:wrap" and attribute(one, "type") not in ("", "none") for one in shape)
    return floats and not wrapped and not _is_clear(shape)


def _is_filled(element: Element) -> bool:
    name = tag(element).partition(":")[2]
    if name in ("pic", "chart"):
        return True
    if name == "fillRef":
        return attribute(element, "idx") not in ("", "0")
    parent = element.getparent()
    return (
        name in ("solidFill", "gradFill", "pattFill", "blipFill")
        and parent is not None
        and tag(parent) in ("wps:spPr", "wps:wsp")
    )


def shape_hidden(shape: Element, page: WordPageSize) -> bool:
    """Return whether one shape of a drawing, or one of Word 2007, shows nothing of what stands in
    it."""
    if tag(shape) == "wps:wsp":
        return attribute(child(shape, "wps:cNvPr"), "hidden") in ("1", "true")
    style = styled(shape)
    if style.get("visibility") == "hidden" or style.get("display") == "none":
        return True
    if tag(shape.getparent()) == "v:group":
        return False  # its places are in measures of the group's own
    sizes = [length(style[side]) for side in ("width", "height") if side in style]
    places = [
        (length(style.get(side, "")), most) for side, most in (("margin-left", page.width), ("margin-top", page.height))
    ]
    places += [(length(style.get(side, "")), most) for side, most in (("left", page.width), ("top", page.height))]
    return min(sizes, default=999.0) * 20 < _SMALLEST or any(abs(at) * 20 >= most for at, most in places)


def place_in(shape: Element, place: StylePlace, colours: Colours) -> StylePlace:
    """Return what text in a shape stands in."""
    if tag(shape) != "wps:wsp":
        written = colours.vml(attribute(shape, "fillcolor"))
        return replace(
            place, ground=place.ground if _is_clear(shape) else (written,) if written is not None else PAPER, tables=()
        )
    reference = child(child(shape, "wps:style"), "a:fillRef")
    by_style: Ground | None = None
    if reference is not None and attribute(reference, "idx") not in ("", "0") and len(reference):
        by_style = tuple(colours.drawn(reference, place.ground))
    said = [colours.filled(child(shape, "wps:spPr"), place.ground), colours.filled(shape, place.ground), by_style]
    return replace(place, ground=first(said, place.ground), tables=())


def size_of(shape: Element) -> tuple[float, float]:
    """Return a text box's width and height in points, (0, 0) where it grows or its words shrink
    with it."""
    if tag(shape.getparent()) not in ("a:graphicData", "w:pict", "w:object"):
        return 0.0, 0.0  # in a group, with measures of its own
    if tag(shape) != "wps:wsp":
        style = styled(shape)
        grows = any("fit-shape-to-text:t" in attribute(one, "style") for one in shape)
        return (0.0, 0.0) if grows else (length(style.get("width", "")), length(style.get("height", "")))
    body = child(shape, "wps:bodyPr")
    extent = child(child(child(shape, "wps:spPr"), "a:xfrm"), "a:ext")
    if extent is None or child(body, "a:spAutoFit") is not None or child(body, "a:normAutofit") is not None:
        return 0.0, 0.0
    return whole(attribute(extent, "cx")) / _EMU / 20, whole(attribute(extent, "cy")) / _EMU / 20


def overflows(letters: int, width: float, height: float) -> bool:
    """Return whether so many letters cannot be read in a box of this size in points: the rest is
    cut off."""
    return width > 0 and height > 0 and letters * _DENSEST > width * height


def styled(shape: Element) -> dict[str, str]:
    parts = (one.partition(":") for one in attribute(shape, "style").split(";"))
    return {key.strip(): value.strip() for key, _, value in parts}


def length(text: str) -> float:
    """Return a length of Word 2007's drawings in points."""
    found = re.match(r"(-?[\d.]+)\s*(pt|in|cm|mm|px|)", text)
    try:
        return float(found[1]) * {"in": 72.0, "cm": 28.35, "mm": 2.835, "px": 0.75}.get(found[2], 1.0) if found else 0.0
    except ValueError:
        return 0.0


def _is_clear(shape: Element) -> bool:
    return attribute(shape, "filled") in ("f", "false")
