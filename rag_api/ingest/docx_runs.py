"""A paragraph of a DOCX -> its words as they are seen in print, with every change accepted. Counts what it leaves out, by why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rag_api.ingest.characters import clean_line
from rag_api.ingest.docx_math import formula, raised
from rag_api.ingest.docx_package import Element, attribute, child, on, tag, whole
from rag_api.ingest.docx_styles import Styles, hidden, hidden_drawing
from rag_api.ingest.marked import plain

REMOVED = ("w:del", "w:moveFrom")
_ABOUT = ("w:rPr", "w:pPr", "w:sectPr", "w:sdtPr", "w:sdtEndPr", "w:instrText", "w:delInstrText", "w:delText")
_WINGDINGS = {0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0xE0: "→", 0xDF: "←", 0xE1: "↑", 0xE2: "↓", 0xF0: "⇨"}
_LARGE = 360_000 * 360_000 * 30  # a picture of 30 square centimetres may hold words; a logo is smaller


@dataclass(slots=True)
class Tally:
    """What became of the characters of a file, and what it holds that has none."""

    characters: int = 0  # of all the text that was come by, whatever became of it
    hidden: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    changes: int = 0
    comments: int = 0
    pictures: int = 0
    objects: int = 0  # embedded sheets, charts, inserted files


@dataclass(frozen=True, slots=True)
class Around:
    """What decides how a run's text counts: the paragraph's properties, and whether it lies on a background or is hidden already."""

    paragraph: Element | None
    on_colour: bool = False
    hidden: bool = False
    raised: bool = False


@dataclass(slots=True)
class Inline:
    """Reads paragraph after paragraph. `boxes`: text boxes and diagrams come by; `notes`: (kind, id) referred to."""

    styles: Styles
    tally: Tally = field(default_factory=Tally)
    boxes: list[Element] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)  # ids of the relation to their data
    notes: list[tuple[str, str]] = field(default_factory=list)

    def text(self, paragraph: Element, on_colour: bool = False) -> str:
        around = Around(child(paragraph, "w:pPr"), on_colour)
        return _joined([piece for one in paragraph for piece in self._pieces(one, around)])

    def left_out(self, element: Element, into: list[str]) -> None:
        """Count all text below as come by, and name it."""
        words = [one.text or "" for one in element.iter() if tag(one) in ("w:t", "w:delText")]
        self.tally.characters += sum(len(one.text or "") for one in element.iter() if tag(one) == "w:t")
        if text := " ".join("".join(words).split()):
            into.append(text)

    def _pieces(self, element: Element, around: Around) -> Iterator[tuple[str, bool]]:
        """Yield (text, whether it is raised)."""
        name = tag(element)
        if name in REMOVED:
            self.tally.changes += 1
            self.left_out(element, self.tally.deleted if name == "w:del" else [])  # what was moved away stands elsewhere
        elif name in _ABOUT:
            pass
        elif name == "w:t":
            self.tally.characters += len(element.text or "")
            yield from self._seen(element.text or "", around)
        elif name == "a:t":
            yield from self._seen(element.text or "", around)
        elif name in ("m:oMath", "m:oMathPara"):
            self.tally.characters += sum(len(one.text or "") for one in element.iter() if tag(one) == "w:t")
            yield from self._seen(f" {formula(element)} ", around)
        elif name == "w:drawing" and hidden_drawing(element):
            self.left_out(element, self.tally.hidden)
        elif name == "mc:AlternateContent":
            yield from self._alternative(element, around)
        elif name == "w:txbxContent":
            if around.hidden:
                self.left_out(element, self.tally.hidden)
            else:
                self.boxes.append(element)
        elif text := self._sign(element, name):
            yield from self._seen(text, around)
        else:
            self._count(element, name)
            inner = self._run(element, around) if name == "w:r" else around
            for one in element:
                yield from self._pieces(one, inner)

    def _run(self, run: Element, around: Around) -> Around:
        said = child(run, "w:rPr")
        unseen = around.hidden or hidden(said, around.paragraph, self.styles, around.on_colour)
        return Around(around.paragraph, around.on_colour, unseen, attribute(child(said, "w:vertAlign"), "val") == "superscript")

    def _seen(self, text: str, around: Around) -> Iterator[tuple[str, bool]]:
        if not around.hidden:
            yield text, around.raised
        elif text.strip():
            self.tally.hidden.append(" ".join(text.split()))

    def _sign(self, element: Element, name: str) -> str:
        """Return what stands for a sign that is no text, "" when it is none."""
        if name in ("w:tab", "w:ptab"):
            return "\t"
        if name in ("w:br", "w:cr"):
            return "\n"
        if name == "w:noBreakHyphen":
            return "-"
        if name == "w:sym":
            return _symbol(element)
        if name in ("w:footnoteReference", "w:endnoteReference"):
            note = (name.removesuffix("Reference"), attribute(element, "id"))
            if note not in self.notes:
                self.notes.append(note)
            return f" [{self.notes.index(note) + 1}]"
        return _form_field(child(element, "w:ffData")) if name == "w:fldChar" else ""

    def _count(self, element: Element, name: str) -> None:
        tally = self.tally
        if name in ("w:ins", "w:moveTo"):
            tally.changes += 1
        elif name == "w:commentReference":
            tally.comments += 1
        elif name in ("o:OLEObject", "c:chart", "w:altChunk"):
            tally.objects += 1
        elif name == "wp:extent":
            tally.pictures += whole(attribute(element, "cx")) * whole(attribute(element, "cy")) > _LARGE and _pictured(element.getparent())
        elif name == "dgm:relIds":
            self.diagrams.append(attribute(element, "dm"))

    def _alternative(self, element: Element, around: Around) -> Iterator[tuple[str, bool]]:
        """One drawing, said in several ways for older programs: the first that holds words."""
        ways = list(element)
        worded = (n for n, way in enumerate(ways) if any(tag(one) in ("w:t", "a:t", "c:chart", "dgm:relIds") for one in way.iter()))
        chosen = next(worded, 0)
        for number, way in enumerate(ways):
            if number == chosen:
                for one in way:
                    yield from self._pieces(one, around)
            else:
                self.left_out(way, [])


def _joined(pieces: list[tuple[str, bool]]) -> str:
    text, power = "", ""
    for piece, is_raised in [*pieces, ("", False)]:
        if is_raised and not piece.startswith(" ["):  # a note's mark is raised too
            power += piece
        else:
            text, power = text + (raised(power) if power else "") + piece, ""
    return text


def _symbol(element: Element) -> str:
    code, font = int(attribute(element, "char") or "0", 16) & 0xFFF, attribute(element, "font").casefold()
    if font.startswith("wingdings"):
        return _WINGDINGS.get(code & 0xFF, "•")
    return clean_line(plain(chr(0xF000 + (code & 0xFF))), symbol=True).text if font == "symbol" else chr(code)


def _form_field(said: Element | None) -> str:
    """Return what an old form shows: a box that is ticked or not, or the choice of a list."""
    box, choice = child(said, "w:checkBox"), child(said, "w:ddList")
    if box is not None:
        ticked = child(box, "w:checked")
        return "☒" if on(ticked if ticked is not None else child(box, "w:default")) else "☐"
    if choice is None:
        return ""
    entries = [attribute(one, "val") for one in choice if tag(one) == "w:listEntry"]
    at = whole(attribute(child(choice, "w:result"), "val"))
    return entries[at] if at < len(entries) else ""


def _pictured(drawing: Element | None) -> bool:
    return drawing is not None and any(tag(one) == "pic:pic" for one in drawing.iter())
