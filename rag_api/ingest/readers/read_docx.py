"""A DOCX -> paragraphs and table rows in order, as Word prints them with every change accepted.
Without a rendering it has no pages: one page, and no character has a box.

No word is lost without being named: what is left out (hidden, deleted, in headers) stands in the
warnings, and a file of which some text was not come by at all is refused. Headers and footers are
no part of the text; they are read because versions and owners stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from rag_api.domain import BlockKind, Page
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.boxed_text import no_boxes
from rag_api.ingest.common.notes import note
from rag_api.ingest.docx.colours import Colours
from rag_api.ingest.docx.lists import BULLET, ListNumbers
from rag_api.ingest.docx.losses import leave_out_unseen, quoted, refuse_unread, said_of
from rag_api.ingest.docx.package import Element, Package, attribute, child, chosen, foreign, on, refuse_ole, tag, whole
from rag_api.ingest.docx.runs import REMOVED, Inline, Tally, lines_of_diagram, one_line
from rag_api.ingest.docx.shapes import TextBox, overflows
from rag_api.ingest.docx.styles import Styles
from rag_api.ingest.docx.tables import TableLook, framed_in, inner, row_height, row_hidden, table_look, without_gaps
from rag_api.ingest.docx.visibility import Look, StylePlace, page_size
from rag_api.ingest.structure.tagged_lines import TaggedLine
from rag_api.text.block_shapes import label_of

_A4 = (595.0, 842.0)
_MOST_COLUMNS = 1000  # Word ends at 63
_MOST_MERGED = 10_000  # cells that only go on with the one above: a table of so many is an attack, or no procedure
_MOST_TEXT = 20_000_000  # characters
_HEADINGS = ("heading", "kop", "title", "titel")
_PROPERTIES = ("w:tblPr", "w:tblGrid", "w:sectPr", "w:sdtPr", "w:sdtEndPr", "w:trPr", "w:tcPr", "w:tblPrEx")


@dataclass(frozen=True, slots=True)
class DocxText:
    """What a DOCX holds: lines (a table row is a line, its cells parted by tabs), the lines of its
    headers, its properties."""

    lines: Sequence[str]
    around: Sequence[Sequence[str]]  # cells of the first table rows, headers and footers: where metadata stands
    properties: dict[str, str]
    heading: str
    warnings: tuple[str, ...] = ()
    unrendered: tuple[str, ...] = ()  # what is only missing from these lines, and stands in a rendering
    unsure: bool = False  # only a rendering tells which of its words are seen

    def page(self) -> Page:
        text = "\n".join([*self.lines, ""])
        return Page(1, *_A4, 0, 0, text, no_boxes(len(text)), "docx")


def unseen_in(package: Package) -> Tally:
    """Return what of an opened file's parts Word does not show. Raises UnreadableDocument."""
    body = _Body(package)
    body.read()
    return body.inline.tally


def read_docx(path: Path, name: str) -> DocxText:
    """Raises UnreadableDocument: broken, encrypted, unsupported, too_large."""
    refuse_ole(path, name)
    with Package(path, name) as package:
        return _Body(package).read()


@dataclass(slots=True)
class _Body:
    package: Package
    around: list[list[str]] = field(default_factory=list)
    heading: str = ""
    merged: int = 0
    boxed: int = 0  # text boxes so far
    notes_written: int = 0  # notes whose text has been written
    main: str = field(init=False)
    parts: dict[str, str] = field(init=False)
    styles: Styles = field(init=False)
    colours: Colours = field(init=False)
    lists: ListNumbers = field(init=False)
    inline: Inline = field(init=False)

    def __post_init__(self) -> None:
        self.main = self.package.main()
        self.parts = {kind: part for kind, part, _ in self.package.relations(self.main)}
        self.styles = Styles(self._part("styles"))
        self.lists = ListNumbers(self._part("numbering"), self.styles)
        self.colours = Colours(self._part("theme"), self._part("settings"))
        self.inline = Inline(Look(self.styles, self.colours))

    def _part(self, kind: str) -> Element | None:
        return self.package.xml(self.parts[kind]) if kind in self.parts else None

    def read(self) -> DocxText:
        root = self.package.xml(self.main)
        body = child(root, "w:body")
        if body is None:
            raise self.package.broken()
        self.inline.look = Look(self.styles, self.colours, page_size(body))
        page = self._paper(child(root, "w:background"))
        notes = {kind: self._part(kind.removeprefix("w:") + "s") for kind in ("w:footnote", "w:endnote")}
        lines: list[str] = []
        length = 0
        for block in body:
            new = [*self._block(block, page), *self._notes(notes)]
            lines += new
            length += sum(map(len, new))
            if length > _MOST_TEXT:
                raise UnreadableDocument("too_large", f"{self.package.name}: holds more than {_MOST_TEXT:,} characters")
        leave_out_unseen(self.inline, notes)
        refuse_unread(self.inline, self.package.name, body, notes)
        own, unrendered = said_of(self.inline.tally)
        margins = self._margins(root)
        # a field without an end may have hidden what follows it
        unsure = self.inline.tally.unsure or any(self.inline.fields)
        unrendered += (note("margins", words=quoted(margins)),) if margins else ()
        spaced = [line for before, line in pairwise(["", *lines]) if line or before]
        return DocxText(spaced, self.around, self.package.properties(), self.heading, own, unrendered, unsure)

    def _paper(self, background: Element | None) -> StylePlace:
        """A page's colour, where the document shows it."""
        shown = on(child(self._part("settings"), "w:displayBackgroundShape"))
        colour = self.colours.word(background, "color") if shown else None
        return StylePlace() if colour is None else StylePlace((colour,))

    def _block(self, block: Element, place: StylePlace) -> list[str]:
        name = tag(block)
        if name == "w:p":
            return self._paragraph(block, place)
        if name == "w:tbl":
            rows = list(self._rows(block, place))
            self.around += [row.split("\t") for row in rows[:12] if row]
            return [*rows, ""]
        if name in REMOVED:
            self.inline.left_out(block, self.inline.tally.deleted)
        elif foreign(block):
            self.inline.left_out(block, self.inline.tally.hidden)
        elif name == "w:altChunk":
            self.inline.tally.objects += 1
        elif name == "mc:AlternateContent":
            shown = chosen(block)
            for way in (one for one in block if one is not shown):
                self.inline.left_out(way, [])
            return [line for one in (shown if shown is not None else ()) for line in self._block(one, place)]
        elif name not in _PROPERTIES:
            return [line for one in block for line in self._block(one, place)]
        return []

    def _paragraph(self, paragraph: Element, place: StylePlace) -> list[str]:
        text, after = self._worded(paragraph, place)
        if not text:
            return after
        style = self.styles.name(attribute(child(child(paragraph, "w:pPr"), "w:pStyle"), "val")).casefold()
        if style.startswith(_HEADINGS):
            self.heading = self.heading or text
            depth = re.search(r"\d", style)
            return ["", TaggedLine(text, BlockKind.HEADING, 1 + int(depth[0]) if depth else 1), *after]
        self.around.append([text])
        said = child(paragraph, "w:pPr")
        item = bool(label_of(text)) and (bool(self.lists.depth(said) is not None) or text.startswith(BULLET))
        return [
            TaggedLine(
                text, BlockKind.ITEM if item else BlockKind.PARAGRAPH, (self.lists.depth(said) or 0) if item else 0
            ),
            *after,
        ]

    def _worded(self, paragraph: Element, place: StylePlace) -> tuple[str, list[str]]:
        """Return a paragraph's line with its number, and the lines of what floats beside it."""
        text = one_line(self.inline.text(paragraph, place))
        boxes, diagrams = self.inline.boxes, self.inline.diagrams
        self.inline.boxes, self.inline.diagrams = [], []
        floating = [line for box in boxes for line in self._floating(box)]
        floating += [line for diagram in diagrams for line in self._diagram(diagram)]
        said = child(paragraph, "w:pPr")
        style = self.styles.name(attribute(child(said, "w:pStyle"), "val")).casefold()
        if text and not (label := self.lists.label(said)) and ("bullet" in style or "opsom" in style):
            label = BULLET
        if text and label and self._label_hidden(said, place):
            self.inline.tally.hidden.append(label)
            self.inline.tally.unnumbered.append(paragraph)
            label = ""
        return (f"{label} {text}" if text and label else text), floating

    def _label_hidden(self, paragraph: Element | None, place: StylePlace) -> bool:
        mark = child(paragraph, "w:rPr")
        own = self.lists.look(paragraph)
        unseen = self.inline.look.unseen(own if own is not None else mark, paragraph, place)
        return unseen is not None or on(child(mark, "w:vanish"))

    def _floating(self, box: TextBox, *, apart: bool = True) -> list[str]:
        """Return the lines of a text box; apart: they belong together, and to nothing else."""
        self.boxed += 1
        lines = [line for one in box.content for line in self._block(one, box.place)]
        self.inline.tally.unsure |= overflows(sum(map(len, lines)), *box.size)
        for line in lines:
            if isinstance(line, TaggedLine) and apart:
                line.box = line.box or self.boxed
        return lines

    def _rows(self, table: Element, place: StylePlace) -> Iterator[str]:
        """Yield rows with something in them. A cell that goes on over several rows is said in each;
        a nested table reads in its cell; a table of one column is a frame, read as if outside."""
        above: dict[int, str] = {}
        rows = list(inner(table, "w:tr"))
        is_frame = all(len(list(inner(row, "w:tc"))) == 1 for row in rows)
        look = table_look(self.inline.look, table, place, rows)
        for number, row in enumerate(rows):
            about = child(row, "w:trPr")
            if child(about, "w:del") is not None or row_hidden(row):
                tally = self.inline.tally
                self.inline.left_out(row, tally.hidden if row_hidden(row) else tally.deleted)
                continue
            if is_frame and (framed := framed_in(row)) is not None:
                box = TextBox(
                    framed, look.cell(child(framed, "w:tcPr"), number, 0, 1), (look.width(0, 1), row_height(row) or 0)
                )
                yield from self._floating(box, apart=all(tag(one) != "w:tbl" for one in framed.iter()))
                continue
            cells = self._cells(row, above, look, number)
            if any(text for _, _, text in cells):
                kept = without_gaps(cells)
                columns = [(column, span) for column, span, _ in kept]
                header = on(child(about, "w:tblHeader"))
                yield TaggedLine("\t".join(text for _, _, text in kept), BlockKind.ROW, header=header, columns=columns)

    def _cells(self, row: Element, above: dict[int, str], look: TableLook, number: int) -> list[tuple[int, int, str]]:
        """Each with its column and how many it spans."""
        column = whole(attribute(child(child(row, "w:trPr"), "w:gridBefore"), "val"))
        cells = []
        for cell in inner(row, "w:tc"):
            said = child(cell, "w:tcPr")
            span = whole(attribute(child(said, "w:gridSpan"), "val"), 1)
            merge = child(said, "w:vMerge")
            if span > _MOST_COLUMNS or column > _MOST_COLUMNS:
                raise UnreadableDocument(
                    "too_large", f"{self.package.name}: a table cell over {max(span, column):,} columns"
                )
            if child(said, "w:cellDel") is not None:
                self.inline.left_out(cell, self.inline.tally.deleted)
                continue
            if merge is not None and attribute(merge, "val") in ("", "continue"):
                self._goes_on(cell)
                text = above.get(column, "")
            else:
                text = self._cell(cell, look.cell(said, number, column, span))
                self.inline.tally.unsure |= overflows(len(text), look.width(column, span), row_height(row) or 0)
            above[column] = text if merge is not None else ""
            cells.append((column, span, text))
            column += span
        return cells

    def _goes_on(self, cell: Element) -> None:
        self.merged += 1
        if self.merged > _MOST_MERGED:
            raise UnreadableDocument("too_large", f"{self.package.name}: more than {_MOST_MERGED:,} merged cells")
        self.inline.left_out(cell, self.inline.tally.hidden)  # Word shows the first of them only

    def _cell(self, cell: Element, place: StylePlace) -> str:
        parts: list[str] = []
        for block in cell:
            if tag(block) == "w:tbl":
                parts.append("; ".join(filter(None, self._rows(block, place))))
            elif tag(block) == "w:p":
                text, after = self._worded(block, place)
                parts += [text, *after]
            elif tag(block) not in _PROPERTIES:
                parts += self._block(block, place)
        return one_line(" ".join(part for part in parts if part))

    def _notes(self, notes: dict[str, Element | None]) -> list[str]:
        """Return the notes that the last block refers to: below it, where their words belong."""
        lines = []
        while self.notes_written < len(self.inline.notes):
            kind, key = self.inline.notes[self.notes_written]
            self.notes_written += 1
            root = notes.get(kind)
            note = next((one for one in (root if root is not None else ()) if attribute(one, "id") == key), ())
            text = " ".join(line for block in note for line in self._block(block, StylePlace()) if line)
            lines.append(f"[{self.notes_written}] {text}".strip())
        return lines

    def _diagram(self, relation: str) -> list[str]:
        part = next((part for _, part, key in self.package.relations(self.main) if key == relation), "")
        return lines_of_diagram(self.package.xml(part))

    def _margins(self, root: Element) -> list[str]:
        """Return the lines of headers and footers, each once."""
        wanted = {attribute(one, "id") for one in root.iter() if tag(one) in ("w:headerReference", "w:footerReference")}
        found: dict[str, None] = {}
        for kind, part, key in self.package.relations(self.main):
            margin = self.package.xml(part) if kind in ("header", "footer") and key in wanted else None
            reader = _Body(self.package)
            for block in margin if margin is not None else ():
                found |= dict.fromkeys(line for line in reader._block(block, StylePlace()) if line)
            self.around += reader.around
        return list(found)
