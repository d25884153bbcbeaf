"""A made document and what its maker wrote into it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Made:
    """A file and its source text. A flow is read in order; the flows of a page (columns, boxes,
    notes) stand in any order."""

    name: str
    data: bytes
    flows: tuple[tuple[str, ...], ...]  # each item is a heading, paragraph, list item, row or note: a line of its own
    # headers, footers, page numbers, as often as they are printed: cut, or blocks of their own
    furniture: tuple[str, ...] = ()
    # what the format holds once, however often it is printed or, of a cell over several rows, read
    once: tuple[str, ...] = ()
