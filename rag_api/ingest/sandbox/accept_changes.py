"""A DOCX as it should be printed: every tracked change accepted, and without what Word does not
print or prints struck through.

LibreOffice prints deleted words struck through, and some hidden ones; they would be read as if they
held. What is taken out here is what the plain reading found and names: one judge for both.
References show what Word showed last: LibreOffice would look them up anew, and writes an error in
the text where it finds nothing."""

from __future__ import annotations

import zipfile
from pathlib import Path

from lxml import etree

from rag_api.ingest.docx.fields import keep_results
from rag_api.ingest.docx.package import Element, Package, attribute, child, foreign, on, tag
from rag_api.ingest.docx.runs import REMOVED
from rag_api.ingest.docx.visibility import transparent
from rag_api.ingest.readers.read_docx import unseen_in

_KEPT = ("w:ins", "w:moveTo")
_MARKS = (
    "w:moveFromRangeStart",
    "w:moveFromRangeEnd",
    "w:moveToRangeStart",
    "w:moveToRangeEnd",
    "w:cellIns",
    "w:cellMerge",
    "w:webHidden",
)
_PARTS = ("document", "footnotes", "endnotes", "header", "footer")


def accept_changes(path: Path, target: Path, name: str) -> None:
    """Write `target`. Raises UnreadableDocument."""
    with (
        Package(path, name) as package,
        zipfile.ZipFile(path) as old,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        found = unseen_in(package)
        for element in found.unseen:
            _empty(element)
        for paragraph in found.unnumbered:
            _unnumber(paragraph)
        for entry in old.infolist():
            root = package.xml(entry.filename) if _is_text(entry.filename) else None
            if root is None:
                new.writestr(entry.filename, old.read(entry))
            else:
                _accept(root)
                new.writestr(
                    entry.filename, etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
                )


def _is_text(part: str) -> bool:
    folder, _, base = part.rpartition("/")
    return folder == "word" and base.startswith(_PARTS) and base.endswith(".xml")


def _empty(element: Element) -> None:
    for one in element.iter():
        if tag(one) == "w:t":
            one.text = ""


def _unnumber(paragraph: Element) -> None:
    about = child(paragraph, "w:pPr")
    assert about is not None, "a number is said there"
    numbers = child(about, "w:numPr")
    if numbers is not None:
        about.remove(numbers)
    none = etree.SubElement(about, about.tag.replace("}pPr", "}numPr"))
    etree.SubElement(none, about.tag.replace("}pPr", "}numId")).set(about.tag.replace("}pPr", "}val"), "0")
    about.insert(1 if child(about, "w:pStyle") is not None else 0, none)


def _accept(root: Element) -> None:
    keep_results(root)
    for element in [one for one in root.iter() if _unseen(one)]:
        if (parent := element.getparent()) is not None:
            parent.remove(element)
    for element in list(root.iter()):
        parent, name = element.getparent(), tag(element)
        if parent is None:
            continue
        mark = name in _MARKS or name.endswith("PrChange") or (name in _KEPT and tag(parent) in ("w:rPr", "w:trPr"))
        if mark or name in REMOVED or (name in ("w:tr", "w:tc") and _deleted(element)):
            parent.remove(element)
        elif name in _KEPT:
            at = parent.index(element)
            parent[at : at + 1] = list(element)


def _unseen(element: Element) -> bool:
    name = tag(element)
    if name == "w:r":
        said = child(element, "w:rPr")
        return on(child(said, "w:strike")) or on(child(said, "w:dstrike")) or transparent(child(said, "w14:textFill"))
    if name == "w:drawing":
        return any(attribute(child(frame, "wp:docPr"), "hidden") in ("1", "true") for frame in element)
    return foreign(element) or (name == "w:tr" and on(child(child(element, "w:trPr"), "w:hidden")))


def _deleted(element: Element) -> bool:
    return (
        child(child(element, "w:trPr"), "w:del") is not None or child(child(element, "w:tcPr"), "w:cellDel") is not None
    )
