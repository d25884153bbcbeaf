"""Styles of a DOCX: the name of one, which list it belongs to, what holds for text that says
nothing of its own."""

from __future__ import annotations

from collections.abc import Iterator

from rag_api.ingest.docx.package import Element, attribute, child, tag

_MAX_CHAIN = 20  # styles based on styles; Word allows 10


class Styles:
    def __init__(self, root: Element | None) -> None:
        self._styles = (
            {attribute(one, "styleId"): one for one in root if tag(one) == "w:style"} if root is not None else {}
        )
        self._default = {
            attribute(one, "type"): key
            for key, one in self._styles.items()
            if attribute(one, "default") in ("1", "true")
        }
        defaults = child(root, "w:docDefaults")
        self._defaults = {name: child(child(defaults, f"{name}Default"), name) for name in ("w:rPr", "w:pPr")}
        self._found: dict[tuple[str, str, str], Element | None] = {}

    def name(self, style: str, kind: str = "paragraph") -> str:
        return attribute(child(self._styles.get(style or self.default(kind)), "w:name"), "val")

    def default(self, kind: str) -> str:
        """Return the style of what names none."""
        return self._default.get(kind, "")

    def chain(self, style: str) -> Iterator[Element]:
        """Yield a style and those that it is based on."""
        for _ in range(_MAX_CHAIN):
            found = self._styles.get(style)
            if found is None:
                return
            yield found
            style = attribute(child(found, "w:basedOn"), "val")

    def first(self, style: str, holder: str, name: str) -> Element | None:
        """Return what the style says of `name` in its `holder` (w:rPr, w:pPr), or those that it is
        based on."""
        key = (style, holder, name)
        if key not in self._found:
            found = (child(child(one, holder), name) for one in self.chain(style))
            self._found[key] = next((one for one in found if one is not None), None)
        return self._found[key]

    def everywhere(self, holder: str, name: str) -> Element | None:
        """Return what the document's defaults say of `name`."""
        return child(self._defaults[holder], name)
