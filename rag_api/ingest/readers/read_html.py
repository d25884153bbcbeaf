"""HTML and Markdown -> lines as a browser shows them: a table row is a line, list items are
numbered, what is not shown is not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree, html
from markdown_it import MarkdownIt

from rag_api.domain import BlockKind
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.notes import note
from rag_api.ingest.docx.lists import BULLET
from rag_api.ingest.docx.math import raised
from rag_api.ingest.docx.package import Element
from rag_api.ingest.structure.tagged_lines import TaggedLine

_NEVER = {
    "script",
    "style",
    "template",
    "head",
    "noscript",
    "object",
    "svg",
    "math",
    "select",
    "iframe",
    "frame",
    "canvas",
    "video",
    "audio",
}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "legend", "li", "main", "nav", "ol", "p", "pre",
    "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
}  # fmt: skip
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_HOLDS = {
    "iframe": "a frame",
    "frame": "a frame",
    "object": "an embedded object",
    "svg": "a drawing",
    "math": "a formula",
}
_DEEPEST = 200
_HEADING = re.compile(r"h[1-6]")
_BOX = re.compile(
    r"(?:^|[\s_-])(?:note|warning|caution|alert|admonition|callout|kader|let-?op|important|notice)(?:$|[\s_-])",
    re.IGNORECASE,
)


@dataclass(slots=True)
class HtmlText:
    """Lines, and what is left out of them."""

    lines: list[str] = field(default_factory=list)
    title: str = ""
    hidden: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    holds: list[str] = field(default_factory=list)
    pending: str = ""
    within: list[str] = field(default_factory=list)  # the tags that the next words stand in, outermost first
    labelled: bool = False  # the next line begins with an item's label
    boxes: int = 0  # so far
    box: int = 0  # that the next words stand in

    def warnings(self) -> tuple[str, ...]:
        found = []
        if self.hidden:
            found.append(note("hidden_words", words=f"“{' / '.join(self.hidden)[:200]}”"))
        if self.deleted:
            found.append(note("struck_words", words=f"“{' / '.join(self.deleted)[:200]}”"))
        if self.holds:
            found.append(note("holds_unread", what=", ".join(sorted(set(self.holds)))))
        return tuple(found)

    def end_line(self, empty: bool = False) -> None:
        text = " ".join(self.pending.split())
        self.pending = ""
        if text:
            self.lines.append(self._told(text))
            self.labelled = False
        if empty and self.lines and self.lines[-1]:
            self.lines.append("")

    def _told(self, text: str) -> TaggedLine:
        heading = next((tag for tag in reversed(self.within) if _HEADING.fullmatch(tag)), "")
        depth = sum(tag in ("ul", "ol") for tag in self.within)
        if heading:
            return TaggedLine(text, BlockKind.HEADING, int(heading[1]), box=self.box)
        if self.labelled:
            return TaggedLine(text, BlockKind.ITEM, max(0, depth - 1), box=self.box)
        return TaggedLine(text, BlockKind.PARAGRAPH, box=self.box, inner="li" in self.within)


def read_markdown(text: str, name: str) -> HtmlText:
    return read_html(MarkdownIt("commonmark").enable("table").render(text), name)


def read_html(text: str, name: str) -> HtmlText:
    """Raises UnreadableDocument: broken."""
    try:
        root = html.document_fromstring(text)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableDocument("empty", f"{name}: has no words in it") from error
    shown = HtmlText(title=" ".join((root.findtext(".//title") or "").split()))
    _walk(root, shown, "", 0, name)
    shown.end_line()
    return shown


def _walk(element: Element, shown: HtmlText, label: str, depth: int, name: str) -> None:
    """label: what stands before the first words of a list item."""
    tag = element.tag if isinstance(element.tag, str) else ""
    if depth > _DEEPEST:
        raise UnreadableDocument("broken", f"{name}: is damaged: its parts lie more than {_DEEPEST} deep in each other")
    if not tag or tag in _NEVER:
        if tag in _HOLDS:
            shown.holds.append(_HOLDS[tag])
        return
    if "hidden" in element.attrib or _UNSEEN.search(element.get("style", "")) or tag in ("del", "s", "strike"):
        words = " ".join("".join(element.itertext()).split())
        if words:
            (shown.deleted if tag in ("del", "s", "strike") else shown.hidden).append(words)
        return
    if tag == "br":
        shown.end_line()
        return
    if tag == "table":
        shown.end_line(empty=True)
        shown.lines += _rows(element, shown, depth, name)
        shown.end_line(empty=True)
        return
    block = tag in _BLOCKS
    if block:
        shown.end_line(empty=bool(_HEADING.fullmatch(tag)))
    shown.within.append(tag)
    outside, shown.box = shown.box, _box(element, shown)
    if label:
        shown.pending += f"{label} "
        shown.labelled = True
    shown.pending += _spaced(element.text, tag)
    number = int(element.get("start", "1")) if tag == "ol" and element.get("start", "1").isdigit() else 1
    for one in element:
        item = isinstance(one.tag, str) and one.tag == "li"
        _walk(one, shown, (f"{number}." if tag == "ol" else BULLET) if item else "", depth + 1, name)
        number += item
        shown.pending += _spaced(one.tail, tag)
    if block:
        shown.end_line()
    shown.within.pop()
    shown.box = outside


def _spaced(text: str | None, tag: str) -> str:
    text = re.sub(r"\s+", " ", text or "")
    return raised(text.strip()) if tag == "sup" and text.strip() else text


def _box(element: Element, shown: HtmlText) -> int:
    """The number of the box that its words stand in: its own, or the one around it."""
    boxed = element.tag in ("aside", "blockquote") or _BOX.search(element.get("class", ""))
    if not boxed or shown.box:
        return shown.box
    shown.boxes += 1
    return shown.boxes


def _rows(table: Element, shown: HtmlText, depth: int, name: str) -> Iterator[str]:
    """A cell over several rows is said in each."""
    going_on: dict[int, tuple[int, str]] = {}  # by column: for how many rows more, what
    for row in table.iter("tr"):
        if next(row.iterancestors("table")) is not table:
            continue
        cells: list[tuple[int, int, str]] = []  # column, how many, words
        column = 0
        own = [one for one in row if one.tag in ("td", "th")]
        for cell in own:
            column = _filled(cells, going_on, column)
            inner = HtmlText(holds=shown.holds, hidden=shown.hidden, deleted=shown.deleted)
            _walk(cell, inner, "", depth + 1, name)
            inner.end_line()
            text = " ".join(line.replace("\t", " ") for line in inner.lines if line)
            rows, columns = _span(cell, "rowspan"), _span(cell, "colspan")
            if rows > 1:
                going_on[column] = (rows - 1, text)
            cells.append((column, columns, text))
            column += columns
        _filled(cells, going_on, column)
        if any(text for _, _, text in cells):
            last = max(n for n, (_, _, text) in enumerate(cells) if text)
            header = bool(own) and (row.getparent().tag == "thead" or all(one.tag == "th" for one in own))
            kept = cells[: last + 1]
            columns_of = [(at, many) for at, many, _ in kept]
            yield TaggedLine(
                "\t".join(text or "–" for _, _, text in kept),
                BlockKind.ROW,
                header=header,
                columns=columns_of,
                box=shown.box,
            )


def _filled(cells: list[tuple[int, int, str]], going_on: dict[int, tuple[int, str]], column: int) -> int:
    """Say again what goes on from the row above; the column that comes next."""
    while column in going_on:
        cells.append((column, 1, _goes_on(going_on, column)))
        column += 1
    return column


def _span(cell: Element, name: str) -> int:
    said = cell.get(name, "1")
    return max(1, min(int(said), 1000)) if said.isdigit() else 1


def _goes_on(going_on: dict[int, tuple[int, str]], column: int) -> str:
    left, text = going_on.pop(column)
    if left > 1:
        going_on[column] = (left - 1, text)
    return text
