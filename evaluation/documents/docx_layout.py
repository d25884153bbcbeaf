"""LibreOffice's layout of a DOCX, as a judge of what reads it: the words of its pages with the
numbers of lists between marks, and its tables and headings as it writes them in HTML.

It gets each file without what it would print otherwise or more than once: deleted words, headers of
pages and tables, references to look up, pictures. No code of ours decides that.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pypdfium2
from lxml import etree, html

Element = Any
Words = tuple[str, ...]
Cells = tuple[Words, ...]
LaidRow = tuple[Cells, Cells]  # the cells with words of a table's row, and those of them that begin in it
_PARTS = re.compile(r"word/(document\d*|footnotes|endnotes|numbering)\.xml", re.IGNORECASE)
_GONE = (
    "del",
    "moveFrom",
    "headerReference",
    "footerReference",
    "fldChar",
    "instrText",
    "tblHeader",
    "pic",
    "imagedata",
)
_MARK = "{{|{}|}}"
_MARKED = re.compile(r"\{\s*\|(.*?)\|\s*\}", re.DOTALL)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = (*_HEADINGS, "p", "br", "div", "td", "th", "tr", "li", "dt", "dd")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def words(text: str) -> Words:
    """Small letters and figures, without what only lays them out."""
    joined = re.sub(r"\u00ad|[\ufffe\x02-]\s*\n", "", text)
    return tuple(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", joined).casefold()))


@dataclass(slots=True)
class Laid:
    """A document as LibreOffice lays it out, or as a reader tells it."""

    words: Words = ()
    numbers: list[tuple[Words, Words]] = field(default_factory=list)  # of a list, with the words after it
    rows: list[LaidRow] = field(default_factory=list)
    headings: list[Words] = field(default_factory=list)


def lay_out(files: Iterable[Path], folder: Path) -> None:
    """Let LibreOffice write PDF and HTML of each document into a folder, where they are not there
    yet: together, then each alone of which something is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, number in (("pdf", _MARK), ("html", "")):
        given = {}
        for path in files:
            if not (made := folder / f"{path.stem}.{kind}").exists():
                given[made] = folder / f"{path.stem}.docx"
                rewrite(path, given[made], number, as_printed=True)
        if given:
            _convert(kind, folder, [*given.values()])
        for made, copy in given.items():
            if not made.exists():
                _convert(kind, folder, [copy])
            copy.unlink()


def _convert(kind: str, folder: Path, copies: list[Path]) -> None:
    home = f"-env:UserInstallation={(folder / 'office').resolve().as_uri()}"
    command = ["soffice", home, "--headless", "--convert-to", kind, "--outdir", str(folder), *map(str, copies)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as one:
        try:
            one.wait(60 + 15 * len(copies))
        except subprocess.TimeoutExpired:
            os.killpg(one.pid, signal.SIGKILL)  # LibreOffice goes round and round in some


def laid_out(path: Path, folder: Path) -> Laid | None:
    """None where LibreOffice could not open it."""
    pdf, page = folder / f"{path.stem}.pdf", folder / f"{path.stem}.html"
    if not pdf.exists() or not page.exists():
        return None
    found = of_html(page.read_text("utf-8", "replace"))
    known, text = {*found.words}, _text(pdf)
    found.words = mended(words(_MARKED.sub(" ", text)), known)
    for mark in _MARKED.finditer(text):
        after = mended(words(_MARKED.sub(r" \1 ", text[mark.end() :][:300])), known)[:3]
        if words(mark[1]) and after:
            found.numbers.append((words(mark[1]), after))
    return found


def mended(words: Words, known: set[str]) -> Words:
    """Join what a narrow column breaks off without a hyphen, and part what stands close together,
    where only that makes words that LibreOffice writes elsewhere."""
    whole: list[str] = []
    for word in words:
        for pieces in range(1, 4):
            if word not in known and "".join((*whole[-pieces:], word)) in known:
                whole[-pieces:] = ["".join((*whole[-pieces:], word))]
                break
        else:
            if whole and (whole[-1] not in known) and whole[-1] + word in known:
                whole[-1] += word
            else:
                whole.append(word)
    parted = (
        (one[:n], one[n:])
        for one in whole
        if one not in known
        for n in range(1, len(one))
        if {one[:n], one[n:]} <= known
    )
    by_word = {a + b: (a, b) for a, b in parted}
    return tuple(part for one in whole for part in by_word.get(one, (one,)))


def rewrite(path: Path, target: Path, number: str, *, as_printed: bool = False) -> None:
    """Copy a DOCX with its lists' numbers written so, and as it should be printed."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if _PARTS.fullmatch(entry.filename):
                root = etree.fromstring(content, _PARSER)
                for one in [one for one in root.iter() if isinstance(one.tag, str)]:
                    _rewrite(one, number, as_printed)
                content = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
            new.writestr(entry.filename, content)


def _rewrite(element: Element, number: str, as_printed: bool) -> None:
    name = etree.QName(element).localname
    if name == "lvl":
        kinds = {etree.QName(one).localname: one for one in element if isinstance(one.tag, str)}
        form, text = kinds.get("numFmt"), kinds.get("lvlText")
        bullet = form is not None and "bullet" in form.attrib.values()
        values = text.attrib if text is not None else {}
        for key in (key for key, said in values.items() if key.endswith("}val") and said.strip()):
            values[key] = "" if bullet else number.format(values[key])
    elif as_printed and (parent := element.getparent()) is not None:
        above = etree.QName(parent).localname
        if name == "del" and above == "trPr" and (row := parent.getparent()).getparent() is not None:
            row.getparent().remove(row)
        elif name in _GONE:
            parent.remove(element)
        elif name in ("footnoteReference", "endnoteReference"):
            space = etree.Element(element.tag.replace(name, "t"))
            space.text = " "
            space.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            element.addprevious(space)


def _text(pdf: Path) -> str:
    with pypdfium2.PdfDocument(pdf) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document).replace("\r\n", "\n")


def of_html(text: str) -> Laid:
    """What HTML says of rows and headings, and its words, with the numbers of its lists counted."""
    root = html.fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    for one in root.iter(*_BLOCKS):
        one.text, one.tail = (re.sub(r"[\x00-\x08\x0b-\x1f]", " ", f"\n{said or ''}") for said in (one.text, one.tail))
    found = Laid(headings=[said for one in root.iter(*_HEADINGS) if (said := _said(one))])
    for table in root.iter("table"):
        found.rows += _rows(table)
    for one in root.iter("ol"):
        for number, item in enumerate((item for item in one if item.tag == "li"), int(one.get("start") or 1)):
            item.text = f" {number}. {item.text}"
    found.words = _said(root)
    return found


def _said(element: Element) -> Words:
    return words("".join(element.itertext()))


def _rows(table: Element) -> Iterator[LaidRow]:
    above: dict[int, tuple[int, Words]] = {}  # by column: a cell that goes on over so many rows more
    for row in (one for one in table.iter("tr") if next(one.iterancestors("table")) is table):
        cells: list[tuple[int, Words, bool]] = []
        below = {column: (left - 1, said) for column, (left, said) in above.items() if left > 1}
        column = 0
        for cell in row.iterchildren("td", "th"):
            while column in above:
                column += 1
            wide = range(column, column + int(cell.get("colspan") or 1))
            cells.append((column, _said(cell), True))
            if (rows := int(cell.get("rowspan") or 1)) > 1:
                below |= dict.fromkeys(wide, (rows - 1, cells[-1][1]))
            column = wide.stop
        cells = sorted([*cells, *((one, said, False) for one, (_, said) in above.items())])
        above = below
        yield told_cells([one for _, one, _ in cells]), told_cells([one for _, one, own in cells if own])


def told_cells(cells: Iterable[Words]) -> Cells:
    """Those with words; of equal ones side by side, as a cell over two columns is told, one."""
    return tuple(one for one, _ in groupby(one for one in cells if one))
