"""A DOCX -> paragraphs and table rows in order, as Word prints them with every change accepted. Without a rendering it has no pages:
one page, and no character has a box.

No word is lost without being named: what is left out (hidden, deleted, in headers) stands in the warnings, and a file of which some text
was not come by at all is refused. Headers and footers are no part of the text; they are read because versions and owners stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag_api.domain import BlockKind, Page
from rag_api.errors import UnreadableDocument
from rag_api.ingest.characters import clean_line
from rag_api.ingest.docx_lists import BULLET, Lists
from rag_api.ingest.docx_package import Element, Package, attribute, child, on, tag, whole
from rag_api.ingest.docx_runs import REMOVED, Inline
from rag_api.ingest.docx_styles import Styles, shaded
from rag_api.ingest.marked import no_boxes, plain
from rag_api.ingest.told import Told
from rag_api.text.shapes import label_of

_A4 = (595.0, 842.0)
_MOST_COLUMNS = 1000  # Word ends at 63
_MOST_MERGED = 10_000  # cells that only go on with the one above: a table of so many is an attack, or no procedure
_MOST_TEXT = 20_000_000  # characters
_HEADINGS = ("heading", "kop", "title", "titel")
_PROPERTIES = ("w:tblPr", "w:tblGrid", "w:sectPr", "w:sdtPr", "w:sdtEndPr", "w:trPr", "w:tcPr", "w:tblPrEx")


@dataclass(frozen=True, slots=True)
class DocxText:
    """What a DOCX holds: lines (a table row is a line, its cells parted by tabs), the lines of its headers, its properties."""

    lines: Sequence[str]
    around: Sequence[Sequence[str]]  # cells of the first table rows, headers and footers: where metadata stands
    properties: dict[str, str]
    heading: str
    warnings: tuple[str, ...] = ()
    unrendered: tuple[str, ...] = ()  # what is only missing from these lines, and stands in a rendering

    def page(self) -> Page:
        text = "\n".join([*self.lines, ""])
        return Page(1, *_A4, 0, 0, text, no_boxes(len(text)), "docx")


def read_docx(path: Path, name: str) -> DocxText:
    """Raises UnreadableDocument: broken, encrypted, unsupported, too_large."""
    refuse_ole(path, name)
    with Package(path, name) as package:
        return _Body(package).read()


def refuse_ole(path: Path, name: str) -> None:
    """A DOCX with a password is a container of Microsoft's older kind, as the older format itself is. Raises UnreadableDocument."""
    with path.open("rb") as file:
        if file.read(8) != b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
            return
        if "EncryptedPackage".encode("utf-16-le") in file.read():
            raise UnreadableDocument("encrypted", f"{name}: needs a password to open")
    raise UnreadableDocument("unsupported", f"{name}: is an old .doc file under another name")


@dataclass(slots=True)
class _Body:
    package: Package
    around: list[list[str]] = field(default_factory=list)
    heading: str = ""
    merged: int = 0
    boxed: int = 0  # text boxes so far
    told: int = 0  # notes whose text has been written
    main: str = field(init=False)
    parts: dict[str, str] = field(init=False)
    styles: Styles = field(init=False)
    lists: Lists = field(init=False)
    inline: Inline = field(init=False)

    def __post_init__(self) -> None:
        self.main = self.package.main()
        self.parts = {kind: part for kind, part, _ in self.package.relations(self.main)}
        self.styles = Styles(self._part("styles"))
        self.lists = Lists(self._part("numbering"), self.styles)
        self.inline = Inline(self.styles)

    def _part(self, kind: str) -> Element | None:
        return self.package.xml(self.parts[kind]) if kind in self.parts else None

    def read(self) -> DocxText:
        root = self.package.xml(self.main)
        body = child(root, "w:body")
        if body is None:
            raise self.package.broken()
        coloured = shaded(child(root, "w:background"))
        notes = {kind: self._part(kind.removeprefix("w:") + "s") for kind in ("w:footnote", "w:endnote")}
        lines: list[str] = []
        length = 0
        for block in body:
            new = [*self._block(block, coloured), *self._told_notes(notes)]
            lines += new
            length += sum(map(len, new))
            if length > _MOST_TEXT:
                raise UnreadableDocument("too_large", f"{self.package.name}: holds more than {_MOST_TEXT:,} characters")
        self._all_came_by(body, notes)
        own, unrendered = self._warnings()
        margins = self._margins(root)
        if margins:
            unrendered += (
                f"its headers and footers are no part of the text; what staff must read belongs in the body: {_quoted(margins)}",
            )
        return DocxText(_single_spaced(lines), self.around, self.package.properties(), self.heading, own, unrendered)

    def _block(self, block: Element, on_colour: bool) -> list[str]:
        name = tag(block)
        if name == "w:p":
            return self._paragraph(block, on_colour)
        if name == "w:tbl":
            rows = list(self._rows(block, on_colour))
            self.around += [row.split("\t") for row in rows[:12]]
            return [*rows, ""]
        if name in REMOVED:
            self.inline.left_out(block, self.inline.tally.deleted)
        elif name == "w:altChunk":
            self.inline.tally.objects += 1
        elif name not in _PROPERTIES:
            return [line for one in block for line in self._block(one, on_colour)]
        return []

    def _paragraph(self, paragraph: Element, on_colour: bool) -> list[str]:
        text, after = self._worded(paragraph, on_colour)
        if not text:
            return after
        style = self.styles.name(attribute(child(child(paragraph, "w:pPr"), "w:pStyle"), "val")).casefold()
        if style.startswith(_HEADINGS):
            self.heading = self.heading or text
            depth = re.search(r"\d", style)
            return ["", Told(text, BlockKind.HEADING, 1 + int(depth[0]) if depth else 1), *after]
        self.around.append([text])
        said = child(paragraph, "w:pPr")
        item = bool(label_of(text)) and (bool(self.lists.depth(said) is not None) or text.startswith(BULLET))
        return [Told(text, BlockKind.ITEM if item else BlockKind.PARAGRAPH, (self.lists.depth(said) or 0) if item else 0), *after]

    def _worded(self, paragraph: Element, on_colour: bool) -> tuple[str, list[str]]:
        """Return a paragraph's line with its number, and the lines of what floats beside it."""
        text = _clean(self.inline.text(paragraph, on_colour))
        boxes, diagrams = self.inline.boxes, self.inline.diagrams
        self.inline.boxes, self.inline.diagrams = [], []
        floating = [line for box in boxes for line in self._floating(box)]
        floating += [line for diagram in diagrams for line in self._diagram(diagram)]
        said = child(paragraph, "w:pPr")
        style = self.styles.name(attribute(child(said, "w:pStyle"), "val")).casefold()
        if text and not (label := self.lists.label(said)) and ("bullet" in style or "opsom" in style):
            label = BULLET
        return (f"{label} {text}" if text and label else text), floating

    def _floating(self, box: Sequence[Element]) -> list[str]:
        """Return the lines of a text box."""
        self.boxed += 1
        lines = [line for one in box for line in self._block(one, True)]
        for line in lines:
            if isinstance(line, Told):
                line.box = line.box or self.boxed
        return lines

    def _rows(self, table: Element, on_colour: bool) -> Iterator[Told]:
        """Yield rows with something in them. A cell that goes on over several rows is said in each; a nested table reads in its cell."""
        said = child(table, "w:tblPr")
        on_colour = on_colour or shaded(child(said, "w:shd")) or self.styles.shades(attribute(child(said, "w:tblStyle"), "val"))
        above: dict[int, str] = {}
        for row in _inner(table, "w:tr"):
            about = child(row, "w:trPr")
            if child(about, "w:del") is not None or on(child(about, "w:hidden")):
                tally = self.inline.tally
                self.inline.left_out(row, tally.hidden if on(child(about, "w:hidden")) else tally.deleted)
                continue
            cells = self._cells(row, above, on_colour)
            if any(text for _, _, text in cells):
                kept = _without_gaps(cells)
                columns = [(column, span) for column, span, _ in kept]
                header = on(child(about, "w:tblHeader"))
                yield Told("\t".join(text for _, _, text in kept), BlockKind.ROW, header=header, columns=columns)

    def _cells(self, row: Element, above: dict[int, str], on_colour: bool) -> list[tuple[int, int, str]]:
        """Each with its column and how many it spans."""
        column = whole(attribute(child(child(row, "w:trPr"), "w:gridBefore"), "val"))
        cells = []
        for cell in _inner(row, "w:tc"):
            said = child(cell, "w:tcPr")
            span = whole(attribute(child(said, "w:gridSpan"), "val"), 1)
            merge = child(said, "w:vMerge")
            if span > _MOST_COLUMNS or column > _MOST_COLUMNS:
                raise UnreadableDocument("too_large", f"{self.package.name}: a table cell over {max(span, column):,} columns")
            if child(said, "w:cellDel") is not None:
                self.inline.left_out(cell, self.inline.tally.deleted)
                continue
            if merge is not None and attribute(merge, "val") in ("", "continue"):
                self._goes_on(cell)
                text = above.get(column, "")
            else:
                text = self._cell(cell, on_colour or shaded(child(said, "w:shd")))
            above[column] = text if merge is not None else ""
            cells.append((column, span, text))
            column += span
        return cells

    def _goes_on(self, cell: Element) -> None:
        self.merged += 1
        if self.merged > _MOST_MERGED:
            raise UnreadableDocument("too_large", f"{self.package.name}: more than {_MOST_MERGED:,} merged cells")
        self.inline.left_out(cell, self.inline.tally.hidden)  # Word shows the first of them only

    def _cell(self, cell: Element, on_colour: bool) -> str:
        parts: list[str] = []
        for block in cell:
            if tag(block) == "w:tbl":
                parts.append("; ".join(self._rows(block, on_colour)))
            elif tag(block) == "w:p":
                text, after = self._worded(block, on_colour)
                parts += [text, *after]
            elif tag(block) not in _PROPERTIES:
                parts += self._block(block, on_colour)
        return _clean(" ".join(part for part in parts if part))

    def _told_notes(self, notes: dict[str, Element | None]) -> list[str]:
        """Return the notes that the last block refers to: below it, where their words belong."""
        lines = []
        while self.told < len(self.inline.notes):
            kind, key = self.inline.notes[self.told]
            self.told += 1
            root = notes.get(kind)
            note = next((one for one in root if attribute(one, "id") == key), None) if root is not None else None
            text = " ".join(line for block in note for line in self._block(block, False) if line) if note is not None else ""
            lines.append(f"[{self.told}] {text}".strip())
        return lines

    def _diagram(self, relation: str) -> list[str]:
        part = next((part for _, part, key in self.package.relations(self.main) if key == relation), "")
        root = self.package.xml(part)
        paragraphs = (one for one in root.iter() if tag(one) == "a:p") if root is not None else ()
        texts = ("".join(run.text or "" for run in one.iter() if tag(run) == "a:t") for one in paragraphs)
        return [line for text in texts if (line := _clean(text))]

    def _margins(self, root: Element) -> list[str]:
        """Return the lines of headers and footers, each once."""
        wanted = {attribute(one, "id") for one in root.iter() if tag(one) in ("w:headerReference", "w:footerReference")}
        found: dict[str, None] = {}
        for kind, part, key in self.package.relations(self.main):
            margin = self.package.xml(part) if kind in ("header", "footer") and key in wanted else None
            reader = _Body(self.package)
            for block in margin if margin is not None else ():
                found |= dict.fromkeys(line for line in reader._block(block, False) if line)
            self.around += reader.around
        return list(found)

    def _all_came_by(self, body: Element, notes: dict[str, Element | None]) -> None:
        """The last check that no word was lost: every character of the file's text was read, or left out by a rule."""
        held = _characters(body)
        for kind, root in notes.items():
            held += sum(_characters(one) for one in root if (kind, attribute(one, "id")) in self.inline.notes) if root is not None else 0
        if held > self.inline.tally.characters:
            raise UnreadableDocument(
                "broken", f"{self.package.name}: {held - self.inline.tally.characters} characters stand where no text should"
            )

    def _warnings(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        tally = self.inline.tally
        own = []
        if tally.changes or tally.deleted:
            deleted = f", deleted words are not read: {_quoted(tally.deleted)}" if tally.deleted else ""
            own.append(f"holds tracked changes, read as accepted{deleted}; accept or reject them in Word")
        if tally.hidden:
            own.append(f"hidden words are not read; show or remove them in Word: {_quoted(tally.hidden)}")
        if tally.comments:
            own.append(f"{tally.comments} comments are not read; what staff must know belongs in the text")
        if tally.objects:
            own.append(
                f"{tally.objects} embedded objects (sheets, charts, inserted files) are not read as text; check that the text says it"
            )
        large = (f"{tally.pictures} large pictures: words in them are not read; type what staff must find",) if tally.pictures else ()
        return tuple(own), large


def _inner(element: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, also of those that stand in a content control."""
    for one in element:
        if tag(one) == name:
            yield one
        elif tag(one) in ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"):
            yield from _inner(one, name)


def _without_gaps(cells: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """An empty cell before a full one is said, in a table of three columns and more: its neighbour must not slip into its column."""
    last = max(n for n, (_, _, text) in enumerate(cells) if text)
    filled = [(column, span, text or ("–" if len(cells) > 2 else "")) for column, span, text in cells[: last + 1]]
    return [cell for cell in filled if cell[2]]


def _characters(element: Element) -> int:
    return sum(len(one.text or "") for one in element.iter() if tag(one) == "w:t")


def _quoted(texts: Sequence[str]) -> str:
    shown = " / ".join(texts)
    return f"“{shown if len(shown) <= 200 else shown[:199] + '…'}”"


def _clean(text: str) -> str:
    """One line: a break inside a paragraph is a space."""
    return clean_line(plain(re.sub(r"\s*\n\s*", " ", text))).text.replace("\t", " ").rstrip("\u00ad")


def _single_spaced(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept
