"""The numbers that Word puts before paragraphs ("3.2", "b)"): they stand nowhere in the text and
are counted here as Word counts them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rag_api.ingest.docx.package import Element, attribute, child, on, tag, whole
from rag_api.ingest.docx.styles import Styles

BULLET = "•"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip  # noqa: E501


@dataclass(frozen=True, slots=True)
class ListLevel:
    start: int
    form: str  # "decimal", "lowerLetter", "bullet" ...
    text: str  # "%1.%2"
    style: str  # the paragraph style that means this level
    plain: bool  # all numbers as decimals (w:isLgl)
    look: Element | None = None  # how its numbers are written, where that differs from the text (w:rPr)


@dataclass(slots=True)
class _List:
    abstract: str
    levels: dict[int, ListLevel]
    restarts: dict[int, int] = field(default_factory=dict)  # by level: where this list begins anew


class ListNumbers:
    """Counts through one document, from its first paragraph to its last."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self.styles = styles
        self._lists = _lists(root, styles) if root is not None else {}
        self._at: dict[str, dict[int, int]] = {}  # by abstract list: the number that each level stands at
        self._begun: set[tuple[str, int]] = set()

    def depth(self, paragraph: Element | None) -> int | None:
        """Return how deep in its list a paragraph with these properties stands, None outside
        lists."""
        found = self._of(paragraph)
        return None if found is None else found[2]

    def look(self, paragraph: Element | None) -> Element | None:
        """Return the properties of the numbers at this level."""
        found = self._of(paragraph)
        level = found[1].levels.get(found[2]) if found is not None else None
        return level.look if level is not None else None

    def label(self, paragraph: Element | None) -> str:
        """Return what stands before the next paragraph with these properties, "" for nothing."""
        if (said := self._of(paragraph)) is None:
            return ""
        number, found, at = said
        level = found.levels.get(at)
        return "" if level is None else self._next(number, found, at, level)

    def _of(self, paragraph: Element | None) -> tuple[str, _List, int] | None:
        """Return the number of its list, the list, and how deep in it."""
        style = attribute(child(paragraph, "w:pStyle"), "val")
        own = child(paragraph, "w:numPr")
        said = own if own is not None else self.styles.first(style, "w:pPr", "w:numPr")
        # a style may say only how deep, and leave the list to the one that it is based on
        of_styles = (child(child(one, "w:pPr"), "w:numPr") for one in self.styles.chain(style))
        numbers = (attribute(child(one, "w:numId"), "val") for one in (said, *of_styles))
        number = next(filter(None, numbers), "")
        found = self._lists.get(number)
        if said is None or found is None:
            return None
        by_style = next((n for n, level in found.levels.items() if level.style and level.style == style), 0)
        return number, found, whole(attribute(child(said, "w:ilvl"), "val"), by_style)

    def _next(self, number: str, found: _List, at: int, level: ListLevel) -> str:
        counts = self._at.setdefault(found.abstract, {})
        if at in found.restarts and (number, at) not in self._begun:
            counts[at] = found.restarts[at]
        else:
            counts[at] = counts.get(at, level.start - 1) + 1
        self._begun.add((number, at))
        for deeper in [one for one in counts if one > at]:
            del counts[deeper]
        if level.form == "bullet":
            return BULLET

        def written(match: re.Match[str]) -> str:
            one = int(match.group(1)) - 1
            of = found.levels.get(one, level)
            return _formed(counts.get(one, of.start), "decimal" if level.plain else of.form)

        return re.sub(r"%(\d)", written, level.text).strip()


def _lists(root: Element, styles: Styles) -> dict[str, _List]:
    abstracts = {attribute(one, "abstractNumId"): one for one in root if tag(one) == "w:abstractNum"}
    numbers = {attribute(one, "numId"): one for one in root if tag(one) == "w:num"}
    found = {}
    for number, one in numbers.items():
        abstract = _linked(attribute(child(one, "w:abstractNumId"), "val"), abstracts, numbers, styles)
        made = _List(abstract, _levels(abstracts.get(abstract)))
        for change in (part for part in one if tag(part) == "w:lvlOverride"):
            at = whole(attribute(change, "ilvl"))
            made.levels |= _levels(change)
            if (start := child(change, "w:startOverride")) is not None:
                made.restarts[at] = whole(attribute(start, "val"), 1)
        found[number] = made
    return found


def _linked(abstract: str, abstracts: dict[str, Element], numbers: dict[str, Element], styles: Styles) -> str:
    """Follow a list that is defined by a list style."""
    link = attribute(child(abstracts.get(abstract), "w:numStyleLink"), "val")
    number = attribute(child(styles.first(link, "w:pPr", "w:numPr"), "w:numId"), "val") if link else ""
    return attribute(child(numbers.get(number), "w:abstractNumId"), "val") or abstract


def _levels(holder: Element | None) -> dict[int, ListLevel]:
    found = {}
    for one in holder if holder is not None else ():
        if tag(one) == "w:lvl":
            said = {tag(part): part for part in one}
            found[whole(attribute(one, "ilvl"))] = ListLevel(
                whole(attribute(said.get("w:start"), "val"), 0 if "w:start" not in said else 1),
                attribute(said.get("w:numFmt"), "val") or "decimal",
                attribute(said.get("w:lvlText"), "val"),
                attribute(said.get("w:pStyle"), "val"),
                on(said.get("w:isLgl")),
                said.get("w:rPr"),
            )
    return found


def _formed(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter if form == "lowerLetter" else letter.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < number < 5000:
        return _roman(number) if form == "lowerRoman" else _roman(number).upper()
    if form == "none":
        return ""
    return f"{number:02d}" if form == "decimalZero" else str(number)


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text
