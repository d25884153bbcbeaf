"""Glyphs of a page that nobody sees: too small, off the page, invisible, of the paper's colour,
covered, clipped away, switched off.

What a reader cannot see on the page is no text: it must not reach a model, nor be quoted with a
rectangle over nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.pdf.glyphs.occlusion import below_letters, clip_of, doubtful, from_clip_on, in_a_layer
from rag_api.ingest.pdf.glyphs.pixels import Words, has_ink, seen
from rag_api.ingest.pdf.glyphs.strikethrough import struck_through
from rag_api.ingest.pdf.page_transform import PagePlane
from rag_api.ingest.pdf.vector_graphics import Drawn, Placed

_SMALLEST = 2.0  # points
_SQUEEZED = 0.08  # of its height: as narrow as this no letter is read
_INVISIBLE, _CLIP = 3, 7  # text render modes

Boxes = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """How the glyphs of one text object are drawn."""

    handle: Any  # None: they belong to none
    address: int
    font: int  # its address; 0: none
    bold: bool
    symbol: bool
    shaped: bool  # its font has a name, so that its letters are not the file's own drawings
    mode: int
    colour: tuple[int, int, int, int]  # red, green, blue, how opaque
    embedded: bool  # the file brings its font


def unseen(
    page: Any,
    plane: PagePlane,
    drawn: Drawn,
    codes: NDArray[np.uint32],
    boxes: Boxes,
    which: NDArray[np.int64],
    styles: Sequence[Style],
    layered: bool,
) -> Flags:
    """[n]. which: [n] each glyph's text object, of `styles`."""
    ink = (codes > 32) & ~np.isnan(boxes).any(axis=1)
    hidden = _too_small_or_off(boxes, plane) | _squeezed(boxes, which, len(styles))
    modes = np.array([style.mode for style in styles])[which]
    if (invisible := ink & ~hidden & (modes == _INVISIBLE)).any():
        hidden |= invisible & ~_recognised(page, plane, drawn, boxes, invisible)
    doubt = ink & ~hidden & (modes != _INVISIBLE) & _doubt(plane, drawn, boxes, which, styles, layered)
    # of a word some letters are doubtful: all of it is
    doubt |= ink & ~hidden & np.isin(which, which[doubt]) & (modes != _INVISIBLE)
    if doubt.any():
        hidden |= _not_seen(page, plane, drawn, codes, boxes, which, styles, doubt)
    hidden |= ink & struck_through(boxes, drawn.across)
    return hidden | _of_mostly_hidden(ink, hidden, which, len(styles))


def _of_mostly_hidden(ink: Flags, hidden: Flags, which: NDArray[np.int64], count: int) -> Flags:
    """The letters that are left of a text object most of which nobody sees: "Geef 9" of a covered
    sentence says another thing than it."""
    gone = np.bincount(which, ink & hidden, count) / np.bincount(which, ink, count).clip(1)
    return np.asarray((gone > 0.5)[which])


def _too_small_or_off(boxes: Boxes, plane: PagePlane) -> Flags:
    with np.errstate(invalid="ignore"):
        off = (boxes[:, 2] <= 0) | (boxes[:, 3] <= 0) | (boxes[:, 0] >= plane.width) | (boxes[:, 1] >= plane.height)
        size = np.maximum(boxes[:, 3] - boxes[:, 1], boxes[:, 2] - boxes[:, 0])
        return np.asarray(off | ((size > 0) & (size < _SMALLEST)))


def _squeezed(boxes: Boxes, which: NDArray[np.int64], count: int) -> Flags:
    """Glyphs of objects whose letters are much narrower than high, whichever way they are
    turned."""
    sides = np.nan_to_num(boxes[:, 2:] - boxes[:, :2])
    low, high = sides.min(axis=1), sides.max(axis=1)
    narrow = np.bincount(which, low < _SQUEEZED * high, count) / np.bincount(which, minlength=count).clip(1)
    return np.asarray((narrow >= 0.8)[which] & (np.bincount(which, minlength=count) > 2)[which])


def _recognised(page: Any, plane: PagePlane, drawn: Drawn, boxes: Boxes, invisible: Flags) -> Flags:
    """Invisible words over a picture that shows something there are what a scanner recognised: real
    text."""
    over = invisible.copy()
    over[invisible] = _on(boxes[invisible], drawn.images)
    if over.any():
        over[over] = has_ink(page, plane, boxes[over])
    return over


def _on(boxes: Boxes, areas: Boxes) -> Flags:
    """[n]: the box's centre lies on one of the areas."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    on = np.zeros(len(boxes), bool)
    for x0, y0, x1, y1 in areas[:2000]:
        on |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return on


def _doubt(
    plane: PagePlane, drawn: Drawn, boxes: Boxes, which: NDArray[np.int64], styles: Sequence[Style], layered: bool
) -> Flags:
    if layered:
        return np.ones(len(boxes), bool)
    places = [drawn.texts.get(style.address) for style in styles]
    orders = [place.order if place else -1 for place in places]
    clips_from = from_clip_on([style.mode for style in styles], orders)
    clipped = [_clip(style, place, plane) for style, place in zip(styles, places, strict=True)]
    odd = np.array(
        [o or (p is not None and (p.dim or p.order >= clips_from)) for (_, o), p in zip(clipped, places, strict=True)]
    )
    colours = np.array([style.colour for style in styles], np.int16)[which]
    cut = np.array([box for box, _ in clipped], np.float32)[which]
    with np.errstate(invalid="ignore"):
        x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
        outside = (x < cut[:, 0]) | (y < cut[:, 1]) | (x > cut[:, 2]) | (y > cut[:, 3])
        order = np.array(orders, np.int64)[which]
        return np.asarray(
            odd[which] | outside | doubtful(boxes, colours, order, drawn) | below_letters(boxes, order, drawn, plane)
        )


def _clip(style: Style, place: Placed | None, plane: PagePlane) -> tuple[Boxes, bool]:
    if style.handle is None or place is None:
        return np.array([-np.inf, -np.inf, np.inf, np.inf], np.float32), False
    box, odd = clip_of(style.handle, place.matrix, plane)
    return box, odd or not style.shaped or in_a_layer(style.handle)


def _by_object(glyphs: NDArray[np.int64], which: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The glyphs of each text object, in their order: one pass, for a page may have as many objects
    as letters."""
    ordered = glyphs[np.argsort(which[glyphs], kind="stable")]
    return np.split(ordered, np.flatnonzero(np.diff(which[ordered])) + 1)


def _not_seen(
    page: Any,
    plane: PagePlane,
    drawn: Drawn,
    codes: NDArray[np.uint32],
    boxes: Boxes,
    which: NDArray[np.int64],
    styles: Sequence[Style],
    doubt: Flags,
) -> Flags:
    """Of the doubtful glyphs those of words of which most cannot be seen."""
    found = np.zeros(len(boxes), bool)
    members = _by_object(np.flatnonzero(doubt), which)
    members = [glyphs for glyphs in members if styles[int(which[glyphs[0]])].handle is not None]
    words = [
        Words(style.handle, "".join(map(chr, codes[glyphs])), boxes[glyphs], style.mode)
        for glyphs in members
        for style in [styles[int(which[glyphs[0]])]]
    ]
    for glyphs, visible in zip(members, seen(page, plane, words, drawn.painted), strict=True):
        ends = np.flatnonzero(np.diff(glyphs) > 1) + 1  # white space parts words
        for word, shown in zip(np.split(glyphs, ends), np.split(visible, ends), strict=True):
            found[word] = shown.mean() < 0.5
    return found
