"""A DOCX as it should be printed: every tracked change accepted, and without what Word does not print or prints struck through.

LibreOffice prints deleted words struck through, and some hidden ones; they would be read as if they held. The plain reading names them."""

from __future__ import annotations

import zipfile
from pathlib import Path

from lxml import etree

from rag_api.ingest.docx_package import Element, Package, child, on, tag
from rag_api.ingest.docx_runs import REMOVED
from rag_api.ingest.docx_styles import hidden_drawing, transparent

_KEPT = ("w:ins", "w:moveTo")
_MARKS = ("w:moveFromRangeStart", "w:moveFromRangeEnd", "w:moveToRangeStart", "w:moveToRangeEnd", "w:cellIns", "w:cellMerge")
_PARTS = ("document", "footnotes", "endnotes", "header", "footer")


def accept_changes(path: Path, target: Path, name: str) -> None:
    """Write `target`. Raises UnreadableDocument."""
    with Package(path, name) as package, zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            root = package.xml(entry.filename) if _is_text(entry.filename) else None
            if root is None:
                new.writestr(entry.filename, old.read(entry))
            else:
                _accept(root)
                new.writestr(entry.filename, etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def _is_text(part: str) -> bool:
    folder, _, base = part.rpartition("/")
    return folder == "word" and base.startswith(_PARTS) and base.endswith(".xml")


def _accept(root: Element) -> None:
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
        return on(child(said, "w:strike")) or on(child(said, "w:dstrike")) or transparent(said)
    return (name == "w:tr" and on(child(child(element, "w:trPr"), "w:hidden"))) or (name == "w:drawing" and hidden_drawing(element))


def _deleted(element: Element) -> bool:
    return child(child(element, "w:trPr"), "w:del") is not None or child(child(element, "w:tcPr"), "w:cellDel") is not None
