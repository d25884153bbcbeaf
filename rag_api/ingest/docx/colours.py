"""Colours of a DOCX: of letters, of what lies behind them, by the theme where it says so. Letters
of their ground's colour are not seen."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Sequence

from rag_api.ingest.docx.package import Element, attribute, child, tag, whole

Colour = tuple[float, float, float]  # 0 to 255
Ground = tuple[Colour, ...]  # the colours behind text; several in a pattern or a gradient

BLACK, WHITE = (0.0, 0.0, 0.0), (255.0, 255.0, 255.0)
PAPER: Ground = (WHITE,)
UNKNOWN: Ground = ()  # a picture
_SEEN = 32  # of 255, as in the pixels of a page: less difference nobody makes out
_HIGHLIGHTS = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "darkBlue": "00008B", "darkCyan": "008B8B", "darkGray": "A9A9A9",
    "darkGreen": "006400", "darkMagenta": "800080", "darkRed": "8B0000", "darkYellow": "808000", "green": "00FF00",
    "lightGray": "D3D3D3", "magenta": "FF00FF", "red": "FF0000", "white": "FFFFFF", "yellow": "FFFF00",
}  # fmt: skip
_THEME = {
    "background1": "bg1", "text1": "tx1", "background2": "bg2", "text2": "tx2", "dark1": "dk1", "light1": "lt1", "dark2": "dk2",
    "light2": "lt2", "hyperlink": "hlink", "followedHyperlink": "folHlink",
}  # fmt: skip
_MAPPED = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
_FILLS = ("solidFill", "gradFill", "pattFill", "blipFill", "noFill", "grpFill")
_NAMED = _HIGHLIGHTS | {
    "gray": "808080",
    "silver": "C0C0C0",
    "navy": "000080",
    "window": "FFFFFF",
    "windowtext": "000000",
}


class Colours:
    def __init__(self, theme: Element | None = None, settings: Element | None = None) -> None:
        self._theme = {"lt1": WHITE, "dk1": BLACK}
        for one in (
            part
            for scheme in (theme.iter() if theme is not None else ())
            if tag(scheme) == "a:clrScheme"
            for part in scheme
        ):
            for said in one:
                if (colour := _hex(attribute(said, "lastClr") or attribute(said, "val"))) is not None:
                    self._theme[tag(one).removeprefix("a:")] = colour
        mapping = child(settings, "w:clrSchemeMapping")
        said_of = {"bg1": "bg1", "tx1": "t1", "bg2": "bg2", "tx2": "t2"}
        self._mapped = {name: _THEME.get(attribute(mapping, key), _MAPPED[name]) for name, key in said_of.items()}

    def word(self, element: Element | None, value: str = "val", theme: str = "theme") -> Colour | None:
        """Return the colour that an element of Word says, None for the automatic one. The theme's
        goes before the written one."""
        suffix = "Color" if theme == "theme" else ""
        named = self._named(attribute(element, f"{theme}{suffix}"))
        if named is None:
            return _hex(attribute(element, value))
        return _shifted(named, attribute(element, f"{theme}Tint"), attribute(element, f"{theme}Shade"))

    def shading(self, shading: Element | None) -> Ground | None:
        """Return the colours of a w:shd, None where it lets through what lies below."""
        if shading is None:
            return None
        kind, fill = attribute(shading, "val"), self.word(shading, "fill", "themeFill")
        if kind in ("", "clear", "nil"):
            return None if fill is None else (fill,)
        over = self.word(shading, "color") or BLACK
        if kind == "solid":
            return (over,)
        share = whole(kind.removeprefix("pct"), -1) / 100
        return (_mixed(fill or WHITE, over, share),) if kind.startswith("pct") and share >= 0 else (fill or WHITE, over)

    def highlight(self, mark: Element | None) -> Ground | None:
        colour = _hex(_HIGHLIGHTS.get(attribute(mark, "val"), ""))
        return None if colour is None else (colour,)

    def filled(self, holder: Element | None, below: Ground) -> Ground | None:
        """Return what the fill in a shape's properties, or of letters, looks like; None where
        nothing is said of it."""
        fill = (
            next((one for one in holder if tag(one).partition(":")[2] in _FILLS), None) if holder is not None else None
        )
        kind = tag(fill).partition(":")[2] if fill is not None else ""
        if fill is None or kind == "grpFill":
            return None
        if kind == "noFill":
            return below
        return tuple(self.drawn(fill, below)) if kind != "blipFill" else UNKNOWN

    def drawn(self, fill: Element, below: Ground) -> Iterator[Colour]:
        """Yield the colours of a fill."""
        for one in fill.iter():
            name = tag(one).partition(":")[2]
            said = attribute(one, "lastClr") or attribute(one, "val")
            if name not in ("srgbClr", "schemeClr", "sysClr", "prstClr"):
                continue
            colour = self._named(said) if name == "schemeClr" else _hex(said) or _hex(_NAMED.get(said, ""))
            colour, opacity = _changed(colour or BLACK, one)
            yield _mixed(below[0] if below else WHITE, colour, opacity)

    def vml(self, text: str) -> Colour | None:
        """Return the colour that an older drawing writes as "#fff", "#1f4e79 [3204]" or "red"."""
        word = text.split(" ")[0].removeprefix("#")
        return _hex("".join(2 * c for c in word) if len(word) == 3 else word) or _hex(_NAMED.get(word, ""))

    def _named(self, name: str) -> Colour | None:
        short = _THEME.get(name, name)
        return self._theme.get(self._mapped.get(short, short))


def seen(letters: Ground, ground: Ground) -> bool:
    """Return whether letters of these colours can be made out."""
    return not ground or any(
        max(abs(a - b) for a, b in zip(one, other, strict=True)) >= _SEEN for one in letters for other in ground
    )


def is_dark(ground: Ground) -> bool:
    """Return whether automatic letters turn white on it."""
    return bool(ground) and all(0.3 * r + 0.59 * g + 0.11 * b < 96 for r, g, b in ground)


def _hex(text: str) -> Colour | None:
    try:
        r, g, b = bytes.fromhex(text)
    except ValueError:
        return None
    return float(r), float(g), float(b)


def _mixed(below: Colour, over: Colour, share: float) -> Colour:
    r, g, b = (x + (y - x) * share for x, y in zip(below, over, strict=True))
    return r, g, b


def _shifted(colour: Colour, tint: str, shade: str) -> Colour:
    """Word's themeTint and themeShade: 255ths of lightness."""
    if not tint and not shade:
        return colour
    part = int(tint or shade, 16) / 255 if all(c in "0123456789abcdefABCDEF" for c in tint or shade) else 1.0
    return _lit(colour, part, 1 - part if tint else 0.0)


def _changed(colour: Colour, said: Element) -> tuple[Colour, float]:
    """Return a drawing's colour after what stands in it, and how opaque it is. Word 2010's letters
    say how transparent they are instead."""
    parts = {tag(one).partition(":")[2]: (tag(one), whole(attribute(one, "val"), 100_000) / 100_000) for one in said}

    def share(name: str, default: float) -> float:
        return parts.get(name, ("", default))[1]

    colour = _lit(colour, share("lumMod", 1.0), share("lumOff", 0.0))
    colour = _mixed(WHITE, colour, share("tint", 1.0))
    colour = _mixed(BLACK, colour, share("shade", 1.0))
    name, alpha = parts.get("alpha", ("", 1.0))
    return colour, 1 - alpha if name.startswith("w14:") else alpha


def _lit(colour: Colour, times: float, more: float) -> Colour:
    hue, light, full = colorsys.rgb_to_hls(*(one / 255 for one in colour))
    r, g, b = colorsys.hls_to_rgb(hue, min(1.0, max(0.0, light * times + more)), full)
    return 255 * r, 255 * g, 255 * b


def first(grounds: Sequence[Ground | None], default: Ground) -> Ground:
    """Return the uppermost that is there."""
    return next((one for one in grounds if one is not None), default)
