"""A DOCX as the zip of XML parts that it is, opened with limits. Knows nothing of what the parts
say."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from lxml import etree

from rag_api.errors import UnreadableDocument

Element = Any  # lxml's, which has no types

_MAX_UNPACKED = 1 << 30  # bytes: a small file may unpack to a very large one
_MAX_PART = 64 << 20  # bytes of one XML part; as a tree it takes about ten times that
_MAX_DEPTH = 200  # elements within elements; a walk of the tree must not run out of stack
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
# Both spellings of each vocabulary: Word writes the first, "Strict Open XML" is the second.
_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    f"{_OFFICE}/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://purl.oclc.org/ooxml/drawingml/main": "a",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://purl.oclc.org/ooxml/presentationml/main": "p",
    f"{_OFFICE}/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": "wp",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    "http://purl.oclc.org/ooxml/drawingml/diagram": "dgm",
    "http://schemas.openxmlformats.org/drawingml/2006/picture": "pic",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    "urn:schemas-microsoft-com:office:word": "w10",
}
_WORDS_OWN = (
    _OFFICE.rpartition("/officeDocument")[0],
    "http://purl.oclc.org/ooxml/",
    "http://schemas.microsoft.com/office/",
    "urn:schemas-microsoft-com:",
)


@lru_cache(maxsize=4096)
def _short(name: str) -> str:
    uri, brace, local = name.rpartition("}")
    return f"{_PREFIXES.get(uri[1:], '?')}:{local}" if brace else local


def tag(element: Element) -> str:
    """Return "w:p", whichever spelling of the vocabulary the file uses; "" for comments."""
    return _short(element.tag) if isinstance(element.tag, str) else ""


def attribute(element: Element | None, name: str) -> str:
    """Return an attribute by its name without vocabulary ("val"), or ""."""
    if element is None:
        return ""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def child(element: Element | None, name: str) -> Element | None:
    return next((one for one in element if tag(one) == name), None) if element is not None else None


def foreign(element: Element) -> bool:
    """Return whether it is of a vocabulary that no Word knows: Word passes over it and all that
    stands in it."""
    return isinstance(element.tag, str) and element.tag.startswith("{") and not element.tag[1:].startswith(_WORDS_OWN)


def chosen(alternatives: Element) -> Element | None:
    """Return which of several ways of saying the same (mc:AlternateContent) Word shows: the first
    whose vocabularies it knows."""
    for way in alternatives:
        if tag(way) == "mc:Fallback":
            return way
        wanted = [way.nsmap.get(prefix, "") for prefix in attribute(way, "Requires").split()]
        if tag(way) == "mc:Choice" and wanted and all(uri.startswith(_WORDS_OWN) for uri in wanted):
            return way
    return None


def on(element: Element | None) -> bool:
    """Return whether a switch such as <w:vanish/> is there and not switched off."""
    return element is not None and attribute(element, "val") not in ("0", "false", "off", "none")


def whole(text: str, default: int = 0) -> int:
    try:
        return int(text)
    except ValueError:
        return default


def refuse_ole(path: Path, name: str) -> None:
    """A DOCX with a password is a container of Microsoft's older kind, as the older format itself
    is. Raises UnreadableDocument."""
    with path.open("rb") as file:
        if file.read(8) != b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
            return
        if "EncryptedPackage".encode("utf-16-le") in file.read():
            raise UnreadableDocument("encrypted", f"{name}: needs a password to open")
    raise UnreadableDocument("unsupported", f"{name}: is an old .doc file under another name")


class Package:
    """The parts of an Office file; `with Package(path, name) as package`. Raises
    UnreadableDocument: broken, too_large."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise self.broken() from error
        entries = self._zip.infolist()
        if (unpacked := sum(entry.file_size for entry in entries)) > _MAX_UNPACKED:
            self._zip.close()
            raise UnreadableDocument("too_large", f"{name}: unpacks to {unpacked >> 20} MB")
        self._roots: dict[str, Element] = {}
        self._sizes = {entry.filename.lstrip("/"): entry for entry in entries}

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def broken(self) -> UnreadableDocument:
        return UnreadableDocument("broken", f"{self.name}: is damaged: it cannot be opened as an Office file")

    def xml(self, part: str) -> Element | None:
        """Return the part's root, the same at each call, or None when the file has no such part."""
        if part.lstrip("/") in self._roots:
            return self._roots[part.lstrip("/")]
        entry = self._sizes.get(part.lstrip("/"))
        if entry is None:
            return None
        self._refuse_large(entry)
        try:
            root = etree.fromstring(
                self._zip.read(entry), etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
            )
        except (
            etree.XMLSyntaxError,
            zipfile.BadZipFile,
            NotImplementedError,
            RuntimeError,
            OSError,
            ValueError,
            EOFError,
        ) as error:
            raise self.broken() from error
        except Exception as error:
            if type(error).__name__ == "error":  # zlib.error
                raise self.broken() from error
            raise
        if _deeper_than(root, _MAX_DEPTH):
            raise UnreadableDocument(
                "broken", f"{self.name}: is damaged: its parts lie more than {_MAX_DEPTH} deep in each other"
            )
        self._roots[part.lstrip("/")] = root
        return root

    def parts(self, beginning: str) -> list[str]:
        """Return the names of the XML parts that begin so."""
        return sorted(name for name in self._sizes if name.startswith(beginning) and name.endswith(".xml"))

    def refuse_large(self, beginning: str) -> None:
        """Raises UnreadableDocument when a part of these is larger than is read."""
        for name in self.parts(beginning):
            self._refuse_large(self._sizes[name])

    def _refuse_large(self, entry: zipfile.ZipInfo) -> None:
        if entry.file_size > _MAX_PART:
            raise UnreadableDocument(
                "too_large", f"{self.name}: {entry.file_size >> 20} MB of text and markup in one part"
            )

    def main(self) -> str:
        """Return the name of the part that everything else hangs from."""
        found = [target for kind, target, _ in self.relations("") if kind == "officeDocument"]
        if not found or found[0] not in self._sizes:
            raise self.broken()
        return found[0]

    def relations(self, part: str) -> Iterator[tuple[str, str, str]]:
        """Yield (kind, name of the other part, id) of what a part refers to inside the file."""
        folder, base = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        for one in root if root is not None else ():
            if attribute(one, "TargetMode") != "External" and (target := attribute(one, "Target")):
                place = (
                    target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
                )
                yield attribute(one, "Type").rpartition("/")[2], place, attribute(one, "Id")

    def properties(self) -> dict[str, str]:
        """Return what the file says of itself: Title, Author, and what an organisation's templates
        add under own names."""
        found: dict[str, str] = {}
        for kind, part, _ in self.relations(""):
            root = self.xml(part) if kind in ("core-properties", "custom-properties") else None
            for one in root if root is not None else ():
                key = (
                    attribute(one, "name")
                    if kind == "custom-properties"
                    else _CORE.get(str(one.tag).rpartition("}")[2], "")
                )
                value = "".join(one.itertext()).strip()
                if key and value and value != "python-docx":
                    found.setdefault(key, value)
        return found


_CORE = {"title": "Title", "creator": "Author", "version": "Version", "language": "Language", "subject": "Subject"}


def _deeper_than(root: Element, limit: int) -> bool:
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > limit:
            return True
    return False
