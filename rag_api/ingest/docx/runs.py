"""A paragraph of a DOCX -> its words as they are seen in print, with every change accepted. Counts
what it leaves out, by why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rag_api.ingest.common.boxed_text import plain
from rag_api.ingest.common.characters import clean_line
from rag_api.ingest.docx.math import formula, raised
from rag_api.ingest.docx.package import Element, attribute, child, chosen, foreign, on, tag, whole
from rag_api.ingest.docx.shapes import (
    FRAMES,
    SHAPES,
    TextBox,
    covers,
    off_page,
    older_covers,
    place_in,
    shape_hidden,
    size_of,
)
from rag_api.ingest.docx.visibility import Look, StylePlace, Unseen

REMOVED = ("w:del", "w:moveFrom")
_NOTES = ("w:footnoteReference", "w:endnoteReference")
_ABOUT = ("w:rPr", "w:pPr", "w:sectPr", "w:sdtPr", "w:sdtEndPr", "w:instrText", "w:delInstrText", "w:delText")
_WINGDINGS = {
    0xFC: "✓",
    0xFB: "✗",
    0xFE: "☑",
    0xFD: "☒",
    0xA8: "☐",
    0x6F: "☐",
    0xE0: "→",
    0xDF: "←",
    0xE1: "↑",
    0xE2: "↓",
    0xF0: "⇨",
}
_LARGE = 360_000 * 360_000 * 30  # a picture of 30 square centimetres may hold words; a logo is smaller


@dataclass(slots=True)
class Tally:
    """What became of the characters of a file, and what it holds that has none."""

    characters: int = 0  # of all the text that was come by, whatever became of it
    hidden: list[str] = field(default_factory=list)
    pale: list[str] = field(default_factory=list)  # white on what may be white
    unseen: list[Element] = field(default_factory=list)  # what holds the hidden words
    unnumbered: list[Element] = field(default_factory=list)  # paragraphs whose number is hidden
    deleted: list[str] = field(default_factory=list)
    changes: int = 0
    comments: int = 0
    pictures: int = 0
    objects: int = 0  # embedded sheets, charts, inserted files
    unsure: bool = False  # a drawing lies over text, or text does not fit its box: only pages tell what is seen


@dataclass(frozen=True, slots=True)
class Around:
    """What decides how a run's text counts: the paragraph's properties, what it stands in, and
    whether it is hidden already."""

    paragraph: Element | None
    place: StylePlace
    unseen: Unseen | None = None
    raised: bool = False
    size: tuple[float, float] = (0.0, 0.0)  # of the drawing around


@dataclass(slots=True)
class Inline:
    """Reads paragraph after paragraph. `boxes`: text boxes and diagrams come by; `notes`: (kind,
    id) referred to."""

    look: Look
    tally: Tally = field(default_factory=Tally)
    boxes: list[TextBox] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)  # ids of the relation to their data
    notes: list[tuple[str, str]] = field(default_factory=list)
    unseen_notes: list[tuple[str, str]] = field(default_factory=list)  # whose mark is hidden
    fields: list[bool] = field(default_factory=list)  # those that are open: whether their instruction still goes on

    def text(self, paragraph: Element, place: StylePlace) -> str:
        said = child(paragraph, "w:pPr")
        around = Around(said, place, Unseen.HIDDEN if place.hidden or self.look.paragraph_hidden(said) else None)
        return _joined([piece for one in paragraph for piece in self._pieces(one, around)])

    def left_out(self, element: Element, into: list[str]) -> None:
        """Count all text below as come by, and name it."""
        words = [one.text or "" for one in element.iter() if tag(one) in ("w:t", "w:delText")]
        self.tally.characters += sum(len(one.text or "") for one in element.iter() if tag(one) == "w:t")
        if into is self.tally.hidden:
            self.tally.unseen.append(element)
        if text := " ".join("".join(words).split()):
            into.append(text)

    def _pieces(self, element: Element, around: Around) -> Iterator[tuple[str, bool]]:
        """Yield (text, whether it is raised)."""
        name = tag(element)
        if foreign(element):
            self.left_out(element, self.tally.hidden)
        elif name in REMOVED:
            self.tally.changes += 1
            # what was moved away stands elsewhere
            self.left_out(element, self.tally.deleted if name == "w:del" else [])
        elif name in _ABOUT:
            pass
        elif name == "w:t":
            self.tally.characters += len(element.text or "")
            if around.unseen is Unseen.HIDDEN or any(self.fields):
                self.tally.unseen.append(element)
            yield from self._seen(element.text or "", around)
        elif name == "a:t":
            yield from self._seen(element.text or "", around)
        elif name in ("m:oMath", "m:oMathPara"):
            self.tally.characters += sum(len(one.text or "") for one in element.iter() if tag(one) == "w:t")
            runs = (child(one, "w:rPr") for one in element.iter() if tag(one) == "m:r")
            unseen = next(
                filter(None, (self.look.unseen(said, around.paragraph, around.place) for said in runs)), around.unseen
            )
            yield from self._seen(f" {formula(element)} ", replace(around, unseen=unseen))
        elif (name in FRAMES and off_page(element, self.look.page)) or (
            name in (*SHAPES, "v:group") and shape_hidden(element, self.look.page)
        ):
            self.left_out(element, self.tally.hidden)
        elif name == "mc:AlternateContent":
            yield from self._alternative(element, around)
        elif name == "w:txbxContent":
            if around.unseen is Unseen.HIDDEN:
                self.left_out(element, self.tally.hidden)
            else:
                self.boxes.append(TextBox(element, around.place, around.size))
        elif name == "w:fldChar":
            if text := _form_field(child(element, "w:ffData")):
                yield from self._seen(text, around)
            self._field(attribute(element, "fldCharType"))
        elif name in _NOTES and around.unseen is Unseen.HIDDEN:
            self.unseen_notes.append((name.removesuffix("Reference"), attribute(element, "id")))
        elif text := self._sign(element, name):
            yield from self._seen(text, around)
        else:
            self._count(element, name)
            inner = (
                self._run(element, around)
                if name == "w:r"
                else self._shape(element, around)
                if name in SHAPES
                else around
            )
            for one in element:
                yield from self._pieces(one, inner)

    def _run(self, run: Element, around: Around) -> Around:
        said = child(run, "w:rPr")
        unseen = around.unseen or self.look.unseen(said, around.paragraph, around.place)
        return replace(around, unseen=unseen, raised=attribute(child(said, "w:vertAlign"), "val") == "superscript")

    def _shape(self, shape: Element, around: Around) -> Around:
        return replace(around, place=place_in(shape, around.place, self.look.colours), size=size_of(shape))

    def _seen(self, text: str, around: Around) -> Iterator[tuple[str, bool]]:
        if around.unseen is None and not any(self.fields):
            yield text, around.raised
        elif text.strip():
            into = self.tally.pale if around.unseen is Unseen.PALE else self.tally.hidden
            into.append(" ".join(text.split()))

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
        if name in _NOTES:
            note = (name.removesuffix("Reference"), attribute(element, "id"))
            if note not in self.notes:
                self.notes.append(note)
            return f" [{self.notes.index(note) + 1}]"
        return ""

    def _field(self, kind: str) -> None:
        """A field shows its result; of what stands in its instruction, between begin and separate,
        Word shows nothing."""
        if kind == "begin":
            self.fields.append(True)
        elif kind == "separate" and self.fields:
            self.fields[-1] = False
        elif kind == "end" and self.fields:
            self.fields.pop()

    def _count(self, element: Element, name: str) -> None:
        tally = self.tally
        if (name in FRAMES and covers(element)) or (name in SHAPES and name.startswith("v:") and older_covers(element)):
            tally.unsure = True
        if name in ("w:ins", "w:moveTo"):
            tally.changes += 1
        elif name == "w:commentReference":
            tally.comments += 1
        elif name in ("o:OLEObject", "c:chart", "w:altChunk"):
            tally.objects += 1
        elif name == "wp:extent":
            tally.pictures += whole(attribute(element, "cx")) * whole(attribute(element, "cy")) > _LARGE and _pictured(
                element.getparent()
            )
        elif name == "dgm:relIds":
            self.diagrams.append(attribute(element, "dm"))

    def _alternative(self, element: Element, around: Around) -> Iterator[tuple[str, bool]]:
        """One drawing, said in several ways for older programs: the one that Word shows. Other
        words in the others are not seen."""
        shown = chosen(element)
        for one in shown if shown is not None else ():
            yield from self._pieces(one, around)
        for way in element:
            if way is not shown:
                self.left_out(way, self.tally.hidden if _words(way) != _words(shown) else [])


def _words(element: Element | None) -> list[str]:
    return "".join(one.text or "" for one in element.iter() if tag(one) == "w:t").split() if element is not None else []


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


def lines_of_diagram(root: Element | None) -> list[str]:
    paragraphs = (one for one in root.iter() if tag(one) == "a:p") if root is not None else ()
    texts = ("".join(run.text or "" for run in one.iter() if tag(run) == "a:t") for one in paragraphs)
    return [line for text in texts if (line := one_line(text))]


def one_line(text: str) -> str:
    """A break inside a paragraph is a space."""
    return clean_line(plain(re.sub(r"\s*\n\s*", " ", text))).text.replace("\t", " ").rstrip("\u00ad")
