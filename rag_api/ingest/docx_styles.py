"""What a DOCX's styles say of text: whether it is seen at all, whether it is a heading, which list it belongs to."""

from __future__ import annotations

from collections.abc import Iterator

from rag_api.ingest.docx_package import Element, attribute, child, on, tag, whole

_CLEAR = 99_000  # thousandths of a percent
_MAX_CHAIN = 20  # styles based on styles; Word allows 10


class Styles:
    def __init__(self, root: Element | None) -> None:
        self._styles = {attribute(one, "styleId"): one for one in root if tag(one) == "w:style"} if root is not None else {}
        self._default = {attribute(one, "type"): key for key, one in self._styles.items() if attribute(one, "default") in ("1", "true")}

    def name(self, style: str, kind: str = "paragraph") -> str:
        return attribute(child(self._styles.get(style or self._default.get(kind, "")), "w:name"), "val")

    def chain(self, style: str) -> Iterator[Element]:
        """Yield a style and those that it is based on."""
        for _ in range(_MAX_CHAIN):
            found = self._styles.get(style)
            if found is None:
                return
            yield found
            style = attribute(child(found, "w:basedOn"), "val")

    def first(self, style: str, holder: str, name: str) -> Element | None:
        """Return what the style says of `name` in its `holder` (w:rPr, w:pPr), or those that it is based on."""
        found = (child(child(one, holder), name) for one in self.chain(style))
        return next((one for one in found if one is not None), None)

    def shades(self, style: str) -> bool:
        """Return whether a table of this style may have a background in parts of it."""
        return any(tag(one) == "w:shd" and shaded(one) for style_ in self.chain(style) for one in style_.iter())


def shaded(shading: Element | None) -> bool:
    return shading is not None and not pale(attribute(shading, "fill")) and attribute(shading, "fill") not in ("", "auto")


def pale(colour: str) -> bool:
    """Return whether nobody can see it on white paper."""
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= 0xF0
    except ValueError:
        return False


def transparent(run: Element | None) -> bool:
    """Return whether its letters are filled with nothing (Word 2010's text effects, which LibreOffice does not know)."""
    fills = [one for one in run if _local(one) == "textFill"] if run is not None else []
    inside = [one for fill in fills for one in fill.iter()]
    return any(_local(one) == "noFill" or (_local(one) == "alpha" and whole(attribute(one, "val")) >= _CLEAR) for one in inside)


def hidden_drawing(drawing: Element) -> bool:
    return any(_local(one) == "docPr" and one.get("hidden") in ("1", "true") for frame in drawing for one in frame)


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def hidden(run: Element | None, paragraph: Element | None, styles: Styles, on_colour: bool) -> bool:
    """Return whether a run is not seen in print, or not as words that hold: hidden, struck through, transparent, two points small, or white
    on white. run, paragraph: their properties; on_colour: whether there is a background that white can be read on."""
    run_style, style = attribute(child(run, "w:rStyle"), "val"), attribute(child(paragraph, "w:pStyle"), "val")

    def said(name: str) -> Element | None:
        own = child(run, name)
        if own is None and run_style:
            own = styles.first(run_style, "w:rPr", name)
        return own if own is not None else styles.first(style, "w:rPr", name)

    if on(said("w:strike")) or on(said("w:dstrike")) or transparent(run):
        return True
    if on(said("w:vanish")) or whole(attribute(said("w:sz"), "val"), 99) <= 4:
        return True
    on_colour = on_colour or shaded(said("w:shd")) or child(run, "w:highlight") is not None or shaded(child(paragraph, "w:shd"))
    return pale(attribute(said("w:color"), "val")) and not on_colour and not shaded(styles.first(style, "w:pPr", "w:shd"))
